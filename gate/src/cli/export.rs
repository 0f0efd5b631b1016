//! `castproof export`: what runners of ONNX's node tests read.

use super::args::apart;
use super::print::{output, print};
use super::values::Runner;
use crate::export::{archive, expected};
use crate::output as place;
use anyhow::Result;
use castproof_judge::read_results;
use castproof_vectors::Level;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `castproof export`
#[derive(Subcommand)]
pub(super) enum Export {
    /// Write one archive (.tar.gz) for each version of Cast, laid out as ONNX's node tests:
    /// node/NAME/model.onnx and node/NAME/test_data_set_0/ with input_0.pb and output_0.pb. It holds
    /// the tests with one right result; any NaN counts as one. The same vectors give the same bytes.
    Onnx(Onnx),
    /// Print which of these node tests an implementation passes, from the results file of a run, as
    /// the list that tract (node.txt) or burn-onnx (expectations.toml) keeps.
    ExpectedFailures(ExpectedFailures),
}

/// `castproof export onnx`
#[derive(Args)]
pub(super) struct Onnx {
    /// The version of Cast. Without it, an archive is written for each version.
    #[arg(long)]
    opset: Option<u32>,
    /// The file, if its name ends with .tar.gz; otherwise the folder, in which the archives are named
    /// castproof-onnx-cast-N.tar.gz.
    #[arg(long, value_name = "DIR|FILE", default_value = ".", hide_default_value = true)]
    out: PathBuf,
    /// The set of vectors: core, standard or full.
    #[arg(long, default_value = "core")]
    level: Level,
    /// Use a folder of vector files with its manifest instead of the vectors of a level.
    #[arg(long, value_name = "DIR", conflicts_with = "level")]
    vectors: Option<PathBuf>,
}

/// `castproof export expected-failures`
#[derive(Args)]
pub(super) struct ExpectedFailures {
    /// The results file, as `castproof gate --json` writes it.
    #[arg(long, value_name = "RESULTS")]
    from: PathBuf,
    /// Whose list to write: tract or burn.
    #[arg(long)]
    format: Runner,
    /// The version of Cast. Without it, the newest that the run asked.
    #[arg(long)]
    opset: Option<u32>,
    /// The folder of vectors of the run, if it was run with --vectors.
    #[arg(long, value_name = "DIR")]
    vectors: Option<PathBuf>,
    /// Write to a file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(self) -> Result<bool> {
        match self {
            Export::Onnx(command) => command.run(),
            Export::ExpectedFailures(command) => command.run(),
        }
    }
}

impl Onnx {
    fn run(self) -> Result<bool> {
        let Onnx { opset, out, level, vectors } = self;
        let folders = vectors.iter().flat_map(|it| [it.clone(), it.join("cast")]);
        apart(&[Some(&out)], folders)?;
        archive::write(&archive::ArchiveJob { opset, level, vectors, out }, &mut output())?;
        Ok(true)
    }
}

impl ExpectedFailures {
    fn run(self) -> Result<bool> {
        let ExpectedFailures { from, format, opset, vectors, out } = self;
        apart(&[out.as_ref()], vectors.iter().cloned().chain([from.clone()]))?;
        let out = out.map(|path| place::Output::create(&path)).transpose()?;
        let job = expected::ListJob { format: format.into(), opset, vectors };
        let list = expected::list(&read_results(&from)?, &job)?;
        match out {
            Some(out) => out.commit(list).map(|()| true),
            None => print(&list),
        }
    }
}
