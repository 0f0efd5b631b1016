//! What decoders of GGUF are known to do otherwise: a table of methods, each of which gives the numbers of a block.
//!
//! Most read the bytes in another way. Such a method is the bytes that the right decoder would have to read to give the same
//! numbers. The others are a formula of their own.

use castproof_oracle::Value;
use castproof_oracle::number::Rational;
use castproof_quantised::gguf::{exact, number};
use castproof_vectors::{DType, GgufType, Outcome};

use GgufType::*;

/// A way to decode that is not the right one.
pub struct GgufMethod {
    /// What it does, for people.
    pub words: &'static str,
    kinds: &'static [GgufType],
    change: Change,
}

/// What a method does otherwise.
#[derive(Clone, Copy)]
enum Change {
    /// It reads the block as if these were its bytes.
    Bytes(fn(GgufType, &mut [u8])),
    /// It takes the block for one of another type of the same size.
    Type(GgufType),
    /// It gives another value for the element at a place; the last argument is the right value.
    Value(fn(GgufType, &[u8], usize, Value) -> Value),
}

/// Types with fields of nibbles.
const NIBBLES: &[GgufType] =
    &[Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, MXFP4, NVFP4];
const ALL: &[GgufType] = &[
    F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q8_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, Q8_K, IQ4_NL, IQ4_XS,
    BF16, TQ1_0, TQ2_0, MXFP4, NVFP4, Q1_0, Q2_0,
];
/// Types whose minimum is subtracted or added.
const MINIMA: &[GgufType] = &[Q4_1, Q5_1, Q2_K, Q4_K, Q5_K];

const fn bytes(
    words: &'static str,
    kinds: &'static [GgufType],
    change: fn(GgufType, &mut [u8]),
) -> GgufMethod {
    GgufMethod { words, kinds, change: Change::Bytes(change) }
}

const fn value(
    words: &'static str,
    kinds: &'static [GgufType],
    change: fn(GgufType, &[u8], usize, Value) -> Value,
) -> GgufMethod {
    GgufMethod { words, kinds, change: Change::Value(change) }
}

/// The methods, the likelier first.
pub const GGUF_METHODS: &[GgufMethod] = &[
    bytes("both nibbles of a byte are taken for neighbours", NIBBLES, pairs),
    bytes("the high nibbles are taken for the first half", NIBBLES, swapped),
    bytes("the fifth bits are lost", &[Q5_0, Q5_1, Q5_K], |kind, block| {
        block[fifth(kind)].fill(0);
    }),
    bytes("the fifth bits are read from the last to the first", &[Q5_0, Q5_1], |kind, block| {
        let field = &mut block[fifth(kind)];
        field.reverse();
        field.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
    }),
    bytes(
        "both nibbles of a byte are taken for neighbours, and their fifth bits for 16 apart",
        &[Q5_0, Q5_1],
        |kind, block| {
            pairs(kind, block);
            permute_fifth(kind, block);
        },
    ),
    bytes("the elements are read from the byte of the minimum on", &[Q4_1, Q5_1], |kind, block| {
        let minimum = [block[2], block[3]];
        block.copy_within(2..kind.record().bytes - 2, 4);
        block[2..4].copy_from_slice(&minimum);
    }),
    bytes("the minimum is left out", MINIMA, |kind, block| {
        block[minimum(kind)..minimum(kind) + 2].fill(0);
    }),
    bytes("the minimum has the opposite sign", MINIMA, |kind, block| {
        block[minimum(kind) + 1] ^= 0x80;
    }),
    bytes("elements are taken for two's complement", &[Q4_0, Q5_0], |kind, block| match kind {
        Q4_0 => block[2..].iter_mut().for_each(|byte| *byte ^= 0x88),
        _ => block[fifth(kind)].iter_mut().for_each(|byte| *byte = !*byte),
    }),
    bytes("scales lose their upper bits", &[Q3_K, Q4_K, Q5_K, IQ4_XS], |kind, block| match kind {
        Q3_K => block[104..108].fill(0),
        IQ4_XS => block[2..4].fill(0),
        _ => block[4..12].iter_mut().for_each(|byte| *byte &= 0x3f),
    }),
    bytes("scales of six bits are read as four, around 8", &[Q3_K], |_, block| {
        let low = |group: usize, block: &[u8]| block[96 + group % 8] >> (4 * (group / 8)) & 15;
        let all: Vec<u8> = (0..16).map(|group| low(group, block) + 24).collect();
        block[96..108].fill(0);
        for (group, scale) in all.into_iter().enumerate() {
            block[96 + group % 8] |= (scale & 15) << (4 * (group / 8));
            block[104 + group % 4] |= (scale >> 4) << (2 * (group / 4));
        }
    }),
    bytes("scales and minima are swapped", &[Q2_K, Q4_K, Q5_K], |kind, block| match kind {
        Q2_K => block[..16].iter_mut().for_each(|byte| *byte = byte.rotate_left(4)),
        _ => {
            for at in 4..8 {
                block.swap(at, at + 4);
                block[at + 8] = block[at + 8].rotate_left(4);
            }
        }
    }),
    bytes("the four elements of a byte are taken for neighbours", &[Q2_K, Q3_K, TQ2_0], quarters),
    bytes(
        "the scale of the first 16 elements is taken for all",
        &[Q2_K, Q6_K, NVFP4],
        |kind, block| {
            let (at, count) = match kind {
                Q2_K => (0, 16),
                Q6_K => (192, 16),
                _ => (0, 4),
            };
            let first = block[at];
            block[at..at + count].fill(first);
        },
    ),
    GgufMethod {
        words: "elements are taken for even steps, as in Q4_0",
        kinds: &[IQ4_NL],
        change: Change::Type(Q4_0),
    },
    GgufMethod {
        words: "elements are taken for rows of a table, as in IQ4_NL",
        kinds: &[Q4_0],
        change: Change::Type(IQ4_NL),
    },
    value("every number is doubled", ALL, |_, _, _, value| scaled(value, 1)),
    value("every number is halved", ALL, |_, _, _, value| scaled(value, -1)),
    bytes("subnormal scales are taken for zero", HALVES, |kind, block| {
        for at in halves(kind).iter().filter(|at| **at < kind.record().bytes) {
            if block[at + 1] & 0x7c == 0 {
                block[*at] = 0;
                block[at + 1] &= 0x80;
            }
        }
    }),
    value("subnormal numbers are taken for zero", ALL, |_, _, _, value| match value {
        Value::Finite { negative, magnitude } if magnitude < Rational::from(1) >> 126 => {
            Value::Finite { negative, magnitude: Rational::new() }
        }
        other => other,
    }),
    value("a negative zero loses its sign", ALL, |_, _, _, value| match value.is_zero() {
        true => Value::from_number(Rational::new()),
        false => value,
    }),
    value(
        "element 8 is taken for the negative zero",
        &[MXFP4, NVFP4],
        |kind, block, place, value| {
            let is_eight = code_of_e2m1(kind, block, place) == 8;
            if is_eight { signed(value, true) } else { value }
        },
    ),
    value("the scale 0xff is taken for NaN", &[MXFP4], |_, block, _, value| match block[0] {
        0xff => Value::Nan { negative: false },
        _ => value,
    }),
    value("the scale 0x00 is taken for zero", &[MXFP4], |_, block, _, value| match block[0] {
        0x00 => scaled_to(value, Rational::new()),
        _ => value,
    }),
    value("the code of the scale is taken for its number", &[MXFP4, NVFP4], number_of_code),
    value("the scales 0x7f and 0xff are taken for NaN", &[NVFP4], |_, block, place, value| {
        match block[place / 16] & 0x7f {
            0x7f => Value::Nan { negative: false },
            _ => value,
        }
    }),
    value("the scale 0x7f is taken for NaN", &[NVFP4], |_, block, place, value| {
        match block[place / 16] {
            0x7f => Value::Nan { negative: false },
            _ => value,
        }
    }),
    bytes("the scale 0x7f is taken for 480", &[NVFP4], |_, block| {
        block[..4].iter_mut().filter(|scale| **scale == 0x7f).for_each(|scale| *scale = 0xff);
    }),
    bytes("the scale 0xff is taken for zero", &[NVFP4], |_, block| {
        block[..4].iter_mut().filter(|scale| **scale == 0xff).for_each(|scale| *scale = 0x7f);
    }),
    value("the sign of the scale is read", &[NVFP4], |_, block, place, value| {
        match block[place / 16] {
            0x80.. => opposite(value),
            _ => value,
        }
    }),
    value(
        "elements are taken for bytes without sign",
        &[Q8_0, Q8_1, Q8_K],
        |kind, block, place, value| {
            let at = place + if kind == Q8_0 { 2 } else { 4 };
            unsigned(kind, block, (at, place), value)
        },
    ),
    value("scales are taken for bytes without sign", &[Q6_K], |kind, block, place, value| {
        unsigned(kind, block, (192 + place / 16, place), value)
    }),
    bytes("bits are read from the highest to the lowest", &[Q1_0], |_, block| {
        block[2..].iter_mut().for_each(|byte| *byte = byte.reverse_bits());
    }),
    value("bytes are taken for whole numbers of five digits", &[TQ1_0], whole_digits),
];

impl GgufMethod {
    /// Can it be told from the right decoder in blocks of this type?
    pub fn is_of(&self, kind: GgufType) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the number that it gives for the element at a place of a block.
    pub fn number(&self, kind: GgufType, to: DType, block: &[u8], place: usize) -> Outcome {
        let value = match self.change {
            Change::Bytes(change) => {
                let mut block = block.to_vec();
                change(kind, &mut block);
                exact(kind, &block, place)
            }
            Change::Type(other) => exact(other, block, place),
            Change::Value(change) => change(kind, block, place, exact(kind, block, place)),
        };
        number(to, &value)
    }
}

/// The types that have a scale of float16.
const HALVES: &[GgufType] = &[
    F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q8_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, TQ1_0,
    TQ2_0, Q1_0, Q2_0,
];

/// Where the scale and the minimum of float16 lie.
fn halves(kind: GgufType) -> [usize; 2] {
    match kind {
        Q4_1 | Q5_1 | Q4_K | Q5_K => [0, 2],
        Q2_K => [80, 82],
        Q3_K => [108, usize::MAX],
        Q6_K => [208, usize::MAX],
        TQ1_0 => [52, usize::MAX],
        TQ2_0 => [64, usize::MAX],
        _ => [0, usize::MAX],
    }
}

fn minimum(kind: GgufType) -> usize {
    halves(kind)[1]
}

/// The field of fifth bits.
fn fifth(kind: GgufType) -> std::ops::Range<usize> {
    match kind {
        Q5_0 => 2..6,
        Q5_1 => 4..8,
        _ => 16..48,
    }
}

/// The first byte of the nibbles, how many bytes hold the nibbles of one half and of the other, and how often such a field comes.
fn field(kind: GgufType) -> (usize, usize, usize) {
    match kind {
        Q4_1 => (4, 16, 1),
        Q5_0 => (6, 16, 1),
        Q5_1 => (8, 16, 1),
        Q4_K => (16, 32, 4),
        Q5_K => (48, 32, 4),
        Q6_K => (0, 64, 2),
        IQ4_XS => (8, 16, 8),
        MXFP4 => (1, 16, 1),
        NVFP4 => (4, 8, 4),
        _ => (2, 16, 1),
    }
}

/// The nibbles of neighbours lie in one byte.
fn pairs(kind: GgufType, block: &mut [u8]) {
    let (at, half, count) = field(kind);
    for field in block[at..].chunks_mut(half).take(count) {
        let nibbles: Vec<u8> = field.iter().flat_map(|byte| [byte & 15, byte >> 4]).collect();
        for (place, byte) in field.iter_mut().enumerate() {
            *byte = nibbles[place] | nibbles[half + place] << 4;
        }
    }
}

fn swapped(kind: GgufType, block: &mut [u8]) {
    let (at, half, count) = field(kind);
    block[at..at + half * count].iter_mut().for_each(|byte| *byte = byte.rotate_left(4));
}

/// The fifth bits of neighbours are 16 apart.
fn permute_fifth(kind: GgufType, block: &mut [u8]) {
    let field = &mut block[fifth(kind)];
    let bits = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
    let bit = |place: u32| bits >> (place / 2 + 16 * (place % 2)) & 1;
    let bits = (0..32).fold(0, |all, place| all | bit(place) << place);
    field.copy_from_slice(&bits.to_le_bytes());
}

/// The pairs of bits of four neighbours lie in one byte.
fn quarters(kind: GgufType, block: &mut [u8]) {
    let at = match kind {
        Q2_K => 16,
        Q3_K => 32,
        _ => 0,
    };
    for field in block[at..at + 64].chunks_mut(32) {
        let byte = |byte: &u8| [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6];
        let pairs: Vec<u8> = field.iter().flat_map(byte).collect();
        for (place, byte) in field.iter_mut().enumerate() {
            *byte = (0..4).fold(0, |all, pair| all | pairs[32 * pair + place] << (2 * pair));
        }
    }
}

/// Times a power of two.
fn scaled(value: Value, exponent: i32) -> Value {
    match value {
        Value::Finite { negative, magnitude } => {
            Value::Finite { negative, magnitude: magnitude << exponent }
        }
        other => other,
    }
}

/// The same sign, another magnitude.
fn scaled_to(value: Value, magnitude: Rational) -> Value {
    match value {
        Value::Finite { negative, .. } => Value::Finite { negative, magnitude },
        other => other,
    }
}

fn signed(value: Value, sign: bool) -> Value {
    match value {
        Value::Finite { magnitude, .. } => Value::Finite { negative: sign, magnitude },
        other => other,
    }
}

fn opposite(value: Value) -> Value {
    match value {
        Value::Nan { negative } => Value::Nan { negative: !negative },
        Value::Infinite { negative } => Value::Infinite { negative: !negative },
        Value::Finite { negative, magnitude } => Value::Finite { negative: !negative, magnitude },
    }
}

/// Times a whole number that is not negative.
fn times(value: Value, factor: u8) -> Value {
    match value {
        Value::Finite { negative, magnitude } => {
            Value::Finite { negative, magnitude: magnitude * Rational::from(factor) }
        }
        Value::Infinite { .. } if factor == 0 => Value::Nan { negative: false },
        other => other,
    }
}

/// The nibble of an element of float4e2m1.
fn code_of_e2m1(kind: GgufType, block: &[u8], place: usize) -> u8 {
    let (at, half, _) = field(kind);
    let (number, place) = (place / (2 * half), place % (2 * half));
    block[at + half * number + place % half] >> (4 * (place / half)) & 15
}

/// An element under the scale 1, times the code of the scale.
fn number_of_code(kind: GgufType, block: &[u8], place: usize, _: Value) -> Value {
    let (at, one) = if kind == MXFP4 { (0, 0x7f) } else { (place / 16, 0x38) };
    let mut plain = block.to_vec();
    plain[at] = one;
    times(exact(kind, &plain, place), block[at])
}

/// The value, if a byte of its formula has no sign.
fn unsigned(kind: GgufType, block: &[u8], (at, place): (usize, usize), value: Value) -> Value {
    match block[at] {
        0x80.. => {
            let mut plain = block.to_vec();
            plain[at] = 1;
            times(exact(kind, &plain, place), block[at])
        }
        _ => value,
    }
}

/// The digits of a byte as those of a whole number, the lowest first.
fn whole_digits(kind: GgufType, block: &[u8], place: usize, _: Value) -> Value {
    let (at, digit) = match place {
        0..160 => (place % 32, place / 32),
        160..240 => (32 + (place - 160) % 16, (place - 160) / 16),
        _ => (48 + (place - 240) % 4, (place - 240) / 4),
    };
    let digit = block[at] / 3u8.pow(digit as u32) % 3;
    // A byte whose first digit is 0, 1 or 2: 0, 86 = 256/3, 172 = 512/3.
    let mut plain = block.to_vec();
    plain[at] = [0, 86, 172][usize::from(digit)];
    let first = match place {
        0..160 => place % 32,
        160..240 => 160 + (place - 160) % 16,
        _ => 240 + (place - 240) % 4,
    };
    exact(kind, &plain, first)
}
