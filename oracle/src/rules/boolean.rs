//! Target bool (section 2, "to and from bool").

use super::{exact, is_zero};
use crate::plan::{Class, Plan};
use crate::value::Value;
use castproof_vectors::Expectation;

/// Zero is false, all else is true.
pub(crate) fn to_bool(plan: &Plan, value: &Value) -> Expectation {
    let truth = !is_zero(value);
    let clause = match Class::of(plan.from) {
        Class::Bool => "B-08",
        Class::Integer => "B-04",
        Class::NarrowInteger => "I4-07",
        Class::Scale => "B-03",
        _ if truth => "B-02",
        _ => "B-01",
    };
    exact(u64::from(truth), clause)
}
