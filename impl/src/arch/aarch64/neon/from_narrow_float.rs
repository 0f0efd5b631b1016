//! Floats of at most 8 bits to floats of 16 and 32 bits, 16 elements at a time.
//!
//! Shifted into place, the fields of a narrow float are those of a float32 whose exponent field
//! lacks the difference of the biases. Multiplying by a power of two adds it, exactly, and makes
//! normal numbers of subnormal ones. Codes that are not finite numbers are replaced afterwards, if
//! one of 16 elements is such a code.

use super::float_to_float::{numbers_to_halves, numbers_to_singles};
use super::memory::{load, store_all};
use super::sixteen::Floats;
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::format::{self, Float32, FloatFormat, Format, Specials};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::aarch64::*;

const SINGLE: Format = Float32::FORMAT;

/// The loop to a float of 16 bits from a float of 8 bits, where there is one. Narrower sources have
/// few codes, and look them up.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    let [halves, brains]: [Compute; 2] = match from {
        Float8E4M3FN => [to_f16::<format::Float8E4M3FN>, to_bf16::<format::Float8E4M3FN>],
        Float8E4M3FNUZ => [to_f16::<format::Float8E4M3FNUZ>, to_bf16::<format::Float8E4M3FNUZ>],
        Float8E5M2 => [to_f16::<format::Float8E5M2>, to_bf16::<format::Float8E5M2>],
        Float8E5M2FNUZ => [to_f16::<format::Float8E5M2FNUZ>, to_bf16::<format::Float8E5M2FNUZ>],
        _ => return None,
    };
    match to {
        Float16 => Some(("neon::from_narrow_float::to_f16", halves)),
        Bfloat16 => Some(("neon::from_narrow_float::to_bf16", brains)),
        _ => None,
    }
}

/// The loop to float32. Elements of less than a byte take a byte each.
pub(super) fn to_float32(from: DType) -> Option<(&'static str, Compute)> {
    let function: Compute = match from {
        Float4E2M1 => to_f32::<format::Float4E2M1>,
        Float6E2M3 => to_f32::<format::Float6E2M3>,
        Float6E3M2 => to_f32::<format::Float6E3M2>,
        Float8E4M3FN => to_f32::<format::Float8E4M3FN>,
        Float8E4M3FNUZ => to_f32::<format::Float8E4M3FNUZ>,
        Float8E5M2 => to_f32::<format::Float8E5M2>,
        Float8E5M2FNUZ => to_f32::<format::Float8E5M2FNUZ>,
        _ => return None,
    };
    Some(("neon::from_narrow_float::to_f32", function))
}

#[target_feature(enable = "neon")]
fn to_f32<F: FloatFormat>(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<16, 64>(input, output, stores, |from, to| {
        widen::<F, 64>(load(from, 0), to, |values, to| numbers_to_singles(values, to));
    });
}

#[target_feature(enable = "neon")]
fn to_f16<F: FloatFormat>(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<16, 32>(input, output, stores, |from, to| {
        widen::<F, 32>(load(from, 0), to, |values, to| numbers_to_halves(values, to));
    });
}

#[target_feature(enable = "neon")]
fn to_bf16<F: FloatFormat>(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<16, 32>(input, output, stores, |from, to| {
        widen::<F, 32>(load(from, 0), to, |values, to| upper_halves(values, to));
    });
}

/// bfloat16 is the upper half of a float32, which has no bits in its lower half here.
#[inline]
#[target_feature(enable = "neon")]
fn upper_halves(values: Floats, to: &mut [u8; 32]) {
    let [a, b, c, d] = values.map(|values| vreinterpretq_u16_f32(values));
    let codes = [vuzp2q_u16(a, b), vuzp2q_u16(c, d)];
    store_all(to, codes.map(|codes| vreinterpretq_u8_u16(codes)));
}

#[inline]
#[target_feature(enable = "neon")]
fn widen<F: FloatFormat, const WRITTEN: usize>(
    codes: uint8x16_t,
    to: &mut [u8; WRITTEN],
    store: impl Fn(Floats, &mut [u8; WRITTEN]),
) {
    if any_special::<F>(codes) {
        widen_specials::<F, WRITTEN>(codes, to, store);
    } else {
        store(scaled::<F>(codes), to);
    }
}

/// Not inlined, so that the loop for numbers keeps its registers.
#[cold]
#[inline(never)]
#[target_feature(enable = "neon")]
fn widen_specials<F: FloatFormat, const WRITTEN: usize>(
    codes: uint8x16_t,
    to: &mut [u8; WRITTEN],
    store: impl Fn(Floats, &mut [u8; WRITTEN]),
) {
    store(scaled::<F>(codes).map(|values| specials::<F>(values)), to);
}

/// The values of all codes, as if all were numbers: their fields stand where those of float32 do, and a multiplication
/// makes up for the biases. Of float8e4m3fn 0x7e becomes 0x07e0_0000, which is 1.75 * 2^-112, and times 2^120 that is 448.
/// A subnormal code becomes a subnormal float32, and the multiplication makes it normal.
#[inline]
#[target_feature(enable = "neon")]
fn scaled<F: FloatFormat>(codes: uint8x16_t) -> Floats {
    let format = F::FORMAT;
    // The sign to the top of its byte.
    let codes = match format.sign() {
        0x80 => codes,
        0x20 => vshlq_n_u8::<2>(codes),
        _ => vshlq_n_u8::<4>(codes),
    };
    let codes = vreinterpretq_s8_u8(codes);
    let low = vget_low_s8(codes);
    // The exponent field ends at bit 7 of the upper half of a float32. The sign fills the bits above.
    let fields = match format.exponent_bits {
        2 => [vshll_n_s8::<2>(low), vshll_high_n_s8::<2>(codes)],
        3 => [vshll_n_s8::<3>(low), vshll_high_n_s8::<3>(codes)],
        4 => [vshll_n_s8::<4>(low), vshll_high_n_s8::<4>(codes)],
        _ => [vshll_n_s8::<5>(low), vshll_high_n_s8::<5>(codes)],
    };
    let kept = vdupq_n_u16(1 << 15 | ((1 << (7 + format.exponent_bits)) - 1));
    let [low, high] = fields.map(|fields| vandq_u16(vreinterpretq_u16_s16(fields), kept));
    let zero = vdupq_n_u16(0);
    let [a, b] = [vzip1q_u16(zero, low), vzip2q_u16(zero, low)];
    let [c, d] = [vzip1q_u16(zero, high), vzip2q_u16(zero, high)];
    let scale = (2 * SINGLE.bias - format.bias) as u32;
    let scale = vdupq_n_f32(f32::from_bits(scale << SINGLE.significand_bits));
    [a, b, c, d].map(|bits| vmulq_f32(vreinterpretq_f32_u16(bits), scale))
}

/// Is any of the codes not a finite number?
#[inline]
#[target_feature(enable = "neon")]
fn any_special<F: FloatFormat>(codes: uint8x16_t) -> bool {
    let format = F::FORMAT;
    let largest = vmaxvq_u8(vandq_u8(codes, vdupq_n_u8(format.magnitude_mask() as u8)));
    match format.specials {
        Specials::Ieee => u64::from(largest) >= format.exponent_mask(),
        Specials::AllOnesNan => u64::from(largest) == format.magnitude_mask(),
        Specials::NegativeZeroNan => vminvq_s8(vreinterpretq_s8_u8(codes)) == i8::MIN,
        Specials::None => false,
    }
}

/// Replaces the values that codes without a value got.
#[inline]
#[target_feature(enable = "neon")]
fn specials<F: FloatFormat>(values: float32x4_t) -> float32x4_t {
    let format = F::FORMAT;
    /// The quiet NaN without payload.
    const NAN: f32 = f32::from_bits(0x7fc0_0000);
    let magnitudes = vabsq_f32(values);
    let of_code = |code: u64| {
        let shift = SINGLE.significand_bits - format.significand_bits;
        let rebias = ((SINGLE.bias - format.bias) as u32) << SINGLE.significand_bits;
        vdupq_n_f32(f32::from_bits(((code as u32) << shift) + rebias))
    };
    let infinity = of_code(format.exponent_mask());
    let replaced = match format.specials {
        Specials::Ieee => {
            let is_infinity = vceqq_f32(magnitudes, infinity);
            let magnitudes = vbslq_f32(is_infinity, vdupq_n_f32(f32::INFINITY), magnitudes);
            let is_nan = vbicq_u32(vcgtq_f32(magnitudes, infinity), is_infinity);
            vbslq_f32(is_nan, vdupq_n_f32(NAN), magnitudes)
        }
        Specials::AllOnesNan => {
            let is_nan = vceqq_f32(magnitudes, of_code(format.magnitude_mask()));
            vbslq_f32(is_nan, vdupq_n_f32(NAN), magnitudes)
        }
        Specials::NegativeZeroNan => {
            let is_nan = vceqq_u32(vreinterpretq_u32_f32(values), vdupq_n_u32(1 << 31));
            vbslq_f32(is_nan, vdupq_n_f32(NAN), magnitudes)
        }
        Specials::None => magnitudes,
    };
    vbslq_f32(vdupq_n_u32(1 << 31), values, replaced)
}
