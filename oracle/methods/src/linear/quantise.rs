//! From a number and its scale to a quantised element, right or wrong.

use super::catalogue::{Apply, Flush, LinearBeyond, LinearMethod, Zero};
use super::node::{Given, Node, Operands, combined, smallest_normal};
use castproof_oracle::Value;
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, FloatFormat, IntegerFormat, NanEncoding, kind};
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_quantised::linear::steps::{Operation, Reading, plus, rounded};

/// Returns what an element of `QuantizeLinear` becomes.
pub(super) fn quantised(method: &LinearMethod, node: &Node, place: usize) -> Given {
    let turned = node.turned(method, place);
    if turned >= node.count() {
        return Given::Code(0); // padding
    }
    let Some(operands) = node.operands(method, place) else {
        // What another element becomes may be open, and is not what is due here.
        return if turned == place { Given::Due } else { Given::Anything };
    };
    let Some(quotient) = quotient(method, node, &operands) else { return Given::Due };
    if matches!(quotient, Value::Nan { .. }) {
        return Given::Anything;
    }
    let zero = match (method.zero, operands.zero) {
        (_, None) | (Zero::Ignored, _) => Rational::new(),
        (Zero::Opposite, Some(zero)) => -zero,
        (_, Some(zero)) => zero,
    };
    let code = match kind(node.question.to) {
        Some(CodeKind::Integer(format)) => {
            let saturate = node.question.saturate;
            integer((method, saturate), &format, &quotient, &zero, node.reading(method.precision))
        }
        Some(CodeKind::Float(format)) if zero == 0 => {
            float(method, node.question.saturate, &format, &quotient)
        }
        _ => None,
    };
    code.map_or(Given::Due, Given::Code)
}

fn quotient(method: &LinearMethod, node: &Node, operands: &Operands) -> Option<Value> {
    let reading = node.reading(method.precision)?;
    Some(match method.apply {
        Apply::Right => operands.combined(Operation::Quotient, &operands.x, reading),
        Apply::Opposite => operands.combined(Operation::Product, &operands.x, reading),
        Apply::Reciprocal => {
            let format = match reading {
                Reading::Once(format) | Reading::Cast(format) => format,
                Reading::Exact | Reading::Truncated => node.own()?,
            };
            let one = Value::from_number(Rational::from(1));
            let reciprocal = operands.combined(Operation::Quotient, &one, Reading::Cast(format));
            combined(Operation::Product, &operands.x, &reciprocal, reading)
        }
    })
}

fn integer(
    (method, saturate): (&LinearMethod, Option<bool>),
    format: &IntegerFormat,
    quotient: &Value,
    zero: &Rational,
    reading: Option<Reading>,
) -> Option<u64> {
    let zero = Integer::from(zero.numer());
    let (smallest, largest) = encode::range(format);
    let ends = match method.beyond {
        LinearBeyond::Narrow if format.signed => (smallest.clone() + 1, largest.clone()),
        _ => (smallest.clone(), largest.clone()),
    };
    let clamp = |number: Integer| Ord::clamp(number, ends.0.clone(), ends.1.clone());
    let sum = match quotient {
        Value::Nan { .. } => return None,
        Value::Infinite { negative } => of_infinity((method, saturate), *negative, &zero, &ends)?,
        Value::Finite { .. } if method.zero == Zero::BeforeRoundingExactly => {
            count(method, &plus(quotient, &Rational::from(&zero)))?
        }
        Value::Finite { .. } if method.zero == Zero::BeforeRounding => {
            let sum = plus(quotient, &Rational::from(&zero));
            let precision = match reading {
                Some(Reading::Once(precision) | Reading::Cast(precision)) => Some(precision),
                _ => None,
            };
            count(method, &precision.map_or(sum.clone(), |it| rounded(&sum, &it)))?
        }
        Value::Finite { .. } => {
            let count = count(method, quotient)?;
            match method.beyond {
                LinearBeyond::BeforeZero => clamp(count) + zero,
                LinearBeyond::Int32Lowest | LinearBeyond::WrapsLowest if !is_int32(&count) => {
                    lowest_int32() + zero
                }
                LinearBeyond::WrapsSaturated => {
                    Ord::clamp(count, lowest_int32(), highest_int32()) + zero
                }
                LinearBeyond::Int32Wraps => wrapped(&count) + zero,
                LinearBeyond::Int32SumWraps => {
                    wrapped(&(Ord::clamp(count, lowest_int32(), highest_int32()) + zero))
                }
                _ => count + zero,
            }
        }
    };
    let wraps = match method.beyond {
        LinearBeyond::Wraps | LinearBeyond::WrapsSaturated | LinearBeyond::WrapsLowest => true,
        LinearBeyond::WrapsUnsaturated => saturate == Some(false),
        _ => false,
    };
    let code = if wraps { sum } else { clamp(sum) };
    Some(encode::low_bits(format, &code))
}

/// The integer of an infinite quotient, with the zero point; `None` where the method says nothing of it.
fn of_infinity(
    (method, saturate): (&LinearMethod, Option<bool>),
    negative: bool,
    zero: &Integer,
    (low, high): &(Integer, Integer),
) -> Option<Integer> {
    let int32 = if negative { lowest_int32() } else { highest_int32() };
    match method.beyond {
        LinearBeyond::Wraps | LinearBeyond::Int32Wraps => None,
        LinearBeyond::WrapsUnsaturated if saturate == Some(false) => None,
        LinearBeyond::Int32Lowest | LinearBeyond::WrapsLowest => Some(lowest_int32() + zero),
        LinearBeyond::WrapsSaturated => Some(int32 + zero),
        LinearBeyond::Int32SumWraps => Some(wrapped(&(int32 + zero))),
        LinearBeyond::BeforeZero if negative => Some(Integer::from(low + zero)),
        LinearBeyond::BeforeZero => Some(Integer::from(high + zero)),
        _ if negative => Some(low.clone()),
        _ => Some(high.clone()),
    }
}

/// The rounded number.
fn count(method: &LinearMethod, value: &Value) -> Option<Integer> {
    match value {
        Value::Finite { negative, magnitude } => {
            let count = method.ties.to_integer(*negative, magnitude).count;
            Some(if *negative { -count } else { count })
        }
        _ => None,
    }
}

fn lowest_int32() -> Integer {
    Integer::from(i32::MIN)
}

fn highest_int32() -> Integer {
    Integer::from(i32::MAX)
}

fn is_int32(number: &Integer) -> bool {
    *number >= lowest_int32() && *number <= highest_int32()
}

/// The low 32 bits, as an int32.
fn wrapped(number: &Integer) -> Integer {
    let bits = IntegerFormat { bits: 32, signed: true };
    Integer::from(encode::low_bits(&bits, number) as u32 as i32)
}

fn float(
    method: &LinearMethod,
    saturate: Option<bool>,
    format: &FloatFormat,
    quotient: &Value,
) -> Option<u64> {
    // Dtypes below 8 bits always saturate.
    let saturates = match method.beyond {
        LinearBeyond::Saturated => true,
        LinearBeyond::NotSaturated => false,
        _ => saturate.unwrap_or(true) || format.magnitude_bits() < 7,
    };
    let beyond = |negative: bool| match (saturates, format.infinities, format.nan) {
        (true, ..) => Some(encode::largest(format, negative)),
        (false, true, _) => Some(encode::infinity(format, negative)),
        (false, false, NanEncoding::AllOnes) => {
            Some(encode::signed(format, negative, format.magnitude_mask()))
        }
        (false, false, NanEncoding::NegativeZero) => Some(format.sign_bit()),
        (false, false, _) => None,
    };
    match quotient {
        Value::Nan { .. } => None,
        Value::Infinite { negative } => beyond(*negative),
        Value::Finite { negative, magnitude } => {
            if Nearest::new(magnitude, format).overflows {
                return beyond(*negative);
            }
            let rounded = method.ties.to_format(*negative, magnitude, format);
            let code = encode::magnitude(format, &rounded).min(format.largest_code());
            let is_flushed =
                method.flush == Flush::Result && rounded.number() < smallest_normal(format);
            let code = if is_flushed { 0 } else { code };
            let is_signed = *negative && !(code == 0 && format.nan == NanEncoding::NegativeZero);
            Some(encode::signed(format, is_signed, code))
        }
    }
}
