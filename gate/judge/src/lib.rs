//! What is asked and what is due, verdicts, and how findings and their causes are gathered from results:
//! what the crate `castproof-results` keeps.
#![deny(unsafe_code)]

mod answer_words;
pub mod answers;
pub mod blocks;
pub mod diagnosis;
pub mod finding;
mod gguf;
pub mod judge;
mod layouts;
pub mod manifest;
pub mod pairs;
mod projections;
mod reading;
pub mod reasons;
pub mod recognition;
pub mod requests;
pub mod scope;
pub mod silent;
pub mod source;
mod written;

pub use reading::read_results;
