//! Several runtimes side by side, as a table.

use super::silence;
use super::words::extent;
use castproof_check::verdict::{Counts, Verdict, thousands};
use castproof_io::sink::markdown;
use castproof_results::ResultsFile;
use castproof_results::standing::{Mark, Standing};
use castproof_vectors::{DType, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Returns Markdown tables with a row for each results file: all tests, then the suites of questions;
/// and one with a column for each, of what they do where ONNX is silent.
pub fn table(files: &[ResultsFile]) -> String {
    totals(files) + &questions(files) + &silent(files)
}

/// Returns the table of the profiles that runtimes cast as where ONNX is silent; empty if no file tells.
fn silent(files: &[ResultsFile]) -> String {
    let rows = silence::rows(files);
    if rows.is_empty() {
        return String::new();
    }
    let heads = files.iter().map(|file| markdown(&file.testee.to_string()).to_string());
    let heads: Vec<String> = heads.collect();
    let mut text = format!(
        "\n| where ONNX leaves the result open, as | {} |\n|---|{}\n",
        heads.join(" | "),
        "---|".repeat(heads.len())
    );
    for row in rows {
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {} | {} |", row.pairs, row.cells.join(" | "));
    }
    text
}

fn totals(files: &[ResultsFile]) -> String {
    let mut text =
        "| runtime | level | verdict | findings | pairs right | pairs that run | executed | pass | tolerated \
         | fail | error | crash | timeout |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_string();
    for file in files {
        let Counts { executed, .. } = file.totals;
        let verdict = if file.standing() == Standing::Failing { "FAIL" } else { "PASS" };
        let (right, ran) = pairs(file);
        let counts =
            [Verdict::Pass, Verdict::Tolerated].into_iter().chain(Verdict::BAD).map(|verdict| {
                match verdict {
                    Verdict::Pass => thousands(file.totals.of(verdict) - file.totals.refused()),
                    _ => thousands(file.totals.of(verdict)),
                }
            });
        let counts: Vec<String> = counts.collect();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {verdict} | {} | {} | {} | {} | {} |",
            markdown(&file.testee.to_string()),
            markdown(&extent(file)),
            thousands(file.findings.iter().filter(|it| !it.is_notice()).count() as u64),
            thousands(right),
            thousands(ran),
            thousands(executed),
            counts.join(" | ")
        );
    }
    text
}

/// Returns the table of the suites of questions; empty if no file has any.
fn questions(files: &[ResultsFile]) -> String {
    let asked: BTreeSet<Suite> =
        files.iter().flat_map(|file| &file.results.suites).map(|run| run.suite).collect();
    if asked.is_empty() {
        return String::new();
    }
    let heads: Vec<&str> = asked.iter().map(|suite| suite.name()).collect();
    let mut text =
        format!("\n| runtime | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(asked.len()));
    for file in files {
        let cells = asked.iter().map(|suite| {
            let run = file.results.suites.iter().find(|run| run.suite == *suite);
            run.map_or("not asked".into(), |run| match run.counts.executed {
                // Tests that expect a refusal pass without being executed; they do not show
                // support.
                0 => "not supported".into(),
                _ => run.counts.to_string().replace("  ", ", "),
            })
        });
        let cells: Vec<String> = cells.collect();
        // Writing to a string does not fail.
        let _ =
            writeln!(text, "| {} | {} |", markdown(&file.testee.to_string()), cells.join(" | "));
    }
    text
}

/// Returns how many pairs are right in every version that runs them, and how many run in some. What a
/// baseline expects is as wrong here as what it does not.
fn pairs(file: &ResultsFile) -> (u64, u64) {
    let mut placed: BTreeMap<(DType, DType), u64> = BTreeMap::new();
    for found in &file.results.misplaced {
        *placed.entry(found.asked.pair()).or_default() += 1;
    }
    let chains = file.results.chain_marks();
    let mut pairs: BTreeMap<(DType, DType), bool> = BTreeMap::new();
    for (key, cell) in file.results.cells.iter().filter(|(_, cell)| cell.counts.executed > 0) {
        let pair = key.pair();
        let misplaced = placed.get(&pair).copied().unwrap_or_default();
        let is_right = Mark::of_compared(cell, misplaced).standing() == Standing::Passing;
        *pairs.entry(pair).or_insert(!chains.contains_key(&pair)) &= is_right;
    }
    let right = pairs.values().filter(|is_right| **is_right).count();
    (right as u64, pairs.len() as u64)
}
