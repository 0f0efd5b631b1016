//! Runs: the vectors of a suite ([`gate`]), their elements in many tensors (`castproof-arrange`), casts in a
//! row, and sequences of drawn tensors ([`fuzz`]).
#![deny(unsafe_code)]

mod again;
#[cfg(test)]
mod arranged_tests;
mod bare;
pub mod chains;
mod coverage;
mod drawn;
pub mod ends;
pub mod fuzz;
pub mod gate;
mod graph;
#[cfg(feature = "harness")]
pub mod harness;
pub mod history;
mod journal;
mod made;
mod one_rule;
mod options;
mod plan;
mod questions;
pub mod recognise;
pub mod recognise_blocks;
mod recognise_nearest;
mod recognise_steps;
pub mod record;
mod run;
mod sample;
mod series;
mod work;
