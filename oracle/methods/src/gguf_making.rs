//! What quantisers of GGUF are known to do otherwise: records of axes, each of which is the rule but for one or two of them.

mod fp4;
mod integer;
mod table;

use castproof_oracle::Value;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{FloatFormat, Kind, float_format};
use castproof_quantised::gguf::Packed;
use castproof_quantised::linear::steps::rounded;
use castproof_vectors::{DType, GgufBlocks, GgufType};

pub use table::GGUF_MAKING_METHODS;

/// A way to quantise that is not the right one.
pub struct GgufMakingMethod {
    /// What it does, for people.
    pub words: &'static str,
    kinds: &'static [GgufType],
    way: Way,
}

/// A value on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    largest: Largest,
    /// What the largest number is divided by; `None`: what the type says.
    divisor: Option<i32>,
    multiplier: Multiplier,
    rounding: Rounding,
    is_fused: bool,
    clamp: Clamp,
    offset: Offset,
    order: Order,
    stored: Stored,
    minimum: Minimum,
    zero: Zero,
    /// What is added to the code of the scale of MXFP4.
    exponent: Exponent,
    ties: Ties,
    has_negative_zero: bool,
    scale: Scale,
}

/// The number from which the scale follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Largest {
    First,
    Last,
    /// Without its sign.
    Magnitude,
    /// Without its sign, then the opposite.
    Opposite,
    /// The largest number, not the largest magnitude.
    Most,
}

/// How a number and the scale become the number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Multiplier {
    Reciprocal,
    Quotient,
    /// The product with steps / largest number, rounded.
    Direct,
    /// The product with the reciprocal of the scale as it is stored.
    StoredReciprocal,
    StoredQuotient,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// As the type says: half up, or away from zero in Q8_0.
    Own,
    Even,
    Away,
    Up,
    TowardZero,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clamp {
    Right,
    /// Beyond the largest code come the lowest bits.
    Missing,
    /// -7 to 7, and -15 to 15.
    Symmetric,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offset {
    Right,
    /// Two's complement, and in Q8_0 an excess of 128.
    Other,
}

/// Where the elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Split,
    Pairs,
    /// Neighbours in a byte, the first one high.
    HighPairs,
    Swapped,
    FifthReversed,
    FifthLost,
}

/// How the scale becomes float16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    Nearest,
    TowardZero,
    Flushed,
    Saturated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Minimum {
    Least,
    /// Elements follow from the minimum as it is stored.
    Stored,
    /// Zero, if it is above zero.
    AtMostZero,
    /// Zero belongs to the range.
    WithZero,
    NotSubtracted,
    Negated,
}

/// What is made of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zero {
    Right,
    /// Elements 0 under the scale 0.
    NoElements,
    /// The scale is the positive zero.
    Positive,
    /// The scale is 1.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exponent {
    Floor,
    /// So many more.
    Plus(i32),
    /// Up if there is any fraction.
    Ceil,
    /// Up from 1.75 on.
    Even,
    /// Up from 1.5 on.
    Nearest,
    /// Up above 1.5, where the largest magnitude would be above 6.
    Fits,
}

/// Which code a number between two takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ties {
    Smaller,
    Even,
    Larger,
    /// No tie: always the smaller magnitude.
    Truncated,
}

/// How NVFP4 makes its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Right,
    /// float8e4m3fn, ties to even, 448 at most.
    E4m3,
    TowardZero,
    /// Elements follow from the scale before it is rounded.
    Unrounded,
    /// The product with the rounded 1/6.
    Product,
    /// A subnormal scale is 0.
    Flushed,
    /// Elements follow from half the scale.
    ElementsDoubled,
    /// The scale of the first 16 numbers for all.
    First,
}

/// The rule.
const RULE: Way = Way {
    largest: Largest::First,
    divisor: None,
    multiplier: Multiplier::Reciprocal,
    rounding: Rounding::Own,
    is_fused: false,
    clamp: Clamp::Right,
    offset: Offset::Right,
    order: Order::Split,
    stored: Stored::Nearest,
    minimum: Minimum::Least,
    zero: Zero::Right,
    exponent: Exponent::Floor,
    ties: Ties::Smaller,
    has_negative_zero: false,
    scale: Scale::Right,
};

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
        decode(&Kind::Float(format(DType::Float32)), code).expect("a code of float32")
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

fn format(dtype: DType) -> FloatFormat {
    float_format(dtype).expect("a float")
}

/// The value, rounded to float32.
#[expect(clippy::needless_pass_by_value, reason = "so steps read as the formulas do")]
fn float32(value: Value) -> Value {
    rounded(&value, &format(DType::Float32))
}

/// The value, rounded to float16.
fn float16(value: &Value) -> Value {
    rounded(value, &format(DType::Float16))
}

/// Puts the element at a place, where this order wants it.
fn put(order: Order, kind: GgufType, place: usize, element: Option<i64>, packed: &mut Packed) {
    let half = if kind == GgufType::NVFP4 { 8 } else { 16 };
    let (first, within) = (place - place % (2 * half), place % (2 * half));
    let nibble = match order {
        _ if kind == GgufType::Q8_0 => within,
        Order::Pairs => within / 2 + half * (within % 2),
        Order::HighPairs => within / 2 + half * (1 - within % 2),
        Order::Swapped => (within + half) % (2 * half),
        _ => within,
    };
    let fifth = match order {
        Order::FifthReversed => Some(31 - within),
        Order::FifthLost => None,
        _ => Some(within),
    };
    packed.element_at(first + nibble, fifth, element);
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_quantised::gguf::{GGUF_MADE, GgufMachine, encode_block};
    use castproof_vectors::random::Random;

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

    /// The axes at their right values are the oracle, and each method is not.
    #[test]
    fn the_rule_is_the_oracle_and_methods_are_not() {
        for kind in GGUF_MADE {
            let mut random = Random::of(kind.name().bytes());
            let mut told = vec![false; GGUF_MAKING_METHODS.len()];
            for round in 0..160 {
                let codes = numbers(kind, round, &mut random);
                for fuses in [false, true] {
                    let machine = GgufMachine { fuses, rounds_logarithms: false };
                    let due = encode_block(kind, &codes, machine).expect("a block");
                    let way = Way { is_fused: fuses, ..RULE };
                    assert_eq!(made(kind, &codes, &way), due, "{kind} {codes:x?}");
                }
                let due = encode_block(kind, &codes, GgufMachine::default()).expect("a block");
                for (told, method) in told.iter_mut().zip(GGUF_MAKING_METHODS) {
                    *told |= !due.admits(0, &method.block(kind, &codes).blocks.0);
                }
            }
            for (told, method) in told.iter().zip(GGUF_MAKING_METHODS).filter(|it| it.1.is_of(kind))
            {
                assert!(told, "{kind}: {}", method.words);
            }
        }
    }
}
