//! `castproof reproduce`: a finding as files that run without Castproof.

use super::print::print;
use crate::reproduce::{self, ReproducerForm};
use crate::testee::Subject;
use crate::testee::adapter::NamedAdapter;
use anyhow::Result;
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
    /// The kind of reproducer: onnx, python, testee, c, rust, numpy, torch, jax, tensorflow or
    /// mindspore [default: that of the runtime in the results, or of the testee that is named].
    #[arg(long = "as", value_name = "FORM")]
    form: Option<ReproducerForm>,
    /// The testee: the script starts its command.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["library", "adapter"])]
    testee: Option<String>,
    /// The shared library: the program is linked with it.
    #[arg(long, value_name = "FILE", conflicts_with = "adapter")]
    library: Option<PathBuf>,
    /// The adapter, where no script calls its runtime directly.
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// The variant of the adapter.
    #[arg(long, value_name = "NAME", requires = "adapter")]
    variant: Option<String>,
    /// The folder to write to [default: castproof-ID].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write issue.md, a report for the runtime's maintainers.
    #[arg(long)]
    issue: bool,
}

impl Reproduce {
    pub(super) fn run(self) -> Result<bool> {
        let Reproduce { id, results, form, testee, library, adapter, variant, out, issue } = self;
        let named = adapter.map(|name| Subject::Adapter(NamedAdapter { name, variant }));
        let command = testee.map(|line| match line.as_str() {
            "builtin" => Subject::Builtin,
            _ => Subject::Command(line),
        });
        let subject = command.or(library.map(Subject::Library)).or(named);
        let job = reproduce::ReproducerJob { id, results, form, subject, out, issue };
        print(&reproduce::reproduce(&job)?)
    }
}
