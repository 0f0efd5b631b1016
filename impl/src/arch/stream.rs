//! Stores that go past the caches. Only x86-64 has them.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

/// Copies bytes past the caches if the target is aligned to 16 bytes. [`fence`] must follow before
/// another thread may read them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn stream(from: &[u8], to: &mut [u8]) {
    if !to.as_ptr().addr().is_multiple_of(16) {
        return to.copy_from_slice(from);
    }
    let ((vectors, rest), (vectors_out, rest_out)) = (from.as_chunks::<16>(), to.as_chunks_mut());
    for (from, to) in vectors.iter().zip(vectors_out) {
        let to: &mut [u8; 16] = to;
        // SAFETY: 16 bytes are read and written, of arrays of just that size; the target is
        // aligned, which was just checked.
        unsafe { _mm_stream_si128(to.as_mut_ptr().cast(), _mm_loadu_si128(from.as_ptr().cast())) };
    }
    rest_out.copy_from_slice(rest);
}

/// Orders what [`stream`] wrote before all that follows.
#[cfg(target_arch = "x86_64")]
pub(crate) fn fence() {
    // SAFETY: every x86-64 machine has SSE.
    unsafe { _mm_sfence() }
}

/// Copies bytes. This target has no stores past the caches.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn stream(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

/// Does nothing, because nothing is written past the caches here.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn fence() {}
