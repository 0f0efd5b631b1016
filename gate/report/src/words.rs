//! Words and numbers that several reports share.

pub(super) use castproof_check::words::{element, outcome, version};
use castproof_judge::silent;
use castproof_results::{Failure, ResultsFile};
use castproof_vectors::Suite;
use std::collections::BTreeSet;

/// Returns `float32 -> float8e4m3fn saturate=0`.
pub(super) fn title(finding: &Failure) -> String {
    let Failure { from, to, attributes, .. } = finding;
    format!("{from} -> {to} {attributes}").trim_end().to_string()
}

/// Returns the address of a rule's text: the page of all rules, with the anchor of this one.
pub(super) fn rule_address(id: &str) -> String {
    format!("{}/blob/main/docs/rules.md#{id}", env!("CARGO_PKG_REPOSITORY"))
}

/// Returns `core`, or `core, REDUCED: --opset 21`; between them by which profile open results were
/// judged.
pub(super) fn extent(file: &ResultsFile) -> String {
    let silent = file.silent_as.map_or(String::new(), |it| format!(", {}", silent::words(it)));
    let level = file.level.name().to_string() + &silent;
    match file.reductions[..] {
        [] => level,
        ref reductions => format!("{level}, REDUCED: {}", reductions.join(", ")),
    }
}

/// Returns the extent, with the features that the testee's hello does not list:
/// `core (not asked: strided, reversed)`.
pub(super) fn extent_and_gaps(file: &ResultsFile) -> String {
    match file.gaps() {
        gaps if gaps.is_empty() => extent(file),
        gaps => format!("{} (not asked: {gaps})", extent(file)),
    }
}

/// Returns the suites of casts of a results file, with their versions, ascending.
pub(super) fn versions(file: &ResultsFile) -> BTreeSet<(Suite, Option<u32>)> {
    file.results.cells.keys().map(|key| (key.suite, key.opset)).collect()
}
