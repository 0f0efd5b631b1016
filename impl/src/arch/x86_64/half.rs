//! Conversions between float32 and float16 or float64 for which there is an instruction.

use super::by_chunks;
use crate::Backend;
use crate::arch::{Step, Stores};
use crate::cast::Rules;
use core::arch::x86_64::*;

/// float16 to float32 by instruction, where there is one.
pub(crate) fn float16_to_float32(backend: Backend) -> Option<Step> {
    match backend {
        Backend::Portable => None,
        Backend::Avx2 => Some(Step(widen_half_avx2)),
        Backend::Avx512 => Some(Step(widen_half_avx512)),
    }
}

/// float32 to float16 by instruction, where there is one.
pub(crate) fn float32_to_float16(backend: Backend) -> Option<Step> {
    match backend {
        Backend::Portable => None,
        Backend::Avx2 => Some(Step(narrow_half_avx2)),
        Backend::Avx512 => Some(Step(narrow_half_avx512)),
    }
}

/// float64 to float32 by instruction, where there is one.
pub(crate) fn float64_to_float32(backend: Backend) -> Option<Step> {
    (backend == Backend::Avx512).then_some(Step(narrow_double_avx512))
}

/// The sign bit and the quiet NaN without payload, as float32.
const SIGN: i32 = i32::MIN;
const NAN: i32 = 0x7fc0_0000;

#[target_feature(enable = "avx2,f16c")]
fn widen_half_avx2(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<16, 32>(input, output, stores, |from, to| {
        // SAFETY: 16 bytes are read and 32 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast()));
            _mm256_storeu_ps(to.as_mut_ptr().cast(), quiet_avx2(wide));
        }
    });
}

#[target_feature(enable = "avx2,f16c")]
fn narrow_half_avx2(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 16>(input, output, stores, |from, to| {
        // SAFETY: 32 bytes are read and 16 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = quiet_avx2(_mm256_loadu_ps(from.as_ptr().cast()));
            let half = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
            _mm_storeu_si128(to.as_mut_ptr().cast(), half);
        }
    });
}

/// NaN without its payload, all else unchanged.
#[target_feature(enable = "avx2")]
fn quiet_avx2(values: __m256) -> __m256 {
    let sign = _mm256_set1_ps(f32::from_bits(SIGN as u32));
    let nan = _mm256_or_ps(_mm256_and_ps(values, sign), _mm256_set1_ps(f32::from_bits(NAN as u32)));
    _mm256_blendv_ps(values, nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(values, values))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn widen_half_avx512(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 64>(input, output, stores, |from, to| {
        // SAFETY: 32 bytes are read and 64 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast()));
            _mm512_storeu_ps(to.as_mut_ptr().cast(), quiet_avx512(wide));
        }
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn narrow_half_avx512(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        // SAFETY: 64 bytes are read and 32 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = quiet_avx512(_mm512_loadu_ps(from.as_ptr().cast()));
            let half = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), half);
        }
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn narrow_double_avx512(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<128, 64>(input, output, stores, |from, to| {
        // SAFETY: two times 64 bytes are read and 64 written, of arrays of just that size;
        // unaligned access.
        unsafe {
            let low = _mm512_cvtpd_ps(_mm512_loadu_pd(from.as_ptr().cast()));
            let high = _mm512_cvtpd_ps(_mm512_loadu_pd(from[64..].as_ptr().cast()));
            let both = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high);
            _mm512_storeu_ps(to.as_mut_ptr().cast(), quiet_avx512(both));
        }
    });
}

/// NaN without its payload, all else unchanged.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn quiet_avx512(values: __m512) -> __m512 {
    /// `(a & b) | c`, as a truth table.
    const AND_OR: i32 = 0xea;
    let bits = _mm512_castps_si512(values);
    let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(values, values);
    let (sign, nan) = (_mm512_set1_epi32(SIGN), _mm512_set1_epi32(NAN));
    _mm512_castsi512_ps(_mm512_mask_ternarylogic_epi32::<AND_OR>(bits, is_nan, sign, nan))
}
