//! Why a run fails, as a whole.

use crate::scope::Scope;
use castproof_check::verdict::{Verdict, counted, thousands};
use castproof_results::Results;
use castproof_results::baseline::Baseline;
use castproof_vectors::{DType, Suite};

/// Why a run fails; nothing if it passes.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// What an update of the baseline mends: failures that get an entry, and entries that are no longer true.
    pub mended: Vec<String>,
    /// What no entry mends: parts that were not executed, and a testee that died or did not answer.
    pub lasting: Vec<String>,
}

impl Reasons {
    /// Returns why a run fails that updates no baseline.
    pub fn all(self) -> Vec<String> {
        [self.mended, self.lasting].concat()
    }
}

/// Returns why a run fails; empty if it passes. `complete`: must every pair have run?
pub fn reasons(scope: &Scope, baseline: &Baseline, results: &Results, complete: bool) -> Reasons {
    let mut reasons = unexpected(scope, baseline, results);
    let lasting = &mut reasons.lasting;
    let wide = baseline.too_wide(results).len() as u64;
    if wide > 0 {
        lasting.push(format!("{} wildcards beyond their bound", thousands(wide)));
    }
    let totals = results.totals();
    if totals.executed == 0 {
        lasting.push("no test was executed".into());
    }
    // What a report shows as failing fails the run, whatever the sums above say.
    if reasons.mended.is_empty() && lasting.is_empty() && results.fails() {
        lasting.push("some pairs or suites fail".into());
    }
    if totals.judged() != results.announced {
        let (judged, announced) = (counted(totals.judged(), "test"), thousands(results.announced));
        let were = if totals.judged() == 1 { "was" } else { "were" };
        lasting.push(format!("{judged} {were} judged, {announced} were announced"));
    }
    lasting.extend(idle(scope, results, complete));
    reasons
}

/// Returns what failed, passed or no longer fails against the baseline.
fn unexpected(scope: &Scope, baseline: &Baseline, results: &Results) -> Reasons {
    let mut reasons = Reasons::default();
    let known = if baseline.entries.is_empty() { "" } else { "unexpected " };
    for verdict in Verdict::BAD {
        let unexpected: u64 =
            results.surprises.values().map(|surprise| surprise.unexpected.of(verdict)).sum();
        if unexpected > 0 {
            let reason = format!("{} {known}{}", thousands(unexpected), verdict.name());
            match verdict {
                Verdict::Crash | Verdict::Timeout => reasons.lasting.push(reason),
                _ => reasons.mended.push(reason),
            }
        }
    }
    let passes = results.sum(|_| true).unexpected_passes
        + results.suites.iter().map(|suite| suite.unexpected_passes).sum::<u64>();
    let misplaced = results.misplaced.iter().filter(|found| found.known.is_none()).count() as u64;
    for (count, what) in [
        (misplaced, "wrong by place"),
        (passes, "unexpected pass"),
        (baseline.stale(results, &scope.extent()).len() as u64, "stale entries of the baseline"),
    ] {
        if count > 0 {
            reasons.mended.push(format!("{} {what}", thousands(count)));
        }
    }
    reasons
}

/// Returns the versions in which pairs ran no test.
fn idle(scope: &Scope, results: &Results, complete: bool) -> Vec<String> {
    let mut reasons = Vec::new();
    for edition in &scope.editions {
        let by_pair = results.by_pair(edition.version);
        let idle = |pair: &(DType, DType)| {
            let counts = by_pair.get(pair).map(|cell| cell.counts).unwrap_or_default();
            let vectors_due = !scope.missing.contains(pair) || complete;
            vectors_due && counts.judged() == 0 || complete && counts.executed == 0
        };
        let idle: Vec<_> = scope.pairs_of(*edition).into_iter().filter(idle).collect();
        if let Some((from, to)) = idle.first() {
            let (title, count) = (edition.title(), counted(idle.len() as u64, "pair"));
            reasons.push(format!("{count} of {title} ran no test, first {from} -> {to}"));
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
