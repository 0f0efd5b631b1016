//! float16 and bfloat16 to floats of at most 8 bits, computed in 16 bits throughout, so that twice
//! as many elements fit in a vector.

use super::Map;
use crate::format::{FloatFormat, Format, Specials};
use crate::rules::{Ends, Rules};
use core::marker::PhantomData;

/// A float of 16 bits to one of at most 8; to nearest, ties to even.
pub(crate) struct Narrow<S, T>(PhantomData<(S, T)>);

/// As `float::Bounds`; `nan_from` is a magnitude of the source.
pub(crate) struct Bounds {
    limit: u16,
    nan_from: u16,
    no_nan: u16,
    no_nan_signs: [u16; 2],
}

impl<S: FloatFormat, T: FloatFormat> Map for Narrow<S, T> {
    const NAME: &'static str = "from_16_bit_float::Narrow";
    type In = u16;
    type Out = u8;
    type Setup = Bounds;
    #[inline(always)]
    fn setup(rules: &Rules) -> Bounds {
        let ends = Ends::new(T::FORMAT, rules);
        let infinity = S::FORMAT.exponent_mask() as u16;
        let nan_from = infinity + u16::from(ends.infinity == ends.overflow);
        let (no_nan, no_nan_signs) = (ends.no_nan as u16, ends.no_nan_signs.map(|it| it as u16));
        Bounds { limit: ends.overflow as u16, nan_from, no_nan, no_nan_signs }
    }
    #[inline(always)]
    fn map(bounds: &Bounds, code: u16) -> u8 {
        let target = T::FORMAT;
        let magnitude = code & S::FORMAT.magnitude_mask() as u16;
        let limited = round(S::FORMAT, target, magnitude).min(bounds.limit);
        let is_nan = magnitude >= bounds.nan_from;
        let nan = match target.specials {
            Specials::None => bounds.no_nan,
            _ => target.nan() as u16,
        };
        let result = if is_nan { nan } else { limited };
        let sign = code >> (15 - target.sign().trailing_zeros()) & target.sign() as u16;
        (result
            | match target.specials {
                // There is no negative zero (F8-S02).
                Specials::NegativeZeroNan if result == 0 => 0,
                Specials::None if is_nan => {
                    !sign & bounds.no_nan_signs[0] | sign & bounds.no_nan_signs[1]
                }
                _ => sign,
            }) as u8
    }
}

/// Rounds to the nearest magnitude of the target. Codes continue beyond the largest value.
///
/// 464 in float16 is 0x5f40: the exponent field 23, and 0x740 as its significand with the leading one. The smallest normal
/// number of float8e4m3fn has the field 9 in float16, so the code begins at 23 - 9 = 14 binades, 0x70. Of the significand
/// 7 bits are dropped, a tie, and 0xe is left: the leading one adds the last binade, and the code is 0x7e (448).
#[inline(always)]
fn round(source: Format, target: Format, magnitude: u16) -> u16 {
    let drop = (source.significand_bits - target.significand_bits) as u16;
    // The exponent field that the target's smallest normal number has in the source.
    let first = target.min_exponent() + source.bias;
    if first <= 1 {
        // The subnormal ranges are the same, or the target's reaches one binade further down.
        let leading = 1 << source.significand_bits;
        let doubled = if magnitude < leading { magnitude * 2 } else { magnitude + leading };
        return shift(if first == 1 { magnitude } else { doubled }, drop);
    }
    let first = first as u16;
    let field = magnitude >> source.significand_bits;
    let leading = 1 << source.significand_bits;
    // Subnormal numbers of the source get a leading one too. They become zero either way, as do all
    // numbers below half the smallest number of the target.
    let significand = magnitude & (leading - 1) | leading;
    // Subnormal numbers of the target lose one more bit with every binade.
    let more = first.saturating_sub(field).min(15 - drop);
    let base = field.saturating_sub(first) << target.significand_bits;
    base + shift(significand, drop + more)
}

/// Drops the last `drop` bits, rounding to nearest, ties to even.
#[inline(always)]
fn shift(value: u16, drop: u16) -> u16 {
    let odd = value >> drop & 1;
    (value + odd + ((1 << (drop - 1)) - 1)) >> drop
}
