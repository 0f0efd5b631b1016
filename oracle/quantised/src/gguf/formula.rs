//! The formula of each type: the exact value of the element at a place of its block.

use super::arithmetic::{difference, integer, product, scaled, sum};
use super::fields::Block;
use castproof_oracle::Value;
use castproof_vectors::{DType, GgufType};

/// The values of IQ4_NL and IQ4_XS, by nibble.
const UNEVEN: [i64; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// The values of float4e2m1, doubled, by nibble. Nibble 8 is the positive zero.
pub(super) const DOUBLED_E2M1: [i64; 16] =
    [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// Returns the exact value of the element at `place`.
pub(super) fn value(kind: GgufType, block: &Block<'_>, place: usize) -> Value {
    match kind {
        GgufType::F16 => block.half(0),
        GgufType::BF16 => block.float(DType::Bfloat16, 0),
        GgufType::Q8_K => {
            product([block.float(DType::Float32, 0), integer(block.signed(4 + place))])
        }
        GgufType::MXFP4 => {
            let element = DOUBLED_E2M1[block.split(1, 16, place) as usize];
            // The scale of the code e is 2^(e-127), and elements are doubled.
            scaled(element, block.byte(0) as i32 - 128)
        }
        GgufType::NVFP4 => nvfp4(block, place),
        GgufType::Q2_K
        | GgufType::Q3_K
        | GgufType::Q4_K
        | GgufType::Q5_K
        | GgufType::Q6_K
        | GgufType::IQ4_XS => of_256(kind, block, place),
        _ => of_one_scale(kind, block, place),
    }
}

/// Types whose scale is one float16.
fn of_one_scale(kind: GgufType, block: &Block<'_>, i: usize) -> Value {
    let fifth = |at: usize| 16 * block.bit(at, i);
    let (d, q) = match kind {
        GgufType::Q4_0 => (0, block.split(2, 16, i) - 8),
        GgufType::Q4_1 => (0, block.split(4, 16, i)),
        GgufType::Q5_0 => (0, block.split(6, 16, i) + fifth(2) - 16),
        GgufType::Q5_1 => (0, block.split(8, 16, i) + fifth(4)),
        GgufType::Q8_0 => (0, block.signed(2 + i)),
        GgufType::Q8_1 => (0, block.signed(4 + i)),
        GgufType::IQ4_NL => (0, UNEVEN[block.split(2, 16, i) as usize]),
        GgufType::TQ1_0 => (52, ternary(block, i) - 1),
        GgufType::TQ2_0 => (64, two_bits(block, 0, i) - 1),
        GgufType::Q1_0 => (0, 2 * block.bit(2, i) - 1),
        GgufType::Q2_0 => (0, block.bits(2 + i / 4, i % 4 * 2, 2) - 1),
        _ => unreachable!("has a formula of its own"),
    };
    let product = product([block.half(d), integer(q)]);
    match kind {
        GgufType::Q4_1 | GgufType::Q5_1 => sum(product, block.half(2)),
        _ => product,
    }
}

/// Types of 256 elements, whose groups have scales beside that of the block.
fn of_256(kind: GgufType, block: &Block<'_>, i: usize) -> Value {
    match kind {
        GgufType::Q2_K => {
            let group = i / 16;
            let (scale, minimum) = (block.nibble(group, 0), block.nibble(group, 1));
            let q = two_bits(block, 16, i);
            difference(
                product([block.half(80), integer(scale), integer(q)]),
                product([block.half(82), integer(minimum)]),
            )
        }
        GgufType::Q3_K => {
            // The third bit counts 4 where it is set, and nothing is taken from the element then.
            let q = two_bits(block, 32, i) + 4 * block.bits(i % 32, i / 32, 1) - 4;
            product([block.half(108), integer(scale_of_q3(block, i / 16) - 32), integer(q)])
        }
        GgufType::Q4_K | GgufType::Q5_K => {
            let group = i / 32;
            let q = match kind {
                GgufType::Q4_K => block.nibble(16 + 32 * (group / 2) + i % 32, group % 2),
                _ => {
                    let fifth = block.bits(16 + i % 32, group, 1);
                    block.nibble(48 + 32 * (group / 2) + i % 32, group % 2) + 16 * fifth
                }
            };
            let (scale, minimum) = six_bits(block, group);
            difference(
                product([block.half(0), integer(scale), integer(q)]),
                product([block.half(2), integer(minimum)]),
            )
        }
        GgufType::Q6_K => {
            let (half, quarter, at) = (i / 128, i % 128 / 32, i % 32);
            let low = block.nibble(64 * half + 32 * (quarter % 2) + at, quarter / 2);
            let high = block.bits(128 + 32 * half + at, 2 * quarter, 2);
            let q = low + 16 * high - 32;
            product([block.half(208), integer(block.signed(192 + i / 16)), integer(q)])
        }
        GgufType::IQ4_XS => {
            let group = i / 32;
            let high = block.bits(2 + group / 4, group % 4 * 2, 2);
            let scale = block.nibble(4 + group / 2, group % 2) + 16 * high;
            let q = UNEVEN[block.split(8 + 16 * group, 16, i % 32) as usize];
            product([block.half(0), integer(scale - 32), integer(q)])
        }
        _ => unreachable!("has another formula"),
    }
}

/// Two bits of an element in a field of 64 bytes: 128 elements lie in 32 bytes, 32 of them in each pair of bits.
fn two_bits(block: &Block<'_>, at: usize, i: usize) -> i64 {
    block.bits(at + 32 * (i / 128) + i % 32, i % 128 / 32 * 2, 2)
}

/// The scale of 16 elements of Q3_K, from 0 to 63 (GG-04).
fn scale_of_q3(block: &Block<'_>, group: usize) -> i64 {
    let low = block.nibble(96 + group % 8, group / 8);
    low + 16 * block.bits(104 + group % 4, group / 4 * 2, 2)
}

/// The scale and the minimum of 32 elements of Q4_K and Q5_K, from 0 to 63 (GG-05).
fn six_bits(block: &Block<'_>, group: usize) -> (i64, i64) {
    if let Some(group) = group.checked_sub(4) {
        let low = 12 + group;
        let high = |at: usize| 16 * block.bits(at + group, 6, 2);
        (block.nibble(low, 0) + high(4), block.nibble(low, 1) + high(8))
    } else {
        (block.bits(4 + group, 0, 6), block.bits(8 + group, 0, 6))
    }
}

/// An element of TQ1_0, from 0 to 2. A byte is the fraction of a number with five digits to the base 3, in 256ths.
fn ternary(block: &Block<'_>, i: usize) -> i64 {
    let (at, digit) = match i {
        0..160 => (i % 32, i / 32),
        160..240 => (32 + (i - 160) % 16, (i - 160) / 16),
        _ => (48 + (i - 240) % 4, (i - 240) / 4),
    };
    let rest = block.byte(at) * 3i64.pow(digit as u32) % 256;
    (rest * 3) >> 8
}

/// NVFP4: a scale of float8e4m3fn for 16 elements, whose sign is not read (GG-07).
fn nvfp4(block: &Block<'_>, i: usize) -> Value {
    let (group, at) = (i / 16, i % 16);
    let element = DOUBLED_E2M1[block.split(4 + 8 * group, 8, at) as usize];
    let (exponent, mantissa) = (block.bits(group, 3, 4), block.bits(group, 0, 3));
    // Scales are in units of 2^-9, and elements are doubled.
    let scale = match (block.byte(group), exponent) {
        (0x7f, _) => integer(0),
        (_, 0) => scaled(mantissa, -10),
        _ => scaled(8 + mantissa, exponent as i32 - 11),
    };
    product([integer(element), scale])
}
