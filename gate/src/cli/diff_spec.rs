//! `castproof diff-spec`: what changed between two versions of Cast.

use super::print::print;
use anyhow::Result;
use castproof::diff_spec;
use clap::Args;

/// `castproof diff-spec`
#[derive(Args)]
pub(super) struct DiffSpec {
    /// The older version, like 23.
    pub(crate) before: u32,
    /// The newer version, like 24.
    pub(crate) after: u32,
}

impl DiffSpec {
    pub(super) fn run(&self) -> Result<bool> {
        print(&diff_spec::text(self.before, self.after)?)
    }
}
