//! Integer targets (section 2, "float to integer" and "integer to integer"; section 6).

use super::{any, exact, tolerating};
use crate::class::Class;
use crate::encode;
use crate::format::IntegerFormat;
use crate::number::Integer;
use crate::resolved::Resolved;
use crate::round::{self, Rounding};
use crate::spec::{Beyond, NanToInteger};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome, rule};

/// Floats are rounded to an integer first; integers out of range wrap.
pub(crate) fn to_integer(request: &Resolved, format: &IntegerFormat, value: &Value) -> Expectation {
    match Class::of(request.from) {
        Class::Bool | Class::Integer | Class::NarrowInteger => wrap(request, format, value),
        _ if Class::of(request.to) == Class::NarrowInteger => round_to_narrow(format, value),
        _ => truncate(request, format, value),
    }
}

/// Keeps the low bits.
fn wrap(request: &Resolved, format: &IntegerFormat, value: &Value) -> Expectation {
    let number = value.number().expect("integers are numbers").into_numer_denom().0;
    let in_range = encode::in_range(format, &number);
    let rules = request.record.integer_to_integer;
    let rule = match (Class::of(request.from), Class::of(request.to)) {
        (Class::Bool, _) => request.record.bool.to_integer,
        (Class::NarrowInteger, Class::NarrowInteger) => rule::I4_05,
        (_, Class::NarrowInteger) => rule::I4_04,
        (Class::NarrowInteger, _) if in_range => rule::I4_06,
        _ if in_range => rules.in_range,
        _ => rules.wrapped,
    };
    exact(encode::low_bits(format, &number), rule)
}

/// Rounds toward zero, then tests the range. Sources with a section of their own cite its row,
/// which refers back to the rules of floats.
fn truncate(request: &Resolved, format: &IntegerFormat, value: &Value) -> Expectation {
    let rules = request.record.float_to_integer;
    let cite = |rule| match Class::of(request.from) {
        Class::Float8 | Class::Float6 => rule::FI_06,
        Class::Float4 => rule::F4_09,
        Class::Scale => rule::E8_22,
        _ => rule,
    };
    let beyond = |negative| match rules.beyond {
        (Beyond::Undefined, rule) => any(cite(rule)),
        (Beyond::Saturates, rule) => {
            let (smallest, largest) = encode::range(format);
            let end = if negative { smallest } else { largest };
            exact(encode::low_bits(format, &end), cite(rule))
        }
    };
    let (negative, magnitude) = match value {
        Value::Nan { .. } => {
            return match rules.nan {
                (NanToInteger::Undefined, rule) => any(cite(rule)),
                (NanToInteger::Zero, rule) => exact(0, cite(rule)),
            };
        }
        Value::Infinite { negative } => return beyond(*negative),
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let truncated = round::to_integer(magnitude, Rounding::TowardZero);
    let number = signed(negative, truncated.count.clone());
    if !encode::in_range(format, &number) {
        return beyond(negative);
    }
    let rule = if truncated.is_exact() {
        rules.exact
    } else if encode::in_range(format, &signed(negative, truncated.count + 1)) {
        rules.fraction
    } else {
        // The range ends between the number and its integral part.
        rules.edge
    };
    exact(encode::low_bits(format, &number), cite(rule))
}

/// I4-01 to I4-03: rounds to nearest even; undefined if the result is out of range.
fn round_to_narrow(format: &IntegerFormat, value: &Value) -> Expectation {
    let Value::Finite { negative, magnitude } = value else { return any(rule::I4_03) };
    let round = |rounding| {
        let number = signed(*negative, round::to_integer(magnitude, rounding).count);
        encode::in_range(format, &number).then(|| encode::low_bits(format, &number))
    };
    let Some(nearest) = round(Rounding::NearestEven) else { return any(rule::I4_03) };
    let rule = if magnitude.is_integer() { rule::I4_01 } else { rule::I4_02 };
    let others = [Rounding::TowardZero, Rounding::NearestAway];
    tolerating(exact(nearest, rule), others.into_iter().filter_map(round).map(Outcome::Code))
}

fn signed(negative: bool, magnitude: Integer) -> Integer {
    if negative { -magnitude } else { magnitude }
}
