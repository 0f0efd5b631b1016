//! Vectors from memory and to it.

use core::arch::aarch64::*;

/// 16 bytes: those of the given number, counted from 0 in steps of 16.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load(bytes: &[u8], number: usize) -> uint8x16_t {
    let bytes: &[u8; 16] = &bytes.as_chunks().0[number];
    // SAFETY: 16 bytes are read, of an array of just that size; unaligned access.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

/// Writes the 16 bytes of the given number.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn store(bytes: &mut [u8], number: usize, vector: uint8x16_t) {
    let bytes: &mut [u8; 16] = &mut bytes.as_chunks_mut().0[number];
    // SAFETY: 16 bytes are written, to an array of just that size; unaligned access.
    unsafe { vst1q_u8(bytes.as_mut_ptr(), vector) }
}

/// Writes several vectors, one behind the other.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn store_all<const VECTORS: usize>(bytes: &mut [u8], vectors: [uint8x16_t; VECTORS]) {
    for (number, vector) in vectors.into_iter().enumerate() {
        store(bytes, number, vector);
    }
}

/// Writes the first bytes of both vectors, then their second bytes, and so on: the 32 bytes of the
/// given number.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn store_pairs(bytes: &mut [u8], number: usize, pairs: uint8x16x2_t) {
    let bytes: &mut [u8; 32] = &mut bytes.as_chunks_mut().0[number];
    // SAFETY: 32 bytes are written, to an array of just that size; unaligned access.
    unsafe { vst2q_u8(bytes.as_mut_ptr(), pairs) }
}
