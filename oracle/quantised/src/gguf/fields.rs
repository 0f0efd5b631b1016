//! Where the fields of a block lie. All numbers are little-endian, and bit 0 is the lowest of a byte.

use castproof_oracle::Value;
use castproof_oracle::decode::decode;
use castproof_oracle::format::kind;
use castproof_vectors::DType;

/// The bytes of one block.
pub(super) struct Block<'a>(pub(super) &'a [u8]);

impl Block<'_> {
    /// The byte at this place.
    pub(super) fn byte(&self, at: usize) -> i64 {
        self.0[at].into()
    }

    /// The byte at this place in two's complement.
    pub(super) fn signed(&self, at: usize) -> i64 {
        match self.byte(at) {
            byte @ 0..0x80 => byte,
            byte => byte - 0x100,
        }
    }

    /// The nibble of a byte: the low one is 0, the high one 1.
    pub(super) fn nibble(&self, at: usize, which: usize) -> i64 {
        self.bits(at, 4 * which, 4)
    }

    /// So many bits of a byte, from this one on.
    pub(super) fn bits(&self, at: usize, first: usize, count: usize) -> i64 {
        self.byte(at) >> first & ((1 << count) - 1)
    }

    /// One bit of a field of several bytes: bit 11 is bit 3 of the second byte.
    pub(super) fn bit(&self, at: usize, bit: usize) -> i64 {
        self.bits(at + bit / 8, bit % 8, 1)
    }

    /// The nibble of element `place` in a field of `half` bytes that holds twice as many elements: the low nibbles are the
    /// first half of them, the high nibbles the second half.
    pub(super) fn split(&self, at: usize, half: usize, place: usize) -> i64 {
        self.nibble(at + place % half, place / half)
    }

    /// The number of a float at this place.
    pub(super) fn float(&self, dtype: DType, at: usize) -> Value {
        let width = dtype.bits() as usize / 8;
        let bytes = self.0[at..at + width].iter().rev();
        let code = bytes.fold(0, |code, &byte| code << 8 | u64::from(byte));
        decode(&kind(dtype).expect("a float"), code).expect("every code of a float has a value")
    }

    /// The float16 at this place.
    pub(super) fn half(&self, at: usize) -> Value {
        self.float(DType::Float16, at)
    }
}
