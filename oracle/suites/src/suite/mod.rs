//! The vector files of pairs.

mod file;
mod onnx;
mod profile;
mod regression;

pub use onnx::suite;
pub use profile::{owner, profile_suite};
