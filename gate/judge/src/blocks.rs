//! Blocks that came back: their scales and elements, and the numbers that they stand for.

use castproof_check::verdict::admits_code;
use castproof_check::words;
use castproof_quantised::block::under_scale;
use castproof_vectors::{
    BlockAnswer, BlockChoice, DType, DequantizeBlock, ElementCodes, Hex, NumbersAnswer, Outcome,
    QuantizeBlock, QuantizeTensor, TensorOfBlocks, landmarks, pack, packed_len, unpack,
};

/// Is this the scale and are these the elements of a block? Where the scale must be NaN, every NaN is
/// right.
pub(crate) fn block_admits(block: &QuantizeBlock, expected: &BlockAnswer, bytes: &[u8]) -> bool {
    let Some((scale, codes)) = block_of(block, bytes) else { return false };
    let due = expected.scale.value();
    let is_nan = |code: u64| landmarks(block.scale).is_some_and(|it| it.is_nan(code));
    let has_scale = scale == due || (is_nan(due) && is_nan(scale));
    let elements = expected.elements.0.iter().zip(&codes);
    has_scale
        && codes.len() == expected.elements.0.len()
        && elements.into_iter().all(|(due, code)| due.is_none_or(|due| u64::from(due) == *code))
}

/// Has an answer a scale that is none of these, with the elements that belong to it? Then the test decides
/// nothing.
pub(crate) fn is_other_scale(block: &QuantizeBlock, choice: &BlockChoice, bytes: &[u8]) -> bool {
    let is_listed = |scale| choice.one_of.iter().any(|due| due.scale.value() == scale);
    let is_free = |scale| !is_listed(scale) && under(block, scale).is_some();
    block_of(block, bytes).is_some_and(|(scale, _)| is_free(scale))
        && wrong_choice(block, bytes).is_none()
}

/// Returns a block with this scale and the elements that belong to it; `None` if its profile does not let it have
/// the scale.
pub fn under(block: &QuantizeBlock, scale: u64) -> Option<BlockAnswer> {
    let codes = block.codes().ok()?;
    let due = under_scale(block.profile, (block.from, block.to), &codes, scale).ok()??;
    let code = |(outcome, _)| match outcome {
        Outcome::Code(code) => u8::try_from(code).ok(),
        _ => None,
    };
    let elements = ElementCodes(due.elements.into_iter().map(code).collect());
    Some(BlockAnswer { scale: Hex::new(scale, block.scale), elements })
}

/// Describes the first element that does not belong to the scale that came back; `None` if there is none.
pub(crate) fn wrong_choice(block: &QuantizeBlock, bytes: &[u8]) -> Option<String> {
    let (scale, codes) = block_of(block, bytes)?;
    let due = under(block, scale)?.elements.0;
    let mut elements = due.into_iter().zip(codes).enumerate();
    let wrong = |(place, (due, got)): (usize, (Option<u8>, u64))| {
        let due = due.map(u64::from).filter(|due| *due != got)?;
        let [got, due] = [got, due].map(|code| Hex::new(code, block.to));
        let scale = Hex::new(scale, block.scale);
        Some(format!("element {got} at place {place} under the scale {scale}, not {due}"))
    };
    elements.find_map(wrong)
}

/// Returns the scale and the elements of an answer; `None` if it has another length, or ones in the
/// bits that fill the last byte.
pub(crate) fn block_of(block: &QuantizeBlock, bytes: &[u8]) -> Option<(u64, Vec<u64>)> {
    let (scale, elements) = bytes.split_at_checked(packed_len(block.scale, 1).ok()?)?;
    let scale = *unpack(block.scale, scale, 1).ok()?.first()?;
    let codes = unpack(block.to, elements, block.count()).ok()?;
    let is_padded = pack(block.to, &codes).is_ok_and(|packed| packed == elements);
    is_padded.then_some((scale, codes))
}

/// Describes the first scale or element of a tensor that is not due; `None` if there is none.
pub(crate) fn wrong_block(
    tensor: &QuantizeTensor,
    due: &TensorOfBlocks,
    bytes: &[u8],
) -> Option<String> {
    let due_elements = &due.elements.0;
    let count = due.scales.0.len() * 8 / (tensor.scale.bits() as usize).max(1);
    let Some((scales, packed)) = bytes.split_at_checked(due.scales.0.len()) else {
        return Some(format!("{count} scales are due"));
    };
    let scales_of = |bytes: &[u8]| unpack(tensor.scale, bytes, count);
    let (scales, due_scales) = match (scales_of(scales), scales_of(&due.scales.0)) {
        (Ok(scales), Ok(due)) => (scales, due),
        (Err(problem), _) | (_, Err(problem)) => return Some(problem),
    };
    let elements = match unpack(tensor.to, packed, due_elements.len()) {
        Ok(elements) => elements,
        Err(problem) => return Some(problem),
    };
    let is_nan = |code: u64| landmarks(tensor.scale).is_some_and(|it| it.is_nan(code));
    let code = |dtype: DType, code: u64| Hex::new(code, dtype);
    for (block, (&got, &due)) in scales.iter().zip(&due_scales).enumerate() {
        if got != due && !(is_nan(due) && is_nan(got)) {
            let [got, due] = [got, due].map(|it| code(tensor.scale, it));
            return Some(format!("scale {got} of block {block}, not {due}"));
        }
    }
    for (place, (&got, due)) in elements.iter().zip(due_elements).enumerate() {
        if let Some(due) = due.filter(|&due| u64::from(due) != got) {
            let [got, due] = [got, u64::from(due)].map(|it| code(tensor.to, it));
            return Some(format!("element {got} at place {place}, not {due}"));
        }
    }
    let is_padded = pack(tensor.to, &elements).is_ok_and(|it| it == packed);
    (!is_padded).then(|| "the bits behind the elements are not zero".into())
}

/// Describes the first number that is not due; `None` if there is none.
pub(crate) fn wrong_number(
    block: &DequantizeBlock,
    expected: &NumbersAnswer,
    bytes: &[u8],
) -> Option<String> {
    let due = expected.numbers.due();
    let codes = match (unpack(block.to, bytes, due.len()), block.codes()) {
        (Ok(got), Ok(codes)) if codes.len() == due.len() => got.into_iter().zip(codes),
        (Err(problem), _) | (_, Err(problem)) => return Some(problem),
        _ => return Some(format!("{} numbers are due", due.len())),
    };
    let mut numbers = codes.zip(due).enumerate();
    let (place, ((got, (element, scale)), due)) =
        numbers.find(|(_, ((got, _), due))| !admits_code(block.to, due, *got))?;
    let code = |dtype: DType, code| Hex::new(code, dtype);
    Some(format!(
        "{}, not {}, for {} under the scale {} at place {place}",
        words::value(block.to, got),
        words::outcome(block.to, due),
        code(block.from, element),
        code(block.scale, scale),
    ))
}

pub(crate) fn block_words(scale: Hex, elements: ElementCodes) -> String {
    format!("scale {scale}, elements {}", String::from(elements))
}
