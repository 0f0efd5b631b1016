//! How implementations of ONNX's linear quantisation, and decoders of blocks, go their own ways.
//!
//! A method is a record of axes: the precision of a quotient or product, how the scale is applied, how a
//! quotient is rounded, how the zero point enters, what becomes of a result out of range, which scale an
//! element gets. [`LinearMethod::RIGHT`] is one reading of the text, and a [`LinearChange`] moves it along one
//! axis. All of it is exact.

mod catalogue;
mod dequantise;
mod dynamic;
mod node;
mod quantise;
mod ties;
mod words;

pub use catalogue::{
    Apply, Flush, LinearBeyond, LinearChange, LinearMethod, LinearOperator, Order, Precision,
    READINGS, ReadElement, ReadScale, ResultTies, ScaleOf, Zero, changes,
};
pub use dynamic::{DynamicChange, DynamicMethod, dynamic_changes};
pub use node::{Given, Node};
