//! The parts of the `castproof` program: what to expect of a cast ([`expect`])
//! and why ([`explain`]), implementations
//! under test and the protocol that is spoken with them ([`testee`]), the run that holds a testee
//! to the vectors ([`gate`]), and the one that holds it to every code ([`sweep`]), whose
//! expectations are files too ([`partition`]).
#![deny(unsafe_code)]
// These macros panic where nobody reads what they print.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod answers;
pub mod arrange;
pub mod ask;
pub mod asked;
pub mod baseline;
pub mod chain;
mod check;
pub mod diagnosis;
pub mod diff_spec;
mod draw;
pub mod expect;
pub mod explain;
pub mod export;
pub mod finding;
pub mod fuzz;
pub mod gate;
#[cfg(feature = "harness")]
pub mod harness;
pub mod input;
pub mod interrupt;
pub mod journal;
mod numeral;
pub mod output;
pub mod partition;
pub mod plan_text;
mod random;
pub mod report;
pub mod reproduce;
pub mod results;
pub mod rules;
pub mod sink;
pub mod style;
pub mod sweep;
pub mod testee;
mod verdict;
mod words;

/// Dtypes, requests, outcomes and the book.
pub use castproof_vectors as vectors;
pub use check::{Checked, Code, Failed, check, check_request};
pub use verdict::{Counts, Verdict};
