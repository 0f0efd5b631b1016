//! Why a run fails, as a whole.

use crate::baseline::Baseline;
use crate::results::Results;
use crate::scope::Scope;
use castproof_check::verdict::{Verdict, thousands};
use castproof_vectors::{DType, Suite};

/// Returns why a run fails; empty if it passes. `complete`: must every pair have run?
pub fn reasons(
    scope: &Scope,
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
        (baseline.stale(results, &scope.extent()).len() as u64, "stale entries of the baseline"),
        (baseline.too_wide(results).len() as u64, "wildcards beyond their bound"),
    ] {
        if count > 0 {
            reasons.push(format!("{} {what}", thousands(count)));
        }
    }
    if totals.executed == 0 {
        reasons.push("no test was executed".into());
    }
    // What a report shows as failing fails the run, whatever the sums above say.
    if reasons.is_empty() && results.fails() {
        reasons.push("some pairs or suites fail".into());
    }
    if totals.judged() != results.announced {
        let (judged, announced) = (thousands(totals.judged()), thousands(results.announced));
        reasons.push(format!("{judged} tests were judged, {announced} were announced"));
    }
    for edition in &scope.editions {
        let by_pair = results.by_pair(edition.version);
        let idle = |pair: &(DType, DType)| {
            let counts = by_pair.get(pair).map(|cell| cell.counts).unwrap_or_default();
            let vectors_due = !scope.missing.contains(pair) || complete;
            vectors_due && counts.judged() == 0 || complete && counts.executed == 0
        };
        let idle: Vec<_> = scope.pairs_of(*edition).into_iter().filter(idle).collect();
        if let Some((from, to)) = idle.first() {
            let (title, count) = (edition.title(), idle.len());
            reasons.push(format!("{count} pairs of {title} ran no test, first {from} -> {to}"));
        }
    }
    reasons
}

/// Returns why a run fails that requires these pairs: nothing was executed of some of them.
pub fn missing_pairs(required: &[(DType, DType)], results: &Results) -> Option<String> {
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
pub fn given_up(why: Option<String>, scope: &Scope, results: &Results) -> Option<String> {
    let asked = |suite: &Suite| results.suites.iter().any(|run| run.suite == *suite);
    let unasked: Vec<&str> =
        scope.questions().filter(|suite| !asked(suite)).map(Suite::name).collect();
    let unasked = match unasked[..] {
        [] => String::new(),
        ref names => format!(": nothing was asked of {}", names.join(", ")),
    };
    why.map(|why| format!("the testee was given up, {why}{unasked}"))
}
