//! Targets float4e2m1 and float6 (section 5): no infinities, no NaN, always clamping.

use super::{exact, is_zero, one_of, tolerating};
use crate::encode;
use crate::format::FloatFormat;
use crate::overflow::Nearest;
use crate::plan::{Class, Plan};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome};

/// Round to nearest even, clamp at the largest number.
pub(crate) fn to_narrow_float(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    if Class::of(plan.to) == Class::Float4 {
        to_float4(plan, format, value)
    } else {
        to_float6(plan, format, value)
    }
}

fn to_float4(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    let (negative, magnitude) = match value {
        Value::Nan { .. } => {
            let [zero, minus_zero, largest, lowest] = ends(format).map(Outcome::Code);
            let answer = Expectation { expect: largest, tolerate: None, clause: "F4-05" };
            return tolerating(answer, [zero, minus_zero, lowest]);
        }
        Value::Infinite { negative } => return exact(encode::largest(format, *negative), "F4-04"),
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let nearest = Nearest::new(magnitude, format);
    let clause = match (Class::of(plan.from), nearest.beyond_largest) {
        (Class::Bool, _) => "B-10",
        (Class::Integer | Class::NarrowInteger, false) => "F4-06",
        (Class::Integer | Class::NarrowInteger, true) => "F4-07",
        (_, true) => "F4-03",
        _ if is_zero(value) => "F4-02",
        _ => "F4-01",
    };
    exact(nearest.clamped(format, negative), clause)
}

fn to_float6(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return one_of(ends(format), "F6-04"),
        Value::Infinite { negative } => return exact(encode::largest(format, *negative), "F6-03"),
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let nearest = Nearest::new(magnitude, format);
    let clause = match (Class::of(plan.from), nearest.beyond_largest, nearest.is_exact()) {
        (Class::Bool, ..) => "B-06",
        (_, true, _) => "F6-03",
        (_, false, true) => "F6-01",
        (_, false, false) => "F6-02",
    };
    exact(nearest.clamped(format, negative), clause)
}

/// Both zeros and both ends: what NaN may become in a format without one.
fn ends(format: &FloatFormat) -> [u64; 4] {
    let (largest, lowest) = (encode::largest(format, false), encode::largest(format, true));
    [0, format.sign_bit(), largest, lowest]
}
