//! The choice of tensors of several blocks.

use super::choice::Asked;
use castproof_oracle::encode;
use castproof_oracle::format::{FloatFormat, float_format};
use castproof_quantised::block::{
    block_elements, block_scale, block_size, block_sources, has_free_scale, has_tensor_scale,
    takes_short_blocks,
};
use castproof_vectors::{BlockProfile, Bytes, DType, Hex, QuantizeTensor, Question, pack};

/// Shapes with an axis. A side is a multiple of the size of a block, and numbers beyond.
type Shapes = [(&'static [(u64, u64)], u64)];

/// A long row that ends with a shorter block, and tensors with the axis at the end, in front and in the
/// middle. A line is no whole number of blocks, so a block that goes on in the next line is another one.
const WITH_SHORT_BLOCKS: &Shapes = &[
    (&[(9, 5)], 0),
    (&[(0, 3), (2, 1)], 1),
    (&[(2, 7), (0, 3)], 0),
    (&[(0, 2), (1, 2), (0, 2)], 1),
];

/// The same in whole blocks along the last axis, for specifications that refuse others.
const WHOLE: &Shapes = &[(&[(9, 0)], 0), (&[(0, 3), (2, 0)], 1), (&[(0, 2), (0, 2), (1, 0)], 2)];

/// Rows of groups, with a shorter last one and without. Groups lie along the last axis alone, and are long, so one
/// source is asked. As many rows as groups would hide scales that are transposed.
const GROUPS: &Shapes = &[(&[(0, 3), (1, 5)], 1)];
const WHOLE_GROUPS: &Shapes = &[(&[(0, 3), (2, 0)], 1)];
const GROUP: usize = 128;

/// Many rows, which kernels take in groups; asked of one source, because they are long.
const MANY_ROWS: (&[(u64, u64)], u64) = (&[(0, 19), (2, 1)], 1);
const MANY_WHOLE_ROWS: (&[(u64, u64)], u64) = (&[(0, 19), (2, 0)], 1);

/// The largest magnitude of tensors of NVFP4: 448, as a code of float32.
const LARGEST: u64 = 0x43e0_0000;

/// Returns the tensors of all profiles.
pub(super) fn tensors() -> Asked {
    let mut all = Vec::new();
    for profile in BlockProfile::ALL.into_iter().filter(|it| !has_free_scale(*it)) {
        let is_group = block_size(profile) == GROUP;
        let (shapes, many) = match (takes_short_blocks(profile), is_group) {
            (true, false) => (WITH_SHORT_BLOCKS, MANY_ROWS),
            (false, false) => (WHOLE, MANY_WHOLE_ROWS),
            (true, true) => (GROUPS, MANY_ROWS),
            (false, true) => (WHOLE_GROUPS, MANY_WHOLE_ROWS),
        };
        for &to in block_elements(profile) {
            for &from in block_sources(profile) {
                if is_group && from != DType::Bfloat16 {
                    continue;
                }
                let many = (from == DType::Bfloat16 && !is_group).then_some(&many);
                for &(sides, axis) in shapes.iter().chain(many) {
                    all.push(tensor(profile, (from, to), sides, axis));
                }
            }
        }
    }
    all.into_iter().map(|question| (Question::QuantizeTensor(question), vec![])).collect()
}

/// A tensor whose blocks all have other scales, so that each is told from its neighbours. One block is
/// zeros, and one has a NaN, which stays in it.
fn tensor(
    profile: BlockProfile,
    (from, to): (DType, DType),
    sides: &[(u64, u64)],
    axis: u64,
) -> QuantizeTensor {
    let size = block_size(profile) as u64;
    let shape: Vec<u64> = sides.iter().map(|&(blocks, more)| blocks * size + more).collect();
    let is_nvfp4 = has_tensor_scale(profile);
    let mut tensor = QuantizeTensor {
        profile,
        from,
        to,
        scale: block_scale(profile),
        block_size: size,
        largest: is_nvfp4.then(|| Hex::new(LARGEST, DType::Float32)),
        axis,
        shape,
        input: Bytes::default(),
    };
    let layout = tensor.layout().expect("an axis of the shape");
    let source = float_format(from).expect("blocks have numbers of floats");
    let blocks = layout.scales();
    let mut codes = vec![0; tensor.shape.iter().product::<u64>() as usize];
    for (places, scales) in layout.lines() {
        for (at, &place) in places.iter().enumerate() {
            let block = scales[at / size as usize];
            codes[place] = match block + 1 {
                last if last == blocks - 1 => 0,
                last if last == blocks && at % size as usize == 1 => {
                    encode::quiet_nan(&source, false)
                }
                _ => number(&source, block as u64, at as u64),
            };
        }
    }
    tensor.input = Bytes(pack(from, &codes).expect("codes of a float"));
    tensor
}

/// A number of a block: of magnitudes from 2^-6 to 2^7 from block to block, and of the four binades below
/// in a block, with both signs.
fn number(source: &FloatFormat, block: u64, place: u64) -> u64 {
    let bits = source.significand_bits;
    let exponent = block * 5 % 13 + (place * 7 + 3) % 5;
    let field = (1 << (source.exponent_bits - 1)) - 10 + exponent;
    let significand = (place * 0x9e37_79b9 + block * 0x85eb_ca6b) % (1 << bits);
    (place % 3 % 2) << (bits + source.exponent_bits) | field << bits | significand
}
