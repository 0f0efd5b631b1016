//! What is asked, what is due, and what came of it: keys, sources of vectors and answers, verdicts,
//! results, findings, diagnoses, baselines.
#![deny(unsafe_code)]

pub mod answers;
pub mod asked;
pub mod baseline;
pub mod blocks;
pub mod diagnosis;
pub mod finding;
mod gguf;
pub mod judge;
pub mod manifest;
pub mod pairs;
pub mod place;
mod projections;
mod reading;
pub mod reasons;
pub mod recognition;
pub mod requests;
pub mod results;
pub mod scope;
pub mod silent;
pub mod source;
pub mod standing;
mod written;
