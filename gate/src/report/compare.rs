//! Several runtimes side by side, as a table.

use crate::results::ResultsFile;
use crate::verdict::{Counts, Verdict, thousands};
use std::fmt::Write as _;

/// A Markdown table with a row for each results file.
pub fn table(files: &[ResultsFile]) -> String {
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
            file.testee,
            file.level.name(),
            thousands(pairs(file)),
            thousands(executed),
            counts.join(" | ")
        );
    }
    text
}

/// How many pairs run at some operator version.
fn pairs(file: &ResultsFile) -> u64 {
    let ran = file.results.cells.iter().filter(|(_, cell)| cell.counts.executed > 0);
    let mut pairs: Vec<_> = ran.map(|(key, _)| (key.from, key.to)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len() as u64
}
