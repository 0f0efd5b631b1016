//! What came back for layouts of codes, byte by byte and code by code.

use castproof_quantised::layout::{Sides, bit_place, law};
use castproof_vectors::{Bytes, LaidOut, LaidOutAnswer, codes_of};

/// Bytes that are shown.
const SHOWN: usize = 16;

/// Bytes as a report shows them.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let more = if bytes.len() > SHOWN { ".." } else { "" };
    format!("{}{more}", Bytes(bytes[..bytes.len().min(SHOWN)].to_vec()))
}

/// Describes the first byte that is not due, with the code that belongs there; `None` if there is none.
pub(crate) fn wrong_byte(ask: &LaidOut, due: &LaidOutAnswer, got: &[u8]) -> Option<String> {
    let place = due.first_wrong(got)?;
    let (count, wrong) = (due.bytes.0.len(), wrong_bytes(due, got));
    if got.len() != count {
        return Some(format!("{} bytes, not {count}", got.len()));
    }
    let holder = match code_at(ask, place) {
        Some((matrix, r, c)) => format!("where the code at row {r}, column {c}{matrix} belongs"),
        None => "which is padding".into(),
    };
    Some(format!(
        "{:02x} at byte {place}, not {:02x}, {holder}; {wrong} of {count} bytes are wrong",
        got[place], due.bytes.0[place]
    ))
}

/// Describes the first code that is not due; `None` if there is none.
pub(crate) fn wrong_code(ask: &LaidOut, due: &LaidOutAnswer, got: &[u8]) -> Option<String> {
    due.first_wrong(got)?;
    if got.len() != due.bytes.0.len() {
        return Some(format!("{} bytes of codes, not {}", got.len(), due.bytes.0.len()));
    }
    let [got, due] = [got, &due.bytes.0].map(|bytes| codes_of(ask.layout, bytes));
    let is_wrong = |place: &usize| got[*place] != due[*place];
    let first = (0..due.len()).find(is_wrong)?;
    let wrong = (0..due.len()).filter(is_wrong).count();
    let [_, rows, columns] = ask.sides().ok()?;
    let at = first as u64;
    let (matrix, r, c) = (of_batch(ask, at / (rows * columns)), at / columns % rows, at % columns);
    Some(format!(
        "{:#x}, not {:#x}, at row {r}, column {c}{matrix}; {wrong} of {} codes are wrong",
        got[first],
        due[first],
        due.len()
    ))
}

fn wrong_bytes(due: &LaidOutAnswer, got: &[u8]) -> usize {
    let pairs = due.bytes.0.iter().zip(got).enumerate();
    pairs.filter(|(place, (due_byte, got))| (*due_byte ^ *got) & !due.open_at(*place) != 0).count()
}

fn of_batch(ask: &LaidOut, matrix: u64) -> String {
    if ask.shape.len() > 2 { format!(" of matrix {matrix}") } else { String::new() }
}

/// The first code that has a bit in a byte, with its matrix in words.
fn code_at(ask: &LaidOut, place: usize) -> Option<(String, u64, u64)> {
    let [_, rows, columns] = ask.sides().ok()?;
    let sides = Sides { rows, columns, bits: ask.layout.bits().into() };
    let of_one = (law(ask.layout).bytes)(sides);
    let (matrix, byte) = (place as u64 / of_one, place as u64 % of_one);
    let has_bit =
        |r, c| (0..sides.bits).any(|bit| bit_place(ask.layout, sides, (r, c), bit) / 8 == byte);
    let mut codes = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let (r, c) = codes.find(|(r, c)| has_bit(*r, *c))?;
    Some((of_batch(ask, matrix), r, c))
}
