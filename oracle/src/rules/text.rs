//! Strings (section 7): numerals to every dtype, every dtype to text.

use super::{any, by_target, exact, tolerating, via_float64};
use crate::class::Class;
use crate::decimal::{self, Spelling};
use crate::decode::decode;
use crate::encode;
use crate::format::{CodeKind, IntegerFormat};
use crate::overflow::Nearest;
use crate::resolved::Resolved;
use crate::spec::{Record, rules_of};
use crate::value::Value;
use castproof_vectors::{DType, Expectation, Notation, Outcome, RuleId, TextOutcome};

/// A string stays what it is.
pub(crate) fn same_text(record: &Record, text: String) -> Expectation {
    texts(TextOutcome::Exactly(text), None, rules_of(&record.text).same)
}

/// A string to a numeric dtype. `request` is that of a cast from float64.
pub(crate) fn from_text(request: &Resolved, text: &str) -> Expectation {
    let rules = &rules_of(&request.record.text).read;
    let numeral = match (&request.target, decimal::read(text)) {
        (CodeKind::Bool, _) => return any(rules.to_bool),
        (_, None) => return any(rules.no_numeral),
        (_, Some(numeral)) => numeral,
    };
    match &request.target {
        CodeKind::Integer(format) => to_integer(request, format, &numeral.value, numeral.spelling),
        _ => to_float(request, text, &numeral.value),
    }
}

/// Narrow integers in range have a rule of their own.
fn to_integer(
    request: &Resolved,
    format: &IntegerFormat,
    value: &Value,
    spelling: Spelling,
) -> Expectation {
    let rules = &rules_of(&request.record.text).read;
    let (Some(number), Spelling::Integer) = (value.number(), spelling) else {
        let reserved = spelling == Spelling::Reserved;
        return any(if reserved { rules.no_numeral } else { rules.no_integer });
    };
    let number = number.into_numer_denom().0;
    let narrow = Class::of(request.to) == Class::NarrowInteger;
    match (encode::in_range(format, &number), narrow) {
        (true, false) => exact(encode::low_bits(format, &number), rules.to_integer),
        (true, true) => exact(encode::low_bits(format, &number), rules.unnamed),
        (false, _) => any(rules.out_of_range),
    }
}

/// The exact value through the rules of a float source, with a rounding
/// through float64 tolerated.
fn to_float(request: &Resolved, text: &str, value: &Value) -> Expectation {
    let rules = &rules_of(&request.record.text).read;
    let direct = by_target(request, value);
    let second = via_float64(value).map(|first| by_target(request, &first));
    let plain = Class::of(request.to) == Class::WideFloat && request.to != DType::Bfloat16;
    let overflows = match (value, &request.target) {
        (Value::Finite { magnitude, .. }, CodeKind::Float(format)) if plain => {
            Nearest::new(magnitude, format).overflows
        }
        _ => false,
    };
    let rule = match (plain, value) {
        (false, _) => rules.unnamed,
        (true, Value::Nan { .. }) => rules.nan,
        (true, Value::Infinite { negative: false }) => rules.infinity[0],
        (true, Value::Infinite { negative: true }) if text == "-INF" => rules.infinity[1],
        (true, Value::Infinite { negative: true }) => rules.infinity[2],
        (true, Value::Finite { .. }) if overflows => {
            return Expectation { tolerate: Some(Outcome::Reject), rule: rules.overflow, ..direct };
        }
        (true, Value::Finite { .. }) => rules.number,
    };
    let more = second.into_iter().flat_map(|second| [Some(second.expect), second.tolerate]);
    tolerating(Expectation { rule, ..direct }, more.flatten())
}

/// A numeric element to a string.
pub(crate) fn to_text(record: &Record, from: DType, kind: &CodeKind, code: u64) -> Expectation {
    let rules = &rules_of(&record.text).write;
    let class = Class::of(from);
    let cite = |rule| {
        let wide = class == Class::WideFloat && from != DType::Bfloat16;
        if wide || class == Class::Integer { rule } else { rules.unnamed }
    };
    let one_of =
        |texts: &[&str]| TextOutcome::OneOf(texts.iter().map(ToString::to_string).collect());
    let any_notation = Some(TextOutcome::RoundTrips(Notation::Any));
    let Some(value) = decode(kind, code) else { return any(record.bool.invalid) };
    match (kind, &value) {
        (CodeKind::Bool, _) if code == 1 => texts(one_of(&["1", "True"]), None, rules.bool),
        (CodeKind::Bool, _) => texts(one_of(&["0", "False"]), None, rules.bool),
        (CodeKind::Integer(_), _) => {
            let digits = value.number().expect("integers are numbers").to_string();
            texts(TextOutcome::Exactly(digits), any_notation, cite(rules.integer))
        }
        (_, Value::Nan { .. }) => texts(one_of(&["NaN", "nan"]), None, cite(rules.special)),
        (_, Value::Infinite { negative: false }) => {
            texts(one_of(&["INF", "+INF", "inf"]), None, cite(rules.special))
        }
        (_, Value::Infinite { negative: true }) => {
            texts(one_of(&["-INF", "-inf"]), None, cite(rules.special))
        }
        (_, Value::Finite { negative: true, magnitude }) if *magnitude == 0 => {
            texts(one_of(&["-0", "-0.0", "0", "0.0"]), None, cite(rules.negative_zero))
        }
        (_, Value::Finite { .. }) => {
            texts(TextOutcome::RoundTrips(Notation::Plain), any_notation, cite(rules.finite))
        }
    }
}

fn texts(expect: TextOutcome, tolerate: Option<TextOutcome>, rule: RuleId) -> Expectation {
    let (expect, tolerate) = (Outcome::Text(expect), tolerate.map(Outcome::Text));
    Expectation { expect, tolerate, rule }
}
