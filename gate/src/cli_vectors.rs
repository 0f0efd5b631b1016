//! The command line of test vectors.

use crate::cli::Selection;
use crate::cli_values::parse_format;
use castproof::export::{Format, Job};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `castproof vectors`
#[derive(Subcommand)]
pub(crate) enum Vectors {
    /// Write test vectors as JSON lines or as folders of ONNX backend tests, or write partitions,
    /// which hold every code of a cast in a few kilobytes.
    Export(Export),
}

/// `castproof vectors export`
#[derive(Args)]
pub(crate) struct Export {
    /// jsonl, onnx-backend or partition.
    #[arg(long, value_parser = parse_format)]
    format: Format,
    /// The folder for ONNX backend tests and partitions; JSON lines go to standard output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

impl Export {
    /// What to export.
    pub(crate) fn job(self) -> Job {
        let Selection { level, vectors, filters } = self.selection;
        Job { format: self.format, level, vectors, filters: filters.filters(), out: self.out }
    }
}
