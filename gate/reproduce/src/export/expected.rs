//! What a run found out, as the lists in which runners of ONNX's node tests keep which tests pass.
//! The tests are those of the archive of the same version.

use super::archive::known;
use super::node::{Case, cases};
use anyhow::{Context, Result, bail};
use castproof_check::verdict::Verdict;
use castproof_judge::pairs::pairs_of;
use castproof_judge::source::Source;
use castproof_results::asked::Asked;
use castproof_results::{FAILURES_PER_GROUP, Failure, ResultsFile};
use castproof_vectors::{DType, Suite, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::thread::available_parallelism;

/// Whose list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// tract's `node.txt`: a line for each test that passes; the others stand in comments.
    Tract,
    /// burn-onnx's `expectations.toml`: a table for each test, with its status.
    Burn,
}

/// What to list.
#[derive(Clone, Debug)]
pub struct ListJob {
    /// Whose list it is.
    pub format: ListFormat,
    /// The version of `Cast`; `None` stands for the newest of the run.
    pub opset: Option<u32>,
    /// The folder of vectors that the run took, unless it took those of its level.
    pub vectors: Option<PathBuf>,
}

/// What came of one node test.
enum Came {
    Passed,
    Failed(String),
    /// The testee gave no elements.
    Refused(String),
}

/// The failures of one pair, by the id of the test.
type Failures<'a> = BTreeMap<&'a str, &'a Failure>;

/// Returns the list of the tests that the run asked.
///
/// # Errors
/// If the run asked nothing of the version, or took other vectors.
pub fn list(file: &ResultsFile, job: &ListJob) -> Result<String> {
    let opset = version(file, job.opset)?;
    let mut failures: BTreeMap<(DType, DType), Failures<'_>> = BTreeMap::new();
    for failure in &file.results.failures {
        if failure.suite == Suite::OnnxCast && failure.opsets.contains(&opset) {
            let of_pair = failures.entry((failure.from, failure.to)).or_default();
            of_pair.insert(&failure.id, failure);
        }
    }
    let source = Source::open(job.vectors.as_deref(), file.level)?;
    let asked = pairs_asked(file, opset);
    let mut pairs = pairs_of(Suite::OnnxCast);
    pairs.retain(|pair| asked.contains(pair) && source.has(Suite::OnnxCast, *pair));
    let mut text = head(file, job.format, opset);
    let threads = available_parallelism().map_or(1, usize::from);
    source.stream((Suite::OnnxCast, &pairs), threads, |vectors| {
        let pair = (vectors.from, vectors.to);
        let failing = failures.remove(&pair).unwrap_or_default();
        let ids: BTreeSet<&str> =
            vectors.groups.iter().flat_map(|it| &it.tests).map(|test| &*test.id).collect();
        refuse_others(failing.keys().copied().find(|id| !ids.contains(id)))?;
        for case in cases(&vectors, Some(opset)).filter(|case| !case.answered.is_empty()) {
            if let Some(came) = came(file, pair, &case, &failing) {
                add(&mut text, job.format, &case.name(), came);
            }
        }
        Ok(())
    })?;
    refuse_others(failures.values().flat_map(|it| it.keys().copied()).next())?;
    Ok(text)
}

/// Returns the version that is listed.
fn version(file: &ResultsFile, opset: Option<u32>) -> Result<u32> {
    let casts = file.results.cells.keys().filter(|key| key.suite == Suite::OnnxCast);
    let has: BTreeSet<u32> = casts.filter_map(|key| key.opset).collect();
    let newest = has.last().copied().context("the run asked no test of ONNX's Cast")?;
    let opset = opset.unwrap_or(newest);
    known(opset)?;
    if !has.contains(&opset) {
        let list: Vec<String> = has.iter().map(u32::to_string).collect();
        bail!("the run asked no test of Cast-{opset}; it asked those of {}", list.join(", "));
    }
    Ok(opset)
}

fn pairs_asked(file: &ResultsFile, opset: u32) -> BTreeSet<(DType, DType)> {
    let keys = file.results.cells.keys();
    keys.filter(|key| key.suite == Suite::OnnxCast && key.opset == Some(opset))
        .map(Asked::pair)
        .collect()
}

fn refuse_others(stranger: Option<&str>) -> Result<()> {
    if let Some(id) = stranger {
        bail!(
            "the vectors have no test {id}, which the run has; name the vectors of the run with --vectors, \
             or run the gate again"
        );
    }
    Ok(())
}

/// Returns what came of a node test, which passes if all its elements do; `None` if the run did not
/// ask it.
fn came(
    file: &ResultsFile,
    pair: (DType, DType),
    case: &Case<'_>,
    failing: &Failures<'_>,
) -> Option<Came> {
    let asked = Asked::cast(pair, case.group.attributes);
    let cell = file.results.cells.get(&asked.at(Some(case.version)))?;
    if let Some(failure) = case.answered.iter().find_map(|(test, _)| failing.get(&*test.id)) {
        let why = [&failure.known, &failure.cause].into_iter().flatten().next().cloned();
        return Some(Came::Failed(why.unwrap_or_else(|| failure.sentence())));
    }
    let of_group = case.group.tests.iter().filter(|test| failing.contains_key(&*test.id));
    if of_group.count() >= FAILURES_PER_GROUP {
        return Some(Came::Failed("more failures than the results file keeps".into()));
    }
    let silent = [Verdict::Unsupported, Verdict::Error, Verdict::Crash, Verdict::Timeout];
    let Some(verdict) = silent.into_iter().find(|verdict| cell.counts.of(*verdict) > 0) else {
        return Some(Came::Passed);
    };
    let remark = file.results.remarks.iter().find(|(key, remark)| {
        key.verdict == verdict && key.asked == asked && remark.opsets.contains(&case.version)
    });
    let message = remark.map_or(verdict.name().to_string(), |(key, _)| {
        format!("{}: {}", verdict.name(), key.message)
    });
    Some(match verdict {
        Verdict::Unsupported | Verdict::Error => Came::Refused(message),
        _ => Came::Failed(message),
    })
}

/// Returns the lines that say what the list is of.
fn head(file: &ResultsFile, format: ListFormat, opset: u32) -> String {
    let testee = one_line(&file.testee.to_string());
    let level = file.level.name();
    let head = format!(
        "# Castproof's node tests of Cast-{opset}, level {level}, as {testee} does them.\n\
         # castproof export onnx --opset {opset} --level {level} writes the tests.\n"
    );
    match format {
        ListFormat::Tract => head,
        ListFormat::Burn => head + "\n",
    }
}

/// Adds the entry of one test.
fn add(text: &mut String, format: ListFormat, name: &str, came: Came) {
    // Writing to a string cannot fail.
    let _ = match (format, came) {
        (ListFormat::Tract, Came::Passed) => writeln!(text, "{name}"),
        (ListFormat::Tract, Came::Failed(why) | Came::Refused(why)) => {
            writeln!(text, "# {name} {}", one_line(&why))
        }
        (ListFormat::Burn, Came::Passed) => writeln!(text, "[{name}]\nstatus = \"pass\"\n"),
        (ListFormat::Burn, Came::Failed(why)) => table(text, name, "fail-compare", &why),
        (ListFormat::Burn, Came::Refused(why)) => table(text, name, "skip-codegen", &why),
    };
}

fn table(text: &mut String, name: &str, status: &str, why: &str) -> std::fmt::Result {
    // A line has no control characters, so JSON's quotes are those of TOML too.
    let why = serde_json::Value::from(one_line(why));
    writeln!(text, "[{name}]\nstatus = \"{status}\"\nreason = {why}\n")
}
