//! Values to codes of bool and of floats.

use crate::cast::Rules;
use crate::format::{FloatFormat, Format, Overflow, Specials};
use crate::unpacked::{Class, Unpacked, round_shift};
use core::hint::select_unpredictable;

/// The first operator-set version in which infinities saturate in the FNUZ types (F8-S07).
const FNUZ_INFINITY_SATURATES: u32 = 24;

/// Zero of either sign is false, all else is true, NaN included (B-01 to B-04).
pub(crate) fn bools(_: &Rules, values: &[Unpacked], codes: &mut [u64]) {
    for (code, value) in codes.iter_mut().zip(values) {
        *code = u64::from(!value.is_zero());
    }
}

/// To nearest, ties to even, overflow as the format has it.
pub(crate) fn floats<F: FloatFormat>(rules: &Rules, values: &[Unpacked], codes: &mut [u64]) {
    let ends = Ends::new(F::FORMAT, rules);
    for (code, value) in codes.iter_mut().zip(values) {
        *code = float(F::FORMAT, &ends, value);
    }
}

/// What lies beyond the largest finite value, without the sign.
struct Ends {
    /// For a finite value that rounds beyond it.
    overflow: u64,
    /// For infinity.
    infinity: u64,
}

impl Ends {
    fn new(format: Format, rules: &Rules) -> Ends {
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

#[inline(always)]
fn float(format: Format, ends: &Ends, value: &Unpacked) -> u64 {
    // Selections, not branches: this is the hot loop of most casts, and data does not repeat.
    let rounded = round(format, value);
    let finite = select_unpredictable(rounded > format.max(), ends.overflow, rounded);
    let number = select_unpredictable(value.class == Class::Infinite, ends.infinity, finite);
    let magnitude = select_unpredictable(value.class == Class::Nan, format.nan(), number);
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
#[inline(always)]
fn round(format: Format, value: &Unpacked) -> u64 {
    let min = format.min_exponent();
    // Below the smallest normal number, significands lose one more bit with every binade.
    let exponent = value.exponent.max(min);
    let drop = 63 - format.significand_bits + (exponent - value.exponent) as u32;
    // The leading one of a normal number adds one to the exponent field; so does a carry.
    (((exponent - min) as u64) << format.significand_bits) + round_shift(value.significand, drop)
}
