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
use crate::spec::{Chosen, NegativeScale, ToScale, Twice, rules_of};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome, RoundMode};
use std::cmp::Ordering;

/// A power of two, or NaN.
pub(crate) fn to_scale(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let rules = rules_of(&request.record.to_scale);
    let answer = by_value(request, format, value);
    let rule = match Class::of(request.from) {
        Class::Bool => rules.bool,
        Class::WideFloat => answer.rule,
        _ => rules.other,
    };
    let answer = Expectation { rule, ..answer };
    let (Twice::Tolerated, twice) = rules.twice else { return answer };
    if !wider_than_float32(&request.source) {
        return answer;
    }
    let Some(first) = via_float32(value) else { return answer };
    let second = by_value(request, format, &first);
    let tolerant = tolerating(answer.clone(), [second.expect].into_iter().chain(second.tolerate));
    if tolerant.tolerate == answer.tolerate {
        return answer;
    }
    Expectation { rule: twice, ..tolerant }
}

fn by_value(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let rules = rules_of(&request.record.to_scale);
    let (smallest, largest, nan) = (0, format.largest_code(), format.magnitude_mask());
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return exact(nan, rules.nan),
        Value::Infinite { negative: true } => return below_zero(rules.negative),
        Value::Infinite { negative: false } => {
            return exact(if request.saturate { largest } else { nan }, rules.infinity);
        }
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let settled = request.saturate || request.round_mode == RoundMode::Nearest;
    if *magnitude == 0 {
        return match (negative, request.saturate, settled) {
            (true, ..) => below_zero(rules.negative_zero),
            (false, true, _) => exact(smallest, rules.zero),
            (false, false, true) => exact(nan, rules.zero),
            (false, false, false) => one_of([smallest, nan], rules.zero),
        };
    }
    if negative {
        return below_zero(rules.negative);
    }
    let exponent = round::exponent(magnitude);
    let power = Rational::from(1) << exponent;
    if exponent < format.min_exponent() {
        return match (request.saturate, settled) {
            (true, _) => exact(smallest, rules.below),
            (false, true) => exact(nan, rules.below),
            (false, false) => one_of([smallest, smallest + 1, nan], rules.below),
        };
    }
    if power == *magnitude && exponent <= format.bias {
        return exact(power_code(format, exponent), rules.power);
    }
    if exponent >= format.bias {
        return above(request, format, magnitude, settled);
    }
    between(request.round_mode, rules, magnitude, (format, exponent))
}

/// What a negative number becomes.
fn below_zero((NegativeScale::Undefined, rule): Chosen<NegativeScale>) -> Expectation {
    any(rule)
}

/// Above 2^127.
fn above(
    request: &Resolved,
    format: &FloatFormat,
    magnitude: &Rational,
    settled: bool,
) -> Expectation {
    let rule = rules_of(&request.record.to_scale).above;
    let (largest, nan) = (format.largest_code(), format.magnitude_mask());
    if request.saturate {
        return exact(largest, rule);
    }
    if !settled {
        return one_of([largest, nan], rule);
    }
    // If it is rounded before it is compared, a number nearer to 2^127 than to 2^128 is in range.
    let rounds_back = *magnitude < midpoint(&decode::finite(format, largest));
    tolerating(exact(nan, rule), rounds_back.then_some(Outcome::Code(largest)))
}

/// Strictly between 2^exponent and the next power of two, both in range.
fn between(
    mode: RoundMode,
    rules: &ToScale,
    magnitude: &Rational,
    (format, exponent): (&FloatFormat, i32),
) -> Expectation {
    let against_midpoint = magnitude.cmp(&midpoint(&(Rational::from(1) << exponent)));
    let (up, rule) = match (mode, against_midpoint) {
        (RoundMode::Up, _) => (true, rules.up),
        (RoundMode::Down, _) => (false, rules.down),
        (RoundMode::Nearest, Ordering::Equal) => (true, rules.tie),
        (RoundMode::Nearest, side) => (side == Ordering::Greater, rules.nearest),
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
