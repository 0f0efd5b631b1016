//! The parts of the `castproof` program: what to expect of a cast ([`expect`])
//! and why ([`explain`]), implementations
//! under test and the protocol that is spoken with them ([`testee`]), the run that holds a testee
//! to the vectors ([`gate`]), and the one that holds it to every code ([`sweep`]), whose
//! expectations are files too ([`partition`]).
#![forbid(unsafe_code)]

pub mod expect;
pub mod explain;
pub mod gate;
pub mod partition;
pub mod sweep;
pub mod testee;
