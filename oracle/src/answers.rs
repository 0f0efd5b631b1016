//! The source of answers: the rules, or a book.

use crate::cast::{CodeError, cast};
use crate::partition::partition;
use castproof_vectors::{Expectation, Piece, Request};

/// Where answers come from: the rules, or a book of their answers. Differences between versions are
/// computed from either, and so are wrong methods (the crate `castproof-methods`).
#[derive(Clone, Copy, Debug)]
pub struct Answers {
    /// Returns what a request must make of a code, as [`cast`] does.
    pub cast: fn(&Request, u64) -> Result<Expectation, CodeError>,
    /// Returns the pieces of a request, as [`partition`] does.
    pub pieces: fn(&Request) -> Result<Vec<Piece>, CodeError>,
}

impl Answers {
    /// The rules.
    pub const ORACLE: Answers = Answers { cast, pieces: partition };
}
