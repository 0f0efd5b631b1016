//! A book, and what it says of a request.

use super::binary::{Binary, FAMILY};
use super::contents::{Contents, SourceAnswer};
use super::parsed::{Parsed, suits};
use super::row::{Kind, Row};
use super::{BookFile, RequestRecord};
use castproof_vectors::{DType, Expectation, Piece, Request, Rules, piece_of};
use std::sync::LazyLock;

/// The book as the repository holds it, in the binary form.
pub static BOOK_BYTES: &[u8] = castproof_vectors::data::BOOK;

/// A book, in either form.
pub struct Book {
    form: Form,
}

enum Form {
    Parsed(Parsed),
    /// Only what is asked for is read.
    Binary(Box<Binary>),
}

static CARRIED: LazyLock<Book> = LazyLock::new(|| {
    let binary = Binary::open(BOOK_BYTES.into());
    let binary = binary.unwrap_or_else(|error| panic!("the book of this program: {error}"));
    Book { form: Form::Binary(Box::new(binary)) }
});

impl Book {
    /// Returns the book that this program carries.
    pub fn carried() -> &'static Book {
        &CARRIED
    }

    /// Reads a book: in the binary form, or JSON of any `castproof-book` format, compressed by gzip. Of the
    /// binary form only the head is read here, and each other part when it is asked for.
    ///
    /// # Errors
    /// If it is neither, is damaged, or contradicts itself.
    pub fn read(bytes: &[u8]) -> Result<Book, String> {
        if bytes.starts_with(FAMILY.as_bytes()) {
            let binary = Binary::open(bytes.to_vec().into())?;
            return Ok(Book { form: Form::Binary(Box::new(binary)) });
        }
        Book::new(super::parsed::unpacked(bytes)?)
    }

    /// Makes a book of a JSON file.
    ///
    /// # Errors
    /// If it is of another format or contradicts itself.
    pub fn new(file: BookFile) -> Result<Book, String> {
        Ok(Book { form: Form::Parsed(Parsed::new(file)?) })
    }

    /// Reads all of the book.
    ///
    /// # Errors
    /// If any part of it is damaged or contradicts itself.
    pub fn check(&self) -> Result<(), String> {
        match &self.form {
            // It was read whole.
            Form::Parsed(_) => Ok(()),
            Form::Binary(binary) => binary.check(),
        }
    }

    /// Returns the number of answers.
    pub fn number_of_answers(&self) -> usize {
        match &self.form {
            Form::Parsed(parsed) => parsed.answers.len(),
            Form::Binary(binary) => binary.number_of_answers(),
        }
    }

    /// Returns an answer, counted from 0: its pieces.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn answer(&self, index: usize) -> Result<&[Piece], String> {
        let found = self.found(index)?;
        found.map(|answer| &answer.pieces[..]).ok_or_else(|| format!("there is no answer {index}"))
    }

    /// Returns the pieces of a request: ascending, from code 0 to the last code of the source.
    ///
    /// # Errors
    /// If the request is not numeric, the operator set unknown, or what the book says of it damaged.
    pub fn pieces(&self, request: &Request) -> Result<Vec<Piece>, String> {
        let (row, pieces) = self.row(request)?;
        let mut pieces = pieces.to_vec();
        if let Some(rule) = row.kind.rule {
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
        let (row, pieces) = self.row(request)?;
        let said = piece_of(pieces, code).expectation(from, to, code);
        Ok(Expectation { rule: row.kind.rule.unwrap_or(said.rule), ..said })
    }

    /// Returns all that the book holds, from which either form is written.
    ///
    /// # Errors
    /// The same as those of [`Book::check`].
    pub fn contents(&self) -> Result<Contents, String> {
        let mut requests = Vec::new();
        for (from, to) in self.pairs() {
            requests.extend(self.rows(from, to)?.iter().map(|row| record(from, to, row)));
        }
        let mut answers = Vec::with_capacity(self.number_of_answers());
        for index in 0..self.number_of_answers() {
            answers.extend(self.found(index)?.cloned());
        }
        Ok(Contents { requests, answers })
    }

    /// The pairs, in the order of the file.
    fn pairs(&self) -> Vec<(DType, DType)> {
        match &self.form {
            Form::Parsed(parsed) => parsed.order.clone(),
            Form::Binary(binary) => binary.pairs(),
        }
    }

    fn rows(&self, from: DType, to: DType) -> Result<&[Row], String> {
        match &self.form {
            Form::Parsed(parsed) => Ok(parsed.requests.get(&(from, to)).map_or(&[], Vec::as_slice)),
            Form::Binary(binary) => binary.rows(from, to),
        }
    }

    fn found(&self, index: usize) -> Result<Option<&SourceAnswer>, String> {
        match &self.form {
            Form::Parsed(parsed) => Ok(parsed.answers.get(index)),
            Form::Binary(binary) => binary.answer(index),
        }
    }

    /// Returns the row of a request, and the pieces of its answer.
    fn row(&self, request: &Request) -> Result<(&Row, &[Piece]), String> {
        let Request { spec, from, to, attributes } = *request;
        let spec = spec.in_force()?;
        let mut rows =
            self.rows(from, to)?.iter().filter(|row| row.kind.attributes.contains(&attributes));
        let row = rows.find(|row| row.kind.specs.contains(&spec)).ok_or_else(|| {
            format!("the book does not hold {request}: ask for a numeric cast that it holds")
        })?;
        let answer = self.found(row.answer)?;
        Ok((row, suits(answer, row.answer, from, to)?))
    }
}

fn record(from: DType, to: DType, row: &Row) -> RequestRecord {
    let Kind { specs, attributes, rule } = &*row.kind;
    RequestRecord {
        specs: specs.iter().map(ToString::to_string).collect(),
        from,
        to,
        attributes: attributes.clone(),
        answer: row.answer,
        rule: rule.map(|rule| rule.to_string()),
    }
}
