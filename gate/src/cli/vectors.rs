//! `castproof vectors`: test vectors in formats that other tools read.

use super::args::{Selection, apart};
use super::print::output;
use super::values::Format;
use crate::export::{self, Job};
use anyhow::Result;
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::PathBuf;

/// `castproof vectors`
#[derive(Subcommand)]
pub(super) enum Vectors {
    /// Write test vectors as JSON lines or as folders of ONNX backend tests, or write partitions,
    /// which hold every code of a cast in a few kilobytes, or the book, which holds all of them.
    Export(Export),
}

/// `castproof vectors export`
#[derive(Args)]
pub(super) struct Export {
    /// The format to write.
    #[arg(long)]
    format: Format,
    /// The folder for ONNX backend tests and partitions; JSON lines and the book go to standard output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

impl Vectors {
    pub(super) fn run(self) -> Result<bool> {
        let Vectors::Export(export) = self;
        let Selection { vectors, .. } = &export.selection;
        let folders = vectors.iter().flat_map(|it| [it.clone(), it.join("cast")]);
        apart(&[export.out.as_ref()], folders)?;
        let output = &mut output();
        if let Some(line) = export::export(&export.job(), output)? {
            writeln!(output, "{line}")?;
            output.flush()?;
        }
        Ok(true)
    }
}

impl Export {
    fn job(self) -> Job {
        let Selection { level, vectors, filters } = self.selection;
        Job {
            format: self.format.into(),
            level,
            vectors,
            filters: filters.filters(),
            out: self.out,
        }
    }
}
