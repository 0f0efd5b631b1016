//! Strings (section 7): numerals to every dtype, every dtype to text.

use super::{any, by_target, exact, tolerating, via_float64};
use crate::class::Class;
use crate::decimal::{self, Spelling};
use crate::decode::decode;
use crate::encode;
use crate::format::{IntegerFormat, Kind};
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Notation, Outcome, RuleId, TextOutcome, rule};

/// S-17: a string stays what it is.
pub(crate) fn same_text(text: String) -> Expectation {
    texts(TextOutcome::Exactly(text), None, rule::S_17)
}

/// A string to a numeric dtype. `request` is that of a cast from float64.
pub(crate) fn from_text(request: &Resolved, text: &str) -> Expectation {
    let numeral = match (&request.target, decimal::read(text)) {
        (Kind::Bool, _) => return any(rule::S_11),
        (_, None) => return any(rule::S_06),
        (_, Some(numeral)) => numeral,
    };
    match &request.target {
        Kind::Integer(format) => to_integer(request, format, &numeral.value, numeral.spelling),
        _ => to_float(request, text, &numeral.value),
    }
}

/// S-08 to S-10; S-18 for narrow integers in range.
fn to_integer(
    request: &Resolved,
    format: &IntegerFormat,
    value: &Value,
    spelling: Spelling,
) -> Expectation {
    let (Some(number), Spelling::Integer) = (value.number(), spelling) else {
        return any(if spelling == Spelling::Reserved { rule::S_06 } else { rule::S_09 });
    };
    let number = number.into_numer_denom().0;
    let narrow = Class::of(request.to) == Class::NarrowInteger;
    match (encode::in_range(format, &number), narrow) {
        (true, false) => exact(encode::low_bits(format, &number), rule::S_08),
        (true, true) => exact(encode::low_bits(format, &number), rule::S_18),
        (false, _) => any(rule::S_10),
    }
}

/// S-01 to S-07, S-18: the exact value through the rules of a float source, with a rounding
/// through float64 tolerated.
fn to_float(request: &Resolved, text: &str, value: &Value) -> Expectation {
    let direct = by_target(request, value);
    let second = via_float64(value).map(|first| by_target(request, &first));
    let plain = Class::of(request.to) == Class::WideFloat && request.to != DType::Bfloat16;
    let overflows = match (value, &request.target) {
        (Value::Finite { magnitude, .. }, Kind::Float(format)) if plain => {
            Nearest::new(magnitude, format).overflows
        }
        _ => false,
    };
    let rule = match (plain, value) {
        (false, _) => rule::S_18,
        (true, Value::Nan { .. }) => rule::S_05,
        (true, Value::Infinite { negative: false }) => rule::S_02,
        (true, Value::Infinite { negative: true }) if text == "-INF" => rule::S_03,
        (true, Value::Infinite { negative: true }) => rule::S_04,
        (true, Value::Finite { .. }) if overflows => {
            return Expectation { tolerate: Some(Outcome::Reject), rule: rule::S_07, ..direct };
        }
        (true, Value::Finite { .. }) => rule::S_01,
    };
    let more = second.into_iter().flat_map(|second| [Some(second.expect), second.tolerate]);
    tolerating(Expectation { rule, ..direct }, more.flatten())
}

/// A numeric element to a string.
pub(crate) fn to_text(from: DType, kind: &Kind, code: u64) -> Expectation {
    let class = Class::of(from);
    let cite = |rule| {
        let wide = class == Class::WideFloat && from != DType::Bfloat16;
        if wide || class == Class::Integer { rule } else { rule::S_19 }
    };
    let one_of =
        |texts: &[&str]| TextOutcome::OneOf(texts.iter().map(ToString::to_string).collect());
    let any_notation = Some(TextOutcome::RoundTrips(Notation::Any));
    let Some(value) = decode(kind, code) else { return any(rule::B_08) };
    match (kind, &value) {
        (Kind::Bool, _) if code == 1 => texts(one_of(&["1", "True"]), None, rule::S_12),
        (Kind::Bool, _) => texts(one_of(&["0", "False"]), None, rule::S_12),
        (Kind::Integer(_), _) => {
            let digits = value.number().expect("integers are numbers").to_string();
            texts(TextOutcome::Exactly(digits), any_notation, cite(rule::S_16))
        }
        (_, Value::Nan { .. }) => texts(one_of(&["NaN", "nan"]), None, cite(rule::S_14)),
        (_, Value::Infinite { negative: false }) => {
            texts(one_of(&["INF", "+INF", "inf"]), None, cite(rule::S_14))
        }
        (_, Value::Infinite { negative: true }) => {
            texts(one_of(&["-INF", "-inf"]), None, cite(rule::S_14))
        }
        (_, Value::Finite { negative: true, magnitude }) if *magnitude == 0 => {
            texts(one_of(&["-0", "-0.0", "0", "0.0"]), None, cite(rule::S_15))
        }
        (_, Value::Finite { .. }) => {
            texts(TextOutcome::RoundTrips(Notation::Plain), any_notation, cite(rule::S_13))
        }
    }
}

fn texts(expect: TextOutcome, tolerate: Option<TextOutcome>, rule: RuleId) -> Expectation {
    let (expect, tolerate) = (Outcome::Text(expect), tolerate.map(Outcome::Text));
    Expectation { expect, tolerate, rule }
}
