//! float32, float64 and integers to floats of at most 8 bits, to nearest, ties to even, 16 elements at
//! a time.
//!
//! Adding a power of two that is so large that the last bit of the sum is worth the last bit of the
//! target rounds to the target, in its normal and its subnormal range alike. What the sum exceeds the
//! power by is the significand of the target, to which the exponent is added. Groups with a
//! magnitude for which there is no such power, among them infinity and NaN, go a longer way.
//!
//! 464 to float8e4m3fn lies in the binade of 256, where numbers of the target are 32 apart, and so are float32 beside 2^28.
//! 2^28 + 464 is a tie and becomes 2^28 + 448, 14 steps above 2^28. The lowest binade of the target is 2^-6, 14 below that
//! of 256: 14 << 3 and the 14 steps are 0x7e, the code of 448.

use super::from_integer::{clamped_signed_eights, clamped_unsigned_eights, signed_fours};
use super::memory::store;
use super::sixteen::{Floats, odd_doubles, singles};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::format::{self, Float32, FloatFormat, Format, Specials};
use crate::rules::{Ends, Rules};
use castproof_vectors::DType::{self, *};
use core::arch::aarch64::*;

const SINGLE: Format = Float32::FORMAT;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;

/// From this magnitude on, 2^100, the power would be too large for a float32.
const TOO_LARGE: u32 = 227 << SINGLE.significand_bits;

/// The loop for a pair, where there is one. Elements of less than a byte take a byte each.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    match to {
        Float4E2M1 => of_format::<format::Float4E2M1>(from),
        Float6E2M3 => of_format::<format::Float6E2M3>(from),
        Float6E3M2 => of_format::<format::Float6E3M2>(from),
        Float8E4M3FN => of_format::<format::Float8E4M3FN>(from),
        Float8E4M3FNUZ => of_format::<format::Float8E4M3FNUZ>(from),
        Float8E5M2 => of_format::<format::Float8E5M2>(from),
        Float8E5M2FNUZ => of_format::<format::Float8E5M2FNUZ>(from),
        _ => None,
    }
}

fn of_format<F: FloatFormat>(from: DType) -> Option<(&'static str, Compute)> {
    Some(match from {
        Float32 => ("neon::to_narrow_float::from_f32", from_f32::<F>),
        Float64 => ("neon::to_narrow_float::from_f64", from_f64::<F>),
        Int32 => ("neon::to_narrow_float::from_i32", from_i32::<F>),
        Int64 => ("neon::to_narrow_float::from_i64", from_i64::<F>),
        Uint64 => ("neon::to_narrow_float::from_u64", from_u64::<F>),
        _ => return None,
    })
}

// A macro, because the loops differ in nothing but what they call. Each row: the name, the bytes that
// are read at a time, and how they become float32.
macro_rules! loops {
    ($($name:ident: $read:literal, $load:ident;)*) => {$(
        #[target_feature(enable = "neon")]
        fn $name<F: FloatFormat>(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            let ends = Ends::new(F::FORMAT, rules);
            let limit = vdupq_n_u8(ends.overflow as u8);
            by_chunks::<$read, 16>(input, output, stores, |from, to| {
                let values = $load(from);
                if any_too_large(values) {
                    narrow_specials::<F, $read>(&ends, from, to, |from| $load(from));
                } else {
                    store(to, 0, narrow::<F>(limit, values));
                }
            });
        }
    )*};
}

loops! {
    from_f32: 64, singles;
    from_f64: 128, odd_doubles;
}

// As above, for integers, which are below `TOO_LARGE`. Those that float32 does not hold overflow.
macro_rules! loops_from_integers {
    ($($name:ident: $read:literal, $load:ident;)*) => {$(
        #[target_feature(enable = "neon")]
        fn $name<F: FloatFormat>(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            let limit = vdupq_n_u8(Ends::new(F::FORMAT, rules).overflow as u8);
            by_chunks::<$read, 16>(input, output, stores, |from, to| {
                store(to, 0, narrow::<F>(limit, $load(from)));
            });
        }
    )*};
}

loops_from_integers! {
    from_i32: 64, signed_fours;
    from_i64: 128, clamped_signed_eights;
    from_u64: 128, clamped_unsigned_eights;
}

#[inline]
#[target_feature(enable = "neon")]
fn any_too_large(values: Floats) -> bool {
    let [a, b, c, d] = values.map(|values| magnitudes(values));
    vmaxvq_u32(vmaxq_u32(vmaxq_u32(a, b), vmaxq_u32(c, d))) >= TOO_LARGE
}

/// Groups of numbers below `TOO_LARGE`.
#[inline]
#[target_feature(enable = "neon")]
fn narrow<F: FloatFormat>(limit: uint8x16_t, values: Floats) -> uint8x16_t {
    let rounded = values.map(|values| round::<F>(magnitudes(values)));
    let magnitudes = vminq_u8(bytes(rounded), limit);
    let signs = signs::<F>(values);
    match F::FORMAT.specials {
        // There is no negative zero (F8-S02).
        Specials::NegativeZeroNan => {
            vorrq_u8(magnitudes, vandq_u8(signs, vtstq_u8(magnitudes, magnitudes)))
        }
        _ => vorrq_u8(magnitudes, signs),
    }
}

/// Magnitudes below `TOO_LARGE` as codes that continue beyond the largest value, in 16 bits.
#[inline]
#[target_feature(enable = "neon")]
fn round<F: FloatFormat>(magnitudes: uint32x4_t) -> uint32x4_t {
    let min_normal = ((F::FORMAT.min_exponent() + SINGLE.bias) as u32) << SINGLE.significand_bits;
    let exponents = vandq_u32(magnitudes, vdupq_n_u32(INFINITY));
    // Subnormal numbers of the target count as of its lowest binade.
    let above = vqsubq_u32(exponents, vdupq_n_u32(min_normal));
    let drop = SINGLE.significand_bits - F::FORMAT.significand_bits;
    let power = vaddq_u32(above, vdupq_n_u32(min_normal + (drop << SINGLE.significand_bits)));
    let sum = vaddq_f32(vreinterpretq_f32_u32(magnitudes), vreinterpretq_f32_u32(power));
    // Nothing saturates. The compiler does not take this subtraction apart, as it would another one.
    let significands = vqsubq_u32(vreinterpretq_u32_f32(sum), power);
    match F::FORMAT.significand_bits {
        1 => vsraq_n_u32::<22>(significands, above),
        2 => vsraq_n_u32::<21>(significands, above),
        _ => vsraq_n_u32::<20>(significands, above),
    }
}

/// Groups of any values. Not inlined, and reads them again, so that the loop for numbers keeps its
/// registers.
#[cold]
#[inline(never)]
#[target_feature(enable = "neon")]
fn narrow_specials<F: FloatFormat, const READ: usize>(
    ends: &Ends,
    from: &[u8; READ],
    to: &mut [u8; 16],
    load: impl Fn(&[u8; READ]) -> Floats,
) {
    store(to, 0, bytes(load(from).map(|values| code_each::<F>(ends, values))));
}

#[inline]
#[target_feature(enable = "neon")]
fn code_each<F: FloatFormat>(ends: &Ends, values: float32x4_t) -> uint32x4_t {
    let format = F::FORMAT;
    let all = |code: u64| vdupq_n_u32(code as u32);
    let magnitudes = magnitudes(values);
    let signs = vandq_u32(vcltzq_s32(vreinterpretq_s32_f32(values)), all(format.sign()));
    let rounded = round::<F>(vminq_u32(magnitudes, vdupq_n_u32(TOO_LARGE - 1)));
    let limited = vminq_u32(rounded, all(ends.overflow));
    let is_infinity = vceqq_u32(magnitudes, vdupq_n_u32(INFINITY));
    let limited = vbslq_u32(is_infinity, all(ends.infinity), limited);
    let is_nan = vcgtq_u32(magnitudes, vdupq_n_u32(INFINITY));
    match format.specials {
        Specials::None => {
            let [positive, negative] = ends.no_nan_signs.map(all);
            let of_nan = vorrq_u32(all(ends.no_nan), vbslq_u32(signs, negative, positive));
            vbslq_u32(is_nan, of_nan, vorrq_u32(limited, signs))
        }
        // There is no negative zero (F8-S02).
        Specials::NegativeZeroNan => {
            let signs = vandq_u32(signs, vtstq_u32(limited, limited));
            vbslq_u32(is_nan, all(format.nan()), vorrq_u32(limited, signs))
        }
        _ => vorrq_u32(vbslq_u32(is_nan, all(format.nan()), limited), signs),
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn magnitudes(values: float32x4_t) -> uint32x4_t {
    vandq_u32(vreinterpretq_u32_f32(values), vdupq_n_u32(!SIGN))
}

/// Narrows integers of 16 bits; beyond the range of a byte gives the largest one.
#[inline]
#[target_feature(enable = "neon")]
fn bytes(integers: [uint32x4_t; 4]) -> uint8x16_t {
    let [a, b, c, d] = integers.map(|integers| vreinterpretq_u16_u32(integers));
    let (low, high) = (vuzp1q_u16(a, b), vuzp1q_u16(c, d));
    vqmovn_high_u16(vqmovn_u16(low), high)
}

/// The sign bits of the target.
#[inline]
#[target_feature(enable = "neon")]
fn signs<F: FloatFormat>(values: Floats) -> uint8x16_t {
    let [a, b, c, d] = values.map(|values| vreinterpretq_u16_f32(values));
    let [low, high] = [vuzp2q_u16(a, b), vuzp2q_u16(c, d)];
    let upper = vuzp2q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high));
    let moved = match F::FORMAT.sign() {
        0x80 => upper,
        0x20 => vshrq_n_u8::<2>(upper),
        _ => vshrq_n_u8::<4>(upper),
    };
    vandq_u8(moved, vdupq_n_u8(F::FORMAT.sign() as u8))
}
