//! Words and numbers that several reports share.

pub(super) use castproof_check::words::{element, outcome, version};
use castproof_judge::results::{Cell, Failure, ResultsFile};
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

/// Returns `core`, or `core, REDUCED: --opset 21`.
pub(super) fn extent(file: &ResultsFile) -> String {
    match file.reductions[..] {
        [] => file.level.name().into(),
        ref reductions => format!("{}, REDUCED: {}", file.level.name(), reductions.join(", ")),
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

/// The state of a pair at one operator version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It fails the run.
    Failing,
    /// It fails as the baseline expects.
    Known,
    /// Nothing was executed.
    Unsupported,
    /// It passes.
    Passing,
}

/// Returns the standing of a cell.
pub(super) fn standing(cell: &Cell) -> Standing {
    if cell.fails() {
        Standing::Failing
    } else if cell.expected > 0 {
        Standing::Known
    } else if cell.counts.executed == 0
        && cell.counts.judged() > cell.counts.of(castproof_check::verdict::Verdict::Pass)
    {
        Standing::Unsupported
    } else {
        Standing::Passing
    }
}
