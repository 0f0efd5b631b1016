//! Blocks of GGUF made from float32, step by step as ggml's reference quantisers take them (GG-10 to GG-14).
//!
//! Each step is one operation on exact values, rounded to float32 once. For example Q4_0 of a block whose largest number is
//! -1: d = 0.125, its reciprocal 8, and the element of 0.3 is 10, which is 0.3 * 8 + 8.5 without its fraction.

use super::arithmetic::{difference, is_less, magnitude, product, quotient, scaled, sum};
use super::fp4;
use super::machine::{GgufMachine, float32};
use super::packing::Packed;
use crate::error::QuestionError;
use castproof_oracle::Value;
use castproof_oracle::format::{CodeKind, FLOAT16, FLOAT32};
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{MagnitudeRounding, to_integer};
use castproof_oracle::{decode, encode};
use castproof_vectors::{GgufBlocks, GgufType};

/// The types that are made from numbers.
pub const GGUF_MADE: [GgufType; 7] = [
    GgufType::Q4_0,
    GgufType::Q4_1,
    GgufType::Q5_0,
    GgufType::Q5_1,
    GgufType::Q8_0,
    GgufType::MXFP4,
    GgufType::NVFP4,
];

/// Returns the block that numbers become, with the bits that may be anything.
///
/// # Errors
/// If the type is not made from numbers, or has another count of them, or a code is none of float32.
pub fn encode_block(
    kind: GgufType,
    codes: &[u64],
    machine: GgufMachine,
) -> Result<GgufBlocks, QuestionError> {
    let elements = kind.record().elements;
    if !GGUF_MADE.contains(&kind) {
        let known: Vec<&str> = GGUF_MADE.iter().map(|kind| kind.name()).collect();
        let known = known.join(", ");
        return Err(QuestionError(format!(
            "{kind} is not made from numbers here; known are {known}"
        )));
    }
    if codes.len() != elements {
        let len = codes.len();
        return Err(QuestionError(format!(
            "{len} numbers are no block of {kind}, which has {elements}"
        )));
    }
    let value = |&code: &u64| decode::decode(&CodeKind::Float(FLOAT32), code);
    let numbers: Option<Vec<Value>> = codes.iter().map(value).collect();
    let numbers = numbers.ok_or_else(|| QuestionError("a code is none of float32".into()))?;
    let mut packed = Packed::new(kind);
    match kind {
        GgufType::MXFP4 => fp4::mxfp4(&numbers, machine, &mut packed),
        GgufType::NVFP4 => fp4::nvfp4(&numbers, machine, &mut packed),
        GgufType::Q8_0 => q8_0(&numbers, &mut packed),
        GgufType::Q4_1 | GgufType::Q5_1 => with_minimum(kind, &numbers, machine, &mut packed),
        _ => with_sign(kind, &numbers, machine, &mut packed),
    }
    Ok(packed.into_blocks())
}

/// The code of a number in float16: what a scale is stored as.
pub fn float16(value: &Value) -> u16 {
    let code = match value {
        Value::Nan { negative } => encode::signed(&FLOAT16, *negative, 0x7e00),
        Value::Infinite { negative } => encode::infinity(&FLOAT16, *negative),
        Value::Finite { negative, magnitude } => {
            let nearest = Nearest::new(magnitude, &FLOAT16);
            match nearest.overflows {
                true => encode::infinity(&FLOAT16, *negative),
                false => nearest.clamped(&FLOAT16, *negative),
            }
        }
    };
    u16::try_from(code).expect("a code of 16 bits")
}

/// 1 over the scale, or 0 if the scale is 0.
fn reciprocal(d: &Value) -> Value {
    if d.is_zero() {
        return Value::from_number(Rational::new());
    }
    float32(quotient(Value::from_number(Rational::from(1)), d.clone()))
}

/// A product and a number behind it, rounded after each or once, without its fraction; `None` if a conversion to an integer of 8
/// bits is undefined.
fn truncated(x: Value, id: &Value, offset: Rational, machine: GgufMachine) -> Option<i64> {
    let exact = product([x, id.clone()]);
    let product = if machine.fuses { exact } else { float32(exact) };
    match float32(sum(product, Value::from_number(offset))) {
        Value::Finite { negative: false, magnitude } => {
            let whole = to_integer(&magnitude, MagnitudeRounding::TowardZero).count;
            (whole < 128).then(|| small(&whole))
        }
        _ => None,
    }
}

fn small(number: &Integer) -> i64 {
    number.to_i128().and_then(|it| i64::try_from(it).ok()).expect("a number of 8 bits")
}

/// Q4_0 and Q5_0: the scale has the sign of the largest number, so that it becomes -8 or -16 (GG-10).
fn with_sign(kind: GgufType, numbers: &[Value], machine: GgufMachine, packed: &mut Packed) {
    let (bits, levels) = if kind == GgufType::Q4_0 { (3, 16) } else { (4, 32) };
    let mut largest = Value::from_number(Rational::new());
    for number in numbers {
        if is_less(&magnitude(&largest), &magnitude(number)) {
            largest = number.clone();
        }
    }
    let d = float32(product([largest, scaled(-1, -bits)]));
    let id = reciprocal(&d);
    packed.half(0, float16(&d));
    let offset = Rational::from((levels + 1, 2));
    for (place, number) in numbers.iter().enumerate() {
        let element = truncated(number.clone(), &id, offset.clone(), machine);
        packed.element(place, element.map(|it| it.min(i64::from(levels) - 1)));
    }
}

/// Q4_1 and Q5_1: the range from the smallest to the largest number has 15 or 31 steps (GG-11).
fn with_minimum(kind: GgufType, numbers: &[Value], machine: GgufMachine, packed: &mut Packed) {
    let steps = if kind == GgufType::Q4_1 { 15 } else { 31 };
    let largest_float: Rational = (Rational::from(1) << 128) - (Rational::from(1) << 104);
    let mut least = Value::from_number(largest_float.clone());
    let mut most = Value::from_number(-largest_float);
    for number in numbers {
        if is_less(number, &least) {
            least = number.clone();
        }
        if is_less(&most, number) {
            most = number.clone();
        }
    }
    let range = float32(difference(most, least.clone()));
    let d = float32(quotient(range, Value::from_number(Rational::from(steps))));
    let id = reciprocal(&d);
    packed.half(0, float16(&d));
    packed.half(2, float16(&least));
    let is_negative_zero =
        |it: &Value| it.is_zero() && matches!(it, Value::Finite { negative: true, .. });
    let zeros = numbers.iter().filter(|it| it.is_zero());
    if least.is_zero()
        && zeros.clone().any(is_negative_zero)
        && !zeros.clone().all(is_negative_zero)
    {
        // Which of two zeros is the smaller is the order of a search.
        packed.open(3, 0x80);
    }
    for (place, number) in numbers.iter().enumerate() {
        let above = float32(difference(number.clone(), least.clone()));
        let element = truncated(above, &id, Rational::from((1, 2)), machine);
        packed.element(place, element.map(|it| it.min(steps.into())));
    }
}

/// Q8_0: 127 steps, and halves are rounded away from zero (GG-12). With a NaN the block is open (GG-17).
fn q8_0(numbers: &[Value], packed: &mut Packed) {
    if numbers.iter().any(|it| matches!(it, Value::Nan { .. })) {
        packed.open_all();
        return;
    }
    let mut largest = Value::from_number(Rational::new());
    for number in numbers.iter().map(magnitude) {
        if is_less(&largest, &number) {
            largest = number;
        }
    }
    let d = float32(quotient(largest, Value::from_number(Rational::from(127))));
    let id = reciprocal(&d);
    packed.half(0, float16(&d));
    for (place, number) in numbers.iter().enumerate() {
        let element = match float32(product([number.clone(), id.clone()])) {
            Value::Finite { negative, magnitude } => {
                let whole = to_integer(&magnitude, MagnitudeRounding::NearestAway).count;
                let most = if negative { 128 } else { 127 };
                (whole <= most).then(|| if negative { -small(&whole) } else { small(&whole) })
            }
            _ => None,
        };
        packed.element(place, element);
    }
}
