//! `castproof dtypes`: the dtypes, and what they are called elsewhere.

use super::print::print;
use super::values::parse_dtype;
use crate::dtypes;
use anyhow::Result;
use castproof_vectors::DType;
use clap::Args;

/// `castproof dtypes`
#[derive(Args)]
pub(super) struct Dtypes {
    /// Only these dtypes, by any of their names; without them, all.
    #[arg(value_name = "DTYPE", value_parser = parse_dtype)]
    dtypes: Vec<DType>,
    /// Print a JSON array.
    #[arg(long)]
    json: bool,
}

impl Dtypes {
    pub(super) fn run(&self) -> Result<bool> {
        let dtypes = if self.dtypes.is_empty() { &DType::ALL[..] } else { &self.dtypes };
        print(&if self.json { dtypes::json(dtypes)? } else { dtypes::text(dtypes)? })
    }
}
