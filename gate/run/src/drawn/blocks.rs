//! Blocks and tensors of blocks, drawn.

use super::values::{code, one_of};
use castproof_vectors::random::Random;
use castproof_vectors::{
    Bytes, DType, DequantizeBlock, QuantizeBlock, QuantizeTensor, element_count, landmarks, pack,
};

/// Most blocks along a line, and most lines, of a drawn tensor.
const MOST: usize = 6;

/// Of so many tensors one has a NaN, at any place.
const WITH_NAN: usize = 3;

/// Returns the block with other numbers, none of which is larger in magnitude than the one that stood there. `None` if
/// some are no numbers.
pub(super) fn filled_block(block: &QuantizeBlock, random: &mut Random) -> Option<QuantizeBlock> {
    let sign = 1 << (block.from.bits() - 1);
    let infinity = landmarks(block.from)?.infinity.first()?.value();
    let (_, bits) = one_of(block.from)?;
    let mut codes = block.codes().ok()?;
    for code in &mut codes {
        let magnitude = *code & (sign - 1);
        if magnitude >= infinity {
            return None;
        }
        let less = match random.below(4) {
            0 => 0,
            1 => random.below(5) as u64,
            _ => random.number() % (3 << bits),
        };
        let signed = if random.below(2) == 0 { sign } else { 0 };
        *code = magnitude.saturating_sub(less) | signed;
    }
    let turn = random.below(codes.len().max(1));
    codes.rotate_left(turn);
    Some(QuantizeBlock { input: packed(block.from, &codes)?, ..block.clone() })
}

/// Returns sides of a tensor of this rank: along the axis a few blocks of this size, which end with a shorter one
/// unless the side was a whole number of blocks before.
fn sides(shape: &[u64], axis: u64, size: u64, random: &mut Random) -> Vec<u64> {
    let at = axis as usize;
    let is_whole = shape[at].is_multiple_of(size);
    let drawn = shape.iter().enumerate().map(|(place, &side)| match (place == at, is_whole) {
        (true, true) => size * (1 + random.below(MOST) as u64),
        (true, false) => size * random.below(MOST) as u64 + 1 + random.number() % (size - 1).max(1),
        (false, _) if side.is_multiple_of(size) => size * (1 + random.below(2) as u64),
        (false, _) => 1 + random.below(MOST) as u64,
    });
    drawn.collect()
}

/// Returns the tensor with another shape.
pub(super) fn shaped_tensor(tensor: &QuantizeTensor, random: &mut Random) -> QuantizeTensor {
    let shape = sides(&tensor.shape, tensor.axis, tensor.block_size, random);
    QuantizeTensor { shape, ..tensor.clone() }
}

/// Returns the tensor with other numbers: each block is of a magnitude of its own, its numbers of the five binades
/// below.
pub(super) fn filled_tensor(
    tensor: &QuantizeTensor,
    random: &mut Random,
) -> Option<QuantizeTensor> {
    let (one, bits) = one_of(tensor.from)?;
    let layout = tensor.layout().ok()?;
    let mut codes = vec![0; element_count(&tensor.shape).ok()?];
    for (places, _) in layout.lines() {
        for block in places.chunks(tensor.block_size as usize) {
            // The largest numbers are from 2^-5 to below 2^8, which is less than the largest of a tensor of NVFP4.
            let largest = one - (5 << bits) + ((random.number() % 13) << bits);
            for &place in block {
                let down = (random.number() % 5) << bits;
                let significand = random.number() & ((1 << bits) - 1);
                let sign = (random.number() & 1) << (tensor.from.bits() - 1);
                codes[place] = match random.below(16) {
                    0 => sign,
                    _ => (largest - down) | significand | sign,
                };
            }
        }
    }
    if random.below(WITH_NAN) == 0 && !codes.is_empty() {
        let nan = landmarks(tensor.from)?.infinity.first()?.value() | 1 << (bits - 1);
        let at = random.below(codes.len());
        codes[at] = nan;
    }
    Some(QuantizeTensor { input: packed(tensor.from, &codes)?, ..tensor.clone() })
}

/// Returns the blocks with another shape; scales and elements are those of before until they are drawn.
pub(super) fn shaped_blocks(tensor: &DequantizeBlock, random: &mut Random) -> DequantizeBlock {
    let shape = sides(&tensor.shape, tensor.axis, tensor.block_size, random);
    DequantizeBlock { shape, ..tensor.clone() }
}

/// Returns the blocks with other scales and elements: any codes. The scales of NVFP4 have no sign.
pub(super) fn filled_blocks(
    tensor: &DequantizeBlock,
    random: &mut Random,
) -> Option<DequantizeBlock> {
    let layout = tensor.layout().ok()?;
    let mask = if tensor.scale == DType::Float8E8M0 { 0xff } else { 0x7f };
    let scales: Vec<u64> =
        (0..layout.scales()).map(|_| code(tensor.scale, random) & mask).collect();
    let count = element_count(&tensor.shape).ok()?;
    let codes: Vec<u64> = (0..count).map(|_| code(tensor.from, random)).collect();
    let (scales, input) = (packed(tensor.scale, &scales)?, packed(tensor.from, &codes)?);
    Some(DequantizeBlock { scales, input, ..tensor.clone() })
}

fn packed(dtype: DType, codes: &[u64]) -> Option<Bytes> {
    pack(dtype, codes).ok().map(Bytes)
}
