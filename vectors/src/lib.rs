//! The words that every part of Castproof shares: dtype labels, requests, outcomes, the vector file
//! format and the landmark values transcribed from the specifications.
//!
//! Labels are shared, facts are not. This crate knows the name, the storage width and the class of a
//! dtype and nothing else about it: bias, precision, NaN codes and overflow are stated three times, in
//! `oracle` as records, in `impl` as bit arithmetic, and here only as transcribed values under
//! `spec/landmarks`.
//!
//! Without the default feature `files` only the labels remain, without `std` and without
//! dependencies.
#![cfg_attr(not(feature = "files"), no_std)]
#![forbid(unsafe_code)]

mod answers;
#[cfg(feature = "files")]
mod elements;
#[cfg(feature = "files")]
mod files;
mod labels;
#[cfg(castproof_plant)]
#[doc(hidden)]
pub mod plant;
#[cfg(feature = "files")]
mod questions;
pub mod random;

pub use answers::*;
#[cfg(feature = "files")]
pub use castproof_rules::{
    Basis, RULES_FORMAT, RangeRecord, Rule, RuleId, RuleRecord, RuleSource, RulesFile,
    SourceRecord, SpecRange, find_rule, ids as rule, rules,
};
#[cfg(feature = "files")]
pub use elements::*;
#[cfg(feature = "files")]
pub use files::*;
pub use labels::*;
#[cfg(feature = "files")]
pub use questions::*;
