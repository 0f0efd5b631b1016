//! Questions other than numeric casts: which ones the suites ask.

mod block_setting;
mod blocks;
mod choice;
mod decoded;
mod file;
mod gguf;
mod gguf_making;
mod groups;
mod layouts;
mod linear;
mod operands;
mod tensors;

pub use file::questions;
