//! Reads results files.

use crate::finding::findings;
use anyhow::{Context, Result, bail};
use castproof_check::verdict::{Counts, Verdict, thousands};
use castproof_io::{input, sink};
use castproof_results::place::Place;
use castproof_results::{FORMAT, ResultsFile, SuiteRun};
use serde_json::Value;
use std::path::Path;

/// Reads a results file, and gathers its findings again.
///
/// # Errors
/// If it cannot be read, is of another format, or contradicts itself.
pub fn read_results(path: &Path) -> Result<ResultsFile> {
    let place = || format!("results file {}", path.display());
    let text = input::read(path).with_context(place)?;
    let foreign = || format!("{} is not what gate --json writes", place());
    let mut value: Value = serde_json::from_str(&text).with_context(foreign)?;
    input::counts(&value).with_context(foreign)?;
    sink::lines(&mut value);
    // Another format may have other members, so its name is read first.
    if let Some(format) = value["format"].as_str().filter(|format| *format != FORMAT) {
        bail!(
            "{}: its format is '{format}'; this program reads {FORMAT}; read it with the \
             version that wrote it, or run the gate again",
            place()
        );
    }
    let mut file: ResultsFile = serde_json::from_value(value).with_context(foreign)?;
    if let Some(contradiction) = contradiction(&file) {
        bail!("{}: {contradiction}; it was edited or cut: run the gate again", place());
    }
    // Older files do not have this member.
    if file.reductions.is_empty() {
        file.reductions = file.filters.words();
    }
    // The findings in the file are for other readers; here they are computed again.
    let written = std::mem::replace(&mut file.findings, findings(&file.results));
    for older in written {
        if file.findings.iter().all(|finding| finding.id != older.id) {
            let whole = file.findings.iter_mut().find(|finding| finding.contains(&older));
            whole.into_iter().for_each(|finding| finding.former.push(older.id.clone()));
        }
    }
    Ok(file)
}

/// Returns how two parts of a file contradict each other, if they do. A report would tell what one
/// of them says and hide the other.
fn contradiction(file: &ResultsFile) -> Option<String> {
    let ResultsFile { results, totals, passed, reasons, .. } = file;
    if *totals != results.totals() {
        return Some("'totals' are not the sum of 'cells' and 'suites'".into());
    }
    for run in &results.suites {
        let again = SuiteRun::new(run.suite, run.announced, run.cells.clone(), Vec::new());
        let parts = |run: &SuiteRun| (run.counts, run.expected, run.unexpected_passes);
        // Files of older programs have no cells of suites.
        if !run.cells.is_empty() && parts(run) != parts(&again) {
            return Some(format!(
                "the counts of {} are not the sum of its cells",
                run.suite.name()
            ));
        }
    }
    let errors = |counts: &Counts| counts.bad() - counts.of(Verdict::Fail);
    let counted = errors(&results.sum(|_| true).counts);
    let listed: u64 = results
        .remarks
        .iter()
        .filter(|(key, _)| key.verdict.is_bad() && key.asked.suite.is_casts())
        .map(|(_, remark)| remark.tests)
        .sum();
    // Fuzzing remarks on tensors that it does not count. One that needs many elements is listed with the
    // places.
    let is_placed = results.misplaced.iter().any(|it| matches!(it.place, Place::Unanswered(..)));
    if counted > 0 && listed == 0 && !is_placed {
        return Some(format!("'cells' count {} errors and 'remarks' none", thousands(counted)));
    }
    let failing = results.sum(|_| true).counts.of(Verdict::Fail);
    let is_listed = !results.failures.is_empty() || results.failures_left_out > 0;
    if failing > 0 && !is_listed {
        let failing = thousands(failing);
        return Some(format!("'cells' count {failing} failing tests and it lists no failure"));
    }
    // Fuzzing lists an element that was wrong alone, and counts it as arranged if it was right later.
    if is_listed && failing == 0 && results.all_arranged().wrong == 0 {
        return Some("it lists failures and 'cells' count none".into());
    }
    let (counted, listed) = (
        results.sum(|_| true).misplaced,
        results.misplaced.iter().filter(|found| found.known.is_none()).count() as u64,
    );
    // Files of older programs do not count findings of places.
    if counted > 0 && counted != listed {
        return Some(format!("'cells' count {counted} findings of places and it lists {listed}"));
    }
    match passed {
        true if !reasons.is_empty() => Some("'passed' is true and 'reasons' say why not".into()),
        true if results.fails() => Some("'passed' is true and some of its tests fail".into()),
        false if reasons.is_empty() => Some("'passed' is false and 'reasons' are empty".into()),
        _ => None,
    }
}
