//! Blocks and tensors of blocks, drawn.

use super::values::{code, one_of};
use castproof_vectors::random::Random;
use castproof_vectors::{
    Bytes, DType, DequantizeBlock, QuantizeBlock, QuantizeGguf, QuantizeTensor, element_count,
    landmarks, pack,
};

/// In a line of at least so many blocks, each second one has a NaN, at one place after the other. Of so many
/// shorter tensors one has a NaN, at any place.
const MANY: usize = 32;
const WITH_NAN: usize = 2;

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

/// Returns the tensor with other numbers: each block is of a magnitude of its own, its numbers of the five binades
/// below.
pub(super) fn filled_tensor(
    tensor: &QuantizeTensor,
    random: &mut Random,
) -> Option<QuantizeTensor> {
    let (one, bits) = one_of(tensor.from)?;
    let layout = tensor.layout().ok()?;
    let infinity = landmarks(tensor.from)?.infinity.first()?.value();
    let binade = 1 << bits;
    // Many blocks that are powers of two apart have scales of all binades.
    let is_wide = layout.scales() >= MANY && tensor.scale == DType::Float8E8M0;
    let mut codes = vec![0; element_count(&tensor.shape).ok()?];
    for (places, _) in layout.lines() {
        for block in places.chunks(tensor.block_size as usize) {
            let largest = match is_wide {
                true => (5 + random.number() % (infinity / binade - 5)) * binade,
                // From 2^-5 to below 2^8, which is less than the largest of a tensor of NVFP4.
                false => one - 5 * binade + random.number() % 13 * binade,
            };
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
    let nan = infinity | 1 << (bits - 1);
    let turn = random.below(tensor.block_size as usize);
    for (places, _) in layout.lines().filter(|(_, scales)| scales.len() >= MANY) {
        let blocks = places.chunks(tensor.block_size as usize).enumerate();
        for (number, block) in blocks.filter(|(number, _)| number % 2 == 0) {
            codes[block[(number / 2 + turn) % block.len()]] = nan;
        }
    }
    // What is due of the elements of a block with a NaN is open, so two blocks have none.
    if (3..MANY).contains(&layout.scales()) && random.below(WITH_NAN) == 0 {
        let at = random.below(codes.len());
        codes[at] = nan;
    }
    Some(QuantizeTensor { input: packed(tensor.from, &codes)?, ..tensor.clone() })
}

/// Returns the blocks with other scales and elements: any codes. The scales of NVFP4 have no sign.
pub(super) fn filled_blocks(
    tensor: &DequantizeBlock,
    random: &mut Random,
) -> Option<DequantizeBlock> {
    let layout = tensor.layout().ok()?;
    let mask = if tensor.scale == DType::Float8E4M3FN { 0x7f } else { u64::MAX };
    let scales: Vec<u64> =
        (0..layout.scales()).map(|_| code(tensor.scale, random) & mask).collect();
    let count = element_count(&tensor.shape).ok()?;
    let codes: Vec<u64> = (0..count).map(|_| code(tensor.from, random)).collect();
    let (scales, input) = (packed(tensor.scale, &scales)?, packed(tensor.from, &codes)?);
    Some(DequantizeBlock { scales, input, ..tensor.clone() })
}

/// Returns the question with other numbers: those of a block lie in four binades, of which each block has its own.
pub(super) fn filled_gguf(ask: &QuantizeGguf, random: &mut Random) -> Option<QuantizeGguf> {
    let mut codes = Vec::new();
    for _ in 0..ask.count() {
        // From 2^-31 to below 2^33.
        let least = (96 + random.number() % 60) << 23;
        let number = |_| (least + random.number() % (4 << 23)) | ((random.number() & 1) << 31);
        codes.extend((0..ask.kind.record().elements).map(number));
    }
    Some(QuantizeGguf { input: packed(ask.from, &codes)?, ..ask.clone() })
}

fn packed(dtype: DType, codes: &[u64]) -> Option<Bytes> {
    pack(dtype, codes).ok().map(Bytes)
}
