//! What a run found out, and the results file `castproof-results/1` that keeps it.

use super::plan::Filters;
use super::questions::SuiteRun;
use super::verdict::{Counts, Verdict};
use crate::testee::Identity;
use anyhow::{Context, Result, bail};
use castproof_vectors::{Attributes, DType, Element, Level, OutcomeRecord};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The `format` member of every results file.
pub(super) const FORMAT: &str = "castproof-results/1";

/// How many failing tests of one group of vectors are kept one by one; the rest are counted.
pub(super) const FINDINGS_PER_GROUP: usize = 1000;

/// Everything that a run found out.
#[derive(Default)]
pub(super) struct Results {
    /// Tests that the vectors of this run hold, once for each operator version that they run at.
    pub(super) announced: u64,
    /// Verdicts by what was asked.
    pub(super) cells: BTreeMap<CellKey, Cell>,
    /// Failing tests.
    pub(super) findings: Vec<Finding>,
    /// Failing tests beyond [`FINDINGS_PER_GROUP`].
    pub(super) findings_left_out: u64,
    /// Requests that were not answered with elements, by what was said instead.
    pub(super) remarks: BTreeMap<RemarkKey, Remark>,
    /// What became of the suites of questions.
    pub(super) suites: Vec<SuiteRun>,
}

/// What was asked: operator version, dtypes, attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct CellKey {
    /// Operator version.
    #[serde(rename = "opset")]
    pub(super) version: u32,
    /// Dtype of the inputs.
    pub(super) from: DType,
    /// Dtype of the outputs.
    pub(super) to: DType,
    /// The attributes that were given.
    pub(super) attributes: Attributes,
}

/// What became of the tests of a cell.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cell {
    /// Verdicts.
    pub(super) counts: Counts,
    /// SHA-256 over the outputs of undefined elements, each code as 8 bytes little-endian, in the
    /// order of the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undefined_fingerprint: Option<String>,
}

/// A test that failed, at one or more operator versions with the same output.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    /// Operator versions.
    pub(super) opsets: Vec<u32>,
    /// Dtype of the input.
    pub(super) from: DType,
    /// Dtype of the output.
    pub(super) to: DType,
    /// The attributes that were given.
    pub(super) attributes: Attributes,
    /// The test.
    pub(super) id: String,
    /// Its input.
    pub(super) input: Element,
    /// What the testee returned.
    pub(super) got: Element,
    /// What it should have returned.
    pub(super) expect: OutcomeRecord,
    /// What would have been tolerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tolerate: Option<OutcomeRecord>,
    /// The clause that decides it.
    pub(super) clause: String,
}

/// A request that was not answered with elements, and what was said instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct RemarkKey {
    /// `unsupported`, `error`, `crash` or `timeout`.
    #[serde(serialize_with = "verdict_name")]
    pub(super) verdict: Verdict,
    /// The testee's message, or what happened to it.
    pub(super) message: String,
    /// Dtype of the inputs.
    pub(super) from: DType,
    /// Dtype of the outputs.
    pub(super) to: DType,
    /// The attributes that were given.
    pub(super) attributes: Attributes,
}

/// How often a remark was made.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Remark {
    /// Operator versions.
    pub(super) opsets: BTreeSet<u32>,
    /// Tests of the requests.
    pub(super) tests: u64,
}

impl Results {
    /// All verdicts together.
    pub(super) fn totals(&self) -> Counts {
        let mut counts = self.sum(|_| true);
        for suite in &self.suites {
            counts += suite.counts;
        }
        counts
    }

    /// The verdicts of the cells that `chosen` accepts.
    pub(super) fn sum(&self, chosen: impl Fn(&CellKey) -> bool) -> Counts {
        let mut counts = Counts::default();
        for (_, cell) in self.cells.iter().filter(|(key, _)| chosen(key)) {
            counts += cell.counts;
        }
        counts
    }

    /// The verdicts of one operator version by pair, all attributes together.
    pub(super) fn by_pair(&self, version: u32) -> BTreeMap<(DType, DType), Counts> {
        let mut pairs: BTreeMap<_, Counts> = BTreeMap::new();
        for (key, cell) in self.cells.iter().filter(|(key, _)| key.version == version) {
            *pairs.entry((key.from, key.to)).or_default() += cell.counts;
        }
        pairs
    }
}

/// What a results file says beside the results.
pub(super) struct Heading<'a> {
    /// Who was tested.
    pub(super) testee: &'a Identity,
    /// The level of the vectors.
    pub(super) level: Level,
    /// What was left out.
    pub(super) filters: Filters,
    /// Why the run failed; empty if it passed.
    pub(super) reasons: &'a [String],
}

/// A results file that does not exist yet. It is written beside its place and moved there when
/// it is whole.
pub(super) struct ResultsFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl ResultsFile {
    /// Makes sure, before a long run, that the file can be written.
    ///
    /// # Errors
    /// If it cannot.
    pub(super) fn create(path: &Path) -> Result<ResultsFile> {
        let failed = || format!("results file {} cannot be written", path.display());
        if path.exists() && !path.is_file() {
            bail!("{}: it is not a regular file", failed());
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)] // readable for others, as any new file is; the umask still holds
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).with_context(failed)?;
        Ok(ResultsFile { path: path.to_path_buf(), file })
    }

    /// Writes the results and moves the file to its place.
    ///
    /// # Errors
    /// If writing fails, for example because the disk is full; then nothing is left behind.
    pub(super) fn commit(mut self, heading: &Heading<'_>, results: &Results) -> Result<()> {
        let failed = || format!("results file {} cannot be written", self.path.display());
        let mut writer = BufWriter::new(self.file.as_file_mut());
        serde_json::to_writer(&mut writer, &record(heading, results)).with_context(failed)?;
        writer.write_all(b"\n").and_then(|()| writer.flush()).with_context(failed)?;
        drop(writer);
        self.file.as_file().sync_all().with_context(failed)?;
        self.file.persist(&self.path).map_err(|error| error.error).with_context(failed)?;
        Ok(())
    }
}

fn record<'a>(heading: &'a Heading<'a>, results: &'a Results) -> Record<'a> {
    Record {
        format: FORMAT,
        testee: heading.testee,
        level: heading.level,
        filters: heading.filters,
        passed: heading.reasons.is_empty(),
        reasons: heading.reasons,
        announced: results.announced,
        totals: results.totals(),
        cells: results.cells.iter().map(|(key, value)| Row { key, value }).collect(),
        failures: &results.findings,
        failures_left_out: results.findings_left_out,
        remarks: results.remarks.iter().map(|(key, value)| Row { key, value }).collect(),
        suites: &results.suites,
    }
}

/// The results file as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    format: &'static str,
    testee: &'a Identity,
    level: Level,
    filters: Filters,
    passed: bool,
    reasons: &'a [String],
    announced: u64,
    totals: Counts,
    cells: Vec<Row<'a, CellKey, Cell>>,
    failures: &'a [Finding],
    failures_left_out: u64,
    remarks: Vec<Row<'a, RemarkKey, Remark>>,
    suites: &'a [SuiteRun],
}

/// A map entry as one JSON object.
#[derive(Serialize)]
struct Row<'a, K, V> {
    #[serde(flatten)]
    key: &'a K,
    #[serde(flatten)]
    value: &'a V,
}

fn verdict_name<S: serde::Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.name())
}
