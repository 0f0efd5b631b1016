//! A book that was read, and what it says of a request.

use super::{
    BOOK_FORMAT, BookAnswer, BookFile, BookPiece, FIRST_BOOK_FORMAT, RequestRecord,
    SECOND_BOOK_FORMAT, THIRD_BOOK_FORMAT,
};
use crate::{
    Attributes, DType, Expectation, Formula, Hex, Outcome, Piece, Request, RuleId, Rules, Spec,
    Tolerate, piece_of,
};
use flate2::read::GzDecoder;
use std::alloc::{Layout, handle_alloc_error};
use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::sync::LazyLock;

/// The book as the repository holds it.
pub static BOOK_BYTES: &[u8] = include_bytes!("../../data/book.json.gz");

/// The longest text of a book, so that a foreign file cannot fill the memory.
const LONGEST: u64 = 1 << 28;

/// A book that was read.
pub struct Book {
    /// Rows by pair.
    requests: HashMap<(DType, DType), Vec<Row>>,
    answers: Vec<Vec<Piece>>,
}

/// Requests of a pair that share an answer.
struct Row {
    specs: Vec<Spec>,
    attributes: Vec<Attributes>,
    answer: usize,
    /// The rule that replaces the rules of the pieces.
    rule: Option<RuleId>,
}

static CARRIED: LazyLock<Book> = LazyLock::new(|| {
    Book::read(BOOK_BYTES).unwrap_or_else(|error| panic!("the book of this program: {error}"))
});

impl Book {
    /// Returns the book that this program carries.
    pub fn carried() -> &'static Book {
        &CARRIED
    }

    /// Reads a book, compressed by gzip.
    ///
    /// # Errors
    /// If it is not a gzip file, not a book, or a book that contradicts itself.
    pub fn read(compressed: &[u8]) -> Result<Book, String> {
        let mut text = Vec::new();
        let mut decoder = GzDecoder::new(compressed).take(LONGEST);
        if let Err(error) = decoder.read_to_end(&mut text) {
            if error.kind() == ErrorKind::OutOfMemory {
                // Abort, as after every other failed allocation.
                handle_alloc_error(Layout::for_value(compressed));
            }
            return Err(format!("it is not a gzip file, as a book is: {error}"));
        }
        if text.len() as u64 == LONGEST {
            return Err(format!("it unpacks to {LONGEST} bytes or more, and a book is shorter"));
        }
        let file: BookFile = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        Book::new(file)
    }

    /// Makes a book of a file.
    ///
    /// # Errors
    /// If it is of another format or contradicts itself.
    pub fn new(file: BookFile) -> Result<Book, String> {
        let has_last = match &file.format[..] {
            BOOK_FORMAT | THIRD_BOOK_FORMAT | SECOND_BOOK_FORMAT => false,
            FIRST_BOOK_FORMAT => true,
            other => {
                return Err(format!(
                    "its format is '{other}': give one of {FIRST_BOOK_FORMAT} to {BOOK_FORMAT}"
                ));
            }
        };
        let widths: Vec<u32> = file.answers.iter().map(|answer| answer.to_bits).collect();
        let answers = file.answers.into_iter().enumerate().map(|(index, answer)| {
            pieces(answer, has_last).map_err(|problem| format!("answer {index}: {problem}"))
        });
        let answers = answers.collect::<Result<Vec<_>, _>>()?;
        let mut requests: HashMap<_, Vec<Row>> = HashMap::new();
        for record in file.requests {
            let RequestRecord { specs, from, to, attributes, answer, rule } = record;
            let last = answers.get(answer).and_then(|pieces: &Vec<Piece>| pieces.last());
            if last.map(|piece| piece.last) != Some(from.code_mask()) {
                return Err(format!(
                    "{from} to {to} names answer {answer}, which does not cover the codes of {from}: name one that does"
                ));
            }
            if widths[answer] != to.bits() {
                return Err(format!(
                    "{from} to {to} names answer {answer}, whose results are not as wide as {to}: name one whose are"
                ));
            }
            let rule = rule.as_deref().map(str::parse).transpose()?;
            let specs = specs.iter().map(|spec| spec.parse()).collect::<Result<_, _>>()?;
            requests.entry((from, to)).or_default().push(Row { specs, attributes, answer, rule });
        }
        Ok(Book { requests, answers })
    }

    /// Returns every answer, in the order of the file.
    pub fn answers(&self) -> impl Iterator<Item = &[Piece]> {
        self.answers.iter().map(Vec::as_slice)
    }

    /// Returns the pieces of a request: ascending, from code 0 to the last code of the source.
    ///
    /// # Errors
    /// If the request is not numeric, or the operator set unknown.
    pub fn pieces(&self, request: &Request) -> Result<Vec<Piece>, String> {
        let row = self.row(request)?;
        let mut pieces = self.answers[row.answer].clone();
        if let Some(rule) = row.rule {
            let rules = Rules { rule, inexact: None, twice: None };
            pieces.iter_mut().for_each(|piece| piece.rules = rules);
        }
        Ok(pieces)
    }

    /// Returns what the request must make of one code.
    ///
    /// # Errors
    /// The same as those of [`Book::pieces`]; also if the code is wider than the source.
    pub fn expectation(&self, request: &Request, code: u64) -> Result<Expectation, String> {
        let Request { from, to, .. } = *request;
        if code & !from.code_mask() != 0 {
            return Err(format!(
                "{code:#x} is not a code of {from}: give at most {:#x}",
                from.code_mask()
            ));
        }
        let row = self.row(request)?;
        let said = piece_of(&self.answers[row.answer], code).expectation(from, to, code);
        Ok(Expectation { rule: row.rule.unwrap_or(said.rule), ..said })
    }

    fn row(&self, request: &Request) -> Result<&Row, String> {
        let Request { spec, from, to, attributes } = *request;
        let spec = spec.in_force()?;
        let rows = self.requests.get(&(from, to)).into_iter().flatten();
        let mut rows = rows.filter(|row| row.attributes.contains(&attributes));
        rows.find(|row| row.specs.contains(&spec)).ok_or_else(|| {
            format!("the book does not hold {request}: ask for a numeric cast that it holds")
        })
    }
}

/// Reads the pieces of an answer, which must cover every code of their source. `has_last`: does the
/// format of the book have the member `last`?
fn pieces(answer: BookAnswer, has_last: bool) -> Result<Vec<Piece>, String> {
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
    Ok(read)
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
fn fits(piece: &Piece, mask: u64) -> bool {
    let fits = |outcome: &Outcome| match outcome {
        Outcome::Code(code) => *code <= mask,
        Outcome::OneOf(codes) => codes.iter().all(|code| *code <= mask),
        Outcome::AnyNan | Outcome::Any | Outcome::Reject | Outcome::Text(_) => true,
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
