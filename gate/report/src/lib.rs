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
pub mod terminal;
mod words;

pub use compare::table;
pub use diff::{Difference, diff};
pub use diff_findings::Changed;

use anyhow::Result;
use castproof_io::output::Output;
use castproof_judge::results::ResultsFile;
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
    // Every place is checked before the first report is written.
    let open = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
    let outputs = [&targets.junit, &targets.sarif, &targets.markdown, &targets.html].map(open);
    let [junit, sarif, markdown, html] = outputs;
    let outputs = [junit?, sarif?, markdown?, html?];
    let texts: [&dyn Fn() -> Result<String>; 4] =
        [&|| junit::text(first), &|| sarif::text(first), &|| Ok(markdown::text(files)), &|| {
            page::text(files)
        }];
    for (output, text) in outputs.into_iter().zip(texts) {
        if let Some(output) = output {
            output.commit(text()?)?;
        }
    }
    Ok(())
}

/// Returns GitHub workflow commands that annotate a run with what fails it, one per line.
pub fn annotations(file: &ResultsFile) -> Vec<String> {
    markdown::annotations(file)
}
