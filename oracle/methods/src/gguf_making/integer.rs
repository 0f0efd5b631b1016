//! The steps of the types whose elements are integers.

use super::way::{
    Clamp, Largest, Minimum, Multiplier, Offset, Rounding, Stored, Way, Zero, float16, format, put,
};
use castproof_oracle::Value;
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::round::{self, to_format, to_integer};
use castproof_quantised::gguf::arithmetic::{
    difference, is_less, magnitude, opposite, product, quotient, sum,
};
use castproof_quantised::gguf::{Packed, float32};
use castproof_vectors::{DType, GgufType};

/// What tells the types apart.
struct Facts {
    /// What the range or the largest number is divided by.
    divisor: i32,
    /// What is added to an element, and the largest code.
    offset: i32,
    most: i64,
    has_minimum: bool,
}

fn facts(kind: GgufType) -> Facts {
    let (divisor, offset, most, has_minimum) = match kind {
        GgufType::Q4_0 => (8, 8, 15, false),
        GgufType::Q5_0 => (16, 16, 31, false),
        GgufType::Q4_1 => (15, 0, 15, true),
        GgufType::Q5_1 => (31, 0, 31, true),
        _ => (127, 0, 127, false),
    };
    Facts { divisor, offset, most, has_minimum }
}

fn whole(number: i32) -> Value {
    Value::from_number(Rational::from(number))
}

/// Quantises a block.
pub(super) fn block(kind: GgufType, numbers: &[Value], way: &Way, packed: &mut Packed) {
    let is_q8 = kind == GgufType::Q8_0;
    if is_q8 && numbers.iter().any(|it| matches!(it, Value::Nan { .. })) {
        packed.open_all();
        return;
    }
    let facts = facts(kind);
    let divisor = way.divisor.unwrap_or(facts.divisor);
    let least = if facts.has_minimum { minimum(numbers, way) } else { whole(0) };
    let range = match facts.has_minimum {
        true => float32(difference(most(numbers, way), least.clone())),
        false => largest(numbers, way, is_q8),
    };
    let mut d = float32(quotient(range.clone(), whole(divisor)));
    if matches!(way.zero, Zero::Positive | Zero::One) && d.is_zero() {
        d = whole(i32::from(way.zero == Zero::One));
    }
    packed.half(0, stored(&d, way.stored));
    let mut offset = least.clone();
    if facts.has_minimum {
        let kept = stored(&least, way.stored);
        packed.half(2, if way.minimum == Minimum::Negated { kept ^ 0x8000 } else { kept });
        open_sign(numbers, &least, packed);
        match way.minimum {
            Minimum::Stored => offset = float16(&least),
            Minimum::NotSubtracted => offset = whole(0),
            _ => {}
        }
    }
    let steps = Steps { d, range, divisor, way };
    for (place, number) in numbers.iter().enumerate() {
        let number = match facts.has_minimum {
            true => float32(difference(number.clone(), offset.clone())),
            false => number.clone(),
        };
        let element = steps.element(&number, is_q8, &facts);
        put(way.order, kind, place, element, packed);
    }
}

/// Which of two zeros is the smaller is the order of a search.
fn open_sign(numbers: &[Value], least: &Value, packed: &mut Packed) {
    let is_negative = |it: &Value| matches!(it, Value::Finite { negative: true, .. });
    let mut zeros = numbers.iter().filter(|it| it.is_zero()).map(is_negative);
    let first = zeros.next();
    if least.is_zero() && zeros.any(|it| Some(it) != first) {
        packed.open(3, 0x80);
    }
}

fn largest_float(negative: bool) -> Value {
    let magnitude = (Rational::from(1) << 128) - (Rational::from(1) << 104);
    Value::Finite { negative, magnitude }
}

/// The smallest number.
fn minimum(numbers: &[Value], way: &Way) -> Value {
    let smaller = |least: Value, it: &Value| if is_less(it, &least) { it.clone() } else { least };
    let least = numbers.iter().fold(largest_float(false), smaller);
    match way.minimum {
        Minimum::AtMostZero | Minimum::WithZero if is_less(&whole(0), &least) => whole(0),
        _ => least,
    }
}

/// The largest number.
fn most(numbers: &[Value], way: &Way) -> Value {
    let larger = |most: Value, it: &Value| if is_less(&most, it) { it.clone() } else { most };
    let most = numbers.iter().fold(largest_float(true), larger);
    match way.minimum {
        Minimum::WithZero if is_less(&most, &whole(0)) => whole(0),
        _ => most,
    }
}

/// The number that the scale follows from. Of Q4_0 and Q5_0 it has the opposite sign.
fn largest(numbers: &[Value], way: &Way, is_q8: bool) -> Value {
    let mut largest = whole(0);
    for number in numbers {
        let is_larger = match way.largest {
            Largest::Most => is_less(&largest, number),
            Largest::Last => !is_less(&magnitude(number), &magnitude(&largest)),
            _ => is_less(&magnitude(&largest), &magnitude(number)),
        };
        if is_larger && !matches!(number, Value::Nan { .. }) {
            largest = number.clone();
        }
    }
    match way.largest {
        Largest::Most if is_q8 => largest,
        Largest::Magnitude => magnitude(&largest),
        _ if is_q8 => magnitude(&largest),
        Largest::Opposite => opposite(magnitude(&largest)),
        _ => opposite(largest),
    }
}

/// What a scale is stored as.
fn stored(value: &Value, way: Stored) -> u16 {
    let code = |value: &Value| castproof_quantised::gguf::float16(value);
    let toward_zero = |value: &Value| match value {
        Value::Finite { negative, magnitude } => Value::Finite {
            negative: *negative,
            magnitude: to_format(
                magnitude,
                &format(DType::Float16),
                round::MagnitudeRounding::TowardZero,
            )
            .number(),
        },
        other => other.clone(),
    };
    let beyond = |code: u16| code & 0x7fff == 0x7c00 && matches!(value, Value::Finite { .. });
    match way {
        Stored::Nearest => code(value),
        Stored::TowardZero => match code(&toward_zero(value)) {
            code if beyond(code) => code - 1,
            code => code,
        },
        Stored::Flushed => match code(value) {
            code if code & 0x7c00 == 0 => code & 0x8000,
            code => code,
        },
        Stored::Saturated => match code(value) {
            code if beyond(code) => code - 1,
            code => code,
        },
    }
}

/// How a number becomes an element.
struct Steps<'a> {
    d: Value,
    range: Value,
    divisor: i32,
    way: &'a Way,
}

impl Steps<'_> {
    fn element(&self, number: &Value, is_q8: bool, facts: &Facts) -> Option<i64> {
        let way = self.way;
        if way.zero == Zero::NoElements && self.d.is_zero() {
            return Some(0);
        }
        let exact = self.steps(number);
        let steps = if way.is_fused { exact.clone() } else { float32(exact) };
        let rounding = match way.rounding {
            Rounding::Own if is_q8 => Rounding::Away,
            Rounding::Own => Rounding::Up,
            other => other,
        };
        let offset = facts.offset;
        let code = match rounding {
            // The sum is rounded too. That of the rule is positive, so its fraction is cut.
            Rounding::Up if is_q8 => floor(&float32(sum(float32(steps), half(0))))?,
            Rounding::Up => {
                let code = floor(&float32(sum(steps, half(offset))))?;
                let is_right = Integer::from(0) <= code && code < 128;
                is_right.then_some(code)?
            }
            Rounding::Down if is_q8 => floor(&float32(steps))?,
            Rounding::Down => floor(&float32(sum(steps, whole(offset))))?,
            Rounding::Even => {
                nearest(&float32(steps), round::MagnitudeRounding::NearestEven)? + offset
            }
            Rounding::Away => {
                nearest(&float32(steps), round::MagnitudeRounding::NearestAway)? + offset
            }
            Rounding::TowardZero => {
                nearest(&float32(steps), round::MagnitudeRounding::TowardZero)? + offset
            }
            Rounding::Own => return None,
        };
        let code = code.to_i128().and_then(|it| i64::try_from(it).ok())?;
        if is_q8 {
            return q8(code, way);
        }
        let (most, offset) = (facts.most, i64::from(offset));
        let code = match way.clamp {
            Clamp::Right => code.clamp(0, most),
            Clamp::Missing => code & most,
            Clamp::Symmetric => code.clamp(1, most),
        };
        Some(match way.offset {
            Offset::Right => code,
            Offset::Other => code - offset,
        })
    }

    /// How many steps of the scale the number is, exactly; its operands are rounded.
    fn steps(&self, number: &Value) -> Value {
        let one = || whole(1);
        let kept = || float16(&self.d);
        let by = |d: Value| match d.is_zero() {
            true => whole(0),
            false => float32(quotient(one(), d)),
        };
        let over = |d: Value| match d.is_zero() {
            true => product([number.clone(), whole(0)]),
            false => quotient(number.clone(), d),
        };
        match self.way.multiplier {
            Multiplier::Reciprocal => product([number.clone(), by(self.d.clone())]),
            Multiplier::StoredReciprocal => product([number.clone(), by(kept())]),
            Multiplier::Quotient => over(self.d.clone()),
            Multiplier::StoredQuotient => over(kept()),
            Multiplier::Direct if self.range.is_zero() => product([number.clone(), whole(0)]),
            Multiplier::Direct => {
                let id = float32(quotient(whole(self.divisor), self.range.clone()));
                product([number.clone(), id])
            }
        }
    }
}

fn q8(code: i64, way: &Way) -> Option<i64> {
    if !(-128..128).contains(&code) {
        return match way.clamp {
            Clamp::Right => None,
            Clamp::Missing => Some(code & 0xff),
            Clamp::Symmetric => Some(code.clamp(-127, 127)),
        };
    }
    Some(match way.offset {
        Offset::Right => code,
        Offset::Other => code + 128,
    })
}

fn half(offset: i32) -> Value {
    Value::from_number(Rational::from((2 * offset + 1, 2)))
}

fn floor(value: &Value) -> Option<Integer> {
    value.number().map(|number| number.floor_ref().into())
}

fn nearest(value: &Value, rounding: round::MagnitudeRounding) -> Option<Integer> {
    let Value::Finite { negative, magnitude } = value else { return None };
    let whole = to_integer(magnitude, rounding).count;
    Some(if *negative { -whole } else { whole })
}
