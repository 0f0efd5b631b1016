//! Target bool (section 2, "to and from bool").

use super::{exact, is_zero};
use crate::plan::{Class, Plan};
use crate::value::Value;
use castproof_vectors::{Expectation, rule};

/// Zero is false, all else is true.
pub(crate) fn to_bool(plan: &Plan, value: &Value) -> Expectation {
    let truth = !is_zero(value);
    let rule = match Class::of(plan.from) {
        Class::Bool => rule::B_08,
        Class::Integer => rule::B_04,
        Class::NarrowInteger => rule::I4_07,
        Class::Scale => rule::B_03,
        _ if truth => rule::B_02,
        _ => rule::B_01,
    };
    exact(u64::from(truth), rule)
}
