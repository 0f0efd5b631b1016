//! Elements of 2, 4 and 6 bits, 64 at a time: packed to a byte each, and back.

use super::by_chunks;
use super::lookup::{byte_index, load};
use crate::Backend;
use crate::arch::{Step, Stores};
use crate::cast::Rules;
use core::arch::x86_64::*;

/// Packed elements of `bits` bits to a byte each by instruction, where there is one.
pub(crate) fn unpack(bits: u32, backend: Backend) -> Option<Step> {
    match (backend, bits) {
        (Backend::Avx512, 2) => Some(Step(unpack_avx512::<2, 16>)),
        (Backend::Avx512, 4) => Some(Step(unpack_avx512::<4, 32>)),
        (Backend::Avx512, 6) => Some(Step(unpack_avx512::<6, 48>)),
        _ => None,
    }
}

/// A byte each to packed elements of `bits` bits by instruction, where there is one.
pub(crate) fn pack(bits: u32, backend: Backend) -> Option<Step> {
    match (backend, bits) {
        (Backend::Avx512, 2) => Some(Step(pack_avx512::<2, 16>)),
        (Backend::Avx512, 4) => Some(Step(pack_avx512::<4, 32>)),
        (Backend::Avx512, 6) => Some(Step(pack_avx512::<6, 48>)),
        _ => None,
    }
}

/// 64 elements of `BITS` bits are `PACKED` bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unpack_avx512<const BITS: usize, const PACKED: usize>(
    _: &Rules,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    // Each eight elements into eight bytes of their own, then each element into the low bits of
    // its byte.
    let spread = byte_index(|byte| (byte / 8 * BITS + byte % 8) as u8);
    let shifts = byte_index(|byte| (byte % 8 * BITS) as u8);
    let mask = _mm512_set1_epi8((1 << BITS) - 1);
    by_chunks::<PACKED, 64>(input, output, stores, |from, to| {
        // SAFETY: `PACKED` bytes are read and 64 written, of arrays of just that size; unaligned
        // access.
        unsafe {
            let packed = _mm512_maskz_loadu_epi8((1 << PACKED) - 1, from.as_ptr().cast());
            let spread = _mm512_permutexvar_epi8(spread, packed);
            let codes = _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, spread), mask);
            _mm512_storeu_si512(to.as_mut_ptr().cast(), codes);
        }
    });
}

/// Bits of a byte above an element must be clear, as all loops leave them.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pack_avx512<const BITS: usize, const PACKED: usize>(
    _: &Rules,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    // Two bytes are joined by one multiplication and addition, two pairs by another; what is then
    // at the start of every four bytes is brought together.
    let pairs = _mm512_set1_epi16(1 | 1 << (8 + BITS));
    let fours = _mm512_set1_epi32(1 | 1 << (16 + 2 * BITS));
    let gather = byte_index(|byte| (byte * 2 / BITS * 4 + byte % (BITS / 2)) as u8 % 64);
    by_chunks::<64, PACKED>(input, output, stores, |from, to| {
        let joined = _mm512_madd_epi16(_mm512_maddubs_epi16(load(from), pairs), fours);
        let packed = _mm512_permutexvar_epi8(gather, joined);
        // SAFETY: `PACKED` bytes are written, to an array of just that size; unaligned access.
        unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), (1 << PACKED) - 1, packed) }
    });
}
