//! Integers cut to shorter ones (II-02), by the instructions that do so.

use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::x86_64::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Int16 | Uint16, Int8 | Uint8) => ("avx512::integer::b16_to_b8", b16_to_b8),
        (Int32 | Uint32, Int8 | Uint8) => ("avx512::integer::b32_to_b8", b32_to_b8),
        (Int32 | Uint32, Int16 | Uint16) => ("avx512::integer::b32_to_b16", b32_to_b16),
        (Int64 | Uint64, Int8 | Uint8) => ("avx512::integer::b64_to_b8", b64_to_b8),
        (Int64 | Uint64, Int16 | Uint16) => ("avx512::integer::b64_to_b16", b64_to_b16),
        (Int64 | Uint64, Int32 | Uint32) => ("avx512::integer::b64_to_b32", b64_to_b32),
        _ => return None,
    })
}

// A macro, because the loops differ only in what they call. Each row: the name, the bytes written at a
// time, the instruction, and how its result is written.
macro_rules! loops {
    ($($name:ident: $written:literal, $cut:ident, $store:ident;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<64, $written>(input, output, stores, |from, to| {
                // SAFETY: 64 bytes are read, and as many written as the array has; unaligned access.
                unsafe { $store(to.as_mut_ptr().cast(), $cut(_mm512_loadu_si512(from.as_ptr().cast()))) }
            });
        }
    )*};
}

loops! {
    b16_to_b8: 32, _mm512_cvtepi16_epi8, _mm256_storeu_si256;
    b32_to_b8: 16, _mm512_cvtepi32_epi8, _mm_storeu_si128;
    b32_to_b16: 32, _mm512_cvtepi32_epi16, _mm256_storeu_si256;
    b64_to_b8: 8, _mm512_cvtepi64_epi8, _mm_storeu_si64;
    b64_to_b16: 16, _mm512_cvtepi64_epi16, _mm_storeu_si128;
    b64_to_b32: 32, _mm512_cvtepi64_epi32, _mm256_storeu_si256;
}
