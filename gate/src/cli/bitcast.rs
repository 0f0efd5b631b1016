//! `castproof bitcast`: the shape that a bitcast gives a tensor.

use super::print::print;
use super::values::parse_dtype;
use crate::ask;
use anyhow::Result;
use castproof_vectors::{DType, System};
use clap::Args;

/// `castproof bitcast`
#[derive(Args)]
pub(super) struct Bitcast {
    /// Dtype of the input.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    pub(crate) from: DType,
    /// Sizes of the input, like 2,3; without it, a scalar.
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) shape: Vec<u64>,
    /// Dtype of the output.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    pub(crate) to: DType,
    /// The system that defines the bitcast: tensorflow or onnx.
    #[arg(long, default_value = "tensorflow")]
    pub(crate) system: System,
}

impl Bitcast {
    pub(super) fn run(&self) -> Result<bool> {
        print(&ask::bitcast(self.system, self.from, self.to, &self.shape)?)
    }
}
