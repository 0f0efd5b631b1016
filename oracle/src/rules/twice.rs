//! Rounding to another format first. Such results are sometimes tolerated; a specification expects
//! them if it says so.

use crate::format::{CodeKind, FLOAT32, FLOAT64, FloatFormat};
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::spec::{Chosen, Twice};
use crate::value::Value;
use castproof_vectors::Expectation;

/// Returns the answer after a rounding to float32 if the specification always rounds so. Where this
/// changes the answer, its rule decides.
pub(crate) fn rounded_twice(
    request: &Resolved,
    value: &Value,
    (answer, (twice, rule)): (Expectation, Chosen<Twice>),
    again: impl Fn(&Value) -> Expectation,
) -> Expectation {
    if twice != Twice::Always || !wider_than_float32(&request.source) {
        return answer;
    }
    let Some(first) = via_float32(value) else { return answer };
    let second = again(&first);
    if second.expect == answer.expect { answer } else { Expectation { rule, ..second } }
}

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
pub(crate) fn wider_than_float32(source: &CodeKind) -> bool {
    match source {
        CodeKind::Bool => false,
        CodeKind::Integer(format) => format.magnitude_bits() > FLOAT32.significand_bits + 1,
        CodeKind::Float(format) => format.significand_bits > FLOAT32.significand_bits,
    }
}
