//! Floats of at most 16 bits to float32 and back; float64 to float32, rounded to odd.

use super::{INFINITY, Map, NAN, SIGN, Word};
use crate::format::{Float32, FloatFormat, Format, Specials};
use crate::rules::{Ends, Rules};
use core::marker::PhantomData;

const SINGLE: Format = Float32::FORMAT;

/// A float of at most 16 bits to float32; exact.
pub(crate) struct Widen<F, W>(PhantomData<(F, W)>);

impl<F: FloatFormat, W: Word> Map for Widen<F, W> {
    const NAME: &'static str = "float::Widen";
    type In = W;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: W) -> u32 {
        widen(F::FORMAT, code.to_u32())
    }
}

/// Moves the fields of a code to those of float32. Of float8e4m3fn 0x7e, which is 448, the fields are moved by 20 bits to
/// 0x07e0_0000, and the difference of the biases, 120 << 23, makes them 0x43e0_0000.
#[inline(always)]
fn widen(format: Format, code: u32) -> u32 {
    let shift = SINGLE.significand_bits - format.significand_bits;
    let sign = (code & format.sign() as u32) << format.sign().leading_zeros().saturating_sub(32);
    let magnitude = code & format.magnitude_mask() as u32;
    let aligned = magnitude << shift;
    let normal = aligned + (((SINGLE.bias - format.bias) as u32) << SINGLE.significand_bits);
    // A subnormal number lacks the leading one: set it, then subtract its value. Of 0x01, which is 2^-9, the fraction 1/8
    // follows the leading one of 2^-6; (1 + 1/8) * 2^-6 - 2^-6 is 2^-9.
    let one = ((format.min_exponent() + SINGLE.bias) as u32) << SINGLE.significand_bits;
    let subnormal = (f32::from_bits(aligned | one) - f32::from_bits(one)).to_bits();
    let leading = 1 << format.significand_bits;
    let same_range = format.min_exponent() == SINGLE.min_exponent();
    let finite = if magnitude < leading && !same_range { subnormal } else { normal };
    sign | match format.specials {
        Specials::Ieee => {
            let infinity = format.exponent_mask() as u32;
            let value = if magnitude == infinity { INFINITY } else { finite };
            if magnitude > infinity { NAN } else { value }
        }
        Specials::AllOnesNan if magnitude == format.magnitude_mask() as u32 => NAN,
        Specials::NegativeZeroNan if code == format.sign() as u32 => NAN,
        _ => finite,
    }
}

/// A float of 8 bits to itself under `saturate`.
pub(crate) struct SaturateInfinity<F>(PhantomData<F>);

impl<F: FloatFormat> Map for SaturateInfinity<F> {
    const NAME: &'static str = "float::SaturateInfinity";
    type In = u8;
    type Out = u8;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: u8) -> u8 {
        F::FORMAT.saturate_infinity(code.into()) as u8
    }
}

/// float32 to a float of at most 16 bits; to nearest, ties to even.
pub(crate) struct Narrow<F, W>(PhantomData<(F, W)>);

/// What lies beyond the largest finite value.
pub(crate) struct Bounds {
    /// Larger magnitudes become this one: the largest finite value or the next code, which is
    /// infinity or NaN.
    pub(super) limit: u32,
    /// float32 magnitudes from here on become NaN: those above infinity, or infinity too (F8-S06).
    nan_from: u32,
    /// What NaN becomes in a format that has none, and its sign bit if the NaN is positive, and if it
    /// is negative.
    no_nan: u32,
    no_nan_signs: [u32; 2],
}

impl<F: FloatFormat, W: Word> Map for Narrow<F, W> {
    const NAME: &'static str = "float::Narrow";
    type In = u32;
    type Out = W;
    type Setup = Bounds;
    #[inline(always)]
    fn setup(rules: &Rules) -> Bounds {
        let ends = Ends::new(F::FORMAT, rules);
        let nan_from = INFINITY + u32::from(ends.infinity == ends.overflow);
        let (no_nan, no_nan_signs) = (ends.no_nan as u32, ends.no_nan_signs.map(|it| it as u32));
        Bounds { limit: ends.overflow as u32, nan_from, no_nan, no_nan_signs }
    }
    #[inline(always)]
    fn map(bounds: &Bounds, bits: u32) -> W {
        W::low(narrow(F::FORMAT, bounds, bits))
    }
}

#[inline(always)]
fn narrow(format: Format, bounds: &Bounds, bits: u32) -> u32 {
    let magnitude = bits & !SIGN;
    let normal = round_normal(format, magnitude);
    // Adding a number whose last bit is worth the smallest subnormal rounds to a multiple of it. The smallest one of
    // float8e4m3fn is 2^-9, so that number is 2^14 (0x4680_0000): with 1.5 * 2^-9 the sum is a tie and becomes 0x4680_0002,
    // and 2 is the code.
    let unit = format.min_exponent() - format.significand_bits as i32;
    let large = ((unit + SINGLE.significand_bits as i32 + SINGLE.bias) as u32) << 23;
    let sum = f32::from_bits(magnitude) + f32::from_bits(large);
    let subnormal = sum.to_bits().wrapping_sub(large);
    let min_normal = ((format.min_exponent() + SINGLE.bias) as u32) << SINGLE.significand_bits;
    let same_range = format.min_exponent() == SINGLE.min_exponent();
    let rounded = if magnitude < min_normal && !same_range { subnormal } else { normal };
    let limited = if rounded > bounds.limit { bounds.limit } else { rounded };
    let is_nan = magnitude >= bounds.nan_from;
    let nan = match format.specials {
        Specials::None => bounds.no_nan,
        _ => format.nan() as u32,
    };
    let code = if is_nan { nan } else { limited };
    let sign = bits >> format.sign().leading_zeros().saturating_sub(32) & format.sign() as u32;
    code | match format.specials {
        // There is no negative zero (F8-S02).
        Specials::NegativeZeroNan if code == 0 => 0,
        Specials::None if is_nan => !sign & bounds.no_nan_signs[0] | sign & bounds.no_nan_signs[1],
        _ => sign,
    }
}

/// Rounds the magnitude of a float32 to a narrower format, as if all numbers of the format were
/// normal and its exponent had no upper bound. Codes continue beyond the largest value, so that
/// overflow is decided on the rounded value (F8-S09).
///
/// 464 is 0x43e8_0000, midway between 448 and 480. To float8e4m3fn 20 bits are dropped: less the difference of the biases
/// it is 0x07e8_0000, half of the last kept bit less one makes that 0x07ef_ffff, and 0x7e is left, which is 448. The last
/// kept bit is added too: were it one, the tie would carry to the next code, which is even.
#[inline(always)]
pub(super) fn round_normal(format: Format, magnitude: u32) -> u32 {
    let drop = SINGLE.significand_bits - format.significand_bits;
    let rebias = ((SINGLE.bias - format.bias) as u32) << SINGLE.significand_bits;
    let below_half: u32 = (1 << (drop - 1)) - 1;
    let odd = magnitude >> drop & 1;
    magnitude.wrapping_add(odd).wrapping_add(below_half.wrapping_sub(rebias)) >> drop
}

/// float64 to float32, rounded to odd: an inexact result has its last bit set, so that a second
/// rounding to fewer bits can tell on which side of a tie the value was. 1 + 2^-8 + 2^-40 is 0x3f80_8000 as the nearest
/// float32, a tie of bfloat16, which would become 1. Rounded to odd it is 0x3f80_8001, and bfloat16 gets 0x3f81 (1 + 2^-7).
pub(crate) struct Odd;

impl Map for Odd {
    const NAME: &'static str = "float::Odd";
    type In = u64;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), bits: u64) -> u32 {
        let value = f64::from_bits(bits);
        let nearest = value as f32;
        let back = f64::from(nearest).to_bits();
        // Both have the same sign, so the larger code is the larger magnitude: one step back is
        // towards zero. From infinity it leads to the largest number, which is odd.
        let towards_zero = nearest.to_bits().wrapping_sub(u32::from(back > bits));
        let odd = towards_zero | u32::from(back != bits);
        if value.is_nan() { nan_with_sign(bits) } else { odd }
    }
}

/// The float32 NaN with the sign of a float64.
#[inline(always)]
pub(crate) fn nan_with_sign(bits: u64) -> u32 {
    (bits >> 32) as u32 & SIGN | NAN
}

/// Any float32 except a zero to true (B-01, B-02).
pub(crate) struct ToBool;

impl Map for ToBool {
    const NAME: &'static str = "float::ToBool";
    type In = u32;
    type Out = u8;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), bits: u32) -> u8 {
        u8::from(bits & !SIGN != 0)
    }
}

/// bool to float32; any byte but 0 is true (B-06).
pub(crate) struct FromBool;

impl Map for FromBool {
    const NAME: &'static str = "float::FromBool";
    type In = u8;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), byte: u8) -> u32 {
        if byte == 0 { 0 } else { 1.0_f32.to_bits() }
    }
}
