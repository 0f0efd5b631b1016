//! The JSON form of the book, read at once: `castproof-book/5` and the former formats.

use super::contents::SourceAnswer;
use super::row::{Kind, Row};
use super::{
    BOOK_FORMAT, BookAnswer, BookFile, BookPiece, FIRST_BOOK_FORMAT, FOURTH_BOOK_FORMAT,
    RequestRecord, SECOND_BOOK_FORMAT, THIRD_BOOK_FORMAT,
};
use castproof_vectors::{DType, Formula, Hex, Outcome, Piece, Tolerate};
use flate2::read::GzDecoder;
use std::alloc::{Layout, handle_alloc_error};
use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::sync::Arc;

/// The longest text of a book, so that a foreign file cannot fill the memory.
const LONGEST: u64 = 1 << 28;

/// A book that was read.
pub(super) struct Parsed {
    /// Rows by pair.
    pub(super) requests: HashMap<(DType, DType), Vec<Row>>,
    /// The pairs, in the order of the file.
    pub(super) order: Vec<(DType, DType)>,
    pub(super) answers: Vec<SourceAnswer>,
}

/// Reads the file of a book, compressed by gzip.
pub(super) fn unpacked(compressed: &[u8]) -> Result<BookFile, String> {
    let mut text = Vec::new();
    let mut decoder = GzDecoder::new(compressed).take(LONGEST);
    if let Err(error) = decoder.read_to_end(&mut text) {
        if error.kind() == ErrorKind::OutOfMemory {
            // Abort, as after every other failed allocation.
            handle_alloc_error(Layout::for_value(compressed));
        }
        return Err(format!(
            "it is not a book: neither in the binary form nor a gzip file: {error}"
        ));
    }
    if text.len() as u64 == LONGEST {
        return Err(format!("it unpacks to {LONGEST} bytes or more, and a book is shorter"));
    }
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

impl Parsed {
    pub(super) fn new(file: BookFile) -> Result<Parsed, String> {
        let has_last = match &file.format[..] {
            BOOK_FORMAT | FOURTH_BOOK_FORMAT | THIRD_BOOK_FORMAT | SECOND_BOOK_FORMAT => false,
            FIRST_BOOK_FORMAT => true,
            other => {
                return Err(format!(
                    "its format is '{other}': give one of {FIRST_BOOK_FORMAT} to {BOOK_FORMAT}"
                ));
            }
        };
        let answers = file.answers.into_iter().enumerate().map(|(index, answer)| {
            read(answer, has_last).map_err(|problem| format!("answer {index}: {problem}"))
        });
        let answers = answers.collect::<Result<Vec<_>, _>>()?;
        let mut requests: HashMap<_, Vec<Row>> = HashMap::new();
        let mut order = Vec::new();
        for record in file.requests {
            let RequestRecord { specs, from, to, attributes, answer, rule } = record;
            suits(answers.get(answer), answer, from, to)?;
            let rule = rule.as_deref().map(str::parse).transpose()?;
            let specs = specs.iter().map(|spec| spec.parse()).collect::<Result<_, _>>()?;
            let kind = Arc::new(Kind { specs, attributes, rule });
            let rows = requests.entry((from, to)).or_default();
            if rows.is_empty() {
                order.push((from, to));
            }
            rows.push(Row { kind, answer });
        }
        Ok(Parsed { requests, order, answers })
    }
}

/// Returns the pieces of an answer, which must be one of a cast between these dtypes.
pub(super) fn suits(
    answer: Option<&SourceAnswer>,
    index: usize,
    from: DType,
    to: DType,
) -> Result<&[Piece], String> {
    let answer = answer.filter(|answer| answer.from_bits == from.bits()).ok_or_else(|| {
        format!(
            "{from} to {to} names answer {index}, which does not cover the codes of {from}: name one that does"
        )
    })?;
    if answer.to_bits != to.bits() {
        return Err(format!(
            "{from} to {to} names answer {index}, whose results are not as wide as {to}: name one whose are"
        ));
    }
    Ok(&answer.pieces)
}

/// Reads the pieces of an answer, which must cover every code of their source. `has_last`: does the
/// format of the book have the member `last`?
fn read(answer: BookAnswer, has_last: bool) -> Result<SourceAnswer, String> {
    let BookAnswer { from_bits, to_bits, pieces } = answer;
    if !(1..=64).contains(&from_bits) || !(1..=64).contains(&to_bits) {
        return Err(format!("fromBits is {from_bits} and toBits {to_bits}: give 1 to 64"));
    }
    let ends = ends(&pieces, has_last, u64::MAX >> (64 - from_bits))?;
    let mut read = Vec::with_capacity(pieces.len());
    for (piece, last) in pieces.into_iter().zip(ends) {
        let piece = piece.read(last)?;
        if !fits(&piece, u64::MAX >> (64 - to_bits)) {
            return Err(format!(
                "codes of more than {to_bits} bits from {:#x} on: shorten them or raise toBits",
                piece.first
            ));
        }
        read.push(piece);
    }
    Ok(SourceAnswer { from_bits, to_bits, pieces: read })
}

/// Returns the last code of each piece. `greatest` is the greatest code of the source.
///
/// The expanders in `vectors/expand` refuse the same pieces with the same words.
fn ends(pieces: &[BookPiece], has_last: bool, greatest: u64) -> Result<Vec<u64>, String> {
    match pieces.first().map(|piece| piece.first.value()) {
        Some(0) => {}
        Some(first) => return Err(format!("the first piece begins at {first:#x}: begin it at 0")),
        None => return Err("it has no pieces: begin with a piece at 0".into()),
    }
    let mut ends = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        let first = piece.first.value();
        let next = pieces.get(index + 1).map(|next| next.first.value());
        let end = match next {
            Some(next) if next <= first => {
                return Err(format!(
                    "a piece at {next:#x} follows one at {first:#x}: put them in ascending order"
                ));
            }
            Some(next) => next - 1,
            None if first > greatest => {
                return Err(format!(
                    "a piece begins at {first:#x}, but the greatest code is {greatest:#x}: remove it"
                ));
            }
            None => greatest,
        };
        match piece.last.as_ref().map(Hex::value) {
            None if has_last => {
                return Err(format!(
                    "the piece at {first:#x} has no 'last': add it, or give {BOOK_FORMAT}"
                ));
            }
            Some(_) if !has_last => {
                return Err(format!(
                    "the piece at {first:#x} has a 'last': remove it, or give {FIRST_BOOK_FORMAT}"
                ));
            }
            Some(last) if last != end => {
                return Err(format!(
                    "the piece at {first:#x} ends at {last:#x}: end it at {end:#x}, without gap or overlap"
                ));
            }
            None | Some(_) => ends.push(end),
        }
    }
    Ok(ends)
}

/// Is every code that a piece names a code of the target?
pub(super) fn fits(piece: &Piece, mask: u64) -> bool {
    let fits = |outcome: &Outcome| match outcome {
        Outcome::Code(code) => *code <= mask,
        Outcome::OneOf(codes) => codes.iter().all(|code| *code <= mask),
        Outcome::AnyNan | Outcome::QuietNan | Outcome::Any | Outcome::Reject | Outcome::Text(_) => {
            true
        }
    };
    let expect = match &piece.formula {
        Formula::Constant(outcome) => fits(outcome),
        Formula::Shift(_) => true,
    };
    let tolerate = match &piece.tolerate {
        Tolerate::Uniform(outcome) => outcome.as_ref().is_none_or(fits),
        Tolerate::Practice(_) | Tolerate::AnyIfInexact => true,
    };
    expect && tolerate
}
