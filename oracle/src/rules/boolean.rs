//! Target bool (section 2, "to and from bool").

use super::{exact, is_zero};
use crate::plan::{Class, Plan};
use crate::value::Value;
use castproof_vectors::{Expectation, rule};

/// Zero is false, all else is true.
pub(crate) fn to_bool(plan: &Plan, value: &Value) -> Expectation {
    let truth = !is_zero(value);
    let rules = plan.record.bool;
    let rule = match Class::of(plan.from) {
        Class::Bool => rules.same,
        Class::Integer => rules.integer[usize::from(truth)],
        Class::NarrowInteger => rule::I4_07,
        Class::Scale => rule::B_03,
        _ => rules.float[usize::from(truth)],
    };
    exact(u64::from(truth), rule)
}
