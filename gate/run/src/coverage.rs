//! Says what a run asked and what it did not, beside what its options leave out by name.

use crate::drawn;
use crate::one_rule;
use crate::options::Options;
use crate::plan::Plan;
use castproof_arrange::{Arrangements, Like};
use castproof_check::verdict::counted;
use castproof_judge::source::Source;
use castproof_results::Results;
use castproof_vectors::{DType, Level, Suite};
use std::collections::BTreeMap;

/// What the gate asks of `CastLike`.
const OF_GATE: &str = ": the vectors in every version, drawn codes and other tensors in the newest, texts in the \
    newest alone";

/// Returns a sentence about each part, without its full stop.
pub(crate) fn sentences(
    options: &Options,
    (plan, source): (&Plan, &Source),
    results: &Results,
) -> Vec<String> {
    let like = cast_like(options, plan, results);
    let of_blocks = one_rule::sentence(plan, source, results);
    like.into_iter().chain(level(plan, source)).chain(of_blocks).collect()
}

/// Names the suites that have as many questions at level core.
fn level(plan: &Plan, source: &Source) -> Option<String> {
    let level = source.level();
    let has_more = |suite: Suite| match suite {
        Suite::OnnxCastlike | Suite::MindsporeOperands => true,
        suite => plan.draws(source) && drawn::is_drawn(suite),
    };
    let alike: Vec<&str> =
        plan.scope.questions().filter(|&suite| !has_more(suite)).map(Suite::name).collect();
    let is_told = level > Level::Core && !alike.is_empty();
    is_told.then(|| format!("Level {} adds nothing to {}", level.name(), alike.join(", ")))
}

/// Says what was asked of `CastLike`.
fn cast_like(options: &Options, plan: &Plan, results: &Results) -> Option<String> {
    let scope = &plan.scope;
    let has_suite = scope.suites.contains(&Suite::OnnxCastlike);
    if scope.casts != Some(Suite::OnnxCast) {
        return None;
    }
    let not = |why: &str| Some(format!("CastLike was not asked: {why}"));
    let tensors = plan.arranging.versions != Arrangements::None;
    match plan.arranging.like {
        Like::None if scope.kernel => not("a bare kernel has no second input"),
        Like::None if !options.suites.is_empty() => not("the suites that are named leave it out"),
        Like::None => not("the operator set is older than CastLike-15"),
        _ if !tensors && has_suite => {
            Some("CastLike was asked for the tests of its suite alone: --arrangements none".into())
        }
        _ if !tensors => not("--arrangements none"),
        _ => asked_like(results, OF_GATE).or_else(|| not("nothing of Cast was executed")),
    }
}

/// Says what fuzzing asked of `CastLike`.
pub fn of_fuzzing(suite: Suite, results: &Results) -> Option<String> {
    if suite != Suite::OnnxCast {
        return None;
    }
    let none =
        || "CastLike was not asked: its turn did not come, or no version has the casts".into();
    Some(asked_like(results, "").unwrap_or_else(none))
}

/// Says of how many pairs `CastLike` was asked; `None` if of none.
fn asked_like(results: &Results, how: &str) -> Option<String> {
    let mut pairs: BTreeMap<(DType, DType), u64> = BTreeMap::new();
    for (asked, arranged) in &results.arranged {
        if asked.suite == Suite::OnnxCastlike {
            *pairs.entry(asked.pair()).or_default() += arranged.elements;
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let of = |count: usize| counted(count as u64, "pair");
    let lacking = pairs.values().filter(|elements| **elements == 0).count();
    let asked = pairs.len() - lacking;
    let lacks = match lacking {
        0 => String::new(),
        count => format!("not of {}, which the testee does not have", of(count)),
    };
    if asked == 0 {
        return Some(format!("CastLike was asked {lacks}"));
    }
    let elements = counted(pairs.values().sum::<u64>(), "element");
    let but = if lacks.is_empty() { String::new() } else { format!("; {lacks}") };
    Some(format!("CastLike was asked of {}, {elements}{how}{but}", of(asked)))
}
