//! The four float8 targets with a sign (section 3), and casts to the same dtype.

use super::{any_nan, exact, is_zero, tolerating, via_float32};
use crate::encode;
use crate::format::{FloatFormat, Kind, NanEncoding};
use crate::overflow::Nearest;
use crate::plan::{Class, Plan};
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Outcome};

/// FF-11: nothing changes. A NaN may still be rewritten (FF-08), and float8e5m2 saturates its
/// infinities (F8-S08).
pub(crate) fn same_dtype(plan: &Plan, code: u64, value: &Value) -> Expectation {
    if let (Kind::Float(format), Value::Infinite { negative }) = (&plan.target, value)
        && Class::of(plan.to) == Class::Float8
        && plan.saturate
    {
        let answer = exact(encode::largest(format, *negative), "F8-S08");
        return tolerating(answer, [Outcome::Code(code)]);
    }
    match (&plan.target, value) {
        (Kind::Integer(_), _) => exact(code, "II-01"),
        (Kind::Float(format), Value::Nan { .. }) if has_several_nans(format) => {
            tolerating(exact(code, "FF-11"), [Outcome::AnyNan])
        }
        _ => exact(code, "FF-11"),
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
pub(crate) fn to_float8(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    let from = Class::of(plan.from);
    let answer = match value {
        Value::Nan { negative } => nan(plan, format, *negative),
        Value::Infinite { negative } => infinity(plan, format, *negative),
        Value::Finite { .. } => finite(plan, format, value),
    };
    let clause = match from {
        Class::Bool => "B-09",
        Class::Integer | Class::NarrowInteger => integer_clause(from, format, value),
        Class::Float8 => "F8-X01",
        Class::Float4 => "F8-X02",
        Class::Scale => "F8-X03",
        _ => answer.clause,
    };
    let answer = Expectation { clause, ..answer };
    if plan.from == DType::Float64 {
        tolerating_float32(plan, format, value, answer)
    } else {
        answer
    }
}

fn nan(plan: &Plan, format: &FloatFormat, negative: bool) -> Expectation {
    let clause = match (plan.saturate, negative && format.nan != NanEncoding::NegativeZero) {
        (true, _) => "F8-S03",
        (false, false) => "F8-N02",
        (false, true) => "F8-N03",
    };
    not_a_number(format, clause)
}

/// Any NaN, or the only one.
fn not_a_number(format: &FloatFormat, clause: &'static str) -> Expectation {
    match format.nan {
        NanEncoding::NegativeZero => exact(format.sign_bit(), clause),
        _ => any_nan(clause),
    }
}

/// Which of the tables' columns a format stands in.
fn is_fnuz(format: &FloatFormat) -> bool {
    format.nan == NanEncoding::NegativeZero
}

fn infinity(plan: &Plan, format: &FloatFormat, negative: bool) -> Expectation {
    let largest = encode::largest(format, negative);
    match (plan.saturate, plan.version >= 24) {
        (true, true) => exact(largest, "F8-S07"),
        (true, false) if is_fnuz(format) => {
            tolerating(not_a_number(format, "F8-S06"), [Outcome::Code(largest)])
        }
        (true, false) if format.infinities => exact(largest, "F8-S05"),
        (true, false) => exact(largest, "F8-S04"),
        (false, _) if is_fnuz(format) => not_a_number(format, "F8-N06"),
        (false, _) if format.infinities => exact(encode::infinity(format, negative), "F8-N05"),
        (false, _) => not_a_number(format, "F8-N04"),
    }
}

fn finite(plan: &Plan, format: &FloatFormat, value: &Value) -> Expectation {
    let Value::Finite { negative, magnitude } = value else { unreachable!("finite values only") };
    let nearest = Nearest::new(magnitude, format);
    if nearest.overflows {
        return overflow(plan, format, *negative);
    }
    let clause = match (plan.saturate, is_zero(value), negative) {
        (true, true, false) => "F8-S01",
        (true, true, true) => "F8-S02",
        (true, false, _) => "F8-S10",
        (false, true, _) => "F8-N01",
        (false, false, _) => "F8-N10",
    };
    exact(encode::signed(format, *negative, nearest.code), clause)
}

/// `[x]` beyond the largest number.
fn overflow(plan: &Plan, format: &FloatFormat, negative: bool) -> Expectation {
    if plan.saturate {
        exact(encode::largest(format, negative), "F8-S09")
    } else if is_fnuz(format) {
        not_a_number(format, "F8-N09")
    } else if format.infinities {
        exact(encode::infinity(format, negative), "F8-N08")
    } else {
        not_a_number(format, "F8-N07")
    }
}

/// F8-I01, F8-I02, I4-06. (F8-I03, "64-bit integers through float32", never differs: integers
/// that float32 does not hold are beyond every float8.)
fn integer_clause(from: Class, format: &FloatFormat, value: &Value) -> &'static str {
    let Value::Finite { magnitude, .. } = value else { unreachable!("integers are finite") };
    let nearest = Nearest::new(magnitude, format);
    match (from, nearest.overflows, nearest.is_exact()) {
        (_, true, _) => "F8-I02",
        (Class::NarrowInteger, _, true) => "I4-06",
        _ => "F8-I01",
    }
}

/// F8-S11: every implementation at hand rounds float64 to float32 first.
fn tolerating_float32(
    plan: &Plan,
    format: &FloatFormat,
    value: &Value,
    answer: Expectation,
) -> Expectation {
    let Some(first) = via_float32(value) else { return answer };
    let second = match &first {
        Value::Infinite { negative } => infinity(plan, format, *negative),
        _ => finite(plan, format, &first),
    };
    if second.expect == answer.expect {
        return answer;
    }
    tolerating(Expectation { clause: "F8-S11", ..answer }, [second.expect])
}
