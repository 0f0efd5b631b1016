//! Elements as bytes: little-endian, sub-byte elements packed from the least significant bits up,
//! the last byte filled with zeros (P-01 to P-09).

use crate::Error;
use castproof_vectors::DType;

/// Bytes that `count` elements of a numeric dtype take: `count` times the dtype's bits, rounded up
/// to whole bytes (P-03, P-09).
///
/// # Errors
/// [`Error::NotNumeric`] for string and complex, [`Error::TooMany`] if no slice can be that long.
pub fn packed_len(dtype: DType, count: usize) -> Result<usize, Error> {
    if !dtype.is_numeric() {
        return Err(Error::NotNumeric { dtype });
    }
    let bytes = (count as u128 * u128::from(dtype.bits())).div_ceil(8);
    usize::try_from(bytes).map_err(|_| Error::TooMany { dtype, count })
}

type Load = fn(&[u8], &mut [u64]);
type Store = fn(&[u64], &mut [u8]);

/// How the elements of a dtype lie in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Packing {
    bits: usize,
    load: Load,
    store: Store,
}

impl Packing {
    /// The packing of a numeric dtype, by its width.
    pub(crate) fn of(dtype: DType) -> Packing {
        let bits = dtype.bits() as usize;
        let (load, store): (Load, Store) = match bits {
            2 => (load_fields::<2, 12>, store_fields::<2, 12>),
            4 => (load_fields::<4, 6>, store_fields::<4, 6>),
            6 => (load_fields::<6, 4>, store_fields::<6, 4>),
            8 => (load_bytes::<1>, store_bytes::<1>),
            16 => (load_bytes::<2>, store_bytes::<2>),
            32 => (load_bytes::<4>, store_bytes::<4>),
            _ => (load_bytes::<8>, store_bytes::<8>),
        };
        Packing { bits, load, store }
    }

    /// Bytes of `count` elements, where that is known to be small.
    pub(crate) fn bytes(self, count: usize) -> usize {
        (count * self.bits).div_ceil(8)
    }

    /// Reads as many codes as `codes` has from the bytes that hold exactly them.
    pub(crate) fn load(self, bytes: &[u8], codes: &mut [u64]) {
        (self.load)(bytes, codes);
    }

    /// Writes all codes to the bytes that hold exactly them.
    pub(crate) fn store(self, codes: &[u64], bytes: &mut [u8]) {
        (self.store)(codes, bytes);
    }
}

fn load_bytes<const N: usize>(bytes: &[u8], codes: &mut [u64]) {
    for (code, element) in codes.iter_mut().zip(bytes.as_chunks::<N>().0) {
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(element);
        *code = u64::from_le_bytes(wide);
    }
}

fn store_bytes<const N: usize>(codes: &[u64], bytes: &mut [u8]) {
    for (element, code) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(codes) {
        element.copy_from_slice(&code.to_le_bytes()[..N]);
    }
}

/// Three bytes hold a whole number (`PER`) of 2-, 4- or 6-bit elements, so one loop serves all.
const GROUP_BYTES: usize = 3;

fn load_fields<const BITS: usize, const PER: usize>(bytes: &[u8], codes: &mut [u64]) {
    let (groups, rest) = codes.as_chunks_mut::<PER>();
    let (whole, last) = bytes.split_at(groups.len() * GROUP_BYTES);
    for (codes, &[a, b, c]) in groups.iter_mut().zip(whole.as_chunks().0) {
        split(BITS, [a, b, c, 0], codes);
    }
    let mut padded = [0; 4];
    padded[..last.len()].copy_from_slice(last);
    split(BITS, padded, rest);
}

fn store_fields<const BITS: usize, const PER: usize>(codes: &[u64], bytes: &mut [u8]) {
    let (groups, rest) = codes.as_chunks::<PER>();
    let (whole, last) = bytes.split_at_mut(groups.len() * GROUP_BYTES);
    for (codes, bytes) in groups.iter().zip(whole.as_chunks_mut().0) {
        let [a, b, c, _] = join(BITS, codes);
        *bytes = [a, b, c];
    }
    last.copy_from_slice(&join(BITS, rest)[..last.len()]);
}

#[inline(always)]
fn split(bits: usize, group: [u8; 4], codes: &mut [u64]) {
    let group = u32::from_le_bytes(group);
    for (index, code) in codes.iter_mut().enumerate() {
        *code = u64::from(group >> (index * bits) & ((1 << bits) - 1));
    }
}

#[inline(always)]
fn join(bits: usize, codes: &[u64]) -> [u8; 4] {
    let field = |(index, code): (usize, &u64)| (*code as u32) << (index * bits);
    codes.iter().enumerate().map(field).fold(0, |group, field| group | field).to_le_bytes()
}
