//! Rounding to odd: the nearest number towards zero, with its last bit set if that is inexact.
//!
//! The way back tells whether it is. 16,777,217 becomes 16,777,216 (0x4b80_0000) towards zero, and back that is another
//! integer, so the last bit is set: 0x4b80_0001, which no tie of a format with fewer bits has.

use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::x86_64::*;

/// Returns the loop from integers of 32 and 64 bits or float64 to float32.
pub(super) fn to_float32(from: DType) -> Option<(&'static str, Compute)> {
    Some(match from {
        Int32 => ("avx512::round_to_odd::i32_to_odd", i32_to_odd),
        Uint32 => ("avx512::round_to_odd::u32_to_odd", u32_to_odd),
        Int64 => ("avx512::round_to_odd::i64_to_odd", i64_to_odd),
        Uint64 => ("avx512::round_to_odd::u64_to_odd", u64_to_odd),
        Float64 => ("avx512::round_to_odd::f64_to_odd", f64_to_odd),
        _ => return None,
    })
}

const TOWARDS_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

// A macro, because the loops differ in nothing but their instructions. Each row: the name, the
// bytes that are written for 64 that are read, the conversion and the way back, the comparison and
// what sets the last bit of those that differ.
macro_rules! integers {
    ($($name:ident: $written:literal, $convert:ident, $back:ident, $differs:ident,
        $to_bits:ident, $or:ident, $one:ident, $store:ident;)*) => {$(
        #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<64, $written>(input, output, stores, |from, to| {
                // SAFETY: 64 bytes are read and as many written as the array has; unaligned
                // access.
                unsafe {
                    let value = _mm512_loadu_si512(from.as_ptr().cast());
                    let cut = $convert::<TOWARDS_ZERO>(value);
                    let inexact = $differs($back(cut), value);
                    let cut = $to_bits(cut);
                    $store(to.as_mut_ptr().cast(), $or(cut, inexact, cut, $one(1)));
                }
            });
        }
    )*};
}

integers! {
    i32_to_odd: 64, _mm512_cvt_roundepi32_ps, _mm512_cvttps_epi32, _mm512_cmpneq_epi32_mask,
        _mm512_castps_si512, _mm512_mask_or_epi32, _mm512_set1_epi32, _mm512_storeu_si512;
    u32_to_odd: 64, _mm512_cvt_roundepu32_ps, _mm512_cvttps_epu32, _mm512_cmpneq_epi32_mask,
        _mm512_castps_si512, _mm512_mask_or_epi32, _mm512_set1_epi32, _mm512_storeu_si512;
    i64_to_odd: 32, _mm512_cvt_roundepi64_ps, _mm512_cvttps_epi64, _mm512_cmpneq_epi64_mask,
        _mm256_castps_si256, _mm256_mask_or_epi32, _mm256_set1_epi32, _mm256_storeu_si256;
    u64_to_odd: 32, _mm512_cvt_roundepu64_ps, _mm512_cvttps_epu64, _mm512_cmpneq_epi64_mask,
        _mm256_castps_si256, _mm256_mask_or_epi32, _mm256_set1_epi32, _mm256_storeu_si256;
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn f64_to_odd(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        // SAFETY: 64 bytes are read and 32 written, of arrays of just that size; unaligned access.
        unsafe {
            let value = _mm512_loadu_pd(from.as_ptr().cast());
            let cut = _mm512_cvt_roundpd_ps::<TOWARDS_ZERO>(value);
            // The comparison does not report NaN as inexact. It need not: NaN keeps its quiet bit.
            let inexact = _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(_mm512_cvtps_pd(cut), value);
            let cut = _mm256_castps_si256(cut);
            let odd = _mm256_mask_or_epi32(cut, inexact, cut, _mm256_set1_epi32(1));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), odd);
        }
    });
}
