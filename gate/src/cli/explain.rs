//! `castproof explain`: why a cast returns what it does.

use super::args::OperatorArgs;
use super::print::print;
use super::values::parse_dtype;
use crate::explain;
use anyhow::Result;
use castproof_vectors::DType;
use clap::Args;

/// `castproof explain`
#[derive(Args)]
pub(super) struct Explain {
    /// Input dtype.
    #[arg(value_parser = parse_dtype)]
    from: DType,
    /// The code, like 0x43e80001.
    code: String,
    /// Output dtype.
    #[arg(value_parser = parse_dtype)]
    to: DType,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Explain {
    pub(super) fn run(&self) -> Result<bool> {
        print(&explain::text(&self.operator.request(self.from, self.to), &self.code)?)
    }
}
