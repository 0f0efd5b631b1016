//! Which request an operator version refuses.

use castproof_vectors::{DType, Operator, Request, cast_version, type_set};

/// The versions of `Cast` that brought the attributes.
const FIRST_SATURATE: u32 = 19;
const FIRST_ROUND_MODE: u32 = 24;

/// The clause by which a version refuses a request, if it does. `version` is one of
/// [`versions`]`(request.op)`.
pub(crate) fn refusal(request: &Request, version: u32) -> Option<&'static str> {
    let set = type_set(request.op, version);
    for dtype in [request.from, request.to] {
        if !set.contains(&dtype) {
            return Some(missing_dtype(request, version, dtype));
        }
    }
    let cast_version = cast_version(request.op, version);
    let attributes = request.attributes;
    let unknown_attribute = attributes.saturate.is_some() && cast_version < FIRST_SATURATE
        || attributes.round_mode.is_some() && cast_version < FIRST_ROUND_MODE;
    unknown_attribute.then_some("T-05")
}

fn missing_dtype(request: &Request, version: u32, dtype: DType) -> &'static str {
    match dtype {
        DType::String => "T-02", // 1 and 6 alone lack it
        DType::Complex64 | DType::Complex128 if version >= 9 => "T-03",
        DType::Float6E2M3 | DType::Float6E3M2
            if request.op == Operator::CastLike && request.opset >= 28 =>
        {
            "CL-05"
        }
        _ => "T-01",
    }
}
