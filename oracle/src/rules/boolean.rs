//! Target bool (section 2, "to and from bool").

use super::exact;
use crate::class::Class;
use crate::resolved::Resolved;
use crate::spec::rules_of;
use crate::value::Value;
use castproof_vectors::Expectation;

/// Zero is false, all else is true.
pub(crate) fn to_bool(request: &Resolved, value: &Value) -> Expectation {
    let truth = !value.is_zero();
    let record = request.record;
    let rule = match Class::of(request.from) {
        Class::Bool => record.bool.same,
        Class::Integer => record.bool.integer[usize::from(truth)],
        Class::NarrowInteger => rules_of(&record.narrow_integers).truth,
        Class::Scale => rules_of(&record.from_scale).truth,
        _ => record.bool.float[usize::from(truth)],
    };
    exact(u64::from(truth), rule)
}
