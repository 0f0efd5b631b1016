//! Targets float4e2m1 and float6 (section 5): no infinities, no NaN, always clamping.

use super::{exact, one_of, tolerating};
use crate::class::Class;
use crate::encode;
use crate::format::FloatFormat;
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome, rule};

/// Round to nearest even, clamp at the largest number.
pub(crate) fn to_narrow_float(
    request: &Resolved,
    format: &FloatFormat,
    value: &Value,
) -> Expectation {
    if Class::of(request.to) == Class::Float4 {
        to_float4(request, format, value)
    } else {
        to_float6(request, format, value)
    }
}

fn to_float4(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let (negative, magnitude) = match value {
        Value::Nan { .. } => {
            let [zero, minus_zero, largest, lowest] = ends(format).map(Outcome::Code);
            let answer = Expectation { expect: largest, tolerate: None, rule: rule::F4_05 };
            return tolerating(answer, [zero, minus_zero, lowest]);
        }
        Value::Infinite { negative } => {
            return exact(encode::largest(format, *negative), rule::F4_04);
        }
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let nearest = Nearest::new(magnitude, format);
    let rule = match (Class::of(request.from), nearest.beyond_largest) {
        (Class::Bool, _) => rule::B_10,
        (Class::Integer | Class::NarrowInteger, false) => rule::F4_06,
        (Class::Integer | Class::NarrowInteger, true) => rule::F4_07,
        (_, true) => rule::F4_03,
        _ if value.is_zero() => rule::F4_02,
        _ => rule::F4_01,
    };
    exact(nearest.clamped(format, negative), rule)
}

fn to_float6(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return one_of(ends(format), rule::F6_04),
        Value::Infinite { negative } => {
            return exact(encode::largest(format, *negative), rule::F6_03);
        }
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let nearest = Nearest::new(magnitude, format);
    let rule = match (Class::of(request.from), nearest.beyond_largest, nearest.is_exact()) {
        (Class::Bool, ..) => request.record.bool.to_float,
        (_, true, _) => rule::F6_03,
        (_, false, true) => rule::F6_01,
        (_, false, false) => rule::F6_02,
    };
    exact(nearest.clamped(format, negative), rule)
}

/// Both zeros and both ends: what NaN may become in a format without one.
fn ends(format: &FloatFormat) -> [u64; 4] {
    let (largest, lowest) = (encode::largest(format, false), encode::largest(format, true));
    [0, format.sign_bit(), largest, lowest]
}
