//! Targets float16, bfloat16, float32 and float64 (section 2).

use super::{any_nan, exact, is_zero, tolerating, via_float32, wider_than_float32};
use crate::encode;
use crate::format::FloatFormat;
use crate::overflow::Nearest;
use crate::plan::{Class, Plan};
use crate::round::{self, Rounding};
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Outcome};
use rug::Rational;

/// Round to nearest even, once; infinity beyond the largest number.
pub(crate) fn to_wide_float(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    let from = Class::of(plan.from);
    match value {
        Value::Nan { .. } => any_nan(match from {
            Class::Float8 => "F8-U02",
            Class::Scale => scale_clause(plan),
            _ => "FF-08",
        }),
        Value::Infinite { negative } => exact(
            encode::infinity(format, *negative),
            if from == Class::Float8 { "F8-U01" } else { "FF-07" },
        ),
        Value::Finite { negative, magnitude } => {
            let (code, inexactly) = nearest(format, *negative, magnitude);
            let Some(clause) = inexactly else {
                return exact(code, exact_clause(plan, value));
            };
            let answer = exact(code, inexact_clause(plan, clause));
            tolerating_practice(plan, format, value, answer)
        }
    }
}

/// How a number was not exactly representable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inexact {
    InRange,
    /// Above the largest number, rounded back to it.
    BackToLargest,
    Overflow,
}

fn nearest(format: &FloatFormat, negative: bool, magnitude: &Rational) -> (u64, Option<Inexact>) {
    let nearest = Nearest::new(magnitude, format);
    if nearest.overflows {
        return (encode::infinity(format, negative), Some(Inexact::Overflow));
    }
    let how = match (nearest.is_exact(), nearest.beyond_largest) {
        (true, _) => None,
        (false, true) => Some(Inexact::BackToLargest),
        (false, false) => Some(Inexact::InRange),
    };
    (encode::signed(format, negative, nearest.code), how)
}

fn exact_clause(plan: &Plan, value: &Value) -> &'static str {
    let negative_zero = is_zero(value) && matches!(value, Value::Finite { negative: true, .. });
    match Class::of(plan.from) {
        Class::Bool => "B-06",
        Class::Integer => "IF-01",
        Class::NarrowInteger => "I4-06",
        Class::Float4 => "F4-08",
        Class::Float8 if negative_zero => "F8-U03",
        Class::Float8 => "F8-U01",
        Class::Scale => scale_clause(plan),
        _ if is_zero(value) => "FF-09",
        _ => "FF-01",
    }
}

fn inexact_clause(plan: &Plan, how: Inexact) -> &'static str {
    match (Class::of(plan.from), how) {
        (Class::Scale, _) => scale_clause(plan),
        (Class::Integer, Inexact::InRange) => "IF-02",
        (Class::Integer, _) => "IF-03",
        (_, Inexact::Overflow) => "FF-05",
        (_, Inexact::BackToLargest) => "FF-06",
        (_, Inexact::InRange) if plan.to == DType::Bfloat16 && plan.version >= 24 => "FF-04",
        (_, Inexact::InRange) if plan.to == DType::Bfloat16 => "FF-03",
        (_, Inexact::InRange) => "FF-02",
    }
}

fn scale_clause(plan: &Plan) -> &'static str {
    if plan.to == DType::Float16 { "E8-21" } else { "E8-20" }
}

/// FF-03: toward zero to bfloat16 before version 24. FF-10, IF-02: through float32, from
/// float64 to float16 and bfloat16, from integers to bfloat16.
fn tolerating_practice(
    plan: &Plan,
    format: &FloatFormat,
    value: &Value,
    answer: Expectation,
) -> Expectation {
    let Value::Finite { negative, magnitude } = value else { return answer };
    let mut tolerated = Vec::new();
    if answer.clause == "FF-03" {
        let toward_zero = round::to_format(magnitude, format, Rounding::TowardZero);
        let code = encode::magnitude(format, &toward_zero);
        tolerated.push(Outcome::Code(encode::signed(format, *negative, code)));
    }
    let mut clause = answer.clause;
    let narrow = matches!(plan.to, DType::Float16 | DType::Bfloat16);
    if narrow && wider_than_float32(&plan.source) {
        let code = match via_float32(value) {
            Some(Value::Infinite { negative }) => Some(encode::infinity(format, negative)),
            Some(Value::Finite { negative, magnitude }) => {
                Some(nearest(format, negative, &magnitude).0)
            }
            _ => None,
        };
        let differing = code.filter(|&code| answer.expect != Outcome::Code(code));
        if let Some(code) = differing {
            tolerated.push(Outcome::Code(code));
            if plan.from == DType::Float64 {
                clause = "FF-10";
            }
        }
    }
    tolerating(Expectation { clause, ..answer }, tolerated)
}
