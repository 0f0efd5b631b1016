//! Vectors in formats that other tools read: one JSON object per line, ONNX backend tests as folders
//! and as archives, partitions, and the book; and a run's results as the lists that runners of ONNX backend
//! tests keep.

pub mod archive;
pub mod backend;
pub mod expected;
mod jsonl;
mod node;
mod protobuf;

use anyhow::{Context, Result, anyhow, bail};
use castproof_book::Book;
use castproof_io::sink::path;
use castproof_judge::pairs::pairs;
use castproof_judge::source::{Pair, vectors_of};
use castproof_results::Filters;
use castproof_vectors::{Level, Suite};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One test per line, as JSON.
    Jsonl,
    /// A folder for each request: `model.onnx`, `test_data_set_0/input_0.pb`, `output_0.pb`.
    OnnxBackend,
    /// A file for each request: every code of its source, as pieces.
    Partition,
    /// Every answer of every cast, as one JSON text.
    Book,
}

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportJob {
    /// The format.
    pub format: ExportFormat,
    /// The level of the vectors.
    pub level: Level,
    /// A folder of vectors, instead of those of `level`.
    pub vectors: Option<PathBuf>,
    /// What to leave out.
    pub filters: Filters,
    /// The folder for ONNX backend tests. Without it, lines go to standard output.
    pub out: Option<PathBuf>,
}

/// Exports the vectors. Returns a line for people, unless the format itself goes to `out`.
///
/// # Errors
/// If vectors are broken, or something cannot be written.
pub fn export(job: &ExportJob, out: &mut dyn Write) -> Result<Option<String>> {
    let folder = match (job.format, &job.out) {
        (ExportFormat::Jsonl, Some(_)) => bail!("jsonl goes to standard output; leave --out away"),
        (ExportFormat::OnnxBackend, None) => bail!("name a folder for the tests: --out DIR"),
        (ExportFormat::Partition, None) => bail!("name a folder for the partitions: --out DIR"),
        (ExportFormat::Partition, Some(folder)) => {
            return crate::partition::export(job.filters, folder).map(Some);
        }
        (ExportFormat::Book, _) => return book(job, out).map(|()| None),
        (_, folder) => folder.as_deref(),
    };
    let mut exported = node::Exported::default();
    for (from, to) in pairs(Suite::OnnxCast, job.filters)? {
        let pair = Pair { from, to, level: job.level, vectors: job.vectors.clone() };
        let file = vectors_of(&pair)?;
        match folder {
            None => jsonl::write(&file, job.filters.opset, out)?,
            Some(folder) => {
                fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
                exported += node::write(&file, job.filters.opset, folder)?;
            }
        }
    }
    out.flush()?;
    Ok(folder.map(|folder| format!("{exported} under {}", path(folder))))
}

/// Writes the book that the program carries as JSON.
fn book(job: &ExportJob, out: &mut dyn Write) -> Result<()> {
    if job.out.is_some() {
        bail!("the book goes to standard output; leave --out away");
    }
    if job.vectors.is_some() || job.filters != Filters::default() || job.level != Level::default() {
        bail!("the book has every cast; leave --from, --to, --opset, --level and --vectors away");
    }
    let text = Book::carried().contents().and_then(|contents| contents.text());
    out.write_all(text.map_err(|problem| anyhow!(problem))?.as_bytes())?;
    Ok(out.flush()?)
}
