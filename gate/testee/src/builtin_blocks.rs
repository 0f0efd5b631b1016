//! Blocks of Castproof's own implementation: tensors are quantised and decoded line by line along the axis,
//! so that the blocks of a line lie one behind the other.

use super::testee::{Reply, Returned};
use castproof_impl::{BlockDequantizer, BlockQuantizer};
use castproof_vectors::{DequantizeBlock, QuantizeTensor, pack, packed_len, unpack};

/// Quantises a tensor. The answer is the scales, then the packed elements.
pub(super) fn quantize(question: &QuantizeTensor) -> Reply<Returned> {
    let QuantizeTensor { profile, from, to, .. } = *question;
    match BlockQuantizer::new(profile, from, to) {
        Ok(quantizer) => quantized(&quantizer, question).map_or_else(Reply::Error, Reply::Output),
        Err(error) => Reply::Unsupported(error.to_string()),
    }
}

fn quantized(quantizer: &BlockQuantizer, question: &QuantizeTensor) -> Result<Returned, String> {
    let QuantizeTensor { from, to, .. } = *question;
    let largest = question.largest.map_or(0.0, |code| f32::from_bits(code.value() as u32));
    let (layout, codes) = (question.layout()?, question.codes()?);
    let mut scales = vec![0u64; layout.scales()];
    let mut elements = vec![0; codes.len()];
    for (places, its_scales) in layout.lines() {
        let numbers: Vec<u64> = places.iter().map(|&place| codes[place]).collect();
        let mut line_scales = vec![0; packed_len(question.scale, its_scales.len())?];
        let mut line = vec![0; packed_len(to, places.len())?];
        quantizer
            .run(&pack(from, &numbers)?, numbers.len(), largest, &mut line_scales, &mut line)
            .map_err(|error| error.to_string())?;
        let line = unpack(to, &line, places.len())?;
        places.iter().zip(line).for_each(|(&place, code)| elements[place] = code);
        let line_scales = unpack(question.scale, &line_scales, its_scales.len())?;
        its_scales.iter().zip(line_scales).for_each(|(&place, code)| scales[place] = code);
    }
    let bytes = [pack(question.scale, &scales)?, pack(to, &elements)?].concat();
    Ok(Returned { bytes, ..Returned::default() })
}

/// Decodes a tensor.
pub(super) fn decode(question: &DequantizeBlock) -> Result<Returned, String> {
    let DequantizeBlock { format, from, to, scale, ref scales, ref input, .. } = *question;
    let decoding = BlockDequantizer::new(format, from, to).map_err(|error| error.to_string())?;
    let layout = question.layout()?;
    let count = question.count()?;
    let codes = unpack(from, &input.0, count)?;
    let scales = unpack(scale, &scales.0, layout.scales())?;
    let mut numbers = vec![0; count];
    for (places, its_scales) in layout.lines() {
        let elements: Vec<u64> = places.iter().map(|&place| codes[place]).collect();
        let its_scales: Vec<u64> = its_scales.iter().map(|&place| scales[place]).collect();
        let mut line = vec![0; packed_len(to, places.len())?];
        decoding
            .run(&pack(from, &elements)?, elements.len(), &pack(scale, &its_scales)?, &mut line)
            .map_err(|error| error.to_string())?;
        let line = unpack(to, &line, places.len())?;
        places.iter().zip(line).for_each(|(&place, code)| numbers[place] = code);
    }
    Ok(Returned { bytes: pack(to, &numbers)?, ..Returned::default() })
}
