//! Targets float16, bfloat16, float32 and float64 (section 2).

use super::{any_nan, exact, is_zero, tolerating, via_float32, wider_than_float32};
use crate::encode;
use crate::format::FloatFormat;
use crate::number::Rational;
use crate::overflow::Nearest;
use crate::plan::{Class, Plan};
use crate::round::{self, Rounding};
use crate::spec::TowardZero;
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Outcome, RuleId, rule};

/// Rounds to nearest even, once; infinity beyond the largest number.
pub(crate) fn to_wide_float(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    let (from, rules) = (Class::of(plan.from), plan.record.to_float.float);
    match value {
        Value::Nan { .. } => any_nan(match from {
            Class::Float8 => rule::F8_U02,
            Class::Scale => scale_rule(plan),
            _ => rules.nan,
        }),
        Value::Infinite { negative } => exact(
            encode::infinity(format, *negative),
            if from == Class::Float8 { rule::F8_U01 } else { rules.infinity },
        ),
        Value::Finite { negative, magnitude } => {
            let (code, inexactly) = nearest(format, *negative, magnitude);
            let Some(how) = inexactly else {
                return exact(code, exact_rule(plan, value));
            };
            let answer = exact(code, inexact_rule(plan, how));
            tolerating_practice(plan, format, value, (answer, how))
        }
    }
}

/// Why a result is not exact.
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

fn exact_rule(plan: &Plan, value: &Value) -> RuleId {
    let negative_zero = is_zero(value) && matches!(value, Value::Finite { negative: true, .. });
    let rules = plan.record.to_float;
    match Class::of(plan.from) {
        Class::Bool => plan.record.bool.to_float,
        Class::Integer => rules.integer[0],
        Class::NarrowInteger => rule::I4_06,
        Class::Float4 => rule::F4_08,
        Class::Float8 if negative_zero => rule::F8_U03,
        Class::Float8 => rule::F8_U01,
        Class::Scale => scale_rule(plan),
        _ if is_zero(value) => rules.float.zero,
        _ => rules.float.exact,
    }
}

fn inexact_rule(plan: &Plan, how: Inexact) -> RuleId {
    let rules = plan.record.to_float;
    match (Class::of(plan.from), how) {
        (Class::Scale, _) => scale_rule(plan),
        (Class::Integer, Inexact::InRange) => rules.integer[1],
        (Class::Integer, _) => rules.integer[2],
        (_, Inexact::Overflow) => rules.float.overflow,
        (_, Inexact::BackToLargest) => rules.float.back_to_largest,
        (_, Inexact::InRange) if plan.to == DType::Bfloat16 => rules.to_bfloat16.1,
        (_, Inexact::InRange) => rules.float.rounded,
    }
}

fn scale_rule(plan: &Plan) -> RuleId {
    if plan.to == DType::Float16 { rule::E8_21 } else { rule::E8_20 }
}

/// Tolerates what implementations do instead: floats toward zero to bfloat16 before version 24
/// (FF-03); through float32, from float64 to float16 and bfloat16 (FF-10), from integers to
/// bfloat16 (IF-02).
fn tolerating_practice(
    plan: &Plan,
    format: &FloatFormat,
    value: &Value,
    (answer, how): (Expectation, Inexact),
) -> Expectation {
    let Value::Finite { negative, magnitude } = value else { return answer };
    let mut tolerated = Vec::new();
    let rules = plan.record.to_float;
    let float = !matches!(Class::of(plan.from), Class::Integer | Class::Scale);
    let in_bfloat16 = plan.to == DType::Bfloat16 && how == Inexact::InRange;
    if float && in_bfloat16 && rules.to_bfloat16.0 == TowardZero::Tolerated {
        let toward_zero = round::to_format(magnitude, format, Rounding::TowardZero);
        let code = encode::magnitude(format, &toward_zero);
        tolerated.push(Outcome::Code(encode::signed(format, *negative, code)));
    }
    let mut rule = answer.rule;
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
                rule = rules.float.twice;
            }
        }
    }
    tolerating(Expectation { rule, ..answer }, tolerated)
}
