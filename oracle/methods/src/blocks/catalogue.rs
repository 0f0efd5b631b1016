//! The axes of quantisers whose scale is a power of two, and what is known to happen along each.

use castproof_quantised::block::{nan_element, scale_of_magnitude, smallest_divisor};
use castproof_vectors::{BlockProfile, DType};

/// A quantiser whose scale is a power of two, float8e8m0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerMethod {
    /// The dtype of the elements.
    pub to: DType,
    /// How the exponent of the scale follows from the largest magnitude.
    pub exponent: Exponent,
    /// What is added to it.
    pub shift: ScaleShift,
    /// How the largest magnitude is read before that.
    pub largest: NumberRead,
    /// Which numbers enter the largest magnitude.
    pub enters: Enters,
    /// The smallest code of the scale of a block that is not zero.
    pub low: u64,
    /// Has a largest magnitude that rounds to 2^128 the scale NaN?
    pub overflows: bool,
    /// The scale of a block of zeros.
    pub zero: u64,
    /// The scale of a block with an infinity.
    pub infinity: u64,
    /// What a NaN does to the scale.
    pub nan: NanScale,
    /// How a number is read before it is divided.
    pub number: NumberRead,
    /// By what numbers are divided under the scale 0x00.
    pub lowest: Lowest,
    /// The dtype of the quotient, if that is rounded.
    pub quotient: Option<DType>,
    /// How a quotient between two elements is rounded.
    pub ties: QuotientTies,
    /// What becomes of a quotient beyond the largest element.
    pub overflow: Overflow,
    /// Are subnormal elements flushed to zero?
    pub flushes: bool,
    /// Do zeros lose their sign?
    pub unsigned_zero: bool,
    /// What a NaN becomes under a scale that is a number; `None` where it stands under none.
    pub nan_element: Option<NanElement>,
}

/// How the exponent of the scale follows from the largest magnitude `m`. `max` is the largest element,
/// and `emax` its exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exponent {
    /// That of `m`, less `emax`.
    Floor,
    /// The same, rounded up.
    Ceil,
    /// The smallest at which nothing is beyond `max`.
    CeilOfQuotient,
    /// As `Floor`, of `m` rounded to the significand of elements, a half up.
    FloorOfRounded,
    /// The smallest at which `m` does not round beyond `max`.
    Fit,
    /// As `CeilOfQuotient`, of the product of `m` with 1/max, each rounded to float32.
    CeilOfProduct,
    /// As `Floor`, of the product of `m` with 2^-emax in float32, which rounds subnormal numbers.
    FloorOfProduct,
    /// The exponent of `m/max` in float32, not rounded up.
    FloorOfQuotient,
    /// As `Floor`, of the logarithm as float32 has it.
    FloorOfLog,
    /// The logarithm of `m/max`, both as float32 has them, rounded up.
    CeilOfLog,
    /// The logarithm of `m/max` in float32, rounded to nearest.
    NearestOfLog,
    /// As `Floor`, with the logarithm truncated toward zero.
    TruncatedLog,
    /// As `FloorOfRounded`, with the significand of float4e2m1 for all elements.
    FloorOfRoundedToOneBit,
}

/// What is added to the exponent of the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleShift {
    /// Nothing.
    None,
    /// One.
    More,
    /// Minus one.
    Less,
    /// `emax`, which undoes that it was subtracted.
    Emax,
    /// `-emax`, so that it is subtracted twice.
    MinusEmax,
}

/// How a number is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberRead {
    /// As it is.
    AsIs,
    /// A subnormal number as zero.
    Flushed,
    /// Rounded to bfloat16.
    Bfloat16,
    /// Rounded to bfloat16, at most its largest number.
    Bfloat16Clamped,
    /// Rounded to float16.
    Float16,
    /// A NaN as zero.
    NanAsZero,
}

/// Which numbers enter the largest magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enters {
    /// All.
    All,
    /// So many from the first on.
    First(usize),
    /// All but the one at this place.
    Without(usize),
    /// Those that are not negative.
    Positive,
}

/// What a NaN does to the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanScale {
    /// The scale has this code.
    Code(u64),
    /// It does not enter the largest magnitude.
    Dropped,
}

/// By what numbers are divided under the scale 0x00, which stands for 2^-127.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowest {
    /// By 2^-127.
    Exact,
    /// By 2^-126.
    Next,
    /// By one, or they are multiplied by zero: every element is zero.
    Zero,
    /// By zero.
    DividedByZero,
}

/// How a quotient between two elements is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotientTies {
    /// To nearest, ties to even.
    Even,
    /// To nearest, ties away from zero.
    Away,
    /// To nearest, ties toward zero.
    Toward,
    /// Toward zero.
    Truncated,
    /// By adding a half in float32 and truncating.
    AddedHalf,
}

/// What becomes of a quotient beyond the largest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The largest element.
    Largest,
    /// The largest element, always positive.
    Positive,
    /// NaN, if it rounds beyond the largest element.
    Nan,
    /// Infinity, if it rounds beyond the largest element.
    Infinity,
}

/// What a NaN becomes under a scale that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanElement {
    /// The NaN of the elements with the sign of the number.
    Nan,
    /// The positive NaN of the elements.
    PositiveNan,
    /// The largest element with the sign of the number.
    Largest,
    /// The positive largest element.
    PositiveLargest,
    /// Zero with the sign of the number.
    Zero,
    /// Zero with the other sign.
    OppositeZero,
    /// Positive zero.
    PositiveZero,
    /// All ones but the sign.
    AllOnes,
}

/// A step along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockChange {
    /// The axis of the exponent.
    Exponent(Exponent),
    /// The axis of what is added to it.
    Shift(ScaleShift),
    /// The axis of the largest magnitude.
    Largest(NumberRead),
    /// The axis of the numbers that enter.
    Enters(Enters),
    /// The axis of the smallest code.
    Low(u64),
    /// The axis of largest magnitudes that round to 2^128.
    Overflows,
    /// The axis of numbers.
    Number(NumberRead),
    /// The axis of the scale 0x00.
    Lowest(Lowest),
    /// The axis of the quotient.
    Quotient(DType),
    /// The axis of ties.
    Ties(QuotientTies),
    /// The axis of overflow.
    Overflow(Overflow),
    /// The axis of subnormal elements.
    Flushes,
    /// The axis of the sign of zeros.
    UnsignedZero,
}

/// What is known to happen to the scale, the likelier first. Of places of a block, each is a change of
/// its own.
const OF_SCALES: &[BlockChange] = &[
    BlockChange::Exponent(Exponent::Floor),
    BlockChange::Exponent(Exponent::Ceil),
    BlockChange::Exponent(Exponent::CeilOfQuotient),
    BlockChange::Exponent(Exponent::FloorOfRounded),
    BlockChange::Exponent(Exponent::Fit),
    BlockChange::Exponent(Exponent::CeilOfProduct),
    BlockChange::Exponent(Exponent::FloorOfProduct),
    BlockChange::Exponent(Exponent::FloorOfQuotient),
    BlockChange::Exponent(Exponent::FloorOfLog),
    BlockChange::Exponent(Exponent::CeilOfLog),
    BlockChange::Exponent(Exponent::NearestOfLog),
    BlockChange::Exponent(Exponent::TruncatedLog),
    BlockChange::Exponent(Exponent::FloorOfRoundedToOneBit),
    BlockChange::Shift(ScaleShift::Emax),
    BlockChange::Shift(ScaleShift::More),
    BlockChange::Shift(ScaleShift::Less),
    BlockChange::Shift(ScaleShift::MinusEmax),
    BlockChange::Overflows,
    BlockChange::Low(1),
    BlockChange::Largest(NumberRead::Bfloat16),
    BlockChange::Largest(NumberRead::Bfloat16Clamped),
    BlockChange::Largest(NumberRead::Float16),
    BlockChange::Largest(NumberRead::Flushed),
    BlockChange::Enters(Enters::Positive),
    BlockChange::Enters(Enters::First(16)),
    BlockChange::Enters(Enters::First(8)),
    BlockChange::Enters(Enters::First(4)),
    BlockChange::Enters(Enters::First(1)),
];

/// What is known to happen to elements, the likelier first.
const OF_ELEMENTS: &[BlockChange] = &[
    BlockChange::Ties(QuotientTies::Away),
    BlockChange::Ties(QuotientTies::Toward),
    BlockChange::Ties(QuotientTies::Truncated),
    BlockChange::Ties(QuotientTies::AddedHalf),
    BlockChange::Lowest(Lowest::Exact),
    BlockChange::Lowest(Lowest::Next),
    BlockChange::Lowest(Lowest::Zero),
    BlockChange::Lowest(Lowest::DividedByZero),
    BlockChange::Overflow(Overflow::Nan),
    BlockChange::Overflow(Overflow::Infinity),
    BlockChange::Overflow(Overflow::Positive),
    BlockChange::Number(NumberRead::Flushed),
    BlockChange::Number(NumberRead::Bfloat16),
    BlockChange::Number(NumberRead::Float16),
    BlockChange::Quotient(DType::Bfloat16),
    BlockChange::Quotient(DType::Float16),
    BlockChange::Flushes,
    BlockChange::UnsignedZero,
];

/// Returns what is known to happen to the scale of blocks of `size` numbers.
pub fn scale_changes(size: usize) -> Vec<BlockChange> {
    let without = (0..size).map(|place| BlockChange::Enters(Enters::Without(place)));
    OF_SCALES.iter().copied().chain(without).collect()
}

/// Returns what is known to happen to elements.
pub fn element_changes() -> &'static [BlockChange] {
    OF_ELEMENTS
}

/// How the profiles make the exponent of the scale, each rule first under its own profile.
pub(super) const RULES: [(BlockProfile, Exponent); 9] = [
    (BlockProfile::MxFloor, Exponent::Floor),
    (BlockProfile::MxCeil, Exponent::Ceil),
    (BlockProfile::MxRceil, Exponent::CeilOfQuotient),
    (BlockProfile::MxEven, Exponent::FloorOfRounded),
    (BlockProfile::MxRfit, Exponent::Fit),
    (BlockProfile::MxTorchaoFloor, Exponent::Floor),
    (BlockProfile::MxTorchaoCeil, Exponent::Ceil),
    (BlockProfile::MxTorchaoEven, Exponent::FloorOfRounded),
    (BlockProfile::MxTe, Exponent::CeilOfProduct),
];

impl PowerMethod {
    /// Returns the method that a profile specifies; `None` if its scale is no power of two, or it has
    /// no such elements.
    pub fn of(profile: BlockProfile, to: DType) -> Option<PowerMethod> {
        let exponent = RULES.iter().find(|(it, _)| *it == profile)?.1;
        let scale = |magnitude| scale_of_magnitude(profile, to, magnitude).ok();
        let drops_nan = nan_element(profile, to).ok()?.is_some();
        Some(PowerMethod {
            to,
            exponent,
            shift: ScaleShift::None,
            largest: NumberRead::AsIs,
            enters: Enters::All,
            low: 0,
            overflows: false,
            zero: scale(0)?,
            infinity: scale(0x7f80_0000)?,
            nan: match drops_nan {
                true => NanScale::Dropped,
                false => NanScale::Code(scale(0x7fc0_0000)?),
            },
            number: NumberRead::AsIs,
            lowest: match smallest_divisor(profile)? {
                -127 => Lowest::Exact,
                _ => Lowest::Next,
            },
            quotient: None,
            ties: QuotientTies::Even,
            overflow: Overflow::Largest,
            flushes: false,
            unsigned_zero: false,
            nan_element: drops_nan.then_some(NanElement::AllOnes),
        })
    }

    /// Returns the method with one change.
    #[must_use]
    pub fn with(mut self, change: BlockChange) -> PowerMethod {
        match change {
            BlockChange::Exponent(exponent) => self.exponent = exponent,
            BlockChange::Shift(shift) => self.shift = shift,
            BlockChange::Largest(read) => self.largest = read,
            BlockChange::Enters(enters) => self.enters = enters,
            BlockChange::Low(low) => self.low = low,
            BlockChange::Overflows => self.overflows = true,
            BlockChange::Number(read) => self.number = read,
            BlockChange::Lowest(lowest) => self.lowest = lowest,
            BlockChange::Quotient(dtype) => self.quotient = Some(dtype),
            BlockChange::Ties(ties) => self.ties = ties,
            BlockChange::Overflow(overflow) => self.overflow = overflow,
            BlockChange::Flushes => self.flushes = true,
            BlockChange::UnsignedZero => self.unsigned_zero = true,
        }
        self
    }
}
