//! The rules of a target's class.

use super::{to_bool, to_float8, to_integer, to_narrow_float, to_scale, to_wide_float};
use crate::class::Class;
use crate::format::Kind;
use crate::resolved::Resolved;
use crate::value::Value;
use castproof_vectors::Expectation;

/// Returns what a value must become in the target, whatever its source.
pub(crate) fn by_target(request: &Resolved, value: &Value) -> Expectation {
    match (&request.target, Class::of(request.to)) {
        (Kind::Bool, _) => to_bool(request, value),
        (Kind::Integer(format), _) => to_integer(request, format, value),
        (Kind::Float(format), Class::Float8) => to_float8(request, format, value),
        (Kind::Float(format), Class::Scale) => to_scale(request, format, value),
        (Kind::Float(format), Class::Float4 | Class::Float6) => {
            to_narrow_float(request, format, value)
        }
        (Kind::Float(format), _) => to_wide_float(request, format, value),
    }
}
