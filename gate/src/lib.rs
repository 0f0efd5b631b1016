//! The parts of the `castproof` program, each a crate of its own, by one name each: what to expect
//! of a cast ([`expect`]) and why ([`explain`]), implementations under test and the protocol that is
//! spoken with them ([`testee`]), the run that tests a testee with the vectors ([`gate`]), and the
//! run that tests it with every code ([`sweep`]), whose expectations can also be exported as files
//! ([`partition`]). [`cli`] is the command line above them.
#![deny(unsafe_code)]
// These macros panic if the output cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod all;
pub mod ask;
pub mod blocks;
pub mod chain;
pub mod cli;
mod complex;
pub mod diff_spec;
pub mod expect;
pub mod explain;
pub mod formats;
pub mod plan_text;
pub mod rules;
pub mod small;

pub use castproof_arrange as arrange;
/// Every answer of every cast.
pub use castproof_book as book;
/// Verdicts, and how many of each.
pub use castproof_check::verdict::{Counts, Verdict};
/// One cast of a crate, checked in its own `cargo test`.
pub use castproof_check::{Checked, Code, Failed, check, check_request};
/// Sequences of drawn tensors.
pub use castproof_fuzzing as fuzz;
pub use castproof_io::{folder, input, interrupt, journal, output, sink, style};
pub use castproof_judge::finding::findings;
pub use castproof_judge::{answers, read_results, scope, source};
/// An element as a person writes it, and every dtype with its facts.
pub use castproof_lookup::{dtypes, element};
/// Which rule a quantiser of blocks follows.
pub use castproof_recognise as recognise_blocks;
/// What a version of a runtime answered, written down and answered again.
pub use castproof_recordings as recordings;
pub use castproof_report as report;
pub use castproof_reproduce as reproduce;
pub use castproof_reproduce::{export, partition};
pub use castproof_results as results;
pub use castproof_results::{asked, baseline, finding, place, standing};
#[cfg(feature = "harness")]
pub use castproof_run::harness;
pub use castproof_run::{chains, ends, gate, history, recognise, record};
pub use castproof_sweep as sweep;
pub use castproof_testee as testee;
/// Dtypes, requests, outcomes and files.
pub use castproof_vectors as vectors;
