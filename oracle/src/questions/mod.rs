//! Questions other than numeric casts: their answers, and which ones the suites ask.

mod answer;
mod choice;
mod file;
mod operands;

pub use answer::{Answer, answer};
pub use file::questions;
