//! The source of expectations: the book that the program carries, or the oracle.
//!
//! The book holds numeric casts, of ONNX and of the profiles. The answers about strings always come
//! from the oracle.

use anyhow::{Result, anyhow, bail};
use castproof_book::Book;
use castproof_check::fuzz::Draw;
use castproof_oracle::{Answers, Caster, CodeError};
use castproof_vectors::{
    Element, Elements, Expectation, OutcomeRecord, Piece, Request, Spec, VectorFile, piece_of,
};
use std::rc::Rc;
use std::str::FromStr;
use std::sync::OnceLock;

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The book: every answer of every numeric cast, written down.
    Book,
    /// The oracle: each answer is computed.
    Oracle,
}

static CHOSEN: OnceLock<Author> = OnceLock::new();

/// Chooses the source for the whole program, once, before anything is asked; without a choice, the
/// book answers.
pub fn choose(author: Author) {
    // A second choice would come too late for what was asked before it.
    let _ = CHOSEN.set(author);
}

/// Returns the answers that the program uses.
pub fn chosen() -> Answers {
    CHOSEN.get_or_init(|| Author::Book).answers()
}

impl Author {
    /// Returns the answers of this source.
    pub fn answers(self) -> Answers {
        match self {
            Author::Book => Answers { cast: cast_by_book, pieces: pieces_by_book },
            Author::Oracle => Answers::ORACLE,
        }
    }
}

impl FromStr for Author {
    type Err = String;

    fn from_str(name: &str) -> Result<Author, String> {
        match name {
            "book" => Ok(Author::Book),
            "oracle" => Ok(Author::Oracle),
            _ => Err(format!("unknown '{name}'; known are book, oracle")),
        }
    }
}

/// Does the book hold the request?
fn is_held(request: &Request) -> bool {
    let is_written = match request.spec {
        Spec::Onnx { .. } => true,
        Spec::Profile(profile) => profile.elements() != Elements::Complex,
    };
    is_written && request.from.is_numeric() && request.to.is_numeric()
}

fn cast_by_book(request: &Request, code: u64) -> Result<Expectation, CodeError> {
    if !is_held(request) {
        return castproof_oracle::cast(request, code);
    }
    if code & !request.from.code_mask() != 0 {
        return Err(CodeError::TooWide { code, dtype: request.from });
    }
    Book::carried().expectation(request, code).map_err(CodeError::Spec)
}

fn pieces_by_book(request: &Request) -> Result<Vec<Piece>, CodeError> {
    if !is_held(request) {
        return castproof_oracle::partition(request);
    }
    Book::carried().pieces(request).map_err(CodeError::Spec)
}

/// A request that is prepared for many elements, also strings.
pub struct Answering {
    request: Request,
    caster: Caster,
    /// The pieces of the book, if it holds the request.
    pieces: Option<Vec<Piece>>,
}

impl Answering {
    /// Looks up the request, once.
    ///
    /// # Errors
    /// If a dtype is neither numeric nor string, or the specification has no such version.
    pub fn new(author: Author, request: &Request) -> Result<Answering, CodeError> {
        let held = author == Author::Book && is_held(request);
        let pieces = held.then(|| pieces_by_book(request)).transpose()?;
        Ok(Answering { request: *request, caster: Caster::new(request)?, pieces })
    }

    /// Does the same as [`Answering::new`], with the answers that the program uses.
    ///
    /// # Errors
    /// The same as those of [`Answering::new`].
    pub fn chosen(request: &Request) -> Result<Answering, CodeError> {
        Answering::new(*CHOSEN.get_or_init(|| Author::Book), request)
    }

    /// Returns what the request must make of an element.
    ///
    /// # Errors
    /// If it is not an element of the source.
    pub fn element(&self, element: &Element) -> Result<Expectation, CodeError> {
        let Some(pieces) = &self.pieces else { return self.caster.cast_element(element) };
        let Request { from, to, .. } = self.request;
        let code = element.as_code().ok_or(CodeError::NoCode(from))?;
        if code & !from.code_mask() != 0 {
            return Err(CodeError::TooWide { code, dtype: from });
        }
        Ok(piece_of(pieces, code).expectation(from, to, code))
    }
}

/// Returns the draw of a request's codes: its pieces, by the answers that the program uses.
///
/// # Errors
/// If the request is not numeric, or the operator set unknown.
pub fn draw(request: &Request) -> Result<Rc<Draw>, String> {
    let pieces = |request: &Request| (chosen().pieces)(request).map_err(|error| error.to_string());
    Draw::kept(request, pieces)
}

/// Compares tests that the oracle made with the answers that the program uses.
///
/// # Errors
/// If they contradict each other, which is a fault of this program.
pub fn hold(file: &VectorFile) -> Result<()> {
    for group in &file.groups {
        for request in file.requests(group) {
            if *CHOSEN.get_or_init(|| Author::Book) == Author::Oracle || !is_held(&request) {
                continue;
            }
            let answering = Answering::chosen(&request)?;
            for test in &group.tests {
                let said = answering.element(&test.input).map_err(|error| anyhow!(error))?;
                let record = |outcome| OutcomeRecord::new(outcome, file.to);
                let tolerate = said.tolerate.as_ref().map(record);
                let clause = said.rule.as_str();
                if (record(&said.expect), tolerate) != (test.expect.clone(), test.tolerate.clone())
                    || clause != test.clause
                {
                    bail!(
                        "{request}: the book and the oracle contradict each other at {}; please \
                         report this",
                        test.input
                    );
                }
            }
        }
    }
    Ok(())
}
