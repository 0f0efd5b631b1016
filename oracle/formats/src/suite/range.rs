//! The range of a format.

use crate::projection::Projection;
use crate::record::Format;
use crate::round::round;
use crate::saturate::holds;
use castproof_oracle::Value;

/// Is the rounded value not between the smallest number and the largest, or NaN?
pub(super) fn is_beyond(value: &Value, to: &Format, projection: &Projection) -> bool {
    match round(value, to, projection.rounding) {
        Value::Finite { negative, magnitude } => !holds(to, negative, &magnitude),
        _ => true,
    }
}
