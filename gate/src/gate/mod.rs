//! The gate: runs vectors through a testee, judges every element, and says what it found.

mod findings;
mod matrix;
mod plan;
mod questions;
mod report;
mod results;
mod run;
mod source;
mod text;
mod verdict;

pub use plan::Filters;

use crate::testee::{Testee, adapter, builtin::Builtin, process::Launch, process::Process};
use anyhow::{Context, Result};
use castproof_vectors::{Level, Suite};
use indicatif::{ProgressBar, ProgressStyle};
use plan::{Edition, Plan};
use results::{Heading, Results, ResultsFile};
use source::Source;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

const UNWRITABLE: &str = "the report cannot be written";

/// Which implementation is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Castproof's own, in this process.
    Builtin,
    /// A command that speaks the testee protocol.
    Command(String),
    /// An adapter of the repository, by name.
    Adapter(String),
}

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which implementation is tested.
    pub subject: Subject,
    /// How many vectors.
    pub level: Level,
    /// A folder of vectors, instead of those of `level`.
    pub vectors: Option<PathBuf>,
    /// The suites to run.
    pub suites: Vec<Suite>,
    /// What to leave out.
    pub filters: Filters,
    /// Where to write a results file.
    pub json: Option<PathBuf>,
    /// The longest wait for an answer of the testee.
    pub timeout: Duration,
    /// Threads that read or make vectors while the testee works.
    pub threads: usize,
    /// How many differing cases are listed.
    pub limit_list: usize,
}

/// Runs the gate and prints its report to `out`. Says whether the testee passed.
///
/// # Errors
/// If the run could not be carried out: broken vectors, a testee that does not start, a results
/// file or a report that cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<bool> {
    let source = Source::open(options.vectors.as_deref(), options.level)?;
    let plan = Plan::new(options.filters, &options.suites, &source)?;
    let results_file = options.json.as_deref().map(ResultsFile::create).transpose()?;
    let mut testee = start(options)?;
    report::first_line(out, testee.identity(), &source, &plan).context(UNWRITABLE)?;
    if let [edition] = plan.editions[..]
        && edition.opset != edition.version
    {
        let Edition { opset, version } = edition;
        writeln!(out, "opset {opset}: Cast-{version} is the version in force")
            .context(UNWRITABLE)?;
    }

    let mut results = Results::default();
    let progress = progress_bar(plan.pairs.len())?;
    source.stream(&plan.pairs, options.threads, |file| {
        run::run_file(&file, &plan, testee.as_mut(), &mut results)?;
        progress.inc(1);
        Ok(())
    })?;
    progress.finish_and_clear();
    results.suites = questions::run(&source, &plan.suites, testee.as_mut())?;
    results.announced += results.suites.iter().map(|suite| suite.announced).sum::<u64>();

    // Another's runtime may lack casts; the builtin one may not.
    let complete = options.subject == Subject::Builtin && !source.may_be_partial();
    let reasons = report::reasons(&plan, &results, complete);
    report::body(out, &plan, &results, options.limit_list).context(UNWRITABLE)?;
    questions::report(out, &results.suites, options.limit_list).context(UNWRITABLE)?;
    if let Some(file) = results_file {
        let (testee, level, filters) = (testee.identity(), source.level(), plan.filters);
        file.commit(&Heading { testee, level, filters, reasons: &reasons }, &results)?;
    }
    report::last_line(out, &plan, &results, &reasons).context(UNWRITABLE)?;
    Ok(reasons.is_empty())
}

fn start(options: &Options) -> Result<Box<dyn Testee>> {
    let launch = match &options.subject {
        Subject::Builtin => return Ok(Box::new(Builtin::new())),
        Subject::Command(line) => Launch::from_command_line(line)?,
        Subject::Adapter(name) => adapter::find(name)?,
    };
    Ok(Box::new(Process::start(launch, options.timeout)?))
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(pairs: usize) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pairs, {eta} left")
        .context("the progress bar's template")?;
    Ok(ProgressBar::new(pairs as u64).with_style(style))
}
