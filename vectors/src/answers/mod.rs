//! What comes of an element, and of runs of codes.

mod expand;
#[cfg(feature = "files")]
mod outcome;
#[cfg(feature = "files")]
mod piece;

pub use expand::{Shift, carries};
#[cfg(feature = "files")]
pub use outcome::{Expectation, Notation, Outcome, OutcomeRecord, TextOutcome, True};
#[cfg(feature = "files")]
pub use piece::{Formula, Piece, Practice, Rules, Stretch, Tolerate, piece_of, stretches};
