//! Questions other than numeric casts: their answers, and which ones the suites ask.

mod answer;
mod blocks;
mod choice;
mod decoded;
mod file;
mod gguf;
mod gguf_making;
mod linear;
mod operands;
mod tensors;

pub use answer::{Answer, answer};
pub use file::questions;
