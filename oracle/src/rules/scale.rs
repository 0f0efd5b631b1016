//! Target float8e8m0 (section 4). The text settles two of the six combinations of `saturate`
//! and `round_mode`: (1, up) and (0, nearest).

use super::{any, exact, one_of, rounded_twice, tolerating, via_float32, wider_than_float32};
use crate::class::Class;
use crate::decode;
use crate::encode;
use crate::format::FloatFormat;
use crate::number::Rational;
use crate::resolved::Resolved;
use crate::round::{self, MagnitudeRounding};
use crate::spec::{AboveScale, BelowScale, Chosen, NegativeScale, ToScale, Twice, rules_of};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome, RoundMode};
use std::cmp::Ordering;

/// A power of two, or NaN.
pub(crate) fn to_scale(request: &Resolved, format: &FloatFormat, value: &Value) -> Expectation {
    let rules = rules_of(&request.record.to_scale);
    let answer = by_value(request, format, value);
    let rule = match Class::of(request.from) {
        Class::Bool => rules.bool,
        Class::WideFloat => None,
        _ => rules.other,
    };
    let answer = Expectation { rule: rule.unwrap_or(answer.rule), ..answer };
    let (Twice::Tolerated, twice) = rules.twice else {
        return rounded_twice(request, value, (answer, rules.twice), |first| {
            by_value(request, format, first)
        });
    };
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
    if let ((NegativeScale::Magnitude, rule), Some(magnitude)) = (rules.negative, magnitude(value))
    {
        return Expectation { rule, ..by_value(request, format, &magnitude) };
    }
    let (smallest, largest, nan) = (0, format.largest_code(), format.magnitude_mask());
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return exact(nan, rules.nan),
        Value::Infinite { negative: true } => return below_zero(rules.negative, nan),
        Value::Infinite { negative: false } => {
            return exact(if request.saturate { largest } else { nan }, rules.infinity);
        }
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    if *magnitude == 0 {
        return match negative {
            true => below_zero(rules.negative_zero, nan),
            false => below(request, rules.zero, [smallest, nan], &[smallest, nan]),
        };
    }
    if negative {
        return below_zero(rules.negative, nan);
    }
    let exponent = round::exponent(magnitude);
    let power = Rational::from(1) << exponent;
    if exponent < format.min_exponent() {
        let unsettled = [smallest, smallest + 1, nan];
        return below(request, rules.below, [smallest, nan], &unsettled);
    }
    if power == *magnitude && exponent <= format.bias {
        return exact(power_code(format, exponent), rules.power);
    }
    if exponent >= format.bias {
        return above(request, format, magnitude);
    }
    if let (true, Some(rule)) = (exponent == format.min_exponent(), rules.lowest) {
        return one_of([smallest, smallest + 1], rule);
    }
    between(request.round_mode, rules, magnitude, (format, exponent))
}

/// The value without its sign, of one that is negative.
fn magnitude(value: &Value) -> Option<Value> {
    match value {
        Value::Infinite { negative: true } => Some(Value::Infinite { negative: false }),
        Value::Finite { negative: true, magnitude } => {
            Some(Value::Finite { negative: false, magnitude: magnitude.clone() })
        }
        _ => None,
    }
}

/// Does the text settle what is out of range for these attributes?
fn settled(request: &Resolved) -> bool {
    request.saturate || request.round_mode == RoundMode::Nearest
}

/// What a negative number becomes.
fn below_zero((negative, rule): Chosen<NegativeScale>, nan: u64) -> Expectation {
    match negative {
        NegativeScale::Undefined => any(rule),
        NegativeScale::Nan => exact(nan, rule),
        NegativeScale::Magnitude => unreachable!("a negative number was replaced"),
    }
}

/// What is too small becomes, or one of `unsettled`.
fn below(
    request: &Resolved,
    (below, rule): Chosen<BelowScale>,
    [smallest, nan]: [u64; 2],
    unsettled: &[u64],
) -> Expectation {
    match (below, request.saturate) {
        (BelowScale::Smallest, _) | (BelowScale::ByAttributes, true) => exact(smallest, rule),
        (BelowScale::Nan, _) => exact(nan, rule),
        (BelowScale::ByAttributes, false) if settled(request) => exact(nan, rule),
        (BelowScale::ByAttributes, false) => one_of(unsettled.iter().copied(), rule),
    }
}

/// Above 2^127.
fn above(request: &Resolved, format: &FloatFormat, magnitude: &Rational) -> Expectation {
    let (order, rule) = rules_of(&request.record.to_scale).above;
    let (largest, nan) = (format.largest_code(), format.magnitude_mask());
    if request.saturate {
        return exact(largest, rule);
    }
    // If it is rounded before it is compared, a number nearer to 2^127 than to 2^128 is in range.
    let is_nearer = *magnitude < midpoint(&decode::finite(format, largest));
    let down = matches!(request.round_mode, RoundMode::Down | RoundMode::TowardZero);
    let is_below_next = round::exponent(magnitude) == format.bias;
    match order {
        // NVIDIA's header says NaN, and its code computes the largest.
        AboveScale::AfterRoundingInFloat32(rule) if down && !is_below_next => {
            tolerating(exact(largest, rule), [Outcome::Code(nan)])
        }
        AboveScale::AfterRounding | AboveScale::AfterRoundingInFloat32(_) => {
            let rounds_back = match request.round_mode {
                RoundMode::Up => false,
                RoundMode::Down | RoundMode::TowardZero => is_below_next,
                RoundMode::Nearest | RoundMode::NearestAway => is_nearer,
            };
            exact(if rounds_back { largest } else { nan }, rule)
        }
        AboveScale::BeforeRounding if settled(request) => {
            tolerating(exact(nan, rule), is_nearer.then_some(Outcome::Code(largest)))
        }
        AboveScale::BeforeRounding => one_of([largest, nan], rule),
    }
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
        (RoundMode::Down | RoundMode::TowardZero, _) => (false, rules.down),
        (RoundMode::Nearest | RoundMode::NearestAway, Ordering::Equal) => (true, rules.tie),
        (RoundMode::Nearest | RoundMode::NearestAway, side) => {
            (side == Ordering::Greater, rules.nearest)
        }
    };
    exact(power_code(format, exponent + i32::from(up)), rule)
}

/// The code of a power of two in range.
fn power_code(format: &FloatFormat, exponent: i32) -> u64 {
    let power = Rational::from(1) << exponent;
    encode::magnitude(format, &round::to_format(&power, format, MagnitudeRounding::NearestEven))
}

/// One and a half times a power of two.
fn midpoint(power: &Rational) -> Rational {
    Rational::from(power * 3u32) >> 1u32
}
