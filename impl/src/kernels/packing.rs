//! Elements of 2, 4 and 6 bits: from packed bytes to a byte each, and back (P-01 to P-09).
//!
//! Eight elements of a byte each make a 64-bit word; packed, they take `BITS` bytes.

use crate::arch::{Body, Stores};
use crate::rules::Rules;

/// Packed elements to a byte each.
pub(crate) struct Unpack<const BITS: usize>;

impl<const BITS: usize> Body for Unpack<BITS> {
    const NAME: &'static str = "packing::Unpack";
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8], _: Stores) {
        let (words, rest) = output.as_chunks_mut();
        let (groups, last) = input.split_at(words.len() * BITS);
        for (word, group) in words.iter_mut().zip(groups.as_chunks::<BITS>().0) {
            *word = split(BITS, wide(group)).to_le_bytes();
        }
        let codes = split(BITS, wide(last)).to_le_bytes();
        rest.copy_from_slice(&codes[..rest.len()]);
    }
}

/// A byte each to packed elements; the last byte is filled with zeros.
pub(crate) struct Pack<const BITS: usize>;

impl<const BITS: usize> Body for Pack<BITS> {
    const NAME: &'static str = "packing::Pack";
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8], _: Stores) {
        let (words, rest) = input.as_chunks();
        let (groups, last) = output.split_at_mut(words.len() * BITS);
        for (group, word) in groups.as_chunks_mut::<BITS>().0.iter_mut().zip(words) {
            group.copy_from_slice(&join(BITS, u64::from_le_bytes(*word)).to_le_bytes()[..BITS]);
        }
        last.copy_from_slice(&join(BITS, wide(rest)).to_le_bytes()[..last.len()]);
    }
}

/// At most eight bytes as a number.
#[inline(always)]
fn wide(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(padded)
}

/// Packed elements to a byte each: halves move apart, then halves of halves, then single elements.
#[inline(always)]
fn split(bits: usize, group: u64) -> u64 {
    [4, 2, 1].into_iter().fold(group, |word, count| {
        let low = first_halves(count, bits);
        word & low | (word & low << (count * bits)) << (count * (8 - bits))
    })
}

/// A byte each to packed elements: the reverse of [`split`].
#[inline(always)]
fn join(bits: usize, word: u64) -> u64 {
    [1, 2, 4].into_iter().fold(word, |word, count| {
        let low = first_halves(count, bits);
        word & low | word >> (count * (8 - bits)) & low << (count * bits)
    })
}

/// The bits of `count` packed elements at the start of every `2 * count` bytes.
#[inline(always)]
const fn first_halves(count: usize, bits: usize) -> u64 {
    let run = (1 << (count * bits)) - 1;
    match count {
        1 => run * 0x0001_0001_0001_0001,
        2 => run * 0x0000_0001_0000_0001,
        _ => run,
    }
}
