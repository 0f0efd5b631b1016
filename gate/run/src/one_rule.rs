//! Says which rule a quantiser of blocks follows that was asked by all of them.

use crate::plan::Plan;
use crate::questions;
use castproof_check::verdict::Verdict;
use castproof_judge::source::Source;
use castproof_results::Results;
use castproof_vectors::{BlockProfile, Question, Suite};
use std::collections::BTreeMap;

/// How many tests of a rule were executed, and how many of them failed.
#[derive(Clone, Copy, Default)]
struct Counts {
    executed: u64,
    failed: u64,
}

/// Returns a sentence where no test of some rules fails and tests of more rules do: a quantiser that has one rule gives
/// the same blocks whatever rule a question names.
pub(crate) fn sentence(plan: &Plan, source: &Source, results: &Results) -> Option<String> {
    let mut rules: BTreeMap<BlockProfile, Counts> = BTreeMap::new();
    for run in results.suites.iter().filter(|run| run.counts.of(Verdict::Fail) > 0) {
        if !plan.scope.rules.is_empty()
            || ![Suite::Blocks, Suite::BlocksTensors].contains(&run.suite)
        {
            continue;
        }
        let deviations: BTreeMap<&str, Verdict> =
            run.deviations.iter().map(|it| (it.id.as_str(), it.verdict)).collect();
        for test in questions::questions(plan, run.suite, source).ok()?.tests {
            let rule = match test.ask {
                Question::QuantizeBlock(block) => block.profile,
                Question::QuantizeTensor(tensor) => tensor.profile,
                _ => continue,
            };
            let counts = rules.entry(rule).or_default();
            match deviations.get(test.id.as_str()).unwrap_or(&Verdict::Pass) {
                Verdict::Pass | Verdict::Tolerated | Verdict::Undefined => counts.executed += 1,
                Verdict::Fail => {
                    *counts = Counts { executed: counts.executed + 1, failed: counts.failed + 1 }
                }
                _ => {}
            }
        }
    }
    said(&rules)
}

fn said(rules: &BTreeMap<BlockProfile, Counts>) -> Option<String> {
    let names = |is: &dyn Fn(&Counts) -> bool| -> Vec<&str> {
        rules.iter().filter(|(_, counts)| is(counts)).map(|(rule, _)| rule.name()).collect()
    };
    let right = names(&|counts| counts.executed > 0 && counts.failed == 0);
    let wrong = names(&|counts| counts.failed > 0);
    let first = right.first().filter(|_| right.len() < wrong.len())?;
    Some(format!(
        "No test of {} fails, and tests of {} do: a quantiser that has one rule is judged by it alone with --rule {first}",
        right.join(", "),
        wrong.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_right_rule_among_wrong_ones_is_said() {
        use BlockProfile::{MxCeil, MxEven, MxFloor, MxRceil};
        let of = |all: &[(BlockProfile, u64, u64)]| {
            let counts = |&(rule, executed, failed)| (rule, Counts { executed, failed });
            said(&all.iter().map(counts).collect())
        };
        let one = of(&[(MxFloor, 9, 3), (MxCeil, 9, 1), (MxRceil, 9, 0), (MxEven, 0, 0)]);
        let one = one.expect("a sentence");
        assert!(
            one.starts_with("No test of mx-rceil fails, and tests of mx-floor, mx-ceil do"),
            "{one}"
        );
        assert!(one.ends_with("--rule mx-rceil"), "{one}");
        // A testee that has all rules, and one of them wrong, has a fault.
        assert_eq!(of(&[(MxFloor, 9, 0), (MxCeil, 9, 1), (MxRceil, 9, 0)]), None);
        assert_eq!(of(&[(MxFloor, 9, 2), (MxCeil, 9, 1)]), None);
        assert_eq!(of(&[]), None);
    }
}
