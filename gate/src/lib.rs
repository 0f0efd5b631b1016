//! The parts of the `castproof` program: what to expect of a cast ([`expect`]) and why
//! ([`explain`]), implementations under test and the protocol that is spoken with them
//! ([`testee`]), the run that tests a testee with the vectors ([`gate`]), and the run that tests it
//! with every code ([`sweep`]), whose expectations can also be exported as files ([`partition`]).
#![deny(unsafe_code)]
// These macros panic if the output cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod answers;
pub mod arrange;
pub mod ask;
pub mod asked;
pub mod baseline;
pub mod chain;
pub mod diagnosis;
pub mod diff_spec;
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
mod judge;
pub mod output;
pub mod partition;
pub mod plan_text;
pub mod report;
pub mod reproduce;
pub mod results;
pub mod rules;
pub mod sink;
pub mod style;
pub mod sweep;
pub mod testee;

/// Verdicts, and how many of each.
pub use castproof_check::verdict::{Counts, Verdict};
/// One cast of a crate, checked in its own `cargo test`.
pub use castproof_check::{Checked, Code, Failed, check, check_request};
/// Dtypes, requests, outcomes and the book.
pub use castproof_vectors as vectors;
