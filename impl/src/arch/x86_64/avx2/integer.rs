//! Integers cut to shorter ones (II-02), 32 elements at a time, by the instructions that narrow and saturate:
//! the bits that are lost are cleared before, so that nothing is beyond the range. 0x1234 would saturate to 0xff; as 0x0034
//! it gives 0x34. These instructions work within 16 bytes, so the parts are put in order at the end: of elements 0 to 15 in
//! one vector and 16 to 31 in the next, the quarters of the result are 0 to 7, 16 to 23, 8 to 15, 24 to 31.

use super::memory::{load, store};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::x86_64::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Int16 | Uint16, Int8 | Uint8) => ("avx2::integer::b16_to_b8", b16_to_b8),
        (Int32 | Uint32, Int8 | Uint8) => ("avx2::integer::b32_to_b8", b32_to_b8),
        (Int32 | Uint32, Int16 | Uint16) => ("avx2::integer::b32_to_b16", b32_to_b16),
        (Int64 | Uint64, Int8 | Uint8) => ("avx2::integer::b64_to_b8", b64_to_b8),
        (Int64 | Uint64, Int16 | Uint16) => ("avx2::integer::b64_to_b16", b64_to_b16),
        (Int64 | Uint64, Int32 | Uint32) => ("avx2::integer::b64_to_b32", b64_to_b32),
        _ => return None,
    })
}

#[target_feature(enable = "avx2")]
fn b16_to_b8(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    let low = _mm256_set1_epi16(0xff);
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        let (a, b) = (_mm256_and_si256(load(from, 0), low), _mm256_and_si256(load(from, 1), low));
        store(to, 0, quarters(_mm256_packus_epi16(a, b)));
    });
}

#[target_feature(enable = "avx2")]
fn b32_to_b8(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    let low = _mm256_set1_epi32(0xff);
    by_chunks::<128, 32>(input, output, stores, |from, to| {
        let (a, b) = (_mm256_and_si256(load(from, 0), low), _mm256_and_si256(load(from, 1), low));
        let (c, d) = (_mm256_and_si256(load(from, 2), low), _mm256_and_si256(load(from, 3), low));
        let (first, last) = (_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        store(to, 0, eighths(_mm256_packus_epi16(first, last)));
    });
}

#[target_feature(enable = "avx2")]
fn b32_to_b16(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    let low = _mm256_set1_epi32(0xffff);
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        let (a, b) = (_mm256_and_si256(load(from, 0), low), _mm256_and_si256(load(from, 1), low));
        store(to, 0, quarters(_mm256_packus_epi32(a, b)));
    });
}

#[target_feature(enable = "avx2")]
fn b64_to_b8(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    let low = _mm256_set1_epi32(0xff);
    by_chunks::<256, 32>(input, output, stores, |from, to| {
        let (a, b) = (low_halves(from, 0, low), low_halves(from, 1, low));
        let (c, d) = (low_halves(from, 2, low), low_halves(from, 3, low));
        let (first, last) = (_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        // Pairs of the first and of the third element of each four, by turns.
        let pairs = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(first, last));
        let (low, high) = (pairs, _mm256_shuffle_epi32::<0b01_00_11_10>(pairs));
        store(to, 0, _mm256_unpacklo_epi16(low, high));
    });
}

#[target_feature(enable = "avx2")]
fn b64_to_b16(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    let low = _mm256_set1_epi32(0xffff);
    by_chunks::<128, 32>(input, output, stores, |from, to| {
        let (a, b) = (low_halves(from, 0, low), low_halves(from, 1, low));
        store(to, 0, eighths(_mm256_packus_epi32(a, b)));
    });
}

#[target_feature(enable = "avx2")]
fn b64_to_b32(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    let low = _mm256_set1_epi32(-1);
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        store(to, 0, quarters(low_halves(from, 0, low)));
    });
}

/// The low halves of eight elements of 64 bits, of which a mask keeps some bits: two of the first vector, two
/// of the second, and likewise in the upper 16 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn low_halves(bytes: &[u8], number: usize, mask: __m256i) -> __m256i {
    let (first, last) = (load(bytes, 2 * number), load(bytes, 2 * number + 1));
    let (first, last) = (_mm256_castsi256_ps(first), _mm256_castsi256_ps(last));
    let halves = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, last));
    _mm256_and_si256(halves, mask)
}

/// Puts quarters in order, of which the first and the third came from the first vector.
#[inline]
#[target_feature(enable = "avx2")]
fn quarters(packed: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}

/// Puts eighths in order, of which each vector gave one to either half.
#[inline]
#[target_feature(enable = "avx2")]
fn eighths(packed: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}
