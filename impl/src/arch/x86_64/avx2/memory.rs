//! Vectors from memory and to it.

use core::arch::x86_64::*;

/// 32 bytes: those of the given number, counted from 0 in steps of 32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(bytes: &[u8], number: usize) -> __m256i {
    let bytes: &[u8; 32] = &bytes.as_chunks().0[number];
    // SAFETY: 32 bytes are read, of an array of just that size; unaligned access.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// 16 bytes, likewise.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_half(bytes: &[u8], number: usize) -> __m128i {
    let bytes: &[u8; 16] = &bytes.as_chunks().0[number];
    // SAFETY: 16 bytes are read, of an array of just that size; unaligned access.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// 8 bytes, likewise, in the low half.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_quarter(bytes: &[u8], number: usize) -> __m128i {
    let bytes: &[u8; 8] = &bytes.as_chunks().0[number];
    // SAFETY: 8 bytes are read, of an array of just that size; unaligned access.
    unsafe { _mm_loadl_epi64(bytes.as_ptr().cast()) }
}

/// Writes the 32 bytes of the given number.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(bytes: &mut [u8], number: usize, vector: __m256i) {
    let bytes: &mut [u8; 32] = &mut bytes.as_chunks_mut().0[number];
    // SAFETY: 32 bytes are written, to an array of just that size; unaligned access.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

/// Writes several vectors, one behind the other.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store_all<const VECTORS: usize>(bytes: &mut [u8], vectors: [__m256i; VECTORS]) {
    for (number, vector) in vectors.into_iter().enumerate() {
        store(bytes, number, vector);
    }
}
