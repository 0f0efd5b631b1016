//! `castproof report`: reports made from results files.

use super::args::apart;
use super::print::output;
use crate::report::{self, Targets};
use crate::results::ResultsFile;
use anyhow::{Result, bail};
use castproof_judge::read_results;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// `castproof report`
#[derive(Args)]
pub(super) struct Report {
    /// Results files, as `castproof gate --json` writes them.
    #[arg(value_name = "RESULTS", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Compare several runs: in the Markdown, on the page, and in a printed table.
    #[arg(long)]
    pub(crate) compare: bool,
    /// Write JUnit XML.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    junit: Option<PathBuf>,
    /// Write SARIF 2.1.0.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    sarif: Option<PathBuf>,
    /// Write Markdown, for $GITHUB_STEP_SUMMARY.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write one HTML page that works offline.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print GitHub annotations.
    #[arg(long)]
    pub(crate) annotations: bool,
}

impl Report {
    pub(super) fn run(&self) -> Result<bool> {
        let files: Result<Vec<ResultsFile>> =
            self.files.iter().map(|path| read_results(path)).collect();
        let files = files?;
        if files.len() > 1 && !self.compare {
            bail!("to put several results files side by side, give --compare");
        }
        let targets = self.targets();
        if targets == Targets::default() && !self.compare && !self.annotations {
            bail!(
                "report writes nothing yet; name a file with --html, --junit, --sarif or --markdown, \
                 or give --annotations or --compare"
            );
        }
        let Targets { junit, markdown, sarif, html } = &targets;
        let outputs = [junit, markdown, sarif, html].map(Option::as_ref);
        apart(&outputs, self.files.iter().cloned())?;
        report::write(&files, &targets)?;
        let mut out = output();
        if self.compare {
            out.write_all(report::table(&files).as_bytes())?;
        }
        if self.annotations {
            for line in files.iter().flat_map(report::annotations) {
                writeln!(out, "{line}")?;
            }
        }
        out.flush()?;
        Ok(true)
    }

    /// Where to write which report.
    fn targets(&self) -> Targets {
        Targets {
            junit: self.junit.clone(),
            sarif: self.sarif.clone(),
            markdown: self.markdown.clone(),
            html: self.html.clone(),
        }
    }
}
