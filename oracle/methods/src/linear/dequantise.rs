//! From a quantised element and its scale to a number, right or wrong; and all operators by their methods.

use super::catalogue::{Apply, Flush, LinearBeyond, LinearMethod, Zero};
use super::node::{Given, Node, Operands, smallest_normal};
use super::quantise::quantised;
use castproof_oracle::Value;
use castproof_oracle::decode::decode;
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, FloatFormat, float_format, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_quantised::linear::steps::{Operation, Reading, plus, rounded};

impl LinearMethod {
    /// Returns what the method gives at a place of a node.
    pub fn element(&self, node: &Node, place: usize) -> Given {
        if node.quantises() {
            return quantised(self, node, place);
        }
        dequantised(self, node, place).map_or(Given::Due, Given::Code)
    }
}

fn dequantised(method: &LinearMethod, node: &Node, place: usize) -> Option<u64> {
    let operands = node.operands(method, place)?;
    let to = float_format(node.question.to)?;
    let reading = node.reading(method.precision)?;
    let operation = match method.apply {
        Apply::Right => Operation::Product,
        Apply::Opposite => Operation::Quotient,
        Apply::Reciprocal => return None,
    };
    let product = match (method.zero, &operands.zero) {
        (Zero::Apart, Some(zero)) => apart(&operands, zero, operation, reading, &to)?,
        (_, zero) => {
            let difference = difference(method, node, &operands.x, zero.as_ref())?;
            operands.combined(operation, &difference, reading)
        }
    };
    Some(code(method, &to, &product))
}

/// The difference of the element and its zero point.
fn difference(
    method: &LinearMethod,
    node: &Node,
    x: &Value,
    zero: Option<&Rational>,
) -> Option<Value> {
    let zero = match (method.zero, zero) {
        (_, None) | (Zero::Ignored, _) => return Some(x.clone()),
        (Zero::Opposite, Some(zero)) => zero.clone(),
        (_, Some(zero)) => Rational::from(-zero),
    };
    if zero == 0 {
        return Some(x.clone()); // a negative zero of a float keeps its sign
    }
    let difference = plus(x, &zero);
    match (method.zero, kind(node.question.from)?) {
        (Zero::Wraps, CodeKind::Integer(format)) => {
            let code = encode::low_bits(&format, difference.number()?.numer());
            decode(&CodeKind::Integer(format), code)
        }
        (Zero::Wraps, _) => None,
        _ => Some(difference),
    }
}

/// The difference of both products.
fn apart(
    operands: &Operands,
    zero: &Rational,
    operation: Operation,
    reading: Reading,
    to: &FloatFormat,
) -> Option<Value> {
    let of = |value: &Value| operands.combined(operation, value, reading);
    let (one, other) = (of(&operands.x), of(&Value::from_number(zero.clone())));
    let other = Rational::from(-other.number()?);
    one.number().map(|_| rounded(&plus(&one, &other), to))
}

fn code(method: &LinearMethod, format: &FloatFormat, product: &Value) -> u64 {
    let beyond = |negative: bool| match method.beyond {
        LinearBeyond::Largest => encode::largest(format, negative),
        _ => encode::infinity(format, negative),
    };
    match product {
        Value::Nan { negative } => {
            let quiet = format.top_binade() | 1 << (format.significand_bits - 1);
            encode::signed(format, *negative, quiet)
        }
        Value::Infinite { negative } => beyond(*negative),
        Value::Finite { negative, magnitude } => {
            if Nearest::new(magnitude, format).overflows {
                return beyond(*negative);
            }
            let rounded = method.ties.to_format(*negative, magnitude, format);
            let is_flushed =
                method.flush == Flush::Result && rounded.number() < smallest_normal(format);
            let code = if is_flushed { 0 } else { encode::magnitude(format, &rounded) };
            encode::signed(format, *negative, code)
        }
    }
}
