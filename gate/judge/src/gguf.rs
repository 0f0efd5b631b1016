//! What came back for blocks of GGUF, element by element.

use castproof_check::verdict::admits_code;
use castproof_check::words;
use castproof_vectors::{Bytes, DequantizeGguf, NumbersAnswer, unpack};

/// Bytes of a block that are shown.
const SHOWN: usize = 24;

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
