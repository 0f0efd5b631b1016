//! A value to the code of a bool or a float.

use super::by_mode;
use super::unpacked::{Class, Unpacked, round_shift};
use crate::format::{FloatFormat, Format, Specials};
use crate::rules::{Ends, Rules};

/// Zero of either sign is false, all else is true, NaN included (B-01 to B-04).
pub(super) fn bools(_: &Rules, value: &Unpacked) -> u64 {
    u64::from(!value.is_zero())
}

/// Rounds to nearest, ties to even; overflow follows the format and the rules.
pub(super) fn floats<F: FloatFormat>(rules: &Rules, value: &Unpacked) -> u64 {
    if rules.float8_by_mode {
        return by_mode::encode(F::FORMAT, rules, value);
    }
    if value.class == Class::Nan && rules.nan_is_all_ones(F::FORMAT) {
        return F::FORMAT.magnitude_mask();
    }
    float(F::FORMAT, &Ends::new(F::FORMAT, rules), value)
}

fn float(format: Format, ends: &Ends, value: &Unpacked) -> u64 {
    let rounded = round(format, value);
    let magnitude = match value.class {
        Class::Nan if format.specials == Specials::None => {
            // By F4-05, and by choice for F6-04, it is the largest value.
            return ends.no_nan | ends.no_nan_signs[usize::from(value.negative)];
        }
        Class::Nan => format.nan(),
        Class::Infinite => ends.infinity,
        Class::Finite if rounded > format.max() => ends.overflow,
        Class::Finite => rounded,
    };
    let unsigned = match format.specials {
        // There is no negative zero (F8-S02); NaN has the sign bit anyhow.
        Specials::NegativeZeroNan => magnitude == 0,
        Specials::Ieee | Specials::AllOnesNan | Specials::None => false,
    };
    magnitude | if value.negative && !unsigned { format.sign() } else { 0 }
}

/// Returns the code of the nearest value as if the exponent had no upper bound: codes continue
/// beyond the largest finite value. Overflow is thus decided on the rounded value, as F8-S09
/// requires.
fn round(format: Format, value: &Unpacked) -> u64 {
    let min = format.min_exponent();
    // Below the smallest normal number, significands lose one more bit with every binade.
    let exponent = value.exponent.max(min);
    let drop = 63 - format.significand_bits + (exponent - value.exponent) as u32;
    // The leading one of a normal number adds one to the exponent field; so does a carry.
    (((exponent - min) as u64) << format.significand_bits) + round_shift(value.significand, drop)
}
