//! The book: every answer of every cast in one small file.
//!
//! Whoever has it needs no oracle. `cargo xtask book generate` writes it, and nothing else does.

mod atlas;
mod chain;
mod compose;
mod record;

pub use atlas::{ATLAS_FORMAT, AtlasFile, ChainRecord, atlas_spec};
pub use chain::{Chain, Codes, Difference};
pub use compose::Composer;
pub use record::{BOOK_FORMAT, BookAnswer, BookFile, BookPiece, PracticeRecord, RequestRecord};

use crate::{DType, Formula, Outcome, Piece, Request, RuleId, Rules, Tolerate};
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

/// The book as the repository holds it.
pub static BOOK_BYTES: &[u8] = include_bytes!("../../data/book.json.gz");

/// The longest text of a book, so that a file from elsewhere cannot fill the memory.
const LONGEST: u64 = 1 << 28;

/// A book that was read.
pub struct Book {
    /// By pair.
    requests: HashMap<(DType, DType), Vec<RequestRecord>>,
    answers: Vec<Vec<Piece>>,
}

static CARRIED: LazyLock<Book> = LazyLock::new(|| {
    Book::read(BOOK_BYTES).unwrap_or_else(|error| panic!("the book of this program: {error}"))
});

impl Book {
    /// The book that this program carries.
    pub fn carried() -> &'static Book {
        &CARRIED
    }

    /// Reads a book, compressed as it is written.
    ///
    /// # Errors
    /// If it is no gzip file, no book, or a book that contradicts itself.
    pub fn read(compressed: &[u8]) -> Result<Book, String> {
        let mut text = Vec::new();
        let mut decoder = GzDecoder::new(compressed).take(LONGEST);
        decoder.read_to_end(&mut text).map_err(|error| format!("it is no gzip file: {error}"))?;
        let file: BookFile = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        Book::new(file)
    }

    /// The book of a file.
    ///
    /// # Errors
    /// If it is of another format or contradicts itself.
    pub fn new(file: BookFile) -> Result<Book, String> {
        if file.format != BOOK_FORMAT {
            return Err(format!("its format is '{}', not {BOOK_FORMAT}", file.format));
        }
        let widths: Vec<u32> = file.answers.iter().map(|answer| answer.to_bits).collect();
        let answers = file.answers.into_iter().enumerate().map(|(index, answer)| {
            pieces(answer).map_err(|problem| format!("answer {index}: {problem}"))
        });
        let answers = answers.collect::<Result<Vec<_>, _>>()?;
        let mut requests: HashMap<_, Vec<RequestRecord>> = HashMap::new();
        for record in file.requests {
            let RequestRecord { from, to, answer, rule, .. } = &record;
            let last = answers.get(*answer).and_then(|pieces| pieces.last());
            if last.map(|piece| piece.last) != Some(from.code_mask()) {
                return Err(format!("{from} to {to} has answer {answer}, which is none of {from}"));
            }
            if widths[*answer] != to.bits() {
                return Err(format!("{from} to {to} has answer {answer}, which is none to {to}"));
            }
            rule.as_deref().map(str::parse::<RuleId>).transpose()?;
            requests.entry((*from, *to)).or_default().push(record);
        }
        Ok(Book { requests, answers })
    }

    /// Every answer, in the order of the file.
    pub fn answers(&self) -> impl Iterator<Item = &[Piece]> {
        self.answers.iter().map(Vec::as_slice)
    }

    /// The pieces of a request: ascending, from code 0 to the last code of the source.
    ///
    /// # Errors
    /// If the request is not numeric, or the operator set unknown.
    pub fn pieces(&self, request: &Request) -> Result<Vec<Piece>, String> {
        let Request { spec, from, to, attributes } = *request;
        let spec = spec.in_force()?.to_string();
        let rows = self.requests.get(&(from, to)).into_iter().flatten();
        let mut rows = rows.filter(|row| row.attributes.contains(&attributes));
        let row = rows.find(|row| row.specs.contains(&spec));
        let row =
            row.ok_or_else(|| format!("the book has no {request}; it holds numeric casts"))?;
        let mut pieces = self.answers[row.answer].clone();
        if let Some(rule) = &row.rule {
            let rules = Rules { rule: rule.parse()?, inexact: None, twice: None };
            pieces.iter_mut().for_each(|piece| piece.rules = rules);
        }
        Ok(pieces)
    }
}

/// Pieces that cover every code of their source.
fn pieces(answer: BookAnswer) -> Result<Vec<Piece>, String> {
    let BookAnswer { from_bits, to_bits, pieces } = answer;
    if !(1..=64).contains(&from_bits) || !(1..=64).contains(&to_bits) {
        return Err(format!("codes of {from_bits} and {to_bits} bits"));
    }
    let mut next = Some(0);
    let mut read = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let piece = piece.read()?;
        if next != Some(piece.first) || piece.last < piece.first {
            return Err(format!("a gap or an overlap before {:#x}", piece.first));
        }
        next = piece.last.checked_add(1);
        if !fits(&piece, u64::MAX >> (64 - to_bits)) {
            return Err(format!("codes of more than {to_bits} bits from {:#x} on", piece.first));
        }
        read.push(piece);
    }
    let mask = u64::MAX >> (64 - from_bits);
    if read.last().map(|piece| piece.last) != Some(mask) {
        return Err(format!("its pieces do not end at {mask:#x}"));
    }
    Ok(read)
}

/// Is every code that a piece names one of the target?
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
        Tolerate::Practice(_) => true,
    };
    expect && tolerate
}
