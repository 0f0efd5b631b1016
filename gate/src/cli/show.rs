//! `castproof show`: one finding in full, or all of them.

use super::print::print;
use crate::report::show;
use crate::reproduce;
use anyhow::Result;
use castproof_judge::read_results;
use clap::Args;
use std::path::PathBuf;

/// `castproof show`
#[derive(Args)]
pub(super) struct Show {
    /// The finding, like F-3fa2c1.
    id: Option<String>,
    /// The results file, as `castproof gate --json` writes it.
    #[arg(long, value_name = "FILE")]
    results: PathBuf,
}

impl Show {
    pub(super) fn run(&self) -> Result<bool> {
        let file = read_results(&self.results)?;
        let Some(id) = &self.id else { return print(&show::list(&file)?) };
        let mut text = show::one(&file, id)?;
        let finding = file.findings.iter().find(|finding| finding.id == *id);
        let command = finding.and_then(|it| reproduce::command(&file, it, None, &self.results));
        if let Some(command) = command {
            text += &format!("\nreproduce  {command}\n");
        }
        print(&text)
    }
}
