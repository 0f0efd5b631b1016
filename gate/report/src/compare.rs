//! Several runtimes side by side, as a table.

use super::words::extent;
use castproof_check::verdict::{Counts, Verdict, thousands};
use castproof_io::sink::markdown;
use castproof_judge::results::ResultsFile;
use castproof_vectors::Suite;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Returns Markdown tables with a row for each results file: all tests, then the suites of
/// questions.
pub fn table(files: &[ResultsFile]) -> String {
    totals(files) + &questions(files)
}

fn totals(files: &[ResultsFile]) -> String {
    let mut text =
        "| runtime | level | pairs that run | executed | pass | tolerated | fail | error | crash | timeout |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_string();
    for file in files {
        let Counts { executed, .. } = file.totals;
        let counts = [Verdict::Pass, Verdict::Tolerated]
            .into_iter()
            .chain(Verdict::BAD)
            .map(|verdict| thousands(file.totals.of(verdict)));
        let counts: Vec<String> = counts.collect();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            markdown(&file.testee.to_string()),
            markdown(&extent(file)),
            thousands(pairs(file)),
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

/// Returns how many pairs run at some operator version.
fn pairs(file: &ResultsFile) -> u64 {
    let ran = file.results.cells.iter().filter(|(_, cell)| cell.counts.executed > 0);
    let mut pairs: Vec<_> = ran.map(|(key, _)| key.pair()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len() as u64
}
