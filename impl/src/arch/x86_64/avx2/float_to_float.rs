//! Conversions among floats of 16, 32 and 64 bits, and of short integers to floats of 16 bits, 32
//! elements at a time.

use super::memory::{load, store, store_all};
use super::thirty_two::{
    Floats, any_nan, brains, halves, in_order, quiet, signed_bytes, signed_pairs, singles,
    unsigned_bytes, unsigned_pairs,
};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::asm;
use core::arch::x86_64::*;
use core::array::from_fn;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Float32) => ("avx2::float_to_float::f16_to_f32", f16_to_f32),
        (Bfloat16, Float32) => ("avx2::float_to_float::bf16_to_f32", bf16_to_f32),
        (Float64, Float32) => ("avx2::float_to_float::f64_to_f32", f64_to_f32),
        (Float16, Float64) => ("avx2::float_to_float::f16_to_f64", f16_to_f64),
        (Bfloat16, Float64) => ("avx2::float_to_float::bf16_to_f64", bf16_to_f64),
        (Float32, Float64) => ("avx2::float_to_float::f32_to_f64", f32_to_f64),
        (Bfloat16, Float16) => ("avx2::float_to_float::bf16_to_f16", bf16_to_f16),
        (Float32, Float16) => ("avx2::float_to_float::f32_to_f16", f32_to_f16),
        (Int8, Float16) => ("avx2::float_to_float::i8_to_f16", i8_to_f16),
        (Uint8, Float16) => ("avx2::float_to_float::u8_to_f16", u8_to_f16),
        (Int16, Float16) => ("avx2::float_to_float::i16_to_f16", i16_to_f16),
        (Uint16, Float16) => ("avx2::float_to_float::u16_to_f16", u16_to_f16),
        (Float16, Bfloat16) => ("avx2::float_to_float::f16_to_bf16", f16_to_bf16),
        (Float32, Bfloat16) => ("avx2::float_to_float::f32_to_bf16", f32_to_bf16),
        (Int8, Bfloat16) => ("avx2::float_to_float::i8_to_bf16", i8_to_bf16),
        (Uint8, Bfloat16) => ("avx2::float_to_float::u8_to_bf16", u8_to_bf16),
        (Int16, Bfloat16) => ("avx2::float_to_float::i16_to_bf16", i16_to_bf16),
        (Uint16, Bfloat16) => ("avx2::float_to_float::u16_to_bf16", u16_to_bf16),
        _ => return None,
    })
}

// A macro, because the loops differ in nothing but what they call. Each row: the name, the bytes
// that are read and written at a time, how they become float32 and from there the target.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $load:ident, $store:ident;)*) => {$(
        #[target_feature(enable = "avx2,f16c")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| $store($load(from), to));
        }
    )*};
}

loops! {
    f16_to_f32: 64 => 128, halves, to_singles;
    bf16_to_f32: 64 => 128, brains, to_singles;
    f64_to_f32: 256 => 128, doubles, to_singles;
    f16_to_f64: 64 => 256, halves, to_doubles;
    bf16_to_f64: 64 => 256, brains, to_doubles;
    f32_to_f64: 128 => 256, singles, to_doubles;
    bf16_to_f16: 64 => 64, brains, to_halves;
    f32_to_f16: 128 => 64, singles, to_halves;
    i8_to_f16: 32 => 64, signed_bytes, to_halves;
    u8_to_f16: 32 => 64, unsigned_bytes, to_halves;
    i16_to_f16: 64 => 64, signed_pairs, to_halves;
    u16_to_f16: 64 => 64, unsigned_pairs, to_halves;
    f16_to_bf16: 64 => 64, halves, to_brains;
    f32_to_bf16: 128 => 64, singles, to_brains;
    i8_to_bf16: 32 => 64, signed_bytes, to_brains;
    u8_to_bf16: 32 => 64, unsigned_bytes, to_brains;
    i16_to_bf16: 64 => 64, signed_pairs, to_brains;
    u16_to_bf16: 64 => 64, unsigned_pairs, to_brains;
}

/// float64 as float32, rounded to nearest.
#[inline]
#[target_feature(enable = "avx2")]
fn doubles(bytes: &[u8; 256]) -> Floats {
    from_fn(|part| {
        let quarter = |half| double(bytes, 2 * part + half);
        _mm256_set_m128(_mm256_cvtpd_ps(quarter(1)), _mm256_cvtpd_ps(quarter(0)))
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn double(bytes: &[u8; 256], number: usize) -> __m256d {
    _mm256_castsi256_pd(load(bytes, number))
}

#[inline]
#[target_feature(enable = "avx2")]
fn to_singles(values: Floats, to: &mut [u8; 128]) {
    store_all(to, quiet(values).map(|values| _mm256_castps_si256(values)));
}

/// Exact. NaN gets its sign and the quiet bit here, because conversions may do as they like with it.
#[inline]
#[target_feature(enable = "avx2")]
fn to_doubles(values: Floats, to: &mut [u8; 256]) {
    let nan = any_nan(values);
    for (part, values) in values.into_iter().enumerate() {
        let halves = [_mm256_castps256_ps128(values), _mm256_extractf128_ps::<1>(values)];
        for (half, values) in halves.into_iter().enumerate() {
            let wide = _mm256_cvtps_pd(values);
            let wide = if nan { quiet_double(wide, values) } else { wide };
            store(to, 2 * part + half, _mm256_castpd_si256(wide));
        }
    }
}

/// Replaces NaN by the quiet NaN without payload that has the sign of its float32: of 0xffa0_0001 it keeps the sign alone,
/// and gives 0xfff8_0000_0000_0000.
#[inline]
#[target_feature(enable = "avx2")]
fn quiet_double(wide: __m256d, values: __m128) -> __m256d {
    const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
    let signs = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_castps_si128(values)));
    let signs = _mm256_and_pd(signs, _mm256_set1_pd(-0.0));
    let nan = _mm256_or_pd(signs, _mm256_set1_pd(NAN));
    _mm256_blendv_pd(wide, nan, _mm256_cmp_pd::<_CMP_UNORD_Q>(wide, wide))
}

/// Rounds to nearest, ties to even.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn to_halves(values: Floats, to: &mut [u8; 64]) {
    let [a, b, c, d] = quiet(values);
    store_all(to, [sixteen_halves(a, b), sixteen_halves(c, d)]);
}

/// Two conversions. Written by hand, because the compiler makes each of them write to memory, which
/// takes 1.7 times as long (Zen 5).
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn sixteen_halves(first: __m256, second: __m256) -> __m256i {
    let halves;
    // SAFETY: the instructions are those of the enabled features; they change only the registers
    // that they name, and the exception flags, which the block does not promise to preserve.
    unsafe {
        asm!(
            "vcvtps2ph {halves:x}, {first}, 0",
            "vcvtps2ph {upper:x}, {second}, 0",
            "vinserti128 {halves}, {halves}, {upper:x}, 1",
            first = in(ymm_reg) first,
            second = in(ymm_reg) second,
            halves = out(ymm_reg) halves,
            upper = out(ymm_reg) _,
            options(pure, nomem, nostack),
        );
    }
    halves
}

/// Rounds to nearest, ties to even: takes the upper half, after a carry from the lower one. The
/// lower half of infinity and of a quiet NaN without payload is zero.
///
/// Added are 0x7fff and the last bit of the upper half. Of the ties 0x3f80_8000 becomes 0x3f80_ffff, which leaves 0x3f80,
/// and 0x3f81_8000 becomes 0x3f82_0000, which leaves 0x3f82.
#[inline]
#[target_feature(enable = "avx2")]
fn to_brains(values: Floats, to: &mut [u8; 64]) {
    let [a, b, c, d] = quiet(values).map(|values| {
        let bits = _mm256_castps_si256(values);
        let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
        let below_half = _mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff));
        _mm256_srli_epi32::<16>(_mm256_add_epi32(below_half, odd))
    });
    let codes = [in_order(_mm256_packus_epi32(a, b)), in_order(_mm256_packus_epi32(c, d))];
    store_all(to, codes);
}
