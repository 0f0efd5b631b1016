//! 64 bytes at a time from memory and to it.

use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(bytes: &[u8]) -> __m512i {
    let bytes = &bytes[..64];
    // SAFETY: 64 bytes are read, which the slice has; unaligned access.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(bytes: &mut [u8], vector: __m512i) {
    let bytes = &mut bytes[..64];
    // SAFETY: 64 bytes are written, which the slice has; unaligned access.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}
