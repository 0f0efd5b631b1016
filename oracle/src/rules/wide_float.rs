//! Targets float16, bfloat16, float32 and float64 (section 2).

use super::{any_nan, exact, tolerating, via_float32, wider_than_float32, within_accuracy};
use crate::class::Class;
use crate::encode;
use crate::format::FloatFormat;
use crate::number::Rational;
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::round::{self, MagnitudeRounding};
use crate::spec::{Nan, TowardZero, Twice, rules_of};
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Outcome, RuleId};

/// Rounds to nearest even, once; infinity beyond the largest number.
pub(crate) fn to_wide_float(
    request: &Resolved,
    format: &FloatFormat,
    value: &Value,
) -> Expectation {
    let (from, rules) = (Class::of(request.from), request.record.to_float.float);
    match value {
        Value::Nan { .. } => match (rules.nan.0, from) {
            (Nan::AllOnesIn16Bits(rule), _)
                if request.to.bits() == 16 && request.from != DType::Float64 =>
            {
                exact(format.magnitude_mask(), rule)
            }
            (_, Class::Float8) => any_nan(rules_of(&request.record.from_float8).nan),
            (_, Class::Scale) => any_nan(scale_rule(request)),
            _ => any_nan(rules.nan.1),
        },
        Value::Infinite { negative } => {
            let rule = match from {
                Class::Float8 => rules_of(&request.record.from_float8).exact,
                _ => rules.infinity,
            };
            exact(encode::infinity(format, *negative), rule)
        }
        Value::Finite { negative, magnitude } => {
            let (code, inexactly) = nearest(format, *negative, magnitude);
            let answer = match inexactly {
                None => exact(code, exact_rule(request, value)),
                Some(how) => {
                    let answer = exact(code, inexact_rule(request, how));
                    tolerating_practice(request, format, value, (answer, how))
                }
            };
            within_accuracy(request, format, value, answer)
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

fn exact_rule(request: &Resolved, value: &Value) -> RuleId {
    let negative_zero = value.is_zero() && matches!(value, Value::Finite { negative: true, .. });
    let record = request.record;
    let rules = record.to_float;
    match Class::of(request.from) {
        Class::Bool => record.bool.to_float,
        Class::Integer => rules.integer[0],
        Class::NarrowInteger => rules_of(&record.narrow_integers).exact,
        Class::Float4 => *rules_of(&record.from_float4),
        Class::Float8 if negative_zero => rules_of(&record.from_float8).negative_zero,
        Class::Float8 => rules_of(&record.from_float8).exact,
        Class::Scale => scale_rule(request),
        _ if value.is_zero() => rules.float.zero,
        _ => rules.float.exact,
    }
}

fn inexact_rule(request: &Resolved, how: Inexact) -> RuleId {
    let rules = request.record.to_float;
    match (Class::of(request.from), how) {
        (Class::Scale, _) => scale_rule(request),
        (Class::Integer, Inexact::InRange) => rules.integer[1],
        (Class::Integer, _) => rules.integer[2],
        (_, Inexact::Overflow) => rules.float.overflow,
        (_, Inexact::BackToLargest) => rules.float.back_to_largest,
        (_, Inexact::InRange) if request.to == DType::Bfloat16 => rules.to_bfloat16.1,
        (_, Inexact::InRange) => rules.float.rounded,
    }
}

fn scale_rule(request: &Resolved) -> RuleId {
    let rules = rules_of(&request.record.from_scale);
    if request.to == DType::Float16 { rules.to_float16 } else { rules.exact }
}

/// Tolerates what implementations do instead, where the record says so: floats toward zero to
/// bfloat16; through float32, from float64 to float16 and bfloat16, and from integers to bfloat16.
fn tolerating_practice(
    request: &Resolved,
    format: &FloatFormat,
    value: &Value,
    (answer, how): (Expectation, Inexact),
) -> Expectation {
    let Value::Finite { negative, magnitude } = value else { return answer };
    let mut tolerated = Vec::new();
    let rules = request.record.to_float;
    let float = !matches!(Class::of(request.from), Class::Integer | Class::Scale);
    let in_bfloat16 = request.to == DType::Bfloat16 && how == Inexact::InRange;
    if float && in_bfloat16 && rules.to_bfloat16.0 == TowardZero::Tolerated {
        let toward_zero = round::to_format(magnitude, format, MagnitudeRounding::TowardZero);
        let code = encode::magnitude(format, &toward_zero);
        tolerated.push(Outcome::Code(encode::signed(format, *negative, code)));
    }
    let mut rule = answer.rule;
    let narrow = matches!(request.to, DType::Float16 | DType::Bfloat16);
    let (twice, of_float64) = rules.float.twice;
    let tolerated_here = match twice {
        Twice::Tolerated => narrow,
        Twice::ToleratedToBfloat16 => request.to == DType::Bfloat16,
        Twice::Wrong | Twice::Always => false,
    };
    if tolerated_here && wider_than_float32(&request.source) {
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
            if request.from == DType::Float64 {
                rule = of_float64;
            }
        }
    }
    tolerating(Expectation { rule, ..answer }, tolerated)
}
