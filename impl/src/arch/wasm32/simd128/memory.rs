//! Vectors from memory and to it.

use core::arch::wasm32::{v128, v128_load, v128_store};

/// 16 bytes: those of the given number, counted from 0 in steps of 16.
#[inline(always)]
pub(super) fn load(bytes: &[u8], number: usize) -> v128 {
    let bytes: &[u8; 16] = &bytes.as_chunks().0[number];
    // SAFETY: 16 bytes are read, of an array of just that size; unaligned access.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// Writes the 16 bytes of the given number.
#[inline(always)]
pub(super) fn store(bytes: &mut [u8], number: usize, vector: v128) {
    let bytes: &mut [u8; 16] = &mut bytes.as_chunks_mut().0[number];
    // SAFETY: 16 bytes are written, to an array of just that size; unaligned access.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), vector) }
}
