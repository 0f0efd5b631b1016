//! Elements of 2, 4 and 6 bits: from packed bytes to a byte each, and back (P-01 to P-09).
//!
//! A group is as many bytes as hold a whole number of elements: one, or three for 6 bits. Its
//! elements, a byte each, make a word `W`.

use super::Word;
use crate::arch::Body;
use crate::cast::Rules;
use core::marker::PhantomData;

/// Packed elements to a byte each.
pub(crate) struct Unpack<W, const BITS: usize, const GROUP: usize>(PhantomData<W>);

impl<W: Word, const BITS: usize, const GROUP: usize> Body for Unpack<W, BITS, GROUP> {
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8]) {
        let words = W::split_mut(output);
        let done = size_of_val(words);
        let (groups, last) = input.split_at(words.len() * GROUP);
        for (word, group) in words.iter_mut().zip(groups.as_chunks::<GROUP>().0) {
            *word = W::low(split(BITS, wide(group))).write();
        }
        let codes = split(BITS, wide(last)).to_le_bytes();
        let rest = &mut output[done..];
        rest.copy_from_slice(&codes[..rest.len()]);
    }
}

/// A byte each to packed elements; the last byte is filled with zeros.
pub(crate) struct Pack<W, const BITS: usize, const GROUP: usize>(PhantomData<W>);

impl<W: Word, const BITS: usize, const GROUP: usize> Body for Pack<W, BITS, GROUP> {
    #[inline(always)]
    fn run(_: &Rules, input: &[u8], output: &mut [u8]) {
        let words = W::split(input);
        let rest = &input[size_of_val(words)..];
        let (groups, last) = output.split_at_mut(words.len() * GROUP);
        for (group, word) in groups.as_chunks_mut::<GROUP>().0.iter_mut().zip(words) {
            group.copy_from_slice(&join(BITS, W::read(*word).to_u32()).to_le_bytes()[..GROUP]);
        }
        last.copy_from_slice(&join(BITS, wide(rest)).to_le_bytes()[..last.len()]);
    }
}

/// At most four bytes as a number.
#[inline(always)]
fn wide(bytes: &[u8]) -> u32 {
    let mut padded = [0; 4];
    padded[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(padded)
}

/// Packed elements to a byte each: every element moves up by the gap below it.
#[inline(always)]
fn split(bits: usize, group: u32) -> u32 {
    (0..4).fold(0, |word, index| {
        let element = ((1 << bits) - 1) << (8 * index);
        word | (group << (index * (8 - bits))) & element
    })
}

/// A byte each to packed elements: the way back.
#[inline(always)]
fn join(bits: usize, word: u32) -> u32 {
    (0..4).fold(0, |group, index| {
        let element = ((1 << bits) - 1) << (bits * index);
        group | (word >> (index * (8 - bits))) & element
    })
}
