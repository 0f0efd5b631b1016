//! Rounding to another format first. Such results are sometimes tolerated, never expected.

use crate::format::{FLOAT32, FLOAT64, FloatFormat, Kind};
use crate::overflow::Nearest;
use crate::value::Value;

/// Returns the value after rounding to float32, if the rounding changes it.
pub(crate) fn via_float32(value: &Value) -> Option<Value> {
    rounded(value, &FLOAT32)
}

/// Returns the value after rounding to float64, if the rounding changes it.
pub(crate) fn via_float64(value: &Value) -> Option<Value> {
    rounded(value, &FLOAT64)
}

fn rounded(value: &Value, format: &FloatFormat) -> Option<Value> {
    let Value::Finite { negative, magnitude } = value else { return None };
    let (negative, nearest) = (*negative, Nearest::new(magnitude, format));
    if nearest.is_exact() {
        None
    } else if nearest.overflows {
        Some(Value::Infinite { negative })
    } else {
        Some(Value::Finite { negative, magnitude: nearest.rounded.number() })
    }
}

/// Can a rounding through float32 change a number of this source?
pub(crate) fn wider_than_float32(source: &Kind) -> bool {
    match source {
        Kind::Bool => false,
        Kind::Integer(format) => format.magnitude_bits() > FLOAT32.significand_bits + 1,
        Kind::Float(format) => format.significand_bits > FLOAT32.significand_bits,
    }
}
