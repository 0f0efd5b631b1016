//! What a specification tolerates beside the nearest float.

use super::tolerating;
use crate::class::Class;
use crate::decode;
use crate::encode;
use crate::format::{CodeKind, FloatFormat, NanEncoding};
use crate::number::Rational;
use crate::overflow::unit_of_largest;
use crate::resolved::Resolved;
use crate::round::{self, MagnitudeRounding, Rounded};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome};

/// Adds what the record tolerates, if it tolerates anything.
pub(crate) fn within_accuracy(
    request: &Resolved,
    format: &FloatFormat,
    value: &Value,
    mut answer: Expectation,
) -> Expectation {
    let (Some(accuracy), Value::Finite { negative, magnitude }) = (request.record.accuracy, value)
    else {
        return answer;
    };
    let [below, above] = [MagnitudeRounding::TowardZero, MagnitudeRounding::AwayFromZero]
        .map(|rounding| round::to_format(magnitude, format, rounding));
    let is_integer = Class::of(request.from) == Class::Integer;
    let mut tolerated = Vec::new();
    if !below.is_exact() {
        let twice = Rational::from(magnitude << 1u32);
        let is_tie = below.number() + above.number() == twice;
        let toward_zero = (is_tie || !is_integer) && code_in_range(format, &below).is_some();
        tolerated.extend(toward_zero.then(|| outcome(format, *negative, &below)));
        tolerated.extend(is_tie.then(|| outcome(format, *negative, &above)));
    }
    if is_integer && reaches_beyond(format, magnitude) {
        tolerated.push(Outcome::Code(encode::infinity(format, *negative)));
        answer.rule = accuracy.reaching;
    }
    if is_subnormal(request, format, magnitude) {
        tolerated.push(Outcome::Code(encode::signed(format, *negative, 0)));
        answer.rule = accuracy.subnormal;
    }
    tolerating(answer, tolerated)
}

/// The code without sign of a rounded magnitude; `None` if it is beyond the largest number.
fn code_in_range(format: &FloatFormat, rounded: &Rounded) -> Option<u64> {
    Some(encode::magnitude(format, rounded)).filter(|&code| code <= format.largest_code())
}

/// What a rounded magnitude becomes. Beyond the largest number it is infinity, or any NaN in a format
/// without infinity.
fn outcome(format: &FloatFormat, negative: bool, rounded: &Rounded) -> Outcome {
    match code_in_range(format, rounded) {
        Some(code) => Outcome::Code(encode::signed(format, negative, code)),
        None if format.nan == NanEncoding::AllOnes => Outcome::AnyNan,
        None => Outcome::Code(encode::infinity(format, negative)),
    }
}

/// Does half a unit in the last place reach from this magnitude beyond the largest number, and does half a
/// unit reach back to it?
fn reaches_beyond(format: &FloatFormat, magnitude: &Rational) -> bool {
    let largest = decode::finite(format, format.largest_code());
    let half = unit_of_largest(format) >> 1u32;
    *magnitude > Rational::from(&largest - &half) && *magnitude <= largest + half
}

/// Is a number of at least 16 bits subnormal, in the source or in the target?
fn is_subnormal(request: &Resolved, target: &FloatFormat, magnitude: &Rational) -> bool {
    let below = |format: &FloatFormat, dtype| {
        let smallest = Rational::from(1) << format.min_exponent();
        Class::of(dtype) == Class::WideFloat && *magnitude < smallest
    };
    let in_source =
        matches!(&request.source, CodeKind::Float(source) if below(source, request.from));
    *magnitude != 0 && (in_source || below(target, request.to))
}
