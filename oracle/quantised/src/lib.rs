//! What quantisers and dequantisers must make of numbers, exactly.
//!
//! [`block`] holds blocks of numbers that share a scale (MX, NVFP4), [`linear`] the operators
//! `QuantizeLinear`, `DequantizeLinear` and `DynamicQuantizeLinear` of ONNX, [`gguf`] the quantised
//! types of ggml, [`layout`] how codes lie in bytes. Numbers, formats and rounding are those of [`castproof_oracle`].
//!
//! ```
//! use castproof_quantised::block::block_size;
//! use castproof_vectors::BlockProfile;
//!
//! assert_eq!(block_size(BlockProfile::Nvfp4Te), 16);
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![allow(
    clippy::cmp_owned,
    clippy::useless_conversion,
    reason = "an operation on GMP's integers is carried out by its conversion"
)]

pub mod block;
mod error;
pub mod gguf;
pub mod layout;
pub mod linear;

pub use error::QuestionError;
