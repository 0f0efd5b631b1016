//! What came back for blocks of GGUF, element by element.

use castproof_check::verdict::admits_code;
use castproof_check::words;
use castproof_vectors::{
    Bytes, DType, DequantizeGguf, GgufBlocks, GgufReadings, GgufType, NumbersAnswer, QuantizeGguf,
    unpack,
};

/// Bytes of a block that are shown.
const SHOWN: usize = 24;

/// Blocks as a report shows them. Bits that may be anything are zeros.
pub(crate) fn shown(blocks: &GgufBlocks) -> String {
    let bytes = &blocks.blocks.0;
    let more = if bytes.len() > 2 * SHOWN { ".." } else { "" };
    format!("{}{more}", Bytes(bytes[..bytes.len().min(2 * SHOWN)].to_vec()))
}

/// Describes the first block that no reading admits, by its first field that is not as expected; `None` if there is none.
pub(crate) fn wrong_block(
    question: &QuantizeGguf,
    (expected, further): (&GgufBlocks, Option<&GgufReadings>),
    bytes: &[u8],
) -> Option<String> {
    let (kind, size) = (question.kind, question.kind.record().bytes);
    let due = expected.blocks.0.len();
    if bytes.len() != due {
        return Some(format!("{} bytes, not {due}", bytes.len()));
    }
    let is_wrong = |(at, block): &(usize, &[u8])| {
        let mut readings = std::iter::once(expected)
            .chain(further.into_iter().flat_map(|further| &further.readings));
        !readings.any(|reading| reading.admits(at * size, block))
    };
    let mut wrong = bytes.chunks(size).enumerate().filter(is_wrong);
    let (at, block) = wrong.next()?;
    let more = wrong.count();
    let place = (0..size).find(|&place| !expected.admits(at * size + place, &[block[place]]))?;
    let due = expected.blocks.0[at * size + place];
    let numbers = question.blocks().ok()?.into_iter().nth(at)?;
    let of_block = match question.count() {
        1 => String::new(),
        _ => format!(" of block {at}"),
    };
    let and_more =
        if more > 0 { format!("; {} blocks are wrong", more + 1) } else { String::new() };
    let said = match element_at(kind, place, block[place] ^ due) {
        Some(element) => {
            let [got, due] = [block[place], due].map(|byte| code_in(kind, element, byte));
            let number = words::value(DType::Float32, numbers[element]);
            format!("code {got:#x}, not {due:#x}, for {number} at place {element}")
        }
        None => {
            let largest = numbers.iter().max_by_key(|code| *code & 0x7fff_ffff)?;
            let number = words::value(DType::Float32, *largest);
            format!(
                "byte {:02x}, not {due:02x}, at byte {place} ({}) where {number} is largest",
                block[place],
                kind.record().layout
            )
        }
    };
    Some(format!("{said}{of_block} of {kind}{and_more}"))
}

/// The element whose low bits lie in these bits of a byte; `None` if the byte holds a scale or fifth bits.
fn element_at(kind: GgufType, byte: usize, bits: u8) -> Option<usize> {
    let (first, half) = match kind {
        GgufType::Q8_0 => return byte.checked_sub(2),
        GgufType::MXFP4 => (1, 16),
        GgufType::Q4_0 => (2, 16),
        GgufType::Q4_1 | GgufType::NVFP4 => (4, if kind == GgufType::NVFP4 { 8 } else { 16 }),
        GgufType::Q5_0 => (6, 16),
        _ => (8, 16),
    };
    let at = byte.checked_sub(first)?;
    let upper = if bits & 15 == 0 { half } else { 0 };
    Some(at / half * 2 * half + at % half + upper)
}

/// The code of an element in its byte.
fn code_in(kind: GgufType, element: usize, byte: u8) -> u8 {
    let half = if kind == GgufType::NVFP4 { 8 } else { 16 };
    match kind {
        GgufType::Q8_0 => byte,
        _ => byte >> (element / half % 2 * 4) & 15,
    }
}

/// Describes the first number that is not due, with the block that holds it; `None` if there is none.
pub(crate) fn wrong_number(
    question: &DequantizeGguf,
    expected: &NumbersAnswer,
    bytes: &[u8],
) -> Option<String> {
    let DequantizeGguf { kind, to, .. } = *question;
    let due = expected.numbers.due();
    let got = match unpack(to, bytes, due.len()) {
        Ok(got) => got,
        Err(problem) => return Some(problem),
    };
    let mut numbers = got.iter().zip(due);
    let first = numbers.position(|(got, due)| !admits_code(to, due, *got))?;
    let wrong = got.iter().zip(due).filter(|(got, due)| !admits_code(to, due, **got)).count();
    let elements = kind.record().elements;
    let (number, place) = (first / elements, first % elements);
    let block = question.blocks().ok()?.nth(number)?;
    let shown = Bytes(block[..block.len().min(SHOWN)].to_vec());
    let more = if block.len() > SHOWN { ".." } else { "" };
    Some(format!(
        "{}, not {}, for element {place} of the {kind} block {shown}{more}; {wrong} of {} numbers are wrong",
        words::value(to, got[first]),
        words::outcome(to, &due[first]),
        due.len(),
    ))
}
