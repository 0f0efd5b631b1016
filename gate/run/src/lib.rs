//! Runs: the vectors of a suite ([`gate`]), their elements in many tensors (`castproof-arrange`), casts in a
//! row, and the recordings of several versions of a runtime ([`history`]).
#![deny(unsafe_code)]

mod again;
#[cfg(test)]
mod arranged_tests;
mod bare;
pub mod chains;
pub mod coverage;
mod drawn;
pub mod ends;
pub mod gate;
pub mod graph;
#[cfg(feature = "harness")]
pub mod harness;
pub mod history;
mod journal;
pub mod made;
mod one_rule;
mod options;
mod plan;
mod questions;
pub mod recognise;
pub mod record;
mod run;
mod sample;
mod series;
mod work;
