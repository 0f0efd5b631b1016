//! The rules of a target's class.

use super::{to_bool, to_float8, to_integer, to_narrow_float, to_scale, to_wide_float};
use crate::class::Class;
use crate::format::CodeKind;
use crate::resolved::Resolved;
use crate::value::Value;
use castproof_vectors::Expectation;

/// Returns what a value must become in the target, whatever its source.
pub(crate) fn by_target(request: &Resolved, value: &Value) -> Expectation {
    match (&request.target, Class::of(request.to)) {
        (CodeKind::Bool, _) => to_bool(request, value),
        (CodeKind::Integer(format), _) => to_integer(request, format, value),
        (CodeKind::Float(format), Class::Float8) => to_float8(request, format, value),
        (CodeKind::Float(format), Class::Scale) => to_scale(request, format, value),
        (CodeKind::Float(format), Class::Float4 | Class::Float6) => {
            to_narrow_float(request, format, value)
        }
        (CodeKind::Float(format), _) => to_wide_float(request, format, value),
    }
}
