//! Targets float4e2m1 and float6 (section 5): no infinities, no NaN, always clamping.

use super::{exact, one_of, rounded_twice, tolerating};
use crate::class::Class;
use crate::encode;
use crate::format::FloatFormat;
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::spec::{InfinityToNumber, NanToNumber, ToSmallFloat, rules_of};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome};

/// Round to nearest even, clamp at the largest number.
pub(crate) fn to_narrow_float(
    request: &Resolved,
    format: &FloatFormat,
    value: &Value,
) -> Expectation {
    let rules = rules_of(match Class::of(request.to) {
        Class::Float4 => &request.record.to_float4,
        _ => &request.record.to_float6,
    });
    let answer = by_value(request, rules, format, value);
    rounded_twice(request, value, (answer, rules.twice), |first| {
        by_value(request, rules, format, first)
    })
}

fn by_value(
    request: &Resolved,
    rules: &ToSmallFloat,
    format: &FloatFormat,
    value: &Value,
) -> Expectation {
    let (negative, magnitude) = match value {
        Value::Nan { negative } => {
            return match rules.nan {
                (NanToNumber::Largest, rule) => {
                    let [zero, minus_zero, largest, lowest] = ends(format).map(Outcome::Code);
                    let answer = Expectation { expect: largest, tolerate: None, rule };
                    tolerating(answer, [zero, minus_zero, lowest])
                }
                (NanToNumber::OnlyLargest, rule) => exact(encode::largest(format, false), rule),
                (NanToNumber::ZeroOrEnd, rule) => one_of(ends(format), rule),
                (NanToNumber::ZeroOfOtherSign, rule) => {
                    exact(encode::signed(format, !negative, 0), rule)
                }
                (NanToNumber::Zero, rule) => one_of([0, format.sign_bit()], rule),
            };
        }
        Value::Infinite { negative } => {
            let (infinity, rule) = rules.infinity;
            let code = match infinity {
                InfinityToNumber::Largest => encode::largest(format, *negative),
                InfinityToNumber::Zero => encode::signed(format, *negative, 0),
            };
            return exact(code, rule);
        }
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let nearest = Nearest::new(magnitude, format);
    let rule = match (Class::of(request.from), rules.integer) {
        (Class::Bool, _) => rules.bool,
        (Class::Integer | Class::NarrowInteger, Some(integer)) => {
            integer[usize::from(nearest.beyond_largest)]
        }
        _ if nearest.beyond_largest => rules.beyond,
        _ if value.is_zero() => rules.zero,
        _ if nearest.is_exact() => rules.exact,
        _ => rules.rounded,
    };
    exact(nearest.clamped(format, negative), rule)
}

/// Both zeros and both ends: what NaN may become in a format without one.
fn ends(format: &FloatFormat) -> [u64; 4] {
    let (largest, lowest) = (encode::largest(format, false), encode::largest(format, true));
    [0, format.sign_bit(), largest, lowest]
}
