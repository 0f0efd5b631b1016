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
    pub shift: Shift,
    /// How the largest magnitude is read before that.
    pub largest: Read,
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
    pub number: Read,
    /// By what numbers are divided under the scale 0x00.
    pub lowest: Lowest,
    /// The dtype of the quotient, if that is rounded.
    pub quotient: Option<DType>,
    /// How a quotient between two elements is rounded.
    pub ties: Ties,
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
pub enum Shift {
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
pub enum Read {
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
pub enum Ties {
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
pub enum Change {
    /// The axis of the exponent.
    Exponent(Exponent),
    /// The axis of what is added to it.
    Shift(Shift),
    /// The axis of the largest magnitude.
    Largest(Read),
    /// The axis of the numbers that enter.
    Enters(Enters),
    /// The axis of the smallest code.
    Low(u64),
    /// The axis of largest magnitudes that round to 2^128.
    Overflows,
    /// The axis of numbers.
    Number(Read),
    /// The axis of the scale 0x00.
    Lowest(Lowest),
    /// The axis of the quotient.
    Quotient(DType),
    /// The axis of ties.
    Ties(Ties),
    /// The axis of overflow.
    Overflow(Overflow),
    /// The axis of subnormal elements.
    Flushes,
    /// The axis of the sign of zeros.
    UnsignedZero,
}

/// What is known to happen to the scale, the likelier first. Of places of a block, each is a change of
/// its own.
const OF_SCALES: &[Change] = &[
    Change::Exponent(Exponent::Floor),
    Change::Exponent(Exponent::Ceil),
    Change::Exponent(Exponent::CeilOfQuotient),
    Change::Exponent(Exponent::FloorOfRounded),
    Change::Exponent(Exponent::Fit),
    Change::Exponent(Exponent::CeilOfProduct),
    Change::Exponent(Exponent::FloorOfProduct),
    Change::Exponent(Exponent::FloorOfQuotient),
    Change::Exponent(Exponent::FloorOfLog),
    Change::Exponent(Exponent::CeilOfLog),
    Change::Exponent(Exponent::NearestOfLog),
    Change::Exponent(Exponent::TruncatedLog),
    Change::Exponent(Exponent::FloorOfRoundedToOneBit),
    Change::Shift(Shift::Emax),
    Change::Shift(Shift::More),
    Change::Shift(Shift::Less),
    Change::Shift(Shift::MinusEmax),
    Change::Overflows,
    Change::Low(1),
    Change::Largest(Read::Bfloat16),
    Change::Largest(Read::Bfloat16Clamped),
    Change::Largest(Read::Float16),
    Change::Largest(Read::Flushed),
    Change::Enters(Enters::Positive),
    Change::Enters(Enters::First(16)),
    Change::Enters(Enters::First(8)),
    Change::Enters(Enters::First(4)),
    Change::Enters(Enters::First(1)),
];

/// What is known to happen to elements, the likelier first.
const OF_ELEMENTS: &[Change] = &[
    Change::Ties(Ties::Away),
    Change::Ties(Ties::Toward),
    Change::Ties(Ties::Truncated),
    Change::Ties(Ties::AddedHalf),
    Change::Lowest(Lowest::Exact),
    Change::Lowest(Lowest::Next),
    Change::Lowest(Lowest::Zero),
    Change::Lowest(Lowest::DividedByZero),
    Change::Overflow(Overflow::Nan),
    Change::Overflow(Overflow::Infinity),
    Change::Overflow(Overflow::Positive),
    Change::Number(Read::Flushed),
    Change::Number(Read::Bfloat16),
    Change::Number(Read::Float16),
    Change::Quotient(DType::Bfloat16),
    Change::Quotient(DType::Float16),
    Change::Flushes,
    Change::UnsignedZero,
];

/// Returns what is known to happen to the scale of blocks of `size` numbers.
pub fn scale_changes(size: usize) -> Vec<Change> {
    let without = (0..size).map(|place| Change::Enters(Enters::Without(place)));
    OF_SCALES.iter().copied().chain(without).collect()
}

/// Returns what is known to happen to elements.
pub fn element_changes() -> &'static [Change] {
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
            shift: Shift::None,
            largest: Read::AsIs,
            enters: Enters::All,
            low: 0,
            overflows: false,
            zero: scale(0)?,
            infinity: scale(0x7f80_0000)?,
            nan: match drops_nan {
                true => NanScale::Dropped,
                false => NanScale::Code(scale(0x7fc0_0000)?),
            },
            number: Read::AsIs,
            lowest: match smallest_divisor(profile)? {
                -127 => Lowest::Exact,
                _ => Lowest::Next,
            },
            quotient: None,
            ties: Ties::Even,
            overflow: Overflow::Largest,
            flushes: false,
            unsigned_zero: false,
            nan_element: drops_nan.then_some(NanElement::AllOnes),
        })
    }

    /// Returns the method with one change.
    #[must_use]
    pub fn with(mut self, change: Change) -> PowerMethod {
        match change {
            Change::Exponent(exponent) => self.exponent = exponent,
            Change::Shift(shift) => self.shift = shift,
            Change::Largest(read) => self.largest = read,
            Change::Enters(enters) => self.enters = enters,
            Change::Low(low) => self.low = low,
            Change::Overflows => self.overflows = true,
            Change::Number(read) => self.number = read,
            Change::Lowest(lowest) => self.lowest = lowest,
            Change::Quotient(dtype) => self.quotient = Some(dtype),
            Change::Ties(ties) => self.ties = ties,
            Change::Overflow(overflow) => self.overflow = overflow,
            Change::Flushes => self.flushes = true,
            Change::UnsignedZero => self.unsigned_zero = true,
        }
        self
    }
}
