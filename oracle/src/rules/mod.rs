//! The rules, one file per class of target. Each function follows the order of its section of the
//! specification, and names the rule that decides.

mod boolean;
mod float8;
mod integer;
mod narrow_float;
mod scale;
mod text;
mod wide_float;

pub(crate) use boolean::to_bool;
pub(crate) use float8::{same_dtype, to_float8};
pub(crate) use integer::to_integer;
pub(crate) use narrow_float::to_narrow_float;
pub(crate) use scale::to_scale;
pub(crate) use text::{from_text, same_text, to_text};
pub(crate) use wide_float::to_wide_float;

use crate::format::{FLOAT32, Kind};
use crate::overflow::Nearest;
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome, RuleId};

pub(crate) fn exact(code: u64, rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::Code(code), tolerate: None, rule }
}

pub(crate) fn any_nan(rule: RuleId) -> Expectation {
    Expectation { expect: Outcome::AnyNan, tolerate: None, rule }
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
        Outcome::AnyNan | Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
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

/// Returns the value after rounding to float32, if the rounding changes it. Such results are
/// sometimes tolerated, never expected.
pub(crate) fn via_float32(value: &Value) -> Option<Value> {
    let Value::Finite { negative, magnitude } = value else { return None };
    let (negative, nearest) = (*negative, Nearest::new(magnitude, &FLOAT32));
    if nearest.is_exact() {
        None
    } else if nearest.overflows {
        Some(Value::Infinite { negative })
    } else {
        Some(Value::Finite { negative, magnitude: nearest.rounded.number() })
    }
}

/// Can a rounding through float32 change a number of this source?
pub(crate) fn wider_than_float32(source: &Kind) -> bool {
    match source {
        Kind::Bool => false,
        Kind::Integer(format) => format.magnitude_bits() > FLOAT32.significand_bits + 1,
        Kind::Float(format) => format.significand_bits > FLOAT32.significand_bits,
    }
}

/// Is it a zero of either sign?
pub(crate) fn is_zero(value: &Value) -> bool {
    matches!(value, Value::Finite { magnitude, .. } if *magnitude == 0)
}
