//! Reports: of a run on a terminal, and made from results files for CI systems, for code hosts, for
//! people.
#![deny(unsafe_code)]

mod compare;
mod diff;
mod diff_findings;
mod junit;
mod markdown;
mod matrix;
mod page;
mod sarif;
pub mod screen;
pub mod show;
mod silence;
pub mod terminal;
mod words;

pub use compare::table;
pub use diff::{Difference, diff};
pub use diff_findings::ChangedFindings;

use anyhow::Result;
use castproof_io::output::Output;
use castproof_results::ResultsFile;
use std::path::PathBuf;

/// Where to write which report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// JUnit XML, a test case for each pair and operator version.
    pub junit: Option<PathBuf>,
    /// Markdown for a GitHub job summary.
    pub markdown: Option<PathBuf>,
    /// SARIF 2.1.0, a result for each finding.
    pub sarif: Option<PathBuf>,
    /// One self-contained HTML page.
    pub html: Option<PathBuf>,
}

/// Writes the reports. JUnit and SARIF cover the first file, Markdown and HTML all files.
///
/// # Errors
/// If a report cannot be written. Each report is written whole or not at all.
pub fn write(files: &[ResultsFile], targets: &Targets) -> Result<()> {
    let Some(first) = files.first() else { return Ok(()) };
    let Targets { junit, markdown, sarif, html } = targets;
    let reports = [
        (junit, &(|| junit::text(first)) as &dyn Fn() -> Result<String>),
        (sarif, &|| sarif::text(first)),
        (markdown, &|| Ok(markdown::text(files))),
        (html, &|| page::text(files)),
    ];
    // Every place is checked before the first report is written.
    let mut outputs = Vec::new();
    for (path, text) in reports {
        if let Some(path) = path {
            outputs.push((Output::create(path)?, text));
        }
    }
    outputs.into_iter().try_for_each(|(output, text)| output.commit(text()?))
}

/// Returns GitHub workflow commands that annotate a run with what fails it, one per line.
pub fn annotations(file: &ResultsFile) -> Vec<String> {
    markdown::annotations(file)
}
