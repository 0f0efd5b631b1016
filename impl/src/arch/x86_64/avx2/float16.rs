//! Conversions between float32 and float16, for which there is an instruction.

use crate::arch::loops::{Compute, Stores};
use crate::arch::x86_64::chunks::by_chunks;
use crate::rules::Rules;
use castproof_vectors::DType::{self, Float16, Float32};
use core::arch::x86_64::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Float32) => ("avx2::float16::widen", widen),
        (Float32, Float16) => ("avx2::float16::narrow", narrow),
        _ => return None,
    })
}

/// The sign bit and the quiet NaN without payload, as float32.
const SIGN: i32 = i32::MIN;
const NAN: i32 = 0x7fc0_0000;

#[target_feature(enable = "avx2,f16c")]
fn widen(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<16, 32>(input, output, stores, |from, to| {
        // SAFETY: 16 bytes are read and 32 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast()));
            _mm256_storeu_ps(to.as_mut_ptr().cast(), quiet(wide));
        }
    });
}

#[target_feature(enable = "avx2,f16c")]
fn narrow(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 16>(input, output, stores, |from, to| {
        // SAFETY: 32 bytes are read and 16 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = quiet(_mm256_loadu_ps(from.as_ptr().cast()));
            let half = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
            _mm_storeu_si128(to.as_mut_ptr().cast(), half);
        }
    });
}

/// Clears the payload of NaN; other values are unchanged.
#[target_feature(enable = "avx2")]
fn quiet(values: __m256) -> __m256 {
    let sign = _mm256_set1_ps(f32::from_bits(SIGN as u32));
    let nan = _mm256_or_ps(_mm256_and_ps(values, sign), _mm256_set1_ps(f32::from_bits(NAN as u32)));
    _mm256_blendv_ps(values, nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(values, values))
}
