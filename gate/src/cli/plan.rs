//! `castproof plan`: the loops of a cast of Castproof's own implementation.

use super::print::print;
use super::values::parse_dtype;
use crate::plan_text;
use anyhow::Result;
use castproof_vectors::DType;
use clap::Args;

/// `castproof plan`
#[derive(Args)]
pub(super) struct Plan {
    /// Dtype of the input.
    #[arg(value_parser = parse_dtype)]
    from: DType,
    /// Dtype of the output.
    #[arg(value_parser = parse_dtype)]
    to: DType,
    /// The name of a backend, like portable; this machine need not have it. Without it, the
    /// backend that casts use on this machine.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

impl Plan {
    pub(super) fn run(&self) -> Result<bool> {
        print(&plan_text::text(self.from, self.to, self.backend.as_deref())?)
    }
}
