//! Who answers.

use crate::cast::{CodeError, cast};
use crate::partition::partition;
use castproof_vectors::{Expectation, Piece, Request};

/// Who says what becomes of a code: the rules, or a book of what they said. Wrong methods and
/// differences between versions follow from either.
#[derive(Clone, Copy, Debug)]
pub struct Answers {
    /// What a request must make of a code, as [`cast`].
    pub cast: fn(&Request, u64) -> Result<Expectation, CodeError>,
    /// The pieces of a request, as [`partition`].
    pub pieces: fn(&Request) -> Result<Vec<Piece>, CodeError>,
}

impl Answers {
    /// The rules.
    pub const ORACLE: Answers = Answers { cast, pieces: partition };
}
