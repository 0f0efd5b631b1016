//! Floats to integers of at most 16 bits by instruction, sixteen elements at a time.
//!
//! Each loop first converts to integers of 32 bits, then narrows them. Integers of 8 and 16 bits
//! are rounded towards zero (FI-02), those of 2 and 4 bits to nearest, ties to even (I4-02). A
//! value beyond the range gives the nearest end of the range, and NaN gives 0 (FI-04, FI-05,
//! I4-03).

use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::x86_64::*;

/// The loop for a pair, where there is one. Elements of 2 and 4 bits take a byte each.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Int2) => ("avx512::float_to_narrow_integer::f16_to_i2", f16_to_i2),
        (Float16, Uint2) => ("avx512::float_to_narrow_integer::f16_to_u2", f16_to_u2),
        (Float16, Int4) => ("avx512::float_to_narrow_integer::f16_to_i4", f16_to_i4),
        (Float16, Uint4) => ("avx512::float_to_narrow_integer::f16_to_u4", f16_to_u4),
        (Float16, Int8) => ("avx512::float_to_narrow_integer::f16_to_i8", f16_to_i8),
        (Float16, Uint8) => ("avx512::float_to_narrow_integer::f16_to_u8", f16_to_u8),
        (Float16, Int16) => ("avx512::float_to_narrow_integer::f16_to_i16", f16_to_i16),
        (Float16, Uint16) => ("avx512::float_to_narrow_integer::f16_to_u16", f16_to_u16),
        (Bfloat16, Int2) => ("avx512::float_to_narrow_integer::bf16_to_i2", bf16_to_i2),
        (Bfloat16, Uint2) => ("avx512::float_to_narrow_integer::bf16_to_u2", bf16_to_u2),
        (Bfloat16, Int4) => ("avx512::float_to_narrow_integer::bf16_to_i4", bf16_to_i4),
        (Bfloat16, Uint4) => ("avx512::float_to_narrow_integer::bf16_to_u4", bf16_to_u4),
        (Bfloat16, Int8) => ("avx512::float_to_narrow_integer::bf16_to_i8", bf16_to_i8),
        (Bfloat16, Uint8) => ("avx512::float_to_narrow_integer::bf16_to_u8", bf16_to_u8),
        (Bfloat16, Int16) => ("avx512::float_to_narrow_integer::bf16_to_i16", bf16_to_i16),
        (Bfloat16, Uint16) => ("avx512::float_to_narrow_integer::bf16_to_u16", bf16_to_u16),
        (Float32, Int2) => ("avx512::float_to_narrow_integer::f32_to_i2", f32_to_i2),
        (Float32, Uint2) => ("avx512::float_to_narrow_integer::f32_to_u2", f32_to_u2),
        (Float32, Int4) => ("avx512::float_to_narrow_integer::f32_to_i4", f32_to_i4),
        (Float32, Uint4) => ("avx512::float_to_narrow_integer::f32_to_u4", f32_to_u4),
        (Float32, Int8) => ("avx512::float_to_narrow_integer::f32_to_i8", f32_to_i8),
        (Float32, Uint8) => ("avx512::float_to_narrow_integer::f32_to_u8", f32_to_u8),
        (Float32, Int16) => ("avx512::float_to_narrow_integer::f32_to_i16", f32_to_i16),
        (Float32, Uint16) => ("avx512::float_to_narrow_integer::f32_to_u16", f32_to_u16),
        (Float64, Int2) => ("avx512::float_to_narrow_integer::f64_to_i2", f64_to_i2),
        (Float64, Uint2) => ("avx512::float_to_narrow_integer::f64_to_u2", f64_to_u2),
        (Float64, Int4) => ("avx512::float_to_narrow_integer::f64_to_i4", f64_to_i4),
        (Float64, Uint4) => ("avx512::float_to_narrow_integer::f64_to_u4", f64_to_u4),
        (Float64, Int8) => ("avx512::float_to_narrow_integer::f64_to_i8", f64_to_i8),
        (Float64, Uint8) => ("avx512::float_to_narrow_integer::f64_to_u8", f64_to_u8),
        (Float64, Int16) => ("avx512::float_to_narrow_integer::f64_to_i16", f64_to_i16),
        (Float64, Uint16) => ("avx512::float_to_narrow_integer::f64_to_u16", f64_to_u16),
        _ => return None,
    })
}

// A macro, because the loops differ only in what they call. Each row: the name, the bytes read and
// written at a time, and the functions that read elements, make them integers of 32 bits, narrow
// them and write them.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal,
        $load:ident, $whole:ident($($bound:literal),*), $narrow:expr, $store:ident;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| {
                let narrowed = $narrow($whole($load(from), $($bound),*));
                // SAFETY: as many bytes are written as the array has; unaligned access.
                unsafe { $store(to.as_mut_ptr().cast(), narrowed) }
            });
        }
    )*};
}

loops! {
    f16_to_i2: 32 => 16, half, nearest(-2.0, 1.0), low_bits::<2>, _mm_storeu_si128;
    f16_to_u2: 32 => 16, half, nearest(0.0, 3.0), low_bits::<2>, _mm_storeu_si128;
    f16_to_i4: 32 => 16, half, nearest(-8.0, 7.0), low_bits::<4>, _mm_storeu_si128;
    f16_to_u4: 32 => 16, half, nearest(0.0, 15.0), low_bits::<4>, _mm_storeu_si128;
    f16_to_i8: 32 => 16, half, signed(127.0), _mm512_cvtsepi32_epi8, _mm_storeu_si128;
    f16_to_u8: 32 => 16, half, unsigned(), _mm512_cvtusepi32_epi8, _mm_storeu_si128;
    f16_to_i16: 32 => 32, half, signed(32767.0), _mm512_cvtsepi32_epi16, _mm256_storeu_si256;
    f16_to_u16: 32 => 32, half, unsigned(), _mm512_cvtusepi32_epi16, _mm256_storeu_si256;
    bf16_to_i2: 32 => 16, brain, nearest(-2.0, 1.0), low_bits::<2>, _mm_storeu_si128;
    bf16_to_u2: 32 => 16, brain, nearest(0.0, 3.0), low_bits::<2>, _mm_storeu_si128;
    bf16_to_i4: 32 => 16, brain, nearest(-8.0, 7.0), low_bits::<4>, _mm_storeu_si128;
    bf16_to_u4: 32 => 16, brain, nearest(0.0, 15.0), low_bits::<4>, _mm_storeu_si128;
    bf16_to_i8: 32 => 16, brain, signed(127.0), _mm512_cvtsepi32_epi8, _mm_storeu_si128;
    bf16_to_u8: 32 => 16, brain, unsigned(), _mm512_cvtusepi32_epi8, _mm_storeu_si128;
    bf16_to_i16: 32 => 32, brain, signed(32767.0), _mm512_cvtsepi32_epi16, _mm256_storeu_si256;
    bf16_to_u16: 32 => 32, brain, unsigned(), _mm512_cvtusepi32_epi16, _mm256_storeu_si256;
    f32_to_i2: 64 => 16, single, nearest(-2.0, 1.0), low_bits::<2>, _mm_storeu_si128;
    f32_to_u2: 64 => 16, single, nearest(0.0, 3.0), low_bits::<2>, _mm_storeu_si128;
    f32_to_i4: 64 => 16, single, nearest(-8.0, 7.0), low_bits::<4>, _mm_storeu_si128;
    f32_to_u4: 64 => 16, single, nearest(0.0, 15.0), low_bits::<4>, _mm_storeu_si128;
    f32_to_i8: 64 => 16, single, signed(127.0), _mm512_cvtsepi32_epi8, _mm_storeu_si128;
    f32_to_u8: 64 => 16, single, unsigned(), _mm512_cvtusepi32_epi8, _mm_storeu_si128;
    f32_to_i16: 64 => 32, single, signed(32767.0), _mm512_cvtsepi32_epi16, _mm256_storeu_si256;
    f32_to_u16: 64 => 32, single, unsigned(), _mm512_cvtusepi32_epi16, _mm256_storeu_si256;
    f64_to_i2: 128 => 16, double, nearest_double(-2.0, 1.0), low_bits::<2>, _mm_storeu_si128;
    f64_to_u2: 128 => 16, double, nearest_double(0.0, 3.0), low_bits::<2>, _mm_storeu_si128;
    f64_to_i4: 128 => 16, double, nearest_double(-8.0, 7.0), low_bits::<4>, _mm_storeu_si128;
    f64_to_u4: 128 => 16, double, nearest_double(0.0, 15.0), low_bits::<4>, _mm_storeu_si128;
    f64_to_i8: 128 => 16, double, signed_double(127.0), _mm512_cvtsepi32_epi8, _mm_storeu_si128;
    f64_to_u8: 128 => 16, double, unsigned_double(), _mm512_cvtusepi32_epi8, _mm_storeu_si128;
    f64_to_i16: 128 => 32, double, signed_double(32767.0), _mm512_cvtsepi32_epi16, _mm256_storeu_si256;
    f64_to_u16: 128 => 32, double, unsigned_double(), _mm512_cvtusepi32_epi16, _mm256_storeu_si256;
}

/// float16 as float32.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) fn half(bytes: &[u8; 32]) -> __m512 {
    // SAFETY: 32 bytes are read, of an array of just that size; unaligned access.
    _mm512_cvtph_ps(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
}

/// bfloat16 as float32, of which it is the upper half.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) fn brain(bytes: &[u8; 32]) -> __m512 {
    // SAFETY: as in `half`.
    let codes = _mm512_cvtepu16_epi32(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) });
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(codes))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) fn single(bytes: &[u8; 64]) -> __m512 {
    // SAFETY: 64 bytes are read, of an array of just that size; unaligned access.
    unsafe { _mm512_loadu_ps(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn double(bytes: &[u8; 128]) -> [__m512d; 2] {
    let [low, high]: &[[u8; 64]; 2] = bytes.as_chunks().0.try_into().expect("two halves");
    // SAFETY: 64 bytes are read of each, which are arrays of just that size; unaligned access.
    unsafe { [_mm512_loadu_pd(low.as_ptr().cast()), _mm512_loadu_pd(high.as_ptr().cast())] }
}

/// Converts towards zero. A value far below the range becomes the lowest integer, which narrowing
/// saturates. A value far above it would become the lowest integer too, hence the minimum: -1e10 becomes
/// 0x8000_0000 and narrows to -128, and 1e10 becomes 127 before it is converted.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn signed(values: __m512, high: f32) -> __m512i {
    let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(values, values);
    _mm512_maskz_cvttps_epi32(number, _mm512_min_ps(values, _mm512_set1_ps(high)))
}

/// Converts towards zero. The maximum of NaN and zero, in this order, is zero. A value far above
/// the range becomes all ones, which narrowing saturates.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn unsigned(values: __m512) -> __m512i {
    _mm512_cvttps_epu32(_mm512_max_ps(values, _mm512_setzero_ps()))
}

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// Clamps to the range from `low` to `high` and rounds to nearest.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn nearest(values: __m512, low: f32, high: f32) -> __m512i {
    let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(values, values);
    let bounded = _mm512_max_ps(_mm512_min_ps(values, _mm512_set1_ps(high)), _mm512_set1_ps(low));
    _mm512_maskz_cvt_roundps_epi32::<NEAREST>(number, bounded)
}

/// As [`signed`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn signed_double([low, high]: [__m512d; 2], bound: f64) -> __m512i {
    join([signed_eight(low, bound), signed_eight(high, bound)])
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn signed_eight(values: __m512d, bound: f64) -> __m256i {
    let number = _mm512_cmp_pd_mask::<_CMP_ORD_Q>(values, values);
    _mm512_maskz_cvttpd_epi32(number, _mm512_min_pd(values, _mm512_set1_pd(bound)))
}

/// As [`unsigned`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn unsigned_double([low, high]: [__m512d; 2]) -> __m512i {
    let zero = _mm512_setzero_pd();
    let low = _mm512_cvttpd_epu32(_mm512_max_pd(low, zero));
    join([low, _mm512_cvttpd_epu32(_mm512_max_pd(high, zero))])
}

/// As [`nearest`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn nearest_double([first, last]: [__m512d; 2], low: f64, high: f64) -> __m512i {
    join([nearest_eight(first, low, high), nearest_eight(last, low, high)])
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn nearest_eight(values: __m512d, low: f64, high: f64) -> __m256i {
    let number = _mm512_cmp_pd_mask::<_CMP_ORD_Q>(values, values);
    let below = _mm512_min_pd(values, _mm512_set1_pd(high));
    let bounded = _mm512_max_pd(below, _mm512_set1_pd(low));
    _mm512_maskz_cvt_roundpd_epi32::<NEAREST>(number, bounded)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn join([low, high]: [__m256i; 2]) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// Keeps the low bits of each integer, in a byte each.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn low_bits<const BITS: u32>(whole: __m512i) -> __m128i {
    _mm512_cvtepi32_epi8(_mm512_and_si512(whole, _mm512_set1_epi32((1 << BITS) - 1)))
}
