//! Reports made from results files: for CI systems, for code hosts, for people.

mod compare;
mod diff;
mod junit;
mod markdown;
mod page;
mod sarif;
mod words;

pub use compare::table;
pub use diff::{Difference, diff};
pub use words::sentence;

use crate::results::{NewFile, ResultsFile};
use anyhow::Result;
use std::path::PathBuf;

/// Where to write which report.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// JUnit XML, a test case for each pair and operator version.
    pub junit: Option<PathBuf>,
    /// Markdown, as a GitHub job summary takes it.
    pub markdown: Option<PathBuf>,
    /// SARIF 2.1.0, a result for each failing test.
    pub sarif: Option<PathBuf>,
    /// One self-contained HTML page.
    pub html: Option<PathBuf>,
}

/// Writes the reports. JUnit and SARIF speak of the first file, Markdown and HTML of all.
///
/// # Errors
/// If a report cannot be written; each is written whole or not at all.
pub fn write(files: &[ResultsFile], targets: &Targets) -> Result<()> {
    let Some(first) = files.first() else { return Ok(()) };
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> Result<String>| match path {
        Some(path) => NewFile::create(path)?.commit(&text()?),
        None => Ok(()),
    };
    write(&targets.junit, &|| junit::text(first))?;
    write(&targets.sarif, &|| sarif::text(first))?;
    write(&targets.markdown, &|| Ok(markdown::text(files)))?;
    write(&targets.html, &|| page::text(files))
}

/// GitHub workflow commands that annotate a run, one line each: what fails it.
pub fn annotations(file: &ResultsFile) -> Vec<String> {
    markdown::annotations(file)
}
