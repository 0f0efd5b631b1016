//! Target float8e8m0 (section 4). The text settles two of the six combinations of `saturate`
//! and `round_mode`: (1, up) and (0, nearest).

use super::{any, exact, one_of, tolerating, via_float32, wider_than_float32};
use crate::class::Class;
use crate::decode;
use crate::encode;
use crate::format::FloatFormat;
use crate::number::Rational;
use crate::resolved::Resolved;
use crate::round::{self, Rounding};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome, RoundMode, rule};
use std::cmp::Ordering;

/// A power of two, or NaN.
pub(crate) fn to_scale(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let answer = by_value(request, format, value);
    let rule = match Class::of(request.from) {
        Class::Bool => rule::B_11,
        Class::WideFloat => answer.rule,
        _ => rule::E8_14,
    };
    let answer = Expectation { rule, ..answer };
    if !wider_than_float32(&request.source) {
        return answer;
    }
    // E8-13
    let Some(first) = via_float32(value) else { return answer };
    let second = by_value(request, format, &first);
    let tolerant = tolerating(answer.clone(), [second.expect].into_iter().chain(second.tolerate));
    if tolerant.tolerate == answer.tolerate {
        return answer;
    }
    Expectation { rule: rule::E8_13, ..tolerant }
}

fn by_value(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let (smallest, largest, nan) = (0, format.largest_code(), format.magnitude_mask());
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return exact(nan, rule::E8_04),
        Value::Infinite { negative: true } => return any(rule::E8_03),
        Value::Infinite { negative: false } => {
            return exact(if request.saturate { largest } else { nan }, rule::E8_05);
        }
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let settled = request.saturate || request.round_mode == RoundMode::Nearest;
    if *magnitude == 0 {
        return match (negative, request.saturate, settled) {
            (true, ..) => any(rule::E8_02),
            (false, true, _) => exact(smallest, rule::E8_01),
            (false, false, true) => exact(nan, rule::E8_01),
            (false, false, false) => one_of([smallest, nan], rule::E8_01),
        };
    }
    if negative {
        return any(rule::E8_03);
    }
    let exponent = round::exponent(magnitude);
    let power = Rational::from(1) << exponent;
    if exponent < format.min_exponent() {
        return match (request.saturate, settled) {
            (true, _) => exact(smallest, rule::E8_07),
            (false, true) => exact(nan, rule::E8_07),
            (false, false) => one_of([smallest, smallest + 1, nan], rule::E8_07),
        };
    }
    if power == *magnitude && exponent <= format.bias {
        return exact(power_code(format, exponent), rule::E8_08);
    }
    if exponent >= format.bias {
        return beyond(request, format, magnitude, settled);
    }
    between(request, format, magnitude, exponent)
}

/// E8-06: above 2^127.
fn beyond(
    request: &Resolved,
    format: &FloatFormat,
    magnitude: &Rational,
    settled: bool,
) -> Expectation {
    let (largest, nan) = (format.largest_code(), format.magnitude_mask());
    if request.saturate {
        return exact(largest, rule::E8_06);
    }
    if !settled {
        return one_of([largest, nan], rule::E8_06);
    }
    // If it is rounded before it is compared, a number nearer to 2^127 than to 2^128 is in range.
    let rounds_back = *magnitude < midpoint(&decode::finite(format, largest));
    tolerating(exact(nan, rule::E8_06), rounds_back.then_some(Outcome::Code(largest)))
}

/// E8-09 to E8-12: strictly between 2^exponent and the next power of two, both in range.
fn between(
    request: &Resolved,
    format: &FloatFormat,
    magnitude: &Rational,
    exponent: i32,
) -> Expectation {
    let against_midpoint = magnitude.cmp(&midpoint(&(Rational::from(1) << exponent)));
    let (up, rule) = match (request.round_mode, against_midpoint) {
        (RoundMode::Up, _) => (true, rule::E8_09),
        (RoundMode::Down, _) => (false, rule::E8_10),
        (RoundMode::Nearest, Ordering::Equal) => (true, rule::E8_12),
        (RoundMode::Nearest, side) => (side == Ordering::Greater, rule::E8_11),
    };
    exact(power_code(format, exponent + i32::from(up)), rule)
}

/// The code of a power of two in range.
fn power_code(format: &FloatFormat, exponent: i32) -> u64 {
    let power = Rational::from(1) << exponent;
    encode::magnitude(format, &round::to_format(&power, format, Rounding::NearestEven))
}

/// One and a half times a power of two.
fn midpoint(power: &Rational) -> Rational {
    Rational::from(power * 3u32) >> 1u32
}
