//! float32 and float64 to integers of 32 and 64 bits, towards zero, by instruction (FI-02).

use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, Float32, Float64, Int32, Int64, Uint32, Uint64};
use core::arch::x86_64::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float32, Int32) => ("avx512::float_to_wide_integer::f32_to_i32", f32_to_i32),
        (Float32, Uint32) => ("avx512::float_to_wide_integer::f32_to_u32", f32_to_u32),
        (Float32, Int64) => ("avx512::float_to_wide_integer::f32_to_i64", f32_to_i64),
        (Float32, Uint64) => ("avx512::float_to_wide_integer::f32_to_u64", f32_to_u64),
        (Float64, Int32) => ("avx512::float_to_wide_integer::f64_to_i32", f64_to_i32),
        (Float64, Uint32) => ("avx512::float_to_wide_integer::f64_to_u32", f64_to_u32),
        (Float64, Int64) => ("avx512::float_to_wide_integer::f64_to_i64", f64_to_i64),
        (Float64, Uint64) => ("avx512::float_to_wide_integer::f64_to_u64", f64_to_u64),
        _ => return None,
    })
}

// Macros, because the eight loops differ in nothing but their instructions. Each row: the name,
// the bytes that are read and written at a time, and the instructions.

/// NaN is masked out and so becomes 0 (FI-05). Beyond the range the conversion gives the lowest
/// integer. That is correct below the range; above it, from `$end` on, the highest integer replaces
/// it (FI-04).
macro_rules! signed {
    ($($name:ident: $read:literal => $written:literal, $load:ident, $set:ident($end:expr),
        $compare:ident, $convert:ident, $highest:expr, $select:ident, $store:ident;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| {
                // SAFETY: as many bytes are read and written as the arrays have; unaligned access.
                unsafe {
                    let value = $load(from.as_ptr().cast());
                    let number = $compare::<_CMP_ORD_Q>(value, value);
                    let above = $compare::<_CMP_GE_OQ>(value, $set($end));
                    let whole = $select($convert(number, value), above, $highest);
                    $store(to.as_mut_ptr().cast(), whole);
                }
            });
        }
    )*};
}

/// The maximum of NaN and zero, in this order, is zero, and so is the maximum of a negative value
/// and zero (FI-04, FI-05). Above the range the conversion gives all ones, which is the highest
/// integer.
macro_rules! unsigned {
    ($($name:ident: $read:literal => $written:literal, $load:ident, $zero:ident, $max:ident,
        $convert:ident, $store:ident;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| {
                // SAFETY: as many bytes are read and written as the arrays have; unaligned access.
                unsafe {
                    let value = $max($load(from.as_ptr().cast()), $zero());
                    $store(to.as_mut_ptr().cast(), $convert(value));
                }
            });
        }
    )*};
}

const END_32: f64 = (1_u64 << 31) as f64;
const END_64: f64 = (1_u64 << 63) as f64;

signed! {
    f32_to_i32: 64 => 64, _mm512_loadu_ps, _mm512_set1_ps(END_32 as f32), _mm512_cmp_ps_mask,
        _mm512_maskz_cvttps_epi32, _mm512_set1_epi32(i32::MAX), _mm512_mask_mov_epi32, _mm512_storeu_si512;
    f32_to_i64: 32 => 64, _mm256_loadu_ps, _mm256_set1_ps(END_64 as f32), _mm256_cmp_ps_mask,
        _mm512_maskz_cvttps_epi64, _mm512_set1_epi64(i64::MAX), _mm512_mask_mov_epi64, _mm512_storeu_si512;
    f64_to_i32: 64 => 32, _mm512_loadu_pd, _mm512_set1_pd(END_32), _mm512_cmp_pd_mask,
        _mm512_maskz_cvttpd_epi32, _mm256_set1_epi32(i32::MAX), _mm256_mask_mov_epi32, _mm256_storeu_si256;
    f64_to_i64: 64 => 64, _mm512_loadu_pd, _mm512_set1_pd(END_64), _mm512_cmp_pd_mask,
        _mm512_maskz_cvttpd_epi64, _mm512_set1_epi64(i64::MAX), _mm512_mask_mov_epi64, _mm512_storeu_si512;
}

unsigned! {
    f32_to_u32: 64 => 64, _mm512_loadu_ps, _mm512_setzero_ps, _mm512_max_ps, _mm512_cvttps_epu32,
        _mm512_storeu_si512;
    f32_to_u64: 32 => 64, _mm256_loadu_ps, _mm256_setzero_ps, _mm256_max_ps, _mm512_cvttps_epu64,
        _mm512_storeu_si512;
    f64_to_u32: 64 => 32, _mm512_loadu_pd, _mm512_setzero_pd, _mm512_max_pd, _mm512_cvttpd_epu32,
        _mm256_storeu_si256;
    f64_to_u64: 64 => 64, _mm512_loadu_pd, _mm512_setzero_pd, _mm512_max_pd, _mm512_cvttpd_epu64,
        _mm512_storeu_si512;
}
