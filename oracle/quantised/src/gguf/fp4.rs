//! Blocks of MXFP4 and NVFP4 made from float32 (GG-13, GG-14).

use super::arithmetic::{difference, integer, is_less, magnitude, product, quotient, scaled, sum};
use super::formula::DOUBLED_E2M1;
use super::machine::{GgufMachine, float32};
use super::packing::Packed;
use castproof_oracle::Value;
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::round::{self, MagnitudeRounding, to_integer};

/// ln 2, below, to 15 decimals.
const LN_2: (u64, u64) = (693_147_180_559_945, 1_000_000_000_000_000);

/// The largest magnitude; a NaN is none.
fn largest(numbers: &[Value]) -> Value {
    let mut largest = Value::from_number(Rational::new());
    for number in numbers.iter().map(magnitude) {
        if is_less(&largest, &number) {
            largest = number;
        }
    }
    largest
}

/// A scale of 2^(e-128), where e - 125 is the logarithm of the largest magnitude without its fraction.
pub(super) fn mxfp4(numbers: &[Value], machine: GgufMachine, packed: &mut Packed) {
    let code = match largest(numbers) {
        Value::Finite { magnitude, .. } if magnitude == 0 => Some(0),
        Value::Finite { magnitude, .. } => {
            let floor = round::exponent(&magnitude);
            let is_next = machine.rounds_logarithms && may_round_up(&magnitude, floor + 1);
            // The code of what is below 2^-125 would be negative.
            u8::try_from(floor + i32::from(is_next) + 125).ok()
        }
        _ => None,
    };
    let Some(code) = code else {
        packed.open_all();
        return;
    };
    packed.byte(0, code);
    let d = scaled(1, i32::from(code) - 128);
    for (place, number) in numbers.iter().enumerate() {
        packed.element(place, Some(nearest(number, &d, machine)));
    }
}

/// May a logarithm of float32 that is off by less than a unit be n, although x is below 2^n?
///
/// Where x is 2^n(1 - d), the logarithm is n - d/ln 2 as far as float32 tells: d is a multiple of 2^-24, and a unit of n is at
/// least 1% of 2^-24 away from each of them.
fn may_round_up(x: &Rational, n: i32) -> bool {
    if n == 0 {
        return false; // next to zero float32 tells all numbers apart
    }
    let below = Rational::from(1) - Rational::from(x / &Rational::from(2).pow(n));
    // The logarithm lies in the binade of n, or for a power of two above zero in the one before.
    let size = n.unsigned_abs();
    let binade = size.ilog2() as i32 - i32::from(n > 0 && size.is_power_of_two());
    below < Rational::from(LN_2) << (binade - 23)
}

/// Four scales, a sixth of the largest magnitude of 16 numbers each.
pub(super) fn nvfp4(numbers: &[Value], machine: GgufMachine, packed: &mut Packed) {
    for (group, numbers) in numbers.chunks(16).enumerate() {
        let code = scale(float32(quotient(largest(numbers), integer(6))));
        packed.byte(group, code);
        let (exponent, mantissa) = (i32::from(code >> 3), i64::from(code & 7));
        // Scales are in units of 2^-9, and elements are doubled.
        let d = match exponent {
            0 => scaled(mantissa, -10),
            _ => scaled(8 + mantissa, exponent - 11),
        };
        for (place, number) in numbers.iter().enumerate() {
            packed.element(16 * group + place, Some(nearest(number, &d, machine)));
        }
    }
}

/// The code of a scale of NVFP4. What is 248 and more is 448.
fn scale(number: Value) -> u8 {
    let number = match number {
        Value::Finite { magnitude, .. } if magnitude == 0 => return 0,
        Value::Finite { magnitude, .. } => magnitude,
        _ => return 0x7e,
    };
    let exponent = round::exponent(&number) + 7;
    if exponent <= 0 {
        let half = Value::from_number(Rational::from((1, 2)));
        let units = float32(sum(Value::from_number(number << 9), half));
        let units = units.number().expect("a number below 9");
        return low(&units).min(7);
    }
    if exponent >= 15 {
        return 0x7e;
    }
    // Three bits behind the point, and the next one rounds up.
    let sixteenths = low(&((number >> (exponent - 7)) << 4)) - 16;
    let mantissa = sixteenths.div_ceil(2);
    let code = (exponent as u8) * 8 + mantissa;
    if code >= 15 * 8 { 0x7e } else { code }
}

/// A number below 256 without its fraction.
fn low(number: &Rational) -> u8 {
    let whole = to_integer(number, MagnitudeRounding::TowardZero).count;
    whole.to_u64().and_then(|it| u8::try_from(it).ok()).expect("a number below 256")
}

/// The code whose number is nearest, the first of those that are as near. A NaN is near to none, and becomes code 0.
fn nearest(x: &Value, d: &Value, machine: GgufMachine) -> i64 {
    let distance = |element: i64| {
        let exact = product([integer(element), d.clone()]);
        let product = if machine.fuses { exact } else { float32(exact) };
        magnitude(&float32(difference(product, x.clone())))
    };
    let mut best = (0, distance(0));
    for (code, element) in DOUBLED_E2M1.into_iter().enumerate().skip(1) {
        let distance = distance(element);
        if is_less(&distance, &best.1) {
            best = (code as i64, distance);
        }
    }
    best.0
}
