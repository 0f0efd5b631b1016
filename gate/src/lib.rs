//! The parts of the `castproof` program: what to expect of a cast ([`expect`])
//! and why ([`explain`]), implementations
//! under test and the protocol that is spoken with them ([`testee`]), and the run that holds a
//! testee to the vectors ([`gate`]).
#![deny(unsafe_code)]

pub mod baseline;
pub mod diagnosis;
#[cfg(feature = "oracle")]
pub mod expect;
#[cfg(feature = "oracle")]
pub mod explain;
pub mod export;
pub mod gate;
#[cfg(feature = "harness")]
pub mod harness;
pub mod report;
pub mod results;
pub mod testee;
mod verdict;
mod words;

pub use verdict::{Counts, Verdict};
