//! The four float8 targets with a sign (section 3), and casts to the same dtype.

use super::{any_nan, exact, tolerating, via_float32};
use crate::class::Class;
use crate::encode;
use crate::format::{FloatFormat, Kind, NanEncoding};
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::spec::{FnuzInfinity, SameNan};
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Outcome, RuleId, rule};

/// Nothing changes. A NaN may still be rewritten (FF-08), and float8e5m2 saturates its infinities
/// (F8-S08).
pub(crate) fn same_dtype(request: &Resolved, code: u64, value: &Value) -> Expectation {
    if let (Kind::Float(format), Value::Infinite { negative }) = (&request.target, value)
        && Class::of(request.to) == Class::Float8
        && request.saturate
    {
        let answer = exact(encode::largest(format, *negative), rule::F8_S08);
        return tolerating(answer, [Outcome::Code(code)]);
    }
    let rules = request.record.same_dtype;
    match (&request.target, value) {
        (Kind::Integer(_), _) => exact(code, rules.integer),
        (Kind::Float(format), Value::Nan { .. }) if has_several_nans(format) => match rules.nan {
            (SameNan::Kept, rule) => tolerating(exact(code, rule), [Outcome::AnyNan]),
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
    let answer = match value {
        Value::Nan { negative } => nan(request, format, *negative),
        Value::Infinite { negative } => infinity(request, format, *negative),
        Value::Finite { .. } => finite(request, format, value),
    };
    let rule = match from {
        Class::Bool => rule::B_09,
        Class::Integer | Class::NarrowInteger => integer_rule(from, format, value),
        Class::Float8 => rule::F8_X01,
        Class::Float4 => rule::F8_X02,
        Class::Scale => rule::F8_X03,
        _ => answer.rule,
    };
    let answer = Expectation { rule, ..answer };
    if request.from == DType::Float64 {
        tolerating_float32(request, format, value, answer)
    } else {
        answer
    }
}

fn nan(request: &Resolved, format: &FloatFormat, negative: bool) -> Expectation {
    let rule = match (request.saturate, negative && format.nan != NanEncoding::NegativeZero) {
        (true, _) => rule::F8_S03,
        (false, false) => rule::F8_N02,
        (false, true) => rule::F8_N03,
    };
    not_a_number(format, rule)
}

/// Any NaN, or the only one.
fn not_a_number(format: &FloatFormat, rule: RuleId) -> Expectation {
    match format.nan {
        NanEncoding::NegativeZero => exact(format.sign_bit(), rule),
        _ => any_nan(rule),
    }
}

/// Is the format in the FNUZ columns of the tables?
fn is_fnuz(format: &FloatFormat) -> bool {
    format.nan == NanEncoding::NegativeZero
}

fn infinity(request: &Resolved, format: &FloatFormat, negative: bool) -> Expectation {
    let largest = encode::largest(format, negative);
    let saturated = request.record.saturated_infinity;
    match (request.saturate, is_fnuz(format), format.infinities) {
        (true, true, _) => match saturated.fnuz {
            (FnuzInfinity::Largest, rule) => exact(largest, rule),
            (FnuzInfinity::Nan, rule) => {
                tolerating(not_a_number(format, rule), [Outcome::Code(largest)])
            }
        },
        (true, false, true) => exact(largest, saturated.with_infinity),
        (true, false, false) => exact(largest, saturated.without),
        (false, true, _) => not_a_number(format, rule::F8_N06),
        (false, false, true) => exact(encode::infinity(format, negative), rule::F8_N05),
        (false, false, false) => not_a_number(format, rule::F8_N04),
    }
}

fn finite(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let Value::Finite { negative, magnitude } = value else { unreachable!("finite values only") };
    let nearest = Nearest::new(magnitude, format);
    if nearest.overflows {
        return overflow(request, format, *negative);
    }
    let rule = match (request.saturate, value.is_zero(), negative) {
        (true, true, false) => rule::F8_S01,
        (true, true, true) => rule::F8_S02,
        (true, false, _) => rule::F8_S10,
        (false, true, _) => rule::F8_N01,
        (false, false, _) => rule::F8_N10,
    };
    exact(encode::signed(format, *negative, nearest.code), rule)
}

/// `[x]` beyond the largest number.
fn overflow(request: &Resolved, format: &FloatFormat, negative: bool) -> Expectation {
    if request.saturate {
        exact(encode::largest(format, negative), rule::F8_S09)
    } else if is_fnuz(format) {
        not_a_number(format, rule::F8_N09)
    } else if format.infinities {
        exact(encode::infinity(format, negative), rule::F8_N08)
    } else {
        not_a_number(format, rule::F8_N07)
    }
}

/// F8-I01, F8-I02, I4-06. (F8-I03, "64-bit integers through float32", never differs: integers
/// that float32 does not hold are beyond every float8.)
fn integer_rule(from: Class, format: &FloatFormat, value: &Value) -> RuleId {
    let Value::Finite { magnitude, .. } = value else { unreachable!("integers are finite") };
    let nearest = Nearest::new(magnitude, format);
    match (from, nearest.overflows, nearest.is_exact()) {
        (_, true, _) => rule::F8_I02,
        (Class::NarrowInteger, _, true) => rule::I4_06,
        _ => rule::F8_I01,
    }
}

/// F8-S11: every implementation at hand rounds float64 to float32 first.
fn tolerating_float32(
    request: &Resolved,
    format: &FloatFormat,
    value: &Value,
    answer: Expectation,
) -> Expectation {
    let Some(first) = via_float32(value) else { return answer };
    let second = match &first {
        Value::Infinite { negative } => infinity(request, format, *negative),
        _ => finite(request, format, &first),
    };
    if second.expect == answer.expect {
        return answer;
    }
    tolerating(Expectation { rule: rule::F8_S11, ..answer }, [second.expect])
}
