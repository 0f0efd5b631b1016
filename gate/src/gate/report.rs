//! The parts of the report beside the findings: first lines, verdict, matrices, a line for each
//! version.

use super::matrix;
use super::plan::{Edition, Plan};
use super::source::Source;
use crate::baseline::{self, Baseline, Extent};
use crate::finding::Finding;
use crate::results::{Cell, Results, ResultsFile, SuiteRun};
use crate::style::Palette;
use crate::testee::Identity;
use castproof_check::verdict::{Verdict, thousands};
use castproof_vectors::{DType, Operator, Suite, cast_version, type_set};
use std::io::{self, Write};

/// Where the report goes. If writing fails, for example because the reader has closed the pipe, the
/// rest is dropped, so that the run goes on and its results are kept.
pub(crate) struct Report<'a> {
    out: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Report<'a> {
        Report { out, failed: None }
    }

    /// Was everything written so far?
    ///
    /// # Errors
    /// The first error of writing.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn attempt(&mut self, act: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = act(self.out).err();
        }
    }
}

impl Write for Report<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|out| out.flush());
        Ok(())
    }
}

/// Prints the first lines: the testee, the vectors, what is left out, what is taken over from a
/// journal.
///
/// # Errors
/// If writing fails.
pub(super) fn first_lines(
    out: &mut dyn Write,
    identity: &Identity,
    source: &Source,
    plan: &Plan,
    notes: &[String],
) -> io::Result<()> {
    let profile = plan.profile();
    writeln!(
        out,
        "castproof gate: {identity}{}, level {}, vectors {}{}",
        profile.map_or(String::new(), |profile| format!(", profile {}", profile.name())),
        source.level().name(),
        source.describe(),
        reduced(plan)
    )?;
    for note in notes {
        writeln!(out, "{note}")?;
    }
    if let [edition] = plan.editions[..]
        && let (Some(opset), Some(version)) = (edition.other_opset(), edition.version)
    {
        writeln!(out, "opset {opset}: Cast-{version} is the version in force")?;
    }
    out.flush()
}

/// Which matrices are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matrices {
    /// That of the newest version in which anything was executed.
    #[default]
    Newest,
    /// Those of all versions.
    All,
    /// None.
    None,
}

/// Prints the matrices, and a line for each operator version.
///
/// # Errors
/// If writing fails.
pub(super) fn versions(
    out: &mut dyn Write,
    plan: &Plan,
    results: &Results,
    matrices: Matrices,
) -> io::Result<()> {
    if plan.editions.is_empty() {
        return Ok(());
    }
    let pairs: Vec<(DType, DType)> = plan.pairs.iter().chain(&plan.missing).copied().collect();
    let drawn = drawn(plan, results, matrices);
    for edition in &drawn {
        writeln!(out, "\n{}", edition.title())?;
        let by_pair = results.by_pair(edition.version);
        matrix::draw(out, |pair| edition.casts(pair), &pairs, &by_pair)?;
    }
    if !drawn.is_empty() {
        writeln!(out, "{}", matrix::LEGEND)?;
    }
    writeln!(out)?;
    for edition in &plan.editions {
        let counts = results.sum(|key| key.opset == edition.version).counts;
        let (ran, all) = pairs_run(plan, results, *edition);
        writeln!(
            out,
            "{:<9}{ran:>4} of {all} pairs ran  {:>11} tests, {:>11} executed: {counts}",
            edition.title(),
            thousands(counts.judged()),
            thousands(counts.executed)
        )?;
    }
    Ok(())
}

/// Returns the versions whose matrix is drawn. A run of one pair has no matrix, because the lines
/// of the versions say as much.
fn drawn(plan: &Plan, results: &Results, matrices: Matrices) -> Vec<Edition> {
    let ran =
        |edition: &&Edition| results.sum(|key| key.opset == edition.version).counts.executed > 0;
    match matrices {
        _ if plan.pairs.len() + plan.missing.len() < 2 => Vec::new(),
        Matrices::None => Vec::new(),
        Matrices::All => plan.editions.clone(),
        Matrices::Newest => {
            let newest = plan.editions.iter().rev().find(ran).or(plan.editions.last());
            newest.copied().into_iter().collect()
        }
    }
}

/// Prints a line for each suite of questions, and the matrices of `CastLike` if all matrices are
/// drawn.
///
/// # Errors
/// If writing fails.
pub(super) fn suites(out: &mut dyn Write, runs: &[SuiteRun], matrices: Matrices) -> io::Result<()> {
    if matrices == Matrices::All {
        for run in runs.iter().filter(|run| run.suite == Suite::OnnxCastlike) {
            castlike(out, run)?;
        }
    }
    if !runs.is_empty() {
        writeln!(out)?;
    }
    // A suite without a test needs a feature that the report names as not listed.
    for SuiteRun { suite, counts, .. } in runs.iter().filter(|run| run.counts.judged() > 0) {
        writeln!(
            out,
            "{:<19} {:>7} tests, {:>7} executed: {counts}",
            suite.name(),
            thousands(counts.judged()),
            thousands(counts.executed)
        )?;
    }
    Ok(())
}

/// Prints the matrices of `CastLike`, for the versions in which something failed.
fn castlike(out: &mut dyn Write, run: &SuiteRun) -> io::Result<()> {
    for &version in castproof_vectors::versions(Operator::CastLike) {
        let cells = run.by_pair(cast_version(Operator::CastLike, version));
        if cells.values().any(|cell| cell.counts.bad() > 0) {
            writeln!(out, "\nCastLike-{version}")?;
            let pairs: Vec<(DType, DType)> = cells.keys().copied().collect();
            let set = type_set(Operator::CastLike, version);
            let inside = |(from, to)| set.contains(&from) && set.contains(&to);
            matrix::draw(out, inside, &pairs, &cells)?;
        }
    }
    Ok(())
}

/// Prints what the baseline says about the run.
///
/// # Errors
/// If writing fails.
pub(super) fn baseline(
    out: &mut dyn Write,
    baseline: &Baseline,
    results: &Results,
    extent: &Extent,
) -> io::Result<()> {
    let lines = baseline::lines(baseline, results, extent);
    if !lines.is_empty() {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = baseline.path.strip_prefix(here).unwrap_or(&baseline.path);
        writeln!(out, "\nBaseline {}", shown.display())?;
    }
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// Prints the verdict of the run with its totals: before the findings, and as the last line.
///
/// # Errors
/// If writing fails.
pub(super) fn verdict(
    out: &mut dyn Write,
    plan: &Plan,
    file: &ResultsFile,
    palette: Palette,
) -> io::Result<()> {
    let totals = &file.totals;
    let mut counted = format!(
        "{} tests, {} executed: {totals}",
        thousands(totals.judged()),
        thousands(totals.executed)
    );
    let known = file.results.sum(|_| true).expected
        + file.results.suites.iter().map(|suite| suite.expected).sum::<u64>();
    let arranged = file.results.all_arranged();
    if arranged.tensors > 0 {
        let (tensors, elements) = (thousands(arranged.tensors), thousands(arranged.elements));
        counted += &format!("; arranged {tensors} tensors of {elements} elements");
    }
    if known > 0 {
        counted += &format!("; {} known failures", thousands(known));
    }
    let verdict = match file.passed {
        true => palette.good("PASS"),
        false => palette.bad("FAIL"),
    };
    let because = match file.reasons[..] {
        [] => String::new(),
        ref reasons => format!("{}; ", reasons.join(", ")),
    };
    writeln!(out, "\n{verdict}  {}{because}{counted}{}", found(&file.findings), reduced(plan))?;
    out.flush()
}

/// Counts the findings that no baseline expects: `21 findings, 12 of them explained; `.
pub(crate) fn found(findings: &[Finding]) -> String {
    let new: Vec<&Finding> = findings.iter().filter(|finding| finding.is_new()).collect();
    let explained = new.iter().filter(|finding| finding.is_explained()).count();
    match new.len() {
        0 => String::new(),
        1 => format!("1 finding, {}; ", if explained == 1 { "explained" } else { "not explained" }),
        count => format!("{} findings, {} of them explained; ", thousands(count as u64), explained),
    }
}

/// Returns why a run fails; empty if it passes. `complete`: must every pair have run?
pub(super) fn reasons(
    plan: &Plan,
    baseline: &Baseline,
    results: &Results,
    complete: bool,
) -> Vec<String> {
    let totals = results.totals();
    let mut reasons = Vec::new();
    let known = if baseline.entries.is_empty() { "" } else { "unexpected " };
    for verdict in Verdict::BAD {
        let unexpected: u64 =
            results.surprises.values().map(|surprise| surprise.unexpected.of(verdict)).sum();
        if unexpected > 0 {
            reasons.push(format!("{} {known}{}", thousands(unexpected), verdict.name()));
        }
    }
    let passes = results.sum(|_| true).unexpected_passes
        + results.suites.iter().map(|suite| suite.unexpected_passes).sum::<u64>();
    let misplaced = results.misplaced.iter().filter(|found| found.known.is_none()).count() as u64;
    for (count, what) in [
        (misplaced, "wrong by place"),
        (passes, "unexpected pass"),
        (baseline.stale(results, &plan.extent()).len() as u64, "stale entries of the baseline"),
        (baseline.too_wide(results).len() as u64, "wildcards beyond their bound"),
    ] {
        if count > 0 {
            reasons.push(format!("{} {what}", thousands(count)));
        }
    }
    if totals.executed == 0 {
        reasons.push("no test was executed".into());
    }
    if totals.judged() != results.announced {
        let (judged, announced) = (thousands(totals.judged()), thousands(results.announced));
        reasons.push(format!("{judged} tests were judged, {announced} were announced"));
    }
    for edition in &plan.editions {
        let by_pair = results.by_pair(edition.version);
        let idle = |pair: &(DType, DType)| {
            let counts = by_pair.get(pair).map(|cell| cell.counts).unwrap_or_default();
            let vectors_due = !plan.missing.contains(pair) || complete;
            vectors_due && counts.judged() == 0 || complete && counts.executed == 0
        };
        let idle: Vec<_> = plan.pairs_of(*edition).into_iter().filter(idle).collect();
        if let Some((from, to)) = idle.first() {
            let (title, count) = (edition.title(), idle.len());
            reasons.push(format!("{count} pairs of {title} ran no test, first {from} -> {to}"));
        }
    }
    reasons
}

/// Returns why a run fails that requires these pairs: nothing was executed of some of them.
pub(super) fn missing_pairs(required: &[(DType, DType)], results: &Results) -> Option<String> {
    let ran = |pair: &(DType, DType)| {
        results.cells.iter().any(|(key, cell)| key.pair() == *pair && cell.counts.executed > 0)
    };
    let missing: Vec<String> = required
        .iter()
        .filter(|pair| !ran(pair))
        .map(|(from, to)| format!("{from}:{to}"))
        .collect();
    let names = missing.join(", ");
    (!missing.is_empty()).then(|| format!("nothing was executed of the required {names}"))
}

/// Returns why a run fails whose testee died too often to be asked everything. `why` is its own
/// reason.
pub(super) fn given_up(why: Option<String>, plan: &Plan, results: &Results) -> Option<String> {
    let asked = |suite: &Suite| results.suites.iter().any(|run| run.suite == *suite);
    let unasked: Vec<&str> =
        plan.questions().filter(|suite| !asked(suite)).map(Suite::name).collect();
    let unasked = match unasked[..] {
        [] => String::new(),
        ref names => format!(": nothing was asked of {}", names.join(", ")),
    };
    why.map(|why| format!("the testee was given up, {why}{unasked}"))
}

/// Returns how many pairs of a version ran a test, and how many it has within the filters.
fn pairs_run(plan: &Plan, results: &Results, edition: Edition) -> (usize, usize) {
    let by_pair = results.by_pair(edition.version);
    let pairs = plan.pairs_of(edition);
    let ran = |pair: &&(DType, DType)| {
        by_pair.get(pair).is_some_and(|cell: &Cell| cell.counts.executed > 0)
    };
    (pairs.iter().filter(ran).count(), pairs.len())
}

fn reduced(plan: &Plan) -> String {
    match plan.reductions()[..] {
        [] => String::new(),
        ref reductions => format!("; REDUCED: {}", reductions.join(", ")),
    }
}
