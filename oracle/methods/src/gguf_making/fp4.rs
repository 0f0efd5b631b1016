//! The steps of MXFP4 and NVFP4.

use super::way::{Exponent, Multiplier, Scale, Ties, Way, Zero, put};
use castproof_oracle::Value;
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::round::{self, to_integer};
use castproof_quantised::gguf::arithmetic::{is_less, magnitude, product, quotient, scaled, sum};
use castproof_quantised::gguf::{Packed, float32};
use castproof_vectors::GgufType;

/// The numbers of float4e2m1, in halves.
const HALVES: [i32; 8] = [0, 1, 2, 3, 4, 6, 8, 12];

fn largest(numbers: &[Value]) -> Value {
    let mut largest = Value::from_number(Rational::new());
    for number in numbers.iter().map(magnitude) {
        if is_less(&largest, &number) {
            largest = number;
        }
    }
    largest
}

pub(super) fn mxfp4(numbers: &[Value], way: &Way, packed: &mut Packed) {
    let code = match largest(numbers) {
        Value::Finite { magnitude, .. } if magnitude == 0 => {
            Some(if way.zero == Zero::One { 127 } else { 0 })
        }
        Value::Finite { magnitude, .. } => code(&magnitude, way),
        _ => None,
    };
    let Some(code) = code else {
        packed.open_all();
        return;
    };
    packed.byte(0, code);
    let d = Rational::from(2).pow(i32::from(code) - 127);
    for (place, number) in numbers.iter().enumerate() {
        let element = element(number, &d, way);
        put(way.order, GgufType::MXFP4, place, Some(element), packed);
    }
}

/// The code of the scale; `None` where the reference converts a negative number.
fn code(largest: &Rational, way: &Way) -> Option<u8> {
    let floor = round::exponent(largest);
    if floor < -125 {
        return None;
    }
    // From 1 to below 2.
    let mantissa = Rational::from(largest / &Rational::from(2).pow(floor));
    let up = |from: (i32, i32)| i32::from(mantissa >= Rational::from(from));
    let more = match way.exponent {
        Exponent::Floor => 0,
        Exponent::Plus(more) => more,
        Exponent::Ceil => i32::from(mantissa > 1),
        Exponent::Even => up((7, 4)),
        Exponent::Nearest => up((3, 2)),
        Exponent::Fits => i32::from(mantissa > Rational::from((3, 2))),
    };
    u8::try_from((floor + more + 125).max(0)).ok()
}

pub(super) fn nvfp4(numbers: &[Value], way: &Way, packed: &mut Packed) {
    let of = |numbers: &[Value]| match way.scale {
        Scale::Product => {
            let sixth = Value::from_number(Rational::from((1, 6)));
            float32(product([largest(numbers), float32(sixth)]))
        }
        _ => {
            let six = Value::from_number(Rational::from(6));
            float32(quotient(largest(numbers), six))
        }
    };
    for (group, these) in numbers.chunks(16).enumerate() {
        let exact = if way.scale == Scale::First { of(&numbers[..16]) } else { of(these) };
        let code = scale(&exact, way.scale);
        packed.byte(group, code);
        let mut d = value(code);
        match (way.scale, &exact) {
            (Scale::Unrounded, Value::Finite { magnitude, .. }) => d = magnitude.clone(),
            (Scale::ElementsDoubled, _) => d = d >> 1,
            _ => {}
        }
        for (place, number) in these.iter().enumerate() {
            let element = element(number, &d, way);
            put(way.order, GgufType::NVFP4, 16 * group + place, Some(element), packed);
        }
    }
}

/// The number of a code of a scale.
fn value(code: u8) -> Rational {
    let (exponent, mantissa) = (i32::from(code >> 3), i32::from(code & 7));
    match exponent {
        0 => Rational::from((mantissa, 512)),
        _ => Rational::from(8 + mantissa) << (exponent - 10),
    }
}

fn scale(number: &Value, way: Scale) -> u8 {
    let number = match number {
        Value::Finite { magnitude, .. } => magnitude.clone().min(Rational::from(448)),
        _ => Rational::from(448),
    };
    match way {
        Scale::E4m3 => {
            let is_reached = |code: u8| {
                let middle = (value(code - 1) + value(code)) >> 1;
                number > middle || (number == middle && code.is_multiple_of(2))
            };
            return (1..=0x7e).take_while(|code| is_reached(*code)).last().unwrap_or(0);
        }
        Scale::TowardZero => {
            let codes = (0..=0x7e).take_while(|code| value(*code) <= number);
            return codes.last().unwrap_or(0);
        }
        _ => {}
    }
    if number >= 248 {
        return 0x7e;
    }
    let least = Rational::from((1, 64));
    if number < least {
        if way == Scale::Flushed {
            return 0;
        }
        let half = Value::from_number(Rational::from((1, 2)));
        let units = float32(sum(Value::from_number(number << 9), half));
        let units = units.number().expect("a number below 9");
        return whole(&units).min(7);
    }
    // The first code that is at least as near as the next one is the last that is not above the middle, ties up.
    let is_reached = |code: u8| {
        let middle: Rational = (value(code - 1) + value(code)) >> 1;
        number >= middle
    };
    (8..=0x7e).take_while(|code| *code == 8 || is_reached(*code)).last().unwrap_or(8)
}

fn whole(number: &Rational) -> u8 {
    let whole = to_integer(number, round::MagnitudeRounding::TowardZero).count;
    whole.to_u64().and_then(|it| u8::try_from(it).ok()).unwrap_or(u8::MAX)
}

/// The element of a number under a scale.
fn element(number: &Value, d: &Rational, way: &Way) -> i64 {
    let Value::Finite { negative, magnitude } = number else { return 0 };
    if *d == 0 {
        return 0;
    }
    let steps = match way.multiplier {
        // The reciprocal of a scale of NVFP4 is rounded, and so is the product.
        Multiplier::Direct => {
            let id = float32(Value::from_number(Rational::from(1) / d.clone()));
            let steps = float32(product([magnitude_of(magnitude), id]));
            steps.number().unwrap_or_else(|| Rational::from(8))
        }
        _ => Rational::from(magnitude / d),
    };
    let is_above = |code: usize| {
        let middle = Rational::from((HALVES[code - 1] + HALVES[code], 4));
        let limit = match way.ties {
            Ties::Truncated => Rational::from((HALVES[code], 2)),
            _ => middle,
        };
        match way.ties {
            Ties::Smaller => steps > limit,
            Ties::Larger | Ties::Truncated => steps >= limit,
            Ties::Even => steps > limit || (steps == limit && code.is_multiple_of(2)),
        }
    };
    let code = (1..8).filter(|code| is_above(*code)).count();
    // What is beyond the largest element is as far from several ones, if distances are rounded.
    let code = if code == 7 { least_far(magnitude, d) } else { code } as i64;
    let has_sign = *negative && (code > 0 || way.has_negative_zero);
    if has_sign { code + 8 } else { code }
}

fn magnitude_of(magnitude: &Rational) -> Value {
    product([Value::from_number(magnitude.clone()), scaled(1, 0)])
}

/// The first code whose distance from a number is least, each rounded to float32.
fn least_far(magnitude: &Rational, d: &Rational) -> usize {
    let distance = |code: usize| {
        let element = Rational::from((HALVES[code], 2)) * d.clone();
        let exact = Value::from_number((element - magnitude.clone()).abs());
        float32(exact)
    };
    (1..8).fold(0, |best, code| if is_less(&distance(code), &distance(best)) { code } else { best })
}
