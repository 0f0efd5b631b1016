//! Table lookup for elements of one byte, 32 at a time.

use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Find, Stores};
use crate::arch::table::Table;
use core::arch::x86_64::*;

/// Returns the loop that replaces elements of `from` bits by table entries of `to` bits, if there
/// is one. Indices are below `entries`.
pub(super) fn find(from: u32, to: u32, entries: usize) -> Option<(&'static str, Find)> {
    Some(match (from, to) {
        (8, 8) if entries <= 16 => ("avx2::lookup::few_bytes", few_bytes),
        (8, 16) if entries <= 16 => ("avx2::lookup::few_pairs", few_pairs),
        (8, 8) if entries <= 64 => ("avx2::lookup::some_bytes", some_bytes),
        (8, 8) => ("avx2::lookup::bytes", bytes),
        _ => return None,
    })
}

/// The rows of a table: each vector holds 16 entries twice.
type Rows<const ROWS: usize> = [__m256i; ROWS];

#[target_feature(enable = "avx2")]
fn few_bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let [row] = rows(&table.0);
    bytes_by(input, output, stores, |index| _mm256_shuffle_epi8(row, index));
}

#[target_feature(enable = "avx2")]
fn some_bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let rows: Rows<4> = rows(&table.0);
    bytes_by(input, output, stores, |index| of_four(&rows, index));
}

#[target_feature(enable = "avx2")]
fn bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let rows: Rows<16> = rows(&table.0);
    bytes_by(input, output, stores, |index| {
        let [a, b, c, d] = core::array::from_fn(|four| {
            of_four(rows[4 * four..].first_chunk().expect("sixteen rows"), index)
        });
        let bit6 = _mm256_slli_epi16::<1>(index);
        let (low, high) = (_mm256_blendv_epi8(a, b, bit6), _mm256_blendv_epi8(c, d, bit6));
        _mm256_blendv_epi8(low, high, index)
    });
}

#[target_feature(enable = "avx2")]
fn few_pairs(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let halves = |half: usize| core::array::from_fn::<u8, 16, _>(|entry| table.0[2 * entry + half]);
    let ([first], [second]) = (rows(&halves(0)), rows(&halves(1)));
    pairs_by(input, output, stores, |index| {
        (_mm256_shuffle_epi8(first, index), _mm256_shuffle_epi8(second, index))
    });
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes_by(input: &[u8], output: &mut [u8], stores: Stores, find: impl Fn(__m256i) -> __m256i) {
    by_chunks::<32, 32>(input, output, stores, |from, to| store(to, find(load(from))));
}

/// `find` gives the first and the second bytes of entries.
#[inline]
#[target_feature(enable = "avx2")]
fn pairs_by(
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
    find: impl Fn(__m256i) -> (__m256i, __m256i),
) {
    by_chunks::<32, 64>(input, output, stores, |from, to| {
        // Reordered as in `pairs` of AVX-512.
        let (first, second) = find(_mm256_permute4x64_epi64::<0b11_01_10_00>(load(from)));
        let (front, back) = to.split_at_mut(32);
        store(front, _mm256_unpacklo_epi8(first, second));
        store(back, _mm256_unpackhi_epi8(first, second));
    });
}

#[inline]
#[target_feature(enable = "avx2")]
fn rows<const ROWS: usize>(table: &[u8]) -> Rows<ROWS> {
    core::array::from_fn(|row| {
        let row: &[u8; 16] = table[16 * row..].first_chunk().expect("entries of all rows");
        // SAFETY: 16 bytes are read, of an array of just that size; unaligned access.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) })
    })
}

/// Looks up 32 indices in four rows: once in each row, then bits 4 and 5 choose the row. Of the index 0x2b the low four bits
/// take entry 11 of each row; bit 4 is clear and leaves rows 0 and 2, bit 5 is set and takes row 2: entry 2 * 16 + 11 = 43.
#[inline]
#[target_feature(enable = "avx2")]
fn of_four(rows: &Rows<4>, index: __m256i) -> __m256i {
    let low = _mm256_and_si256(index, _mm256_set1_epi8(0xf));
    let [a, b, c, d] = rows.map(|row| _mm256_shuffle_epi8(row, low));
    // A blend uses the highest bit of each byte.
    let bit4 = _mm256_slli_epi16::<3>(index);
    let bit5 = _mm256_slli_epi16::<2>(index);
    let (low, high) = (_mm256_blendv_epi8(a, b, bit4), _mm256_blendv_epi8(c, d, bit4));
    _mm256_blendv_epi8(low, high, bit5)
}

#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read, of an array of just that size; unaligned access.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8], vector: __m256i) {
    let bytes = &mut bytes[..32];
    // SAFETY: 32 bytes are written, which the slice has; unaligned access.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}
