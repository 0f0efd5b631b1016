//! Answers, and how several become one.

use castproof_vectors::{Expectation, Outcome, RuleId};

pub(crate) fn exact(code: u64, rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::Code(code), tolerate: None, rule }
}

pub(crate) fn any_nan(rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::AnyNan, tolerate: None, rule }
}

pub(crate) fn quiet_nan(rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::QuietNan, tolerate: None, rule }
}

pub(crate) fn one_of(codes: impl IntoIterator<Item = u64>, rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::one_of(codes), tolerate: None, rule }
}

pub(crate) fn any(rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::Any, tolerate: None, rule }
}

/// The codes of an outcome that is a code or a set.
pub(crate) fn codes(outcome: &Outcome) -> Option<Vec<u64>> {
    match outcome {
        Outcome::Code(code) => Some(vec![*code]),
        Outcome::OneOf(codes) => Some(codes.clone()),
        Outcome::AnyNan | Outcome::QuietNan | Outcome::Any | Outcome::Reject | Outcome::Text(_) => {
            None
        }
    }
}

/// Adds outcomes that a report tolerates. Outcomes that are expected anyway are not listed. If a
/// whole class (any NaN, any value) is tolerated, it replaces the single outcomes.
pub(crate) fn tolerating(
    answer: Expectation,
    more: impl IntoIterator<Item = Outcome>,
) -> Expectation {
    let expected = codes(&answer.expect).unwrap_or_default();
    let mut tolerated = Vec::new();
    for outcome in answer.tolerate.clone().into_iter().chain(more) {
        match codes(&outcome) {
            Some(codes) => tolerated.extend(codes.into_iter().filter(|c| !expected.contains(c))),
            None if outcome == answer.expect => {}
            None => return Expectation { tolerate: Some(outcome), ..answer },
        }
    }
    let covered = matches!(answer.expect, Outcome::Any);
    let tolerate = (!covered && !tolerated.is_empty()).then(|| Outcome::one_of(tolerated));
    Expectation { tolerate, ..answer }
}
