//! Rounding to odd: the nearest number towards zero, with its last bit set if that is inexact.

use super::by_chunks;
use crate::Backend;
use crate::arch::{Step, Stores};
use crate::cast::Rules;
use core::arch::x86_64::*;

/// float64 to float32, rounded to odd, by instruction, where there is one.
pub(crate) fn float64_to_odd_float32(backend: Backend) -> Option<Step> {
    (backend == Backend::Avx512).then_some(Step(odd_float32_avx512))
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn odd_float32_avx512(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    const TOWARDS_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        // SAFETY: 64 bytes are read and 32 written, of arrays of just that size; unaligned access.
        unsafe {
            let value = _mm512_loadu_pd(from.as_ptr().cast());
            let cut = _mm512_cvt_roundpd_ps::<TOWARDS_ZERO>(value);
            // A NaN is not said to be inexact, and need not be: it has its quiet bit.
            let inexact = _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(_mm512_cvtps_pd(cut), value);
            let cut = _mm256_castps_si256(cut);
            let odd = _mm256_mask_or_epi32(cut, inexact, cut, _mm256_set1_epi32(1));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), odd);
        }
    });
}
