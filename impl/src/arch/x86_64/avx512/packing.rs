//! Elements of 2, 4 and 6 bits, 64 at a time: packed to a byte each, and back.

use super::memory::{load, store};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use core::arch::x86_64::*;

/// Packed elements of `bits` bits to a byte each.
pub(super) fn unpacked(bits: u32) -> Option<(&'static str, Compute)> {
    let function: Compute = match bits {
        2 => unpack::<2, 16>,
        4 => unpack::<4, 32>,
        6 => unpack::<6, 48>,
        _ => return None,
    };
    Some(("avx512::packing::unpack", function))
}

/// A byte each to packed elements of `bits` bits.
pub(super) fn packed(bits: u32) -> Option<(&'static str, Compute)> {
    let function: Compute = match bits {
        2 => pack::<2, 16>,
        4 => pack::<4, 32>,
        6 => pack::<6, 48>,
        _ => return None,
    };
    Some(("avx512::packing::pack", function))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unpack<const BITS: usize, const PACKED: usize>(
    _: &Rules,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    let (reader, mask) = (Reader::new::<BITS>(), _mm512_set1_epi8((1 << BITS) - 1));
    by_chunks::<PACKED, 64>(input, output, stores, |from, to| {
        store(to, _mm512_and_si512(reader.read(from), mask));
    });
}

/// Bits of a byte above an element must be clear, as all loops leave them.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pack<const BITS: usize, const PACKED: usize>(
    _: &Rules,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    let writer = Writer::new::<BITS>();
    by_chunks::<64, PACKED>(input, output, stores, |from, to| writer.write(load(from), to));
}

/// Reads 64 elements, packed or of a byte each.
pub(super) struct Reader {
    spread: __m512i,
    shifts: __m512i,
}

impl Reader {
    /// Elements of 2, 4, 6 or 8 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn new<const BITS: usize>() -> Reader {
        // `spread` moves every eight elements into eight bytes of their own; `shifts` moves each
        // element into the low bits of its byte. Element 9 of 4 bits is the high half of byte 4. `spread` puts bytes 4 to 7
        // first among the second eight, and `shifts` has 4 for byte 9: the bits of those eight bytes from bit 4 on.
        Reader { spread: load(&Places::<BITS>::SPREAD), shifts: load(&Places::<BITS>::SHIFTS) }
    }

    /// Reads `PACKED` bytes to a byte per element. The bits above an element are those of its
    /// neighbours.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn read<const PACKED: usize>(&self, from: &[u8; PACKED]) -> __m512i {
        if PACKED == 64 {
            return load(from);
        }
        let whole = u64::MAX >> (64 - PACKED);
        // SAFETY: `PACKED` bytes are read, of an array of just that size; unaligned access.
        let packed = unsafe { _mm512_maskz_loadu_epi8(whole, from.as_ptr().cast()) };
        let spread = _mm512_permutexvar_epi8(self.spread, packed);
        _mm512_multishift_epi64_epi8(self.shifts, spread)
    }
}

/// Writes 64 elements, packed or of a byte each.
pub(super) struct Writer {
    pairs: __m512i,
    fours: __m512i,
    gather: __m512i,
}

impl Writer {
    /// Elements of 2, 4, 6 or 8 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn new<const BITS: usize>() -> Writer {
        let bits = Places::<BITS>::JOINED;
        // One multiplication and addition joins two bytes, another joins two pairs. `gather` then
        // collects the bytes at the start of every four. Of 4 bits each, 3 and 5 become 3 + 16 * 5 = 0x53, and 0x53 and 0x71
        // become 0x53 + 256 * 0x71 = 0x7153.
        Writer {
            pairs: _mm512_set1_epi16(1 | 1 << (8 + bits)),
            fours: _mm512_set1_epi32(1 | 1 << (16 + 2 * bits)),
            gather: load(&Places::<BITS>::GATHER),
        }
    }

    /// Writes `PACKED` bytes from a byte per element. The bits above each element must be clear.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn write<const PACKED: usize>(&self, codes: __m512i, to: &mut [u8; PACKED]) {
        if PACKED == 64 {
            return store(to, codes);
        }
        let joined = _mm512_madd_epi16(_mm512_maddubs_epi16(codes, self.pairs), self.fours);
        let packed = _mm512_permutexvar_epi8(self.gather, joined);
        let whole = u64::MAX >> (64 - PACKED);
        // SAFETY: `PACKED` bytes are written, to an array of just that size; unaligned access.
        unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), whole, packed) }
    }
}

/// The positions of elements of `BITS` bits, for each of 64 bytes. They are constants because
/// computing them takes longer than a short cast.
struct Places<const BITS: usize>;

impl<const BITS: usize> Places<BITS> {
    const SPREAD: [u8; 64] = {
        let mut bytes = [0; 64];
        let mut byte = 0;
        while byte < 64 {
            bytes[byte] = (byte / 8 * BITS + byte % 8) as u8;
            byte += 1;
        }
        bytes
    };
    const SHIFTS: [u8; 64] = {
        let mut bytes = [0; 64];
        let mut byte = 0;
        while byte < 64 {
            bytes[byte] = (byte % 8 * BITS) as u8;
            byte += 1;
        }
        bytes
    };
    /// The width of elements that are joined. Elements of 8 bits are not joined, so any value
    /// serves for them.
    const JOINED: usize = if BITS < 6 { BITS } else { 6 };
    const GATHER: [u8; 64] = {
        let mut bytes = [0; 64];
        let mut byte = 0;
        while byte < 64 {
            let joined = byte * 2 / Self::JOINED * 4 + byte % (Self::JOINED / 2);
            bytes[byte] = (joined % 64) as u8;
            byte += 1;
        }
        bytes
    };
}
