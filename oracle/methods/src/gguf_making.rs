//! What quantisers of GGUF are known to do otherwise: records of axes, each of which is the rule but for one or two of them.

mod fp4;
mod integer;
mod table;
mod way;

use castproof_oracle::Value;
use castproof_oracle::decode::decode;
use castproof_oracle::format::CodeKind;
use castproof_quantised::gguf::Packed;
use castproof_vectors::{DType, GgufBlocks, GgufType};

use way::{Way, format};

pub use table::GGUF_MAKING_METHODS;
pub use way::GgufMakingMethod;

impl GgufMakingMethod {
    /// Can it be told from the right quantiser in blocks of this type?
    pub fn is_of(&self, kind: GgufType) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the block that it makes of numbers, codes of float32.
    ///
    /// # Panics
    /// If they are not the numbers of one block.
    pub fn block(&self, kind: GgufType, codes: &[u64]) -> GgufBlocks {
        made(kind, codes, &self.way)
    }
}

/// The block that the numbers become by a way.
fn made(kind: GgufType, codes: &[u64], way: &Way) -> GgufBlocks {
    let value = |&code: &u64| {
        decode(&CodeKind::Float(format(DType::Float32)), code).expect("a code of float32")
    };
    let numbers: Vec<Value> = codes.iter().map(value).collect();
    let mut packed = Packed::new(kind);
    match kind {
        GgufType::MXFP4 => fp4::mxfp4(&numbers, way, &mut packed),
        GgufType::NVFP4 => fp4::nvfp4(&numbers, way, &mut packed),
        _ => integer::block(kind, &numbers, way, &mut packed),
    }
    packed.into_blocks()
}

#[cfg(test)]
mod tests {
    use super::way::RULE;
    use super::*;
    use castproof_quantised::gguf::{GGUF_MADE, GgufMachine, encode_block};
    use castproof_suites::questions;
    use castproof_vectors::random::Random;
    use castproof_vectors::{AnswerRecord, Level, Question, Suite, unpack};
    use std::collections::BTreeSet;

    /// Numbers of a few binades, halves of steps among them, zeros, and in some blocks infinities and NaN.
    fn numbers(kind: GgufType, round: usize, random: &mut Random) -> Vec<u64> {
        let number = |random: &mut Random| match (round % 8, random.below(24)) {
            (0, _) => 0,
            (1, 0) => 0x7f80_0000,
            (1, 1) => 0xff80_0000,
            (2, 0) => 0x7fc0_0000,
            (3, _) => (random.number() % 0x0100_0000) | ((random.number() % 2) << 31),
            (4, _) => 0x3f80_0000 + ((random.number() % 16) << 19),
            (5, _) => (0x7e00_0000 + random.number() % 0x0180_0000) | ((random.number() % 2) << 31),
            _ => (0x3d00_0000 + random.number() % 0x0300_0000) | ((random.number() % 2) << 31),
        };
        (0..kind.record().elements).map(|_| number(random)).collect()
    }

    /// The axes at their right values are the oracle.
    #[test]
    fn the_rule_is_the_oracle() {
        for kind in GGUF_MADE {
            let mut random = Random::of(kind.name().bytes());
            for round in 0..160 {
                let codes = numbers(kind, round, &mut random);
                for fuses in [false, true] {
                    let machine = GgufMachine { fuses, rounds_logarithms: false };
                    let due = encode_block(kind, &codes, machine).expect("a block");
                    let way = Way { is_fused: fuses, ..RULE };
                    assert_eq!(made(kind, &codes, &way), due, "{kind} {codes:x?}");
                }
            }
        }
    }

    /// A quotient and a product with the rounded reciprocal part in few numbers, which the vectors have.
    #[test]
    fn every_method_contradicts_a_vector() {
        let mut told = BTreeSet::new();
        for test in questions(Suite::Gguf, Level::Core).tests {
            let (Question::QuantizeGguf(ask), AnswerRecord::GgufBlocks(due)) =
                (&test.ask, &test.expect)
            else {
                continue;
            };
            let record = ask.kind.record();
            let codes =
                unpack(ask.from, &ask.input.0, ask.count() * record.elements).expect("numbers");
            for (place, codes) in codes.chunks(record.elements).enumerate() {
                for method in GGUF_MAKING_METHODS.iter().filter(|it| it.is_of(ask.kind)) {
                    let blocks = method.block(ask.kind, codes).blocks;
                    if !due.admits(place * record.bytes, &blocks.0) {
                        told.insert((ask.kind.name(), method.words));
                    }
                }
            }
        }
        let all = GGUF_MADE.into_iter().flat_map(|kind| {
            let methods = GGUF_MAKING_METHODS.iter().filter(move |it| it.is_of(kind));
            methods.map(move |method| (kind.name(), method.words))
        });
        let untold: Vec<_> = all.filter(|it| !told.contains(it)).collect();
        assert!(untold.is_empty(), "{untold:?}");
    }
}
