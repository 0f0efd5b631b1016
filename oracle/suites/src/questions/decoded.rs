//! The choice of blocks that are decoded: every scale, every element under many scales, and tensors of
//! several rows.

use super::choice::Asked;
use castproof_oracle::format::float_format;
use castproof_quantised::block::{NUMBERS, decoding};
use castproof_vectors::{BlockFormat, Bytes, DType, DequantizeBlock, Question, pack};

/// Blocks of one test. Each has a scale of its own.
const BLOCKS: usize = 8;

/// Shapes with an axis, as multiples of the size of a block and numbers beyond: rows of one block and a
/// shorter one, columns of the same, and an axis in the middle.
const SHAPES: [([(u64, u64); 3], u64); 4] = [
    ([(0, 1), (0, 3), (1, 5)], 2),
    ([(0, 1), (2, 1), (0, 3)], 1),
    ([(0, 2), (1, 7), (0, 2)], 1),
    ([(1, 1), (0, 2), (0, 2)], 0),
];

/// Codes of scales of float32: zeros, the smallest and the largest subnormal and normal numbers, infinity and NaN, some
/// with a minus sign; 1, 3, 1/448 and 1e-4/448 rounded, numbers beside 1, and the first that takes 448 to infinity, with
/// the number before it.
const GROUP_SCALES: [u64; 24] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x0020_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0001,
    0x7f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x4040_0000,
    0x3b12_4925,
    0x346f_acad,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f80_4925,
    0x7b12_4924,
    0x7b12_4925,
    0x4700_1001,
    0x3300_2001,
];

/// Elements of one of these scales. A row of a group is short, so that few show much.
const OF_GROUP: usize = 16;

/// Returns the blocks of all formats.
pub(super) fn blocks() -> Asked {
    let mut all = Vec::new();
    for format in BlockFormat::ALL {
        for &from in decoding(format).elements {
            for to in NUMBERS {
                let tensors = Tensors { format, from, to };
                all.extend(tensors.every_scale());
                all.extend(tensors.shapes());
            }
        }
    }
    all.into_iter().map(|question| (Question::DequantizeBlock(question), vec![])).collect()
}

/// Tensors of one format with one dtype of elements and of numbers.
#[derive(Clone, Copy)]
struct Tensors {
    format: BlockFormat,
    from: DType,
    to: DType,
}

impl Tensors {
    fn size(self) -> usize {
        decoding(self.format).size
    }

    /// Are its blocks groups of FP8?
    fn is_group(self) -> bool {
        matches!(self.format, BlockFormat::Fp8 | BlockFormat::Fp8Ue8m0)
    }

    /// The codes of scales. Those of float8e4m3fn have no sign, and of groups some are asked.
    fn scales(self) -> Vec<u64> {
        let scale = decoding(self.format).scale;
        match self.format {
            BlockFormat::Fp8 => return GROUP_SCALES.to_vec(),
            BlockFormat::Fp8Ue8m0 => return (0..0x100).step_by(15).collect(),
            BlockFormat::Mx | BlockFormat::Nvfp4 => {}
        }
        let end = if scale == DType::Float8E8M0 { 0x100 } else { 0x80 };
        (0..end).collect()
    }

    fn ask(self, (shape, axis): (Vec<u64>, u64), scales: &[u64], codes: &[u64]) -> DequantizeBlock {
        let Tensors { format, from, to } = self;
        let scale = decoding(format).scale;
        let block_size = self.size() as u64;
        let packed = |dtype: DType, codes: &[u64]| Bytes(pack(dtype, codes).expect("codes"));
        let (scales, input) = (packed(scale, scales), packed(from, codes));
        DequantizeBlock { format, from, to, scale, block_size, axis, shape, scales, input }
    }

    /// Every scale. Under each stand the elements where decoders err, as far as half a block holds them, and others by
    /// turns, so that every element comes under many scales.
    fn every_scale(self) -> Vec<DequantizeBlock> {
        let all = 1u64 << self.from.bits();
        let sign = all / 2;
        // Zeros, the smallest subnormal and normal numbers, 1 or what is near, and the end of the
        // codes, where the largest number, infinity and NaN stand.
        let elements = float_format(self.from).expect("elements are floats");
        let smallest_normal = 1 << elements.significand_bits;
        let telling = [
            0,
            1,
            smallest_normal - 1,
            smallest_normal,
            sign / 2 - 1,
            sign - 4,
            sign - 2,
            sign - 1,
        ];
        let telling: Vec<u64> = telling.iter().flat_map(|&code| [code, code | sign]).collect();
        let (size, told) = match self.is_group() {
            true => (OF_GROUP, OF_GROUP),
            false => (self.size(), self.size() / 2),
        };
        let block = |&scale: &u64| {
            let mut codes: Vec<u64> = telling.iter().copied().take(told).collect();
            let others = size - codes.len();
            codes.extend((0..others as u64).map(|place| (scale * others as u64 + place) % all));
            // By turns, so that no place has the same elements always.
            codes.rotate_left(scale as usize % size);
            codes
        };
        let tests = self.scales();
        if self.is_group() {
            // Each scale has a row, which is a short group.
            let codes: Vec<u64> = tests.iter().flat_map(block).collect();
            let shape = vec![tests.len() as u64, size as u64];
            return vec![self.ask((shape, 1), &tests, &codes)];
        }
        let tests = tests.chunks(BLOCKS).map(|scales| {
            let codes: Vec<u64> = scales.iter().flat_map(block).collect();
            self.ask((vec![codes.len() as u64], 0), scales, &codes)
        });
        tests.collect()
    }

    /// Tensors of several rows, whose scales differ. Rows end with a shorter block, but those of NVFP4
    /// with one more whole block.
    fn shapes(self) -> Vec<DequantizeBlock> {
        let size = self.size() as u64;
        let tensor = |&(sides, axis): &([(u64, u64); 3], u64)| {
            let mut shape = sides.map(|(blocks, more)| blocks * size + more);
            if self.format == BlockFormat::Nvfp4 {
                let along = &mut shape[axis as usize];
                *along = along.next_multiple_of(size);
            }
            let count: u64 = shape.iter().product();
            let along = shape[axis as usize];
            let scales = count / along * along.div_ceil(size);
            // Powers of two near 1, or numbers near 1.
            let scales: Vec<u64> = match self.format {
                BlockFormat::Mx => (0..scales).map(|place| 120 + place * 5 % 16).collect(),
                BlockFormat::Nvfp4 => (0..scales).map(|place| 0x30 + place * 5 % 16).collect(),
                // Of other binades, with other significands.
                BlockFormat::Fp8 => (0..scales)
                    .map(|at| ((120 + at * 5 % 16) << 23) | (at * 0x9_e377 + 1))
                    .collect(),
                BlockFormat::Fp8Ue8m0 => (0..scales).map(|place| 120 + place * 5 % 16).collect(),
            };
            let bits = self.from.bits();
            let codes: Vec<u64> = (0..count)
                .map(|place| (place * 7 + 2) % (1 << (bits - 2)) + (1 << (bits - 3)))
                .collect();
            self.ask((shape.to_vec(), axis), &scales, &codes)
        };
        // Groups lie along the last axis alone.
        let shapes = if self.is_group() { &SHAPES[..1] } else { &SHAPES[..] };
        shapes.iter().map(tensor).collect()
    }
}
