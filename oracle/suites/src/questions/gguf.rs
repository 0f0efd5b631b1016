//! The choice of blocks of GGUF: bytes that show the order of elements and scales, scales of every kind, and every code of
//! those that are a byte.

use super::choice::Asked;
use castproof_quantised::gguf::GGUF_NUMBERS;
use castproof_vectors::random::Random;
use castproof_vectors::{Bytes, DType, DequantizeGguf, GgufType, Question};

/// float16 scales that decoders get wrong: the largest and smallest subnormal numbers, the largest and a negative number, zeros,
/// infinity, NaN.
const SCALES: [u16; 8] = [0x0001, 0x83ff, 0x7bff, 0xb266, 0x0000, 0x8000, 0xfc00, 0x7e01];

/// The same of float32.
const WIDE_SCALES: [u32; 8] = [
    0x0000_0001,
    0x807f_ffff,
    0x7f7f_ffff,
    0xbe4c_cccd,
    0x0000_0000,
    0x8000_0000,
    0xff80_0000,
    0x7fc0_0001,
];

/// float16 numbers, and the upper half of float32: ends of the subnormal and the normal numbers, 1, infinities and NaN.
const ONES: [u16; 16] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x007f, 0x0080, 0x3c00, 0x3f80, 0xbc01, 0x7bff,
    0x7f7f, 0x7f80, 0xfc00, 0x7e00,
];

/// Where the scales of float16 lie that a type has: that of the block, then the minimum.
pub(super) fn halves(kind: GgufType) -> &'static [usize] {
    match kind {
        GgufType::Q4_1 | GgufType::Q5_1 | GgufType::Q4_K | GgufType::Q5_K => &[0, 2],
        GgufType::Q2_K => &[80, 82],
        GgufType::Q3_K => &[108],
        GgufType::Q6_K => &[208],
        GgufType::TQ1_0 => &[52],
        GgufType::TQ2_0 => &[64],
        GgufType::Q8_K | GgufType::MXFP4 | GgufType::NVFP4 => &[],
        GgufType::F16 | GgufType::BF16 => &[],
        GgufType::Q4_0
        | GgufType::Q5_0
        | GgufType::Q8_0
        | GgufType::Q8_1
        | GgufType::IQ4_NL
        | GgufType::IQ4_XS
        | GgufType::Q1_0
        | GgufType::Q2_0 => &[0],
    }
}

/// Returns the blocks of all types.
pub(super) fn blocks() -> Asked {
    let mut asked = Vec::new();
    for kind in GgufType::all() {
        for to in GGUF_NUMBERS {
            let mut random = Random::of(kind.name().bytes().chain(to.name().bytes()));
            let ask =
                |blocks: Vec<Vec<u8>>| DequantizeGguf { kind, to, input: Bytes(blocks.concat()) };
            asked.extend(tests(kind, to, &mut random).into_iter().map(ask));
        }
    }
    asked.into_iter().map(|question| (Question::DequantizeGguf(question), vec![])).collect()
}

/// The blocks of each test of a type.
fn tests(kind: GgufType, to: DType, random: &mut Random) -> Vec<Vec<Vec<u8>>> {
    let is_wide = to == DType::Float32;
    let mut tests = Vec::new();
    match kind {
        GgufType::F16 | GgufType::BF16 => {
            let mut codes: Vec<Vec<u8>> = ONES.map(|code| code.to_le_bytes().into()).into();
            codes.extend((0..16).map(|_| bytes(2, random)));
            return vec![codes];
        }
        GgufType::MXFP4 | GgufType::NVFP4 => {
            // Every code of a scale, or those at the ends alone.
            let scales = if kind == GgufType::MXFP4 { 1 } else { 4 };
            let codes: Vec<u8> = (0..=255).filter(|code| is_wide || code % 16 > 12).collect();
            let blocks = codes.chunks(scales).enumerate().map(|(at, codes)| {
                let mut block = codes.to_vec();
                // Each byte has two nibbles that differ, and another block has them elsewhere.
                let body = kind.record().bytes - scales;
                block.extend((0..body).map(|place| (37 * (place + at) + 11) as u8));
                block
            });
            let blocks: Vec<Vec<u8>> = blocks.collect();
            tests.extend(blocks.chunks(8).map(<[_]>::to_vec));
        }
        _ => {
            // One is enough of each kind of a scale, and the element 0 comes under each.
            let special = (0..SCALES.len()).map(|at| scaled(kind, at, bytes_of(kind, random)));
            let special: Vec<Vec<u8>> = special.collect();
            let per_test = if kind.record().elements > 64 { 1 } else { 4 };
            let kept = if is_wide { special.len() } else { 4 };
            tests.extend(special[..kept].chunks(per_test).map(<[_]>::to_vec));
        }
    }
    // Elements and scales of all kinds under plain scales.
    let (rounds, blocks) = match (is_wide, kind.record().elements) {
        (true, 256) => (3, 2),
        (true, _) => (3, 4),
        (false, _) => (1, 1),
    };
    for _ in 0..rounds {
        tests.push((0..blocks).map(|_| plain(kind, random)).collect());
    }
    tests
}

fn bytes(count: usize, random: &mut Random) -> Vec<u8> {
    (0..count).map(|_| (random.number() >> 24) as u8).collect()
}

fn bytes_of(kind: GgufType, random: &mut Random) -> Vec<u8> {
    bytes(kind.record().bytes, random)
}

/// A block with a scale, and a minimum, of the lists above.
fn scaled(kind: GgufType, at: usize, mut block: Vec<u8>) -> Vec<u8> {
    if kind == GgufType::Q8_K {
        block[..4].copy_from_slice(&WIDE_SCALES[at].to_le_bytes());
    }
    for (number, &place) in halves(kind).iter().enumerate() {
        // The minimum is of another kind, but beside infinity it is infinity too.
        let scale = SCALES[if at == 6 { at } else { (at + 3 * number) % SCALES.len() }];
        block[place..place + 2].copy_from_slice(&scale.to_le_bytes());
    }
    block
}

/// A block whose scale and minimum are numbers from 2^-7 to 2^8, of any significand.
fn plain(kind: GgufType, random: &mut Random) -> Vec<u8> {
    let mut block = bytes_of(kind, random);
    for &place in halves(kind) {
        let scale = 0x2000 + random.number() % 0x3c00;
        block[place..place + 2].copy_from_slice(&(scale as u16).to_le_bytes());
    }
    match kind {
        GgufType::Q8_K => block[3] = 0x3c + block[3] % 8,
        GgufType::MXFP4 => block[0] = 0x70 + block[0] % 32,
        _ => {}
    }
    block
}
