//! float32 to a float of 8 bits, rounded by the round mode.

use super::{INFINITY, Map, SIGN};
use crate::format::{Float32, FloatFormat, Format};
use crate::rules::{ModeEnds, Rules};
use castproof_vectors::RoundMode;
use core::marker::PhantomData;

const SINGLE: Format = Float32::FORMAT;

/// From this shift on nothing of a significand of 24 bits is left, and it is less than a half.
const FAR: u32 = 26;

pub(crate) struct NarrowByMode<F>(PhantomData<F>);

/// What is the same for all elements of a call. Pairs are of a positive and of a negative number.
pub(crate) struct Setup {
    /// All bits set, if the magnitude goes up wherever a bit is dropped.
    away: [u32; 2],
    /// All bits set, if it goes to nearest; and whether a tie goes to the even one.
    nearest: u32,
    even: u32,
    overflow: [u32; 2],
    infinity: [u32; 2],
    nan: u32,
}

impl<F: FloatFormat> Map for NarrowByMode<F> {
    const NAME: &'static str = "by_mode::NarrowByMode";
    type In = u32;
    type Out = u8;
    type Setup = Setup;
    fn setup(rules: &Rules) -> Setup {
        let ends = ModeEnds::new(F::FORMAT, rules);
        let mask = |is: bool| if is { u32::MAX } else { 0 };
        let mode = rules.round_mode;
        Setup {
            away: [mask(mode == RoundMode::Up), mask(mode == RoundMode::Down)],
            nearest: mask(matches!(mode, RoundMode::Nearest | RoundMode::NearestAway)),
            even: u32::from(mode == RoundMode::Nearest),
            overflow: ends.overflow.map(|it| it as u32),
            infinity: ends.infinity.map(|it| it as u32),
            nan: ends.nan as u32,
        }
    }
    #[inline(always)]
    fn map(setup: &Setup, bits: u32) -> u8 {
        narrow(F::FORMAT, setup, bits) as u8
    }
}

/// Adds to the significand what carries where the mode rounds up, and cuts. 464 is 1.8125 * 2^8, a significand of
/// 0xe8_0000 from which float8e4m3fn drops 20 bits: to nearest, a tie to the even one, 0x07_ffff is added and 14 is left,
/// which is 448; a tie away, 0x08_0000 is added and 15 is left, which is 480 and beyond the largest number.
#[inline(always)]
fn narrow(format: Format, setup: &Setup, bits: u32) -> u32 {
    let magnitude = bits & !SIGN;
    let is_negative = bits & SIGN != 0;
    let of_sign = |pair: &[u32; 2]| if is_negative { pair[1] } else { pair[0] };
    let field = magnitude >> SINGLE.significand_bits;
    let is_normal = field != 0;
    let leading = if is_normal { 1 << SINGLE.significand_bits } else { 0 };
    let significand = magnitude & ((1 << SINGLE.significand_bits) - 1) | leading;
    // Below the smallest normal number, one more bit is dropped with every binade.
    let min = (format.min_exponent() + SINGLE.bias) as u32;
    let field = if is_normal { field } else { 1 };
    let drop = SINGLE.significand_bits - format.significand_bits;
    let shift = (drop + min.saturating_sub(field)).min(FAR);
    let odd = significand >> shift & 1;
    let half = (1 << (shift - 1)) - (setup.even & !odd);
    let carry = of_sign(&setup.away) & ((1 << shift) - 1) | setup.nearest & half;
    let rounded =
        (field.saturating_sub(min) << format.significand_bits) + ((significand + carry) >> shift);
    let signed = rounded | bits >> 24 & format.sign() as u32;
    let finite = if rounded > format.max() as u32 { of_sign(&setup.overflow) } else { signed };
    let code = if magnitude == INFINITY { of_sign(&setup.infinity) } else { finite };
    if magnitude > INFINITY { setup.nan } else { code }
}
