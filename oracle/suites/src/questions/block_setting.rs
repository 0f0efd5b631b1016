//! One profile with its dtypes, and the questions about single blocks of it.

use castproof_oracle::format::{FloatFormat, float_format};
use castproof_quantised::block::{block_scale, block_size};
use castproof_vectors::{BlockProfile, Bytes, DType, Hex, QuantizeBlock, pack};

/// One profile with one dtype of numbers and of elements.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    pub(super) profile: BlockProfile,
    pub(super) from: DType,
    pub(super) to: DType,
}

impl Blocks {
    pub(super) fn source(self) -> FloatFormat {
        float_format(self.from).expect("blocks have numbers of floats")
    }

    pub(super) fn size(self) -> usize {
        block_size(self.profile)
    }

    pub(super) fn ask(self, codes: &[u64], largest: Option<u64>) -> QuantizeBlock {
        let Blocks { profile, from, to } = self;
        QuantizeBlock {
            profile,
            from,
            to,
            scale: block_scale(profile),
            block_size: self.size() as u64,
            largest: largest.map(|code| Hex::new(code, DType::Float32)),
            input: Bytes(pack(from, codes).expect("codes of a float")),
        }
    }

    /// A block with this largest magnitude at this place, among numbers of both signs and of many
    /// magnitudes, each at most half as large.
    pub(super) fn around(
        self,
        magnitude: u64,
        place: usize,
        largest: Option<u64>,
    ) -> QuantizeBlock {
        let bits = self.source().significand_bits;
        let smaller = |place: usize| {
            let binades = (1 + place as u64 / 4) << bits;
            let less = magnitude.saturating_sub(binades + place as u64 * ((1 << bits) / 7 + 1));
            less | (place as u64 % 2) << (self.from.bits() - 1)
        };
        let mut codes: Vec<u64> = (0..self.size()).map(smaller).collect();
        codes[place] = magnitude | codes[place] & 1 << (self.from.bits() - 1);
        self.ask(&codes, largest)
    }
}
