//! The parts of a request that change what a cast means.

use crate::format::{Format, Overflow, Specials};
use crate::values::Values;
use castproof_vectors::{DType, RoundMode};

/// The parts of a request that change the meaning of some casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Whether a value beyond the range becomes the largest finite value rather than infinity or
    /// NaN, in formats that leave it to the attribute.
    pub(crate) saturate: bool,
    /// What infinity becomes under `saturate` in a format whose NaN has the code of negative zero.
    pub(crate) fnuz_infinity: Saturated,
    /// How values between two powers of two round to float8e8m0.
    pub(crate) round_mode: RoundMode,
    /// What floats become in integers.
    pub(crate) integers: Integers,
    /// What they become where a round mode is given, if it concerns them. The mode replaces the
    /// rounding of these.
    pub(crate) integers_by_mode: Option<Replaced>,
    /// Whether an integer that the target does not have becomes the nearest end of its range rather
    /// than its low bits.
    pub(crate) integers_saturate: bool,
    /// Whether a float that its integer does not have is an error rather than a code.
    pub(crate) traps: bool,
    /// What NaN becomes in another float of at least 16 bits.
    pub(crate) nan: Nan,
    /// What NaN becomes in a float that has none.
    pub(crate) no_nan: NoNan,
    /// When a number is out of the range of float8e8m0 without `saturate`.
    pub(crate) scale_range: ScaleRange,
    /// Whether the sign of a number is dropped before it becomes a float8e8m0.
    pub(crate) scale_of_magnitude: bool,
    /// Whether infinity saturates in a cast from a float8 dtype to itself under `saturate`.
    pub(crate) own_infinity_saturates: bool,
    /// Whether a number that float32 does not hold is rounded to it before it is rounded to a float
    /// of at most 8 bits.
    pub(crate) through_float32: bool,
    /// Whether a number is rounded to a float8 dtype by the round mode. Its NaN is then always the positive one with
    /// all bits set, and the mode decides whether a number beyond the largest one stays there.
    pub(crate) float8_by_mode: bool,
}

/// What NaN becomes in a float that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNan {
    /// The largest value.
    Largest,
    /// Zero with the sign that the NaN has not.
    ZeroOfOtherSign,
    /// Zero with the sign of the NaN. Infinity becomes zero of its sign, too.
    ZeroOfSameSign,
}

/// When a number is out of the range of float8e8m0 without `saturate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScaleRange {
    /// If it is below 2^-127 or above 2^127 before it is rounded.
    BeforeRounding,
    /// If it is not positive, or above 2^127 after it is rounded.
    AfterRounding,
    /// If it is above 2^127 after it is rounded, where a finite number from 2^128 on counts as the
    /// largest float32. What is below 2^-127 becomes 2^-127.
    ClampedBelow,
}

/// What floats become in integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integers {
    /// Towards zero, or to nearest for 2 and 4 bits; the nearest end of the range; NaN becomes 0.
    Nearest,
    Replaced(Replaced),
}

/// The low bits of the integers that are kept, and codes in place of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) rounding: Rounding,
    pub(crate) kept: Kept,
    /// The codes of what is above and below, infinities included.
    pub(crate) above: u64,
    pub(crate) below: u64,
    pub(crate) nan: u64,
    /// The bits of the target.
    pub(crate) mask: u64,
}

/// Which integer a float is rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// The next one towards zero.
    TowardsZero,
    /// The nearest one, of two the even one.
    Nearest,
    /// The nearest one, of two the one away from zero.
    NearestAway,
    /// The next one towards positive infinity.
    Up,
    /// The next one towards negative infinity.
    Down,
}

/// The integers whose low bits are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Those of this many bits, two's complement if signed.
    Bits {
        bits: u32,
        signed: bool,
    },
    /// Those of 64 bits, with sign and without.
    Either64,
    All,
}

/// What NaN becomes in another float of at least 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nan {
    /// The quiet one without payload; it keeps its sign.
    Signed,
    /// The quiet one without payload and without sign.
    Positive,
    /// A quiet one with the same sign and the upper bits of the payload.
    Payload,
    /// The positive one with all bits set in a float of at most 16 bits that has several, those of
    /// 8 bits included; as `Signed` in a wider float.
    AllOnes,
}

/// What infinity becomes under `saturate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saturated {
    /// NaN (F8-S06).
    Nan,
    /// The largest finite value (F8-S07).
    Largest,
}

/// What a cast from a dtype to itself does with codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SameDType {
    /// They stay what they are (FF-11).
    Kept,
    /// Any byte but 0 becomes 1 (B-08).
    Truth,
    /// Infinity becomes the largest finite value; all other codes stay (F8-S08).
    InfinitySaturates,
}

/// The first operator-set version in which infinities saturate in the FNUZ formats (F8-S07).
const FNUZ_INFINITY_SATURATES: u32 = 24;

impl Rules {
    /// The newest: opset 28, `saturate` on, `round_mode` up.
    pub(crate) const NEWEST: Rules = Rules {
        saturate: true,
        fnuz_infinity: Saturated::Largest,
        round_mode: RoundMode::Up,
        integers: Integers::Nearest,
        integers_by_mode: None,
        integers_saturate: false,
        traps: false,
        nan: Nan::Signed,
        no_nan: NoNan::Largest,
        scale_range: ScaleRange::BeforeRounding,
        scale_of_magnitude: false,
        own_infinity_saturates: true,
        through_float32: false,
        float8_by_mode: false,
    };

    /// Is a number of the first dtype rounded to float32 before it is rounded to the second?
    pub(crate) const fn rounds_first(&self, from: DType, to: DType) -> bool {
        let is_wide = match Values::of(from) {
            Some(Values::Integer { .. }) => from.bits() >= 32,
            Some(Values::Float(_)) => from.bits() > 32,
            _ => false,
        };
        let is_small = matches!(Values::of(to), Some(Values::Float(_) | Values::PowerOfTwo));
        self.through_float32 && is_wide && is_small && to.bits() <= 8
    }

    /// Is NaN of this format the positive code with all bits set?
    pub(crate) fn nan_is_all_ones(&self, format: Format) -> bool {
        let has_several = matches!(format.specials, Specials::Ieee | Specials::AllOnesNan);
        self.nan == Nan::AllOnes && has_several && format.sign() < 1 << 16
    }

    /// Returns these rules as an operator-set version of ONNX has them.
    pub(crate) const fn at_opset(self, opset: u32) -> Rules {
        let fnuz_infinity =
            if opset < FNUZ_INFINITY_SATURATES { Saturated::Nan } else { Saturated::Largest };
        Rules { fnuz_infinity, ..self }
    }

    /// Returns these rules with a round mode.
    pub(crate) const fn with_round_mode(self, mode: RoundMode) -> Rules {
        let rounding = match mode {
            RoundMode::Up => Rounding::Up,
            RoundMode::Down => Rounding::Down,
            RoundMode::Nearest => Rounding::Nearest,
            RoundMode::TowardZero => Rounding::TowardsZero,
            RoundMode::NearestAway => Rounding::NearestAway,
        };
        let integers = match self.integers_by_mode {
            Some(codes) => Integers::Replaced(Replaced { rounding, ..codes }),
            None => self.integers,
        };
        Rules { round_mode: mode, integers, ..self }
    }

    /// What a cast from a dtype to itself does with codes.
    pub(crate) const fn same_dtype(self, dtype: DType) -> SameDType {
        match Values::of(dtype) {
            Some(Values::Truth) => SameDType::Truth,
            Some(Values::Float(Format {
                overflow: Overflow::Attribute,
                specials: Specials::Ieee,
                ..
            })) if self.saturate && self.own_infinity_saturates => SameDType::InfinitySaturates,
            _ => SameDType::Kept,
        }
    }
}

/// The results beyond the largest finite value of a format, without the sign.
pub(crate) struct Ends {
    /// For a finite value that rounds beyond it.
    pub(crate) overflow: u64,
    /// For infinity.
    pub(crate) infinity: u64,
    /// For NaN in a format that has none.
    pub(crate) no_nan: u64,
    /// The sign bit of that result if the NaN is positive, and if it is negative.
    pub(crate) no_nan_signs: [u64; 2],
}

impl Ends {
    pub(crate) const fn new(format: Format, rules: &Rules) -> Ends {
        let saturate = match format.overflow {
            Overflow::Infinity => false,
            Overflow::Attribute => rules.saturate,
            Overflow::Maximum => true,
        };
        let overflow = if saturate { format.max() } else { format.infinity_or_nan() };
        let infinity = match (format.specials, rules.fnuz_infinity, rules.no_nan) {
            (Specials::NegativeZeroNan, Saturated::Nan, _) => format.nan(),
            (Specials::None, _, NoNan::ZeroOfSameSign) => 0,
            _ => overflow,
        };
        let (no_nan, no_nan_signs) = match rules.no_nan {
            NoNan::Largest => (format.max(), [0, 0]),
            NoNan::ZeroOfOtherSign => (0, [format.sign(), 0]),
            NoNan::ZeroOfSameSign => (0, [0, format.sign()]),
        };
        Ends { overflow, infinity, no_nan, no_nan_signs }
    }
}

/// The results beyond the largest finite value of a float8 dtype that is rounded by the round mode, of a positive and
/// of a negative value.
pub(crate) struct ModeEnds {
    /// For a finite value that rounds beyond it.
    pub(crate) overflow: [u64; 2],
    pub(crate) infinity: [u64; 2],
    pub(crate) nan: u64,
}

impl ModeEnds {
    pub(crate) const fn new(format: Format, rules: &Rules) -> ModeEnds {
        let nan = format.magnitude_mask();
        let largest = [format.max(), format.max() | format.sign()];
        let infinity = match format.specials {
            _ if rules.saturate => largest,
            Specials::Ieee => [format.exponent_mask(), format.exponent_mask() | format.sign()],
            // Without an infinity it is NaN, which has no sign.
            _ => [nan, nan],
        };
        let mode = rules.round_mode;
        // A mode that never goes away from zero stays at the largest value.
        let to_zero = matches!(mode, RoundMode::TowardZero);
        let inward =
            [to_zero || matches!(mode, RoundMode::Down), to_zero || matches!(mode, RoundMode::Up)];
        let overflow = [
            if inward[0] { largest[0] } else { infinity[0] },
            if inward[1] { largest[1] } else { infinity[1] },
        ];
        ModeEnds { overflow, infinity, nan }
    }
}
