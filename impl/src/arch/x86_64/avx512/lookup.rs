//! Table lookup for elements of at most 8 bits, 64 at a time.

use super::memory::{load, store};
use super::packing::{Reader, Writer};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Find, Stores};
use crate::arch::table::Table;
use core::arch::x86_64::*;

/// Returns the loop that replaces elements of `from` bits by table entries of `to` bits, if there
/// is one. Indices are below `entries`. Packed elements are read and written in the same loop.
pub(super) fn find(from: u32, to: u32, entries: usize) -> Option<(&'static str, Find)> {
    let few = entries <= 64;
    if to == 16 && from == 8 {
        return Some(if few {
            ("avx512::lookup::pairs<few>", pairs::<true>)
        } else {
            ("avx512::lookup::pairs", pairs::<false>)
        });
    }
    let function: Find = match (from, to) {
        (2, 2) => few_bytes::<2, 16, 2, 16>,
        (2, 4) => few_bytes::<2, 16, 4, 32>,
        (2, 6) => few_bytes::<2, 16, 6, 48>,
        (2, 8) => few_bytes::<2, 16, 8, 64>,
        (4, 2) => few_bytes::<4, 32, 2, 16>,
        (4, 4) => few_bytes::<4, 32, 4, 32>,
        (4, 6) => few_bytes::<4, 32, 6, 48>,
        (4, 8) => few_bytes::<4, 32, 8, 64>,
        (6, 2) => few_bytes::<6, 48, 2, 16>,
        (6, 4) => few_bytes::<6, 48, 4, 32>,
        (6, 6) => few_bytes::<6, 48, 6, 48>,
        (6, 8) => few_bytes::<6, 48, 8, 64>,
        (8, 2) if few => few_bytes::<8, 64, 2, 16>,
        (8, 4) if few => few_bytes::<8, 64, 4, 32>,
        (8, 6) if few => few_bytes::<8, 64, 6, 48>,
        (8, 8) if few => few_bytes::<8, 64, 8, 64>,
        (8, 2) => bytes::<2, 16>,
        (8, 4) => bytes::<4, 32>,
        (8, 6) => bytes::<6, 48>,
        (8, 8) => bytes::<8, 64>,
        _ => return None,
    };
    let name = if few || from < 8 { "avx512::lookup::few_bytes" } else { "avx512::lookup::bytes" };
    Some((name, function))
}

/// A table of 256 bytes.
type Plane = [__m512i; 4];

/// Looks up indices of a byte each.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn bytes<const TO: usize, const WRITTEN: usize>(
    table: &Table,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    let plane: Plane = core::array::from_fn(|part| load(&table.0[64 * part..]));
    let writer = Writer::new::<TO>();
    by_chunks::<64, WRITTEN>(input, output, stores, |from, to| {
        writer.write(find_64(&plane, load(from)), to);
    });
}

/// Looks up indices of at most 6 bits by one permutation, which uses the low six bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn few_bytes<const FROM: usize, const READ: usize, const TO: usize, const WRITTEN: usize>(
    table: &Table,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    // The entries repeat, so that the bits above an index do not matter: of the packed elements 7 and 10, which are 0xa7, the
    // low six bits are 0x27, and of 16 entries four times that is entry 7.
    let entries = byte_index(|byte| table.0[byte % (1 << FROM)]);
    let (reader, writer) = (Reader::new::<FROM>(), Writer::new::<TO>());
    by_chunks::<READ, WRITTEN>(input, output, stores, |from, to| {
        writer.write(_mm512_permutexvar_epi8(reader.read(from), entries), to);
    });
}

/// Looks up entries of two bytes; `FEW` means at most 64 entries.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pairs<const FEW: bool>(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
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
    // Unpacking takes the low and the high half of every 16 bytes. This order puts the first half
    // of the indices into the low halves and the second half into the high halves.
    let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    by_chunks::<64, 128>(input, output, stores, |from, to| {
        let index = _mm512_permutexvar_epi64(order, load(from));
        let (first, second) = if FEW {
            (_mm512_permutexvar_epi8(index, first[0]), _mm512_permutexvar_epi8(index, second[0]))
        } else {
            (find_64(&first, index), find_64(&second, index))
        };
        let (front, back) = to.split_at_mut(64);
        store(front, _mm512_unpacklo_epi8(first, second));
        store(back, _mm512_unpackhi_epi8(first, second));
    });
}

/// Looks up 64 indices in a table of 256 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn find_64(plane: &Plane, index: __m512i) -> __m512i {
    // Each permutation uses the low seven bits, and the highest one chooses: 0xc5 finds entries 69 and 128 + 69, of which it
    // takes the second.
    let low = _mm512_permutex2var_epi8(plane[0], index, plane[1]);
    let high = _mm512_permutex2var_epi8(plane[2], index, plane[3]);
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high)
}

/// A vector of the bytes that `of` gives for the numbers 0 to 63.
#[inline]
#[target_feature(enable = "avx512f")]
fn byte_index(of: impl Fn(usize) -> u8) -> __m512i {
    let bytes: [u8; 64] = core::array::from_fn(of);
    load(&bytes)
}
