//! Integer targets (section 2, "float to integer" and "integer to integer"; section 6).

use super::{exact, tolerating};
use crate::class::Class;
use crate::encode;
use crate::format::IntegerFormat;
use crate::number::Integer;
use crate::resolved::Resolved;
use crate::round::{self, MagnitudeRounding};
use crate::spec::{Chosen, End, FloatToInteger, Narrowed, rules_of};
use crate::value::Value;
use castproof_vectors::{Expectation, Outcome};

/// Floats are rounded to an integer first.
pub(crate) fn to_integer(request: &Resolved, format: &IntegerFormat, value: &Value) -> Expectation {
    match Class::of(request.from) {
        Class::Bool | Class::Integer | Class::NarrowInteger => narrow(request, format, value),
        _ => {
            let pair = (request.from, request.to);
            round(request.record.integers(pair, request.given_mode), format, value)
        }
    }
}

/// Keeps the low bits, unless the record takes the nearest end of the range.
fn narrow(request: &Resolved, format: &IntegerFormat, value: &Value) -> Expectation {
    let number = value.number().expect("integers are numbers").into_numer_denom().0;
    let in_range = encode::in_range(format, &number);
    let record = request.record;
    let rules = record.integer_to_integer;
    let of_narrow = || rules_of(&record.narrow_integers);
    let rule = match (Class::of(request.from), Class::of(request.to)) {
        (Class::Bool, _) => record.bool.to_integer,
        (Class::NarrowInteger, Class::NarrowInteger) => of_narrow().between,
        (_, Class::NarrowInteger) => of_narrow().from_wider,
        (Class::NarrowInteger, _) if in_range => of_narrow().exact,
        _ if in_range => rules.in_range,
        _ => return beyond(rules.beyond, format, &number),
    };
    exact(encode::low_bits(format, &number), rule)
}

/// An integer that the target does not have.
fn beyond(
    (narrowed, rule): Chosen<Narrowed>,
    format: &IntegerFormat,
    number: &Integer,
) -> Expectation {
    let (smallest, largest) = encode::range(format);
    let kept = match narrowed {
        Narrowed::LowBits => number,
        Narrowed::NearestEnd if *number < smallest => &smallest,
        Narrowed::NearestEnd => &largest,
    };
    exact(encode::low_bits(format, kept), rule)
}

/// Rounds to an integer, then tests the range.
fn round(rules: &FloatToInteger, format: &IntegerFormat, value: &Value) -> Expectation {
    let one_of_two = |(ends, rule): Chosen<[End; 2]>, negative: bool| {
        end((ends[usize::from(negative)], rule), format)
    };
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return end(rules.nan, format),
        Value::Infinite { negative } => return one_of_two(rules.infinity, *negative),
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let rounded = |rounding| {
        let magnitude = round::to_integer(magnitude, rounding).count;
        if negative { -magnitude } else { magnitude }
    };
    let in_range = |rounding| {
        let number = rounded(rounding);
        encode::in_range(format, &number).then(|| encode::low_bits(format, &number))
    };
    let number = rounded(rules.rounding[usize::from(negative)]);
    let (kept, of_kept) = rules.kept;
    if kept.range(format).is_some_and(|(first, last)| !(first..=last).contains(&number)) {
        return one_of_two(rules.beyond, negative);
    }
    let rule = if !encode::in_range(format, &number) {
        of_kept
    } else if magnitude.is_integer() {
        rules.exact
    } else if in_range(MagnitudeRounding::AwayFromZero).is_some() {
        rules.fraction
    } else {
        // The range ends between the number and the next integer.
        rules.edge
    };
    let others = rules.tolerated.iter().filter_map(|&rounding| in_range(rounding));
    tolerating(exact(encode::low_bits(format, &number), rule), others.map(Outcome::Code))
}

/// What an end stands for.
fn end((end, rule): Chosen<End>, format: &IntegerFormat) -> Expectation {
    let tolerate = matches!(end, End::UsuallyOneOf(_)).then_some(Outcome::Any);
    Expectation { expect: end.outcome(format), tolerate, rule }
}
