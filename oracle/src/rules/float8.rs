//! The four float8 targets with a sign (section 3), and casts to the same dtype.

use super::{any_nan, exact, one_of, rounded_twice, tolerating, via_float32, within_accuracy};
use crate::class::Class;
use crate::encode;
use crate::format::{CodeKind, FloatFormat, NanEncoding};
use crate::number::Rational;
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::spec::{
    Float8ByMode, Float8End, Float8Ends, Float8Nan, Float8Table, SameNan, ToFloat8, Twice, rules_of,
};
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Outcome, RuleId};

/// Nothing changes. A NaN may still be rewritten, and float8e5m2 may saturate its infinities.
pub(crate) fn same_dtype(request: &Resolved, code: u64, value: &Value) -> Expectation {
    let rules = request.record.same_dtype;
    if let (CodeKind::Float(format), Value::Infinite { negative }) = (&request.target, value)
        && Class::of(request.to) == Class::Float8
        && request.saturate
        && let Some(rule) = rules.saturated_infinity
    {
        let answer = exact(encode::largest(format, *negative), rule);
        return tolerating(answer, [Outcome::Code(code)]);
    }
    match (&request.target, value) {
        (CodeKind::Integer(_), _) => exact(code, rules.integer),
        (CodeKind::Float(format), Value::Nan { .. }) if has_several_nans(format) => match rules.nan
        {
            (SameNan::Kept, rule) => tolerating(exact(code, rule), [Outcome::AnyNan]),
            (SameNan::Copied, rule) => exact(code, rule),
            (SameNan::Any, rule) => any_nan(rule),
        },
        _ => exact(code, rules.float),
    }
}

fn has_several_nans(format: &FloatFormat) -> bool {
    match format.nan {
        NanEncoding::TopBinade => true,
        NanEncoding::AllOnes => format.signed,
        NanEncoding::None | NanEncoding::NegativeZero => false,
    }
}

/// The two tables of the text, one for each value of `saturate`.
pub(crate) fn to_float8(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let from = Class::of(request.from);
    let rules = rules_of(&request.record.to_float8);
    let table = if request.saturate { &rules.saturated } else { &rules.unsaturated };
    let of_float64 = rules.nan_of_float64.filter(|_| request.from == DType::Float64);
    let own = of_float64.map(|(nan, rule)| Float8Table { nan: (nan, [rule; 2]), ..*table });
    let table = own.as_ref().unwrap_or(table);
    let answer = match (rules.by_mode, value) {
        (Some(by_mode), Value::Finite { negative, magnitude }) => {
            rounded_by_mode(request, (table, &by_mode), format, (*negative, magnitude))
        }
        _ => by_table(table, format, value),
    };
    let rule = match from {
        Class::Bool => Some(rules.bool),
        Class::Integer | Class::NarrowInteger => Some(integer_rule(request, rules, format, value)),
        Class::Float8 => rules.float8,
        Class::Float4 => rules.float4,
        Class::Scale => rules.scale,
        _ => None,
    };
    let answer = Expectation { rule: rule.unwrap_or(answer.rule), ..answer };
    let answer = within_accuracy(request, format, value, answer);
    match rules.twice {
        (Twice::Tolerated, rule) if request.from == DType::Float64 => {
            tolerating_float32(table, format, value, (answer, rule))
        }
        twice => {
            rounded_twice(request, value, (answer, twice), |first| by_table(table, format, first))
        }
    }
}

fn by_table(table: &Float8Table, format: &FloatFormat, value: &Value) -> Expectation {
    match value {
        Value::Nan { negative } => {
            let signed = *negative && format.nan != NanEncoding::NegativeZero;
            let (nan, rules) = table.nan;
            let rule = rules[usize::from(signed)];
            match nan {
                Float8Nan::Any => not_a_number(format, rule),
                Float8Nan::Signed => exact(encode::quiet_nan(format, *negative), rule),
                Float8Nan::AllOnes => exact(format.magnitude_mask(), rule),
            }
        }
        Value::Infinite { negative } => end(&table.infinity, format, *negative),
        Value::Finite { negative, magnitude } => {
            let nearest = Nearest::new(magnitude, format);
            if nearest.overflows {
                return end(&table.overflow, format, *negative);
            }
            let zero = table.zero[usize::from(*negative)];
            let rule = if value.is_zero() { zero } else { table.finite };
            exact(encode::signed(format, *negative, nearest.code), rule)
        }
    }
}

/// Rounds as the round mode says. A number that is then beyond the largest one was rounded away from it or
/// toward it.
fn rounded_by_mode(
    request: &Resolved,
    (table, by_mode): (&Float8Table, &Float8ByMode),
    format: &FloatFormat,
    (negative, magnitude): (bool, &Rational),
) -> Expectation {
    let (rounding, inward) = Float8ByMode::rounding(request.round_mode, negative);
    let rounded = Nearest::by(magnitude, format, rounding);
    if rounded.overflows {
        let ends = if inward && !request.saturate { &by_mode.inward } else { &table.overflow };
        return end(ends, format, negative);
    }
    let rule = match (*magnitude == 0, rounded.is_exact()) {
        (true, _) => table.zero[usize::from(negative)],
        (_, true) => table.finite,
        (_, false) => by_mode.rounded,
    };
    exact(encode::signed(format, negative, rounded.code), rule)
}

/// Any NaN, or the only one.
fn not_a_number(format: &FloatFormat, rule: RuleId) -> Expectation {
    match format.nan {
        NanEncoding::NegativeZero => exact(format.sign_bit(), rule),
        _ => any_nan(rule),
    }
}

/// What lies beyond the largest number of a format.
fn end(ends: &Float8Ends, format: &FloatFormat, negative: bool) -> Expectation {
    let (end, rule) = match (format.nan, format.infinities) {
        (NanEncoding::NegativeZero, _) => ends.fnuz,
        (_, true) => ends.with_infinity,
        (_, false) => ends.without,
    };
    let largest = encode::largest(format, negative);
    match end {
        Float8End::Largest => exact(largest, rule),
        Float8End::Infinity => exact(encode::infinity(format, negative), rule),
        Float8End::Nan => not_a_number(format, rule),
        Float8End::SignedNan => exact(encode::quiet_nan(format, negative), rule),
        Float8End::AllOnesNan => exact(format.magnitude_mask(), rule),
        Float8End::LargestOrAllOnesNan => one_of([largest, format.magnitude_mask()], rule),
        Float8End::NanOrLargest => tolerating(not_a_number(format, rule), [Outcome::Code(largest)]),
    }
}

/// The rule of an integer. Narrow integers that a dtype holds exactly have their own.
fn integer_rule(
    request: &Resolved,
    rules: &ToFloat8,
    format: &FloatFormat,
    value: &Value,
) -> RuleId {
    let Value::Finite { magnitude, .. } = value else { unreachable!("integers are finite") };
    let nearest = Nearest::new(magnitude, format);
    match (Class::of(request.from), nearest.overflows, nearest.is_exact()) {
        (_, true, _) => rules.integer[1],
        (Class::NarrowInteger, _, true) => rules_of(&request.record.narrow_integers).exact,
        _ => rules.integer[0],
    }
}

/// Tolerates a rounding of float64 to float32 first.
fn tolerating_float32(
    table: &Float8Table,
    format: &FloatFormat,
    value: &Value,
    (answer, rule): (Expectation, RuleId),
) -> Expectation {
    let Some(first) = via_float32(value) else { return answer };
    let second = by_table(table, format, &first);
    if second.expect == answer.expect {
        return answer;
    }
    tolerating(Expectation { rule, ..answer }, [second.expect])
}
