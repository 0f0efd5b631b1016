//! Target bool (section 2, "to and from bool").

use super::exact;
use crate::class::Class;
use crate::resolved::Resolved;
use crate::value::Value;
use castproof_vectors::{Expectation, rule};

/// Zero is false, all else is true.
pub(crate) fn to_bool(request: &Resolved, value: &Value) -> Expectation {
    let truth = !value.is_zero();
    let rules = request.record.bool;
    let rule = match Class::of(request.from) {
        Class::Bool => rules.same,
        Class::Integer => rules.integer[usize::from(truth)],
        Class::NarrowInteger => rule::I4_07,
        Class::Scale => rule::B_03,
        _ => rules.float[usize::from(truth)],
    };
    exact(u64::from(truth), rule)
}
