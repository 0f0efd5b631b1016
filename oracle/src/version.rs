//! Which request an operator version refuses.

use castproof_vectors::{DType, Operator, Request, RuleId, cast_version, rule, type_set};

/// The versions of `Cast` that brought the attributes.
const FIRST_SATURATE: u32 = 19;
const FIRST_ROUND_MODE: u32 = 24;

/// The rule by which a version refuses a request, if it does. `version` is one of
/// [`versions`]`(request.op)`.
pub(crate) fn refusal(request: &Request, op: Operator, version: u32) -> Option<RuleId> {
    let set = type_set(op, version);
    for dtype in [request.from, request.to] {
        if !set.contains(&dtype) {
            return Some(missing_dtype(request, op, version, dtype));
        }
    }
    let cast_version = cast_version(op, version);
    let attributes = request.attributes;
    let unknown_attribute = attributes.saturate.is_some() && cast_version < FIRST_SATURATE
        || attributes.round_mode.is_some() && cast_version < FIRST_ROUND_MODE;
    unknown_attribute.then_some(rule::T_05)
}

fn missing_dtype(request: &Request, op: Operator, version: u32, dtype: DType) -> RuleId {
    match dtype {
        DType::String => rule::T_02, // 1 and 6 alone lack it
        DType::Complex64 | DType::Complex128 if version >= 9 => rule::T_03,
        DType::Float6E2M3 | DType::Float6E3M2
            if op == Operator::CastLike && request.spec.opset() >= Some(28) =>
        {
            rule::CL_05
        }
        _ => rule::T_01,
    }
}
