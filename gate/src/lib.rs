//! The parts of the `castproof` program: what to expect of a cast ([`expect`])
//! and why ([`explain`]), implementations
//! under test and the protocol that is spoken with them ([`testee`]), and the run that holds a
//! testee to the vectors ([`gate`]).
#![forbid(unsafe_code)]

pub mod ask;
pub mod diff_spec;
pub mod expect;
pub mod explain;
pub mod gate;
pub mod testee;
mod words;
