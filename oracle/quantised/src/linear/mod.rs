//! Linear quantisation as ONNX has it: `QuantizeLinear`, `DequantizeLinear`, `DynamicQuantizeLinear`.
//!
//! Where the text names no precision, or the text and the reference evaluator differ, an answer holds
//! what each reading gives: a set where the text is silent, a tolerated outcome where it speaks.

mod dequantize;
mod due;
mod dynamic;
mod known;
mod quantize;
pub mod steps;
mod tensor;

pub use dequantize::dequantize_linear;
pub use dynamic::{Dynamic, dynamic_quantize_linear};
pub use quantize::quantize_linear;
pub use steps::rounded;
pub use tensor::LinearTensor;
