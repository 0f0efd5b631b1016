//! Bytes by table, 64 at a time.

use super::by_chunks;
use crate::Backend;
use crate::arch::{Lookup, Table};
use core::arch::x86_64::*;

/// The loop that looks up entries of `width` bytes, where one is faster than computing.
pub(crate) fn lookup(width: usize, backend: Backend) -> Option<Lookup> {
    match (backend, width) {
        (Backend::Avx512, 1) => Some(Lookup(bytes_avx512)),
        (Backend::Avx512, 2) => Some(Lookup(pairs_avx512)),
        _ => None,
    }
}

/// A table of 256 bytes.
type Plane = [__m512i; 4];

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn bytes_avx512(table: &Table, input: &[u8], output: &mut [u8]) {
    let plane: Plane = core::array::from_fn(|part| load(&table.0[64 * part..]));
    by_chunks::<64, 64>(input, output, |from, to| store(to, find(&plane, load(from))));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pairs_avx512(table: &Table, input: &[u8], output: &mut [u8]) {
    // The first bytes of all entries, and the second ones.
    let halves = |part: usize| (load(&table.0[128 * part..]), load(&table.0[128 * part + 64..]));
    let every_other = byte_index(|byte| 2 * byte as u8);
    let first: Plane = core::array::from_fn(|part| {
        let (low, high) = halves(part);
        _mm512_permutex2var_epi8(low, every_other, high)
    });
    let second: Plane = core::array::from_fn(|part| {
        let (low, high) = halves(part);
        _mm512_permutex2var_epi8(low, _mm512_or_si512(every_other, _mm512_set1_epi8(1)), high)
    });
    // Unpacking takes the low and the high half of every 16 bytes: these are what becomes the
    // first and the second half of the output.
    let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    by_chunks::<64, 128>(input, output, |from, to| {
        let index = _mm512_permutexvar_epi64(order, load(from));
        let (first, second) = (find(&first, index), find(&second, index));
        let (front, back) = to.split_at_mut(64);
        store(front, _mm512_unpacklo_epi8(first, second));
        store(back, _mm512_unpackhi_epi8(first, second));
    });
}

/// The entries of 64 bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn find(plane: &Plane, index: __m512i) -> __m512i {
    // Each permutation goes by the low seven bits.
    let low = _mm512_permutex2var_epi8(plane[0], index, plane[1]);
    let high = _mm512_permutex2var_epi8(plane[2], index, plane[3]);
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high)
}

/// A vector of the bytes that `of` gives for the numbers 0 to 63.
#[target_feature(enable = "avx512f")]
pub(super) fn byte_index(of: impl Fn(usize) -> u8) -> __m512i {
    let bytes: [u8; 64] = core::array::from_fn(of);
    load(&bytes)
}

#[target_feature(enable = "avx512f")]
pub(super) fn load(bytes: &[u8]) -> __m512i {
    let bytes = &bytes[..64];
    // SAFETY: 64 bytes are read, which the slice has; unaligned access.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn store(bytes: &mut [u8], vector: __m512i) {
    let bytes = &mut bytes[..64];
    // SAFETY: 64 bytes are written, which the slice has; unaligned access.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}
