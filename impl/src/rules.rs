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
    /// What NaN becomes in another float of at least 16 bits.
    pub(crate) nan: Nan,
}

/// What floats become in integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integers {
    /// Towards zero, or to nearest for 2 and 4 bits; the nearest end of the range; NaN becomes 0.
    Nearest,
    Replaced(Replaced),
}

/// Towards zero; the low bits of the integers that are kept, and codes in place of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) kept: Kept,
    /// The codes of what is above and below, infinities included.
    pub(crate) above: u64,
    pub(crate) below: u64,
    pub(crate) nan: u64,
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
        nan: Nan::Signed,
    };

    /// Returns these rules as an operator-set version of ONNX has them.
    pub(crate) const fn at_opset(self, opset: u32) -> Rules {
        let fnuz_infinity =
            if opset < FNUZ_INFINITY_SATURATES { Saturated::Nan } else { Saturated::Largest };
        Rules { fnuz_infinity, ..self }
    }

    /// What a cast from a dtype to itself does with codes.
    pub(crate) const fn same_dtype(self, dtype: DType) -> SameDType {
        match Values::of(dtype) {
            Some(Values::Truth) => SameDType::Truth,
            Some(Values::Float(Format {
                overflow: Overflow::Attribute,
                specials: Specials::Ieee,
                ..
            })) if self.saturate => SameDType::InfinitySaturates,
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
}

impl Ends {
    pub(crate) const fn new(format: Format, rules: &Rules) -> Ends {
        let saturate = match format.overflow {
            Overflow::Infinity => false,
            Overflow::Attribute => rules.saturate,
            Overflow::Maximum => true,
        };
        let overflow = if saturate { format.max() } else { format.infinity_or_nan() };
        let infinity = match (format.specials, rules.fnuz_infinity) {
            (Specials::NegativeZeroNan, Saturated::Nan) => format.nan(),
            _ => overflow,
        };
        Ends { overflow, infinity }
    }
}
