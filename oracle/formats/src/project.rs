//! The projection, in its three steps.

use crate::encode::encode;
use crate::projection::{Open, Projection};
use crate::record::Format;
use crate::round::round;
use crate::saturate::saturate;
use castproof_oracle::Value;

/// Returns the code of a value, in three steps: it is rounded as if the exponent had no upper end, then saturated, then encoded.
///
/// # Errors
/// If neither rounding nor saturation decides.
pub fn project(value: &Value, format: &Format, projection: &Projection) -> Result<u64, Open> {
    let rounded = round(value, format, projection.rounding);
    let kept = saturate(rounded, format, projection)?;
    encode(&kept, format)
}
