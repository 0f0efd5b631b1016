//! Which dtypes a version has, and what is refused.

use crate::error::QuestionError;
use castproof_vectors::DType;

/// The first version of either operator that has this dtype on its quantised side; `None` if none has.
pub(super) fn first_quantised(dtype: DType) -> Option<u32> {
    use DType::*;
    Some(match dtype {
        Int8 | Uint8 => 10,
        Float8E4M3FN | Float8E4M3FNUZ | Float8E5M2 | Float8E5M2FNUZ => 19,
        Int16 | Uint16 | Int4 | Uint4 => 21,
        Float4E2M1 => 23,
        Int2 | Uint2 => 25,
        Float6E2M3 | Float6E3M2 => 28,
        _ => return None,
    })
}

/// Refuses a dtype that the version does not have.
pub(super) fn known(
    what: &str,
    dtype: DType,
    first: Option<u32>,
    opset: u32,
) -> Result<(), QuestionError> {
    match first {
        Some(first) if first <= opset && opset >= 10 => Ok(()),
        _ => Err(QuestionError(format!("opset {opset} has no {what} of {dtype}"))),
    }
}
