//! `castproof quantize`, `dequantize`, `quantize-linear` and `dequantize-linear`: numbers of one's own, and what
//! each rule makes of them.

mod dequantize;
mod file;
mod gguf;
mod gguf_making;
mod linear;
mod quantize;
mod table;

pub use dequantize::{Dequantize, dequantize};
pub use file::{FileNumbers, numbers};
pub use gguf::{Gguf, gguf};
pub use gguf_making::gguf_made;
pub use linear::{NodeAsked, linear};
pub use quantize::{Quantize, quantize};
