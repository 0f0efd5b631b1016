//! Elements of at most 8 bits by table, 64 or 32 at a time.

use super::by_chunks;
use super::packing::{Reader, Writer};
use crate::Backend;
use crate::arch::{Lookup, Stores, Table};
use core::arch::x86_64::*;

/// The loop of instructions that replaces elements of `from` bits by table entries of `to` bits,
/// where there is one. Indices are below `entries`.
pub(crate) fn lookup(from: usize, to: usize, entries: usize, backend: Backend) -> Option<Lookup> {
    match (backend, from, to) {
        (Backend::Avx2, 8, 8) if entries <= 16 => Some(Lookup(few_bytes_avx2)),
        (Backend::Avx2, 8, 16) if entries <= 16 => Some(Lookup(few_pairs_avx2)),
        (Backend::Avx2, 8, 8) if entries <= 64 => Some(Lookup(some_bytes_avx2)),
        (Backend::Avx2, 8, 8) => Some(Lookup(bytes_avx2)),
        (Backend::Avx512, 8, 16) if entries <= 64 => Some(Lookup(pairs_avx512::<true>)),
        (Backend::Avx512, 8, 16) => Some(Lookup(pairs_avx512::<false>)),
        (Backend::Avx512, ..) => translate(from, to, entries),
        _ => None,
    }
}

/// Packed elements are read and written in the same loop.
fn translate(from: usize, to: usize, entries: usize) -> Option<Lookup> {
    Some(Lookup(match (from, to) {
        (2, 2) => few_avx512::<2, 16, 2, 16>,
        (2, 4) => few_avx512::<2, 16, 4, 32>,
        (2, 6) => few_avx512::<2, 16, 6, 48>,
        (2, 8) => few_avx512::<2, 16, 8, 64>,
        (4, 2) => few_avx512::<4, 32, 2, 16>,
        (4, 4) => few_avx512::<4, 32, 4, 32>,
        (4, 6) => few_avx512::<4, 32, 6, 48>,
        (4, 8) => few_avx512::<4, 32, 8, 64>,
        (6, 2) => few_avx512::<6, 48, 2, 16>,
        (6, 4) => few_avx512::<6, 48, 4, 32>,
        (6, 6) => few_avx512::<6, 48, 6, 48>,
        (6, 8) => few_avx512::<6, 48, 8, 64>,
        (8, 2) if entries <= 64 => few_avx512::<8, 64, 2, 16>,
        (8, 4) if entries <= 64 => few_avx512::<8, 64, 4, 32>,
        (8, 6) if entries <= 64 => few_avx512::<8, 64, 6, 48>,
        (8, 8) if entries <= 64 => few_avx512::<8, 64, 8, 64>,
        (8, 2) => bytes_avx512::<2, 16>,
        (8, 4) => bytes_avx512::<4, 32>,
        (8, 6) => bytes_avx512::<6, 48>,
        (8, 8) => bytes_avx512::<8, 64>,
        _ => return None,
    }))
}

/// A table of 256 bytes.
type Plane = [__m512i; 4];

/// Indices of a byte each.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn bytes_avx512<const TO: usize, const WRITTEN: usize>(
    table: &Table,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    let plane: Plane = core::array::from_fn(|part| load(&table.0[64 * part..]));
    let writer = Writer::new(TO);
    by_chunks::<64, WRITTEN>(input, output, stores, |from, to| {
        writer.write(find(&plane, load(from)), to);
    });
}

/// Indices of at most 6 bits: one permutation, which goes by the low six bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn few_avx512<const FROM: usize, const READ: usize, const TO: usize, const WRITTEN: usize>(
    table: &Table,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    // Whatever stands above an index finds the same entry.
    let entries = byte_index(|byte| table.0[byte % (1 << FROM)]);
    let (reader, writer) = (Reader::new(FROM), Writer::new(TO));
    by_chunks::<READ, WRITTEN>(input, output, stores, |from, to| {
        writer.write(_mm512_permutexvar_epi8(reader.read(from), entries), to);
    });
}

/// Entries of two bytes. `FEW` are at most 64.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pairs_avx512<const FEW: bool>(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
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
    by_chunks::<64, 128>(input, output, stores, |from, to| {
        let index = _mm512_permutexvar_epi64(order, load(from));
        let (first, second) = if FEW {
            (_mm512_permutexvar_epi8(index, first[0]), _mm512_permutexvar_epi8(index, second[0]))
        } else {
            (find(&first, index), find(&second, index))
        };
        let (front, back) = to.split_at_mut(64);
        store(front, _mm512_unpacklo_epi8(first, second));
        store(back, _mm512_unpackhi_epi8(first, second));
    });
}

/// The entries of 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn find(plane: &Plane, index: __m512i) -> __m512i {
    // Each permutation goes by the low seven bits.
    let low = _mm512_permutex2var_epi8(plane[0], index, plane[1]);
    let high = _mm512_permutex2var_epi8(plane[2], index, plane[3]);
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high)
}

/// Each 16 entries of a table twice in a vector.
type Rows<const ROWS: usize> = [__m256i; ROWS];

#[target_feature(enable = "avx2")]
fn few_bytes_avx2(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let [row] = rows_avx2(&table.0);
    bytes_by(input, output, stores, |index| _mm256_shuffle_epi8(row, index));
}

#[target_feature(enable = "avx2")]
fn some_bytes_avx2(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let rows: Rows<4> = rows_avx2(&table.0);
    bytes_by(input, output, stores, |index| of_four_avx2(&rows, index));
}

#[target_feature(enable = "avx2")]
fn bytes_avx2(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let rows: Rows<16> = rows_avx2(&table.0);
    bytes_by(input, output, stores, |index| {
        let [a, b, c, d] = core::array::from_fn(|four| {
            of_four_avx2(rows[4 * four..].first_chunk().expect("sixteen rows"), index)
        });
        let bit6 = _mm256_slli_epi16::<1>(index);
        let (low, high) = (_mm256_blendv_epi8(a, b, bit6), _mm256_blendv_epi8(c, d, bit6));
        _mm256_blendv_epi8(low, high, index)
    });
}

#[target_feature(enable = "avx2")]
fn few_pairs_avx2(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let halves = |half: usize| core::array::from_fn::<u8, 16, _>(|entry| table.0[2 * entry + half]);
    let ([first], [second]) = (rows_avx2(&halves(0)), rows_avx2(&halves(1)));
    pairs_by(input, output, stores, |index| {
        (_mm256_shuffle_epi8(first, index), _mm256_shuffle_epi8(second, index))
    });
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes_by(input: &[u8], output: &mut [u8], stores: Stores, find: impl Fn(__m256i) -> __m256i) {
    by_chunks::<32, 32>(input, output, stores, |from, to| store_avx2(to, find(load_avx2(from))));
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
        // As in `pairs_avx512`.
        let (first, second) = find(_mm256_permute4x64_epi64::<0b11_01_10_00>(load_avx2(from)));
        let (front, back) = to.split_at_mut(32);
        store_avx2(front, _mm256_unpacklo_epi8(first, second));
        store_avx2(back, _mm256_unpackhi_epi8(first, second));
    });
}

#[inline]
#[target_feature(enable = "avx2")]
fn rows_avx2<const ROWS: usize>(table: &[u8]) -> Rows<ROWS> {
    core::array::from_fn(|row| {
        let row: &[u8; 16] = table[16 * row..].first_chunk().expect("entries of all rows");
        // SAFETY: 16 bytes are read, of an array of just that size; unaligned access.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) })
    })
}

/// The entries of 32 bytes in four rows: those of each row, among which bits 4 and 5 choose.
#[inline]
#[target_feature(enable = "avx2")]
fn of_four_avx2(rows: &Rows<4>, index: __m256i) -> __m256i {
    let low = _mm256_and_si256(index, _mm256_set1_epi8(0xf));
    let [a, b, c, d] = rows.map(|row| _mm256_shuffle_epi8(row, low));
    // A choice goes by the highest bit of each byte.
    let bit4 = _mm256_slli_epi16::<3>(index);
    let bit5 = _mm256_slli_epi16::<2>(index);
    let (low, high) = (_mm256_blendv_epi8(a, b, bit4), _mm256_blendv_epi8(c, d, bit4));
    _mm256_blendv_epi8(low, high, bit5)
}

/// A vector of the bytes that `of` gives for the numbers 0 to 63.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn byte_index(of: impl Fn(usize) -> u8) -> __m512i {
    let bytes: [u8; 64] = core::array::from_fn(of);
    load(&bytes)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(bytes: &[u8]) -> __m512i {
    let bytes = &bytes[..64];
    // SAFETY: 64 bytes are read, which the slice has; unaligned access.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn load_avx2(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read, of an array of just that size; unaligned access.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn store_avx2(bytes: &mut [u8], vector: __m256i) {
    let bytes = &mut bytes[..32];
    // SAFETY: 32 bytes are written, which the slice has; unaligned access.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(bytes: &mut [u8], vector: __m512i) {
    let bytes = &mut bytes[..64];
    // SAFETY: 64 bytes are written, which the slice has; unaligned access.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}
