//! Table lookup for elements of at most 8 bits.

use super::memory::{load, store, store_pairs};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Find, Stores};
use crate::arch::table::Table;
use core::arch::aarch64::*;
use core::array::from_fn;

/// Returns the loop that replaces elements of `from` bits by table entries of `to` bits, if there
/// is one. Indices are below `entries`. Packed elements are read and written in the same loop.
pub(super) fn find(from: u32, to: u32, entries: usize) -> Option<(&'static str, Find)> {
    Some(match (from, to) {
        (4, 4) => ("neon::lookup::nibbles", nibbles),
        (4, 8) => ("neon::lookup::nibbles_to_bytes", nibbles_to_bytes),
        (8, 8) if entries <= 16 => ("neon::lookup::few_bytes", few_bytes),
        (8, 16) if entries <= 16 => ("neon::lookup::few_pairs", few_pairs),
        (8, 8) if entries <= 64 => ("neon::lookup::some_bytes", some_bytes),
        (8, 16) if entries <= 64 => ("neon::lookup::some_pairs", some_pairs),
        (8, 8) => ("neon::lookup::bytes", bytes),
        (8, 16) => ("neon::lookup::pairs", pairs),
        _ => return None,
    })
}

/// A table of 64 bytes.
type Quarter = uint8x16x4_t;

/// A table of 256 bytes.
type Plane = [Quarter; 4];

/// Two packed elements of 4 bits to two.
#[target_feature(enable = "neon")]
fn nibbles(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let row = load(&table.0, 0);
    by_chunks::<32, 32>(input, output, stores, |from, to| {
        for number in 0..2 {
            let (low, high) = found_nibbles(row, load(from, number));
            store(to, number, vsliq_n_u8::<4>(low, high));
        }
    });
}

/// Two packed elements of 4 bits to two of a byte each.
#[target_feature(enable = "neon")]
fn nibbles_to_bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let row = load(&table.0, 0);
    by_chunks::<32, 64>(input, output, stores, |from, to| {
        for number in 0..2 {
            let (low, high) = found_nibbles(row, load(from, number));
            store_pairs(to, number, uint8x16x2_t(low, high));
        }
    });
}

/// Looks up the low and the high four bits of each byte.
#[inline]
#[target_feature(enable = "neon")]
fn found_nibbles(row: uint8x16_t, packed: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
    let (low, high) = (vandq_u8(packed, vdupq_n_u8(0xf)), vshrq_n_u8::<4>(packed));
    (vqtbl1q_u8(row, low), vqtbl1q_u8(row, high))
}

#[target_feature(enable = "neon")]
fn few_bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let row = load(&table.0, 0);
    bytes_by(input, output, stores, |index| vqtbl1q_u8(row, index));
}

#[target_feature(enable = "neon")]
fn some_bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let quarter = quarter(&table.0);
    bytes_by(input, output, stores, |index| vqtbl4q_u8(quarter, index));
}

#[target_feature(enable = "neon")]
fn bytes(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let plane = plane(&table.0[..256]);
    bytes_by(input, output, stores, |index| of_plane(&plane, index));
}

#[target_feature(enable = "neon")]
fn few_pairs(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let [first, second] = planes(table).map(|plane| plane[0].0);
    pairs_by(input, output, stores, |index| {
        let found = |row| index.map(|index| vqtbl1q_u8(row, index));
        [found(first), found(second)]
    });
}

#[target_feature(enable = "neon")]
fn some_pairs(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let [first, second] = planes(table).map(|plane| plane[0]);
    pairs_by(input, output, stores, |index| {
        let found = |quarter| index.map(|index| vqtbl4q_u8(quarter, index));
        [found(first), found(second)]
    });
}

/// The registers hold one of the two planes at a time, so each is used for 64 elements at once.
#[target_feature(enable = "neon")]
fn pairs(table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
    let planes = planes(table);
    pairs_by(input, output, stores, |index| {
        planes.each_ref().map(|plane| index.map(|index| of_plane(plane, index)))
    });
}

#[inline]
#[target_feature(enable = "neon")]
fn bytes_by(
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
    find: impl Fn(uint8x16_t) -> uint8x16_t,
) {
    by_chunks::<64, 64>(input, output, stores, |from, to| {
        for number in 0..4 {
            store(to, number, find(load(from, number)));
        }
    });
}

/// `find` gives the first and the second bytes of the entries of 64 elements.
#[inline]
#[target_feature(enable = "neon")]
fn pairs_by(
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
    find: impl Fn([uint8x16_t; 4]) -> [[uint8x16_t; 4]; 2],
) {
    by_chunks::<64, 128>(input, output, stores, |from, to| {
        let [first, second] = find(from_fn(|number| load(from, number)));
        for (number, (first, second)) in first.into_iter().zip(second).enumerate() {
            store_pairs(to, number, uint8x16x2_t(first, second));
        }
    });
}

/// The first bytes of all entries, and the second ones.
#[inline]
#[target_feature(enable = "neon")]
fn planes(table: &Table) -> [Plane; 2] {
    let halves = |half: usize| from_fn::<u8, 256, _>(|entry| table.0[2 * entry + half]);
    [plane(&halves(0)), plane(&halves(1))]
}

#[inline]
#[target_feature(enable = "neon")]
fn plane(table: &[u8]) -> Plane {
    from_fn(|part| quarter(&table[64 * part..]))
}

#[inline]
#[target_feature(enable = "neon")]
fn quarter(table: &[u8]) -> Quarter {
    uint8x16x4_t(load(table, 0), load(table, 1), load(table, 2), load(table, 3))
}

/// Looks up 16 indices in a table of 256 bytes. A lookup beyond its 64 bytes leaves what was found. The index 197 finds
/// nothing as 197, 133 and 69, and entry 5 of the last quarter as 5.
#[inline]
#[target_feature(enable = "neon")]
fn of_plane(plane: &Plane, index: uint8x16_t) -> uint8x16_t {
    let [first, others @ ..] = plane;
    let (mut found, mut index) = (vqtbl4q_u8(*first, index), index);
    for quarter in others {
        index = vsubq_u8(index, vdupq_n_u8(64));
        found = vqtbx4q_u8(found, *quarter, index);
    }
    found
}
