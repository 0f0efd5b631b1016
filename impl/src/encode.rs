//! A value to the code of a bool or a float.

use crate::cast::Rules;
use crate::format::{FloatFormat, Format, Overflow, Specials};
use crate::unpacked::{Class, Unpacked, round_shift};

/// The first operator-set version in which infinities saturate in the FNUZ types (F8-S07).
const FNUZ_INFINITY_SATURATES: u32 = 24;

/// Zero of either sign is false, all else is true, NaN included (B-01 to B-04).
pub(crate) fn bools(_: &Rules, value: &Unpacked) -> u64 {
    u64::from(!value.is_zero())
}

/// To nearest, ties to even, overflow as the format has it.
pub(crate) fn floats<F: FloatFormat>(rules: &Rules, value: &Unpacked) -> u64 {
    float(F::FORMAT, &Ends::new(F::FORMAT, rules), value)
}

/// What lies beyond the largest finite value, without the sign.
pub(crate) struct Ends {
    /// For a finite value that rounds beyond it.
    pub(crate) overflow: u64,
    /// For infinity.
    pub(crate) infinity: u64,
}

impl Ends {
    pub(crate) fn new(format: Format, rules: &Rules) -> Ends {
        let saturate = match format.overflow {
            Overflow::Infinity => false,
            Overflow::Attribute => rules.saturate,
            Overflow::Maximum => true,
        };
        let overflow = if saturate { format.max() } else { format.infinity_or_nan() };
        let fnuz = format.specials == Specials::NegativeZeroNan;
        let infinity = if fnuz && rules.opset < FNUZ_INFINITY_SATURATES {
            format.nan() // F8-S06
        } else {
            overflow
        };
        Ends { overflow, infinity }
    }
}

fn float(format: Format, ends: &Ends, value: &Unpacked) -> u64 {
    let rounded = round(format, value);
    let magnitude = match value.class {
        Class::Nan => format.nan(),
        Class::Infinite => ends.infinity,
        Class::Finite if rounded > format.max() => ends.overflow,
        Class::Finite => rounded,
    };
    let unsigned = match format.specials {
        // There is no negative zero (F8-S02); NaN has the sign bit anyhow.
        Specials::NegativeZeroNan => magnitude == 0,
        // What stands for NaN is positive (F4-05).
        Specials::None => value.class == Class::Nan,
        Specials::Ieee | Specials::AllOnesNan => false,
    };
    magnitude | if value.negative && !unsigned { format.sign() } else { 0 }
}

/// The code of the nearest value as if the exponent had no upper bound: beyond the largest finite
/// value the codes just go on. So overflow is asked of the rounded value, as F8-S09 wants it.
fn round(format: Format, value: &Unpacked) -> u64 {
    let min = format.min_exponent();
    // Below the smallest normal number, significands lose one more bit with every binade.
    let exponent = value.exponent.max(min);
    let drop = 63 - format.significand_bits + (exponent - value.exponent) as u32;
    // The leading one of a normal number adds one to the exponent field; so does a carry.
    (((exponent - min) as u64) << format.significand_bits) + round_shift(value.significand, drop)
}
