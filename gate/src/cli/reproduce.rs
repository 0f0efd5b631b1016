//! `castproof reproduce`: a finding as files that run without Castproof.

use super::print::print;
use anyhow::Result;
use castproof::reproduce::{self, Form};
use clap::Args;
use std::path::PathBuf;

/// `castproof reproduce`
#[derive(Args)]
pub(super) struct Reproduce {
    /// The id of a finding, like F-3fa2c1, or of a failing test.
    id: String,
    /// Results file, as `castproof gate --json` writes it.
    #[arg(long, value_name = "FILE")]
    results: PathBuf,
    /// The kind of reproducer: onnx, python, c, rust, numpy, torch, jax, tensorflow or mindspore
    /// [default: that of the runtime in the results].
    #[arg(long = "as", value_name = "FORM")]
    form: Option<Form>,
    /// The folder to write to [default: castproof-ID].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write issue.md, a report for the runtime's maintainers.
    #[arg(long)]
    issue: bool,
}

impl Reproduce {
    pub(super) fn run(self) -> Result<bool> {
        let Reproduce { id, results, form, out, issue } = self;
        print(&reproduce::reproduce(&reproduce::Job { id, results, form, out, issue })?)
    }
}
