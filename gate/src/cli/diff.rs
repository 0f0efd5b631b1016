//! `castproof diff`: two runs compared.

use super::print::print;
use crate::report;
use anyhow::Result;
use castproof_judge::read_results;
use clap::Args;
use std::path::PathBuf;

/// `castproof diff`
#[derive(Args)]
pub(super) struct Diff {
    /// Results file of the older run.
    before: PathBuf,
    /// Results file of the newer run.
    after: PathBuf,
}

impl Diff {
    pub(super) fn run(&self) -> Result<bool> {
        let (before, after) = (read_results(&self.before)?, read_results(&self.after)?);
        let difference = report::diff(&before, &after)?;
        print(&difference.to_string())?;
        Ok(difference.is_no_worse())
    }
}
