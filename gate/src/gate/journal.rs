//! The journal of a run: what is done, pair by pair, so that a stopped run goes on where it was.

use super::Options;
use super::plan::Plan;
use super::source::Source;
use crate::results::Results;
use crate::testee::Identity;
use anyhow::{Context, Result};
use castproof_vectors::{DType, sha256_hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One line for each pair that is done, after a title line that names the run.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    done: BTreeMap<(DType, DType), Results>,
}

/// A pair that is done.
#[derive(Serialize, Deserialize)]
struct Line<R> {
    from: DType,
    to: DType,
    results: R,
}

/// What a journal must say to be one of this run: everything that its results depend on.
///
/// # Errors
/// If the baseline cannot be read.
pub(super) fn title(
    testee: &Identity,
    source: &Source,
    plan: &Plan,
    options: &Options,
) -> Result<String> {
    let baseline = match &options.baseline {
        Some(path) if path.is_file() => {
            let bytes = fs::read(path).with_context(|| format!("baseline {}", path.display()))?;
            sha256_hex(&bytes)
        }
        _ => "none".into(),
    };
    let named = serde_json::to_string(&(testee, plan.filters, plan.strict))?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "castproof-journal/1 {version} {} baseline {baseline} {named}",
        source.fingerprint()
    ))
}

impl Journal {
    /// Opens the journal of this run; one of another run is begun anew.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn open(path: &Path, title: &str) -> Result<Journal> {
        let place = || format!("journal {} cannot be written", path.display());
        let old = fs::read_to_string(path).unwrap_or_default();
        let mut lines = old.lines();
        let mut done = BTreeMap::new();
        let resumes = lines.next() == Some(title);
        if resumes {
            // A torn line, which a killed run leaves behind, is a pair not done.
            for line in lines.filter_map(|line| serde_json::from_str::<Line<Results>>(line).ok()) {
                done.insert((line.from, line.to), line.results);
            }
        }
        let file =
            if resumes { OpenOptions::new().append(true).open(path) } else { File::create(path) };
        let mut file = file.with_context(place)?;
        let start = if resumes { "" } else { title };
        writeln!(file, "{start}").with_context(place)?;
        Ok(Journal { path: path.to_path_buf(), file, done })
    }

    /// What the stopped run had done.
    pub(super) fn take_done(&mut self) -> BTreeMap<(DType, DType), Results> {
        std::mem::take(&mut self.done)
    }

    /// Notes a pair as done.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn add(&mut self, (from, to): (DType, DType), results: &Results) -> Result<()> {
        let line = serde_json::to_string(&Line { from, to, results })?;
        writeln!(self.file, "{line}")
            .with_context(|| format!("journal {} cannot be written", self.path.display()))
    }

    /// The run is whole; its journal is not needed any more.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        fs::remove_file(&self.path)
            .with_context(|| format!("journal {} cannot be removed", self.path.display()))
    }
}
