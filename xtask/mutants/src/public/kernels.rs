//! Kernels with faults that were reported in public.

use castproof_vectors::DType;

/// What a kernel does.
pub(super) enum Does {
    /// From a code and the right result.
    Each(fn(u64, u64) -> u64),
    /// Casts to this dtype first.
    Through(DType),
    /// Reads the codes as those of this dtype.
    ReadAs(DType),
    /// Always takes `saturate` for this.
    Saturate(bool),
}

/// A fault, and the causes that are true of it.
pub(super) struct Fault {
    pub(super) from: DType,
    pub(super) to: DType,
    pub(super) does: Does,
    pub(super) causes: &'static [&'static str],
}

impl Fault {
    pub(super) fn name(&self) -> String {
        format!("{} [{} -> {}]", self.causes[0], self.from, self.to)
    }
}

const fn each(
    (from, to): (DType, DType),
    kernel: fn(u64, u64) -> u64,
    causes: &'static [&'static str],
) -> Fault {
    Fault { from, to, does: Does::Each(kernel), causes }
}

const fn other((from, to): (DType, DType), does: Does, causes: &'static [&'static str]) -> Fault {
    Fault { from, to, does, causes }
}

const F16: DType = DType::Float16;
const BF16: DType = DType::Bfloat16;
const F32: DType = DType::Float32;
const F64: DType = DType::Float64;
const I8: DType = DType::Int8;
const I16: DType = DType::Int16;
const I32: DType = DType::Int32;
const I64: DType = DType::Int64;
const U8: DType = DType::Uint8;
const U32: DType = DType::Uint32;
const U64: DType = DType::Uint64;
const BOOL: DType = DType::Bool;

/// The codes of float16 for infinity, the largest number and a NaN, and the bits beside the sign.
const INFINITY: u64 = 0x7c00;
const LARGEST: u64 = 0x7bff;
const NAN: u64 = 0x7e00;
const MAGNITUDE: u64 = 0x7fff;

fn single(code: u64) -> f32 {
    f32::from_bits(code as u32)
}

/// Returns the number of a code of float16, without its sign; 65536 for infinity.
fn half(code: u64) -> f32 {
    let (exponent, fraction) = ((code >> 10 & 31) as i32, (code & 0x3ff) as f32);
    match exponent {
        0 => fraction * 2f32.powi(-24),
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// Was a float32 that is a number rounded up in magnitude?
fn is_rounded_up(code: u64, right: u64) -> bool {
    single(code).is_finite() && half(right) > single(code).abs()
}

fn is_finite_below(code: u64, end: f32) -> bool {
    single(code) != 0.0 && single(code).abs() < end
}

/// Returns the result of a float32 to float16 with another magnitude where the condition holds.
fn instead(right: u64, is: bool, magnitude: u64) -> u64 {
    if is { right & !MAGNITUDE | magnitude } else { right }
}

fn nan_or(code: u64, right: u64, other: u64) -> u64 {
    if single(code).is_nan() { right } else { other }
}

pub(super) const FAULTS: &[Fault] = &[
    // One result, and truth.
    each((F32, I32), |_, _| 0, &["always the same result"]),
    each((F32, BOOL), |_, _| 1, &["always the same result"]),
    each((I64, F16), |_, _| 0x3c00, &["always the same result"]),
    each((F32, BOOL), |_, right| right ^ 1, &["truth inverted"]),
    each((I64, BOOL), |_, right| right ^ 1, &["truth inverted"]),
    each((I32, BOOL), |code, _| code & 1, &["truth taken from the lowest bit"]),
    each((F16, BOOL), |code, _| code & 1, &["truth taken from the lowest bit"]),
    each((I32, BOOL), |code, _| u64::from(code & 0xff != 0), &["truth taken from the lowest byte"]),
    each(
        (F32, BOOL),
        |code, right| nan_or(code, right, u64::from(single(code).trunc() != 0.0)),
        &["truth taken from the integral part"],
    ),
    each((F32, BOOL), |code, _| u64::from(code != 0), &["truth taken from the code"]),
    each(
        (F32, BOOL),
        |code, right| if single(code).is_nan() { 0 } else { right },
        &["NaN taken for false"],
    ),
    each((BOOL, I8), |code, _| code * 0xff, &["true becomes all ones"]),
    each((BOOL, I32), |code, _| code * 0xffff_ffff, &["true becomes all ones"]),
    // Integers.
    each((U8, I32), |code, _| u64::from(code as u8 as i8 as i32 as u32), SIGN_EXTENDED),
    each((U32, F32), |code, _| u64::from((code as u32 as i32 as f32).to_bits()), SIGN_EXTENDED),
    each((U64, F32), |code, _| u64::from((code as i64 as f32).to_bits()), SIGN_EXTENDED),
    each((U64, F64), |code, _| (code as i64 as f64).to_bits(), SIGN_EXTENDED),
    each((I8, I32), |code, _| code, SIGN_NOT_EXTENDED),
    each((I16, I64), |code, _| code, SIGN_NOT_EXTENDED),
    each((I32, F32), |code, _| u64::from((code as u32 as f32).to_bits()), SIGN_NOT_EXTENDED),
    each((I32, I8), |code, _| (code as i32).clamp(-128, 127) as u8 as u64, CLAMPED),
    each((I32, U8), |code, _| (code as i32).clamp(0, 255) as u64, CLAMPED),
    each(
        (I64, I32),
        |code, _| (code as i64).clamp(i32::MIN.into(), i32::MAX.into()) as u32 as u64,
        CLAMPED,
    ),
    each((I64, I32), |code, _| code >> 32, &["the other half of the code"]),
    each((I32, I16), |code, _| code >> 16, &["the other half of the code"]),
    each(
        (I64, F32),
        |code, _| u64::from(((code as i64 >> 32) as f32 * 4_294_967_296.0).to_bits()),
        &["low half of the source dropped"],
    ),
    each(
        (I64, F32),
        |code, _| {
            let high = (code as i64 >> 32) as f32 * 4_294_967_296.0;
            u64::from((high + code as u32 as f32).to_bits())
        },
        &["summed from two rounded parts"],
    ),
    each((I32, F32), |code, _| code, &["code copied"]),
    // Floats to integers.
    each(
        (F32, I32),
        |code, _| single(code).round_ties_even() as i32 as u32 as u64,
        &["rounded to the nearest integer, ties to even"],
    ),
    each(
        (F32, I64),
        |code, _| single(code).round() as i64 as u64,
        &["rounded to the nearest integer, ties away from zero"],
    ),
    each(
        (F32, I32),
        |code, _| single(code).floor() as i32 as u32 as u64,
        &["rounded toward minus infinity"],
    ),
    each(
        (F32, U32),
        |code, _| single(code) as i32 as u32 as u64,
        &["through the signed integer of the same width, which saturates"],
    ),
    each(
        (F32, U64),
        |code, _| single(code) as i64 as u64,
        &["through the signed integer of the same width, which saturates"],
    ),
    // Float32 to bfloat16: the upper half of the code.
    each((F32, BF16), |code, right| nan_or(code, right, code >> 16), TOWARD_ZERO),
    each(
        (F32, BF16),
        |code, right| if single(code).is_nan() { code >> 16 } else { right },
        &["NaN cut off to infinity"],
    ),
    each(
        (F32, BF16),
        |code, _| (code + 0x7fff + (code >> 16 & 1)) >> 16 & 0xffff,
        &["NaN rounded as if it were a number"],
    ),
    each(
        (F32, BF16),
        |code, right| nan_or(code, right, (code + 0x8000) >> 16),
        &["ties rounded away from zero"],
    ),
    each(
        (F32, BF16),
        |code, right| nan_or(code, right, (code + 0xffff) >> 16),
        // What is beyond the largest number becomes infinity, also where it would round to it.
        &["rounded away from zero", "overflow decided before rounding"],
    ),
    each(
        (F32, BF16),
        |code, right| nan_or(code, right, (code >> 16) + (code >> 15 & 1 & (code >> 16))),
        &["bits beyond the guard bit ignored"],
    ),
    // Float32 to float16.
    each(
        (F32, F16),
        |code, right| {
            let is_beyond = single(code).is_finite() && right & MAGNITUDE == INFINITY;
            right - u64::from(is_beyond || is_rounded_up(code, right))
        },
        TOWARD_ZERO,
    ),
    each(
        (F32, F16),
        |_, right| instead(right, right & INFINITY == 0, 0),
        &["subnormal result flushed to zero"],
    ),
    each(
        (F32, F16),
        |code, right| instead(right, single(code).is_infinite(), LARGEST),
        &["infinity becomes the largest"],
    ),
    each(
        (F32, F16),
        |code, right| instead(right, single(code).is_nan(), INFINITY),
        &["NaN becomes infinity"],
    ),
    each(
        (F32, F16),
        |code, right| if single(code).is_nan() { 0 } else { right },
        &["NaN becomes zero"],
    ),
    each(
        (F32, F16),
        |code, right| instead(right, is_rounded_up(code, right) && half(right) > 65504.0, LARGEST),
        &["rounded up to one step beyond the largest: clamped"],
    ),
    each((F32, F16), |_, right| instead(right, right & MAGNITUDE == INFINITY, LARGEST), CLAMPED),
    each(
        (F32, F16),
        |code, right| {
            instead(right, single(code).is_finite() && right & MAGNITUDE == INFINITY, NAN)
        },
        &["overflow becomes NaN"],
    ),
    each((F32, F16), |_, right| if right == 0x8000 { 0 } else { right }, &["sign of zero lost"]),
    each((F32, F16), |_, right| right & MAGNITUDE, &["sign lost", "sign of zero lost"]),
    each(
        (F32, F16),
        |code, right| instead(right, is_finite_below(code, 2f32.powi(-24)), 0),
        &["zero below the smallest subnormal, before rounding"],
    ),
    each(
        (F32, F16),
        |code, right| instead(right, single(code) != 0.0 && right & MAGNITUDE == 0, NAN),
        &["underflow becomes NaN"],
    ),
    each(
        (F32, F16),
        |code, right| {
            let is_carried = right & 0x3ff == 0 && right & MAGNITUDE > 0x400;
            let is_lost = is_carried && is_rounded_up(code, right);
            right - if is_lost { 0x400 } else { 0 }
        },
        &["the carry of the significand lost"],
    ),
    each((F32, F16), |_, right| right >> 8 | (right & 0xff) << 8, &["bytes of the output swapped"]),
    // Float16 to float32.
    each(
        (F16, F32),
        |code, right| if code & INFINITY == 0 { right & 0x8000_0000 } else { right },
        &["subnormal input flushed to zero"],
    ),
    each(
        (F16, F32),
        |code, right| if code & MAGNITUDE > INFINITY { 0x8000_0000 } else { right },
        &["NaN read as -0"],
    ),
    each(
        (F16, F32),
        |code, right| {
            let number = (code & 0x8000) << 16 | ((code & MAGNITUDE) + (112 << 10)) << 13;
            if code & MAGNITUDE > INFINITY { number } else { right }
        },
        &["NaN read as a number"],
    ),
    // By way of another dtype, and as another dtype.
    // Not float64 to narrower floats through float32, which ONNX tolerates: a line after the findings names it.
    other((F32, DType::Float8E5M2), Does::Through(F16), &["rounded through float16"]),
    other((I64, F32), Does::Through(F64), &["rounded through float64"]),
    other((U64, F32), Does::Through(F64), &["rounded through float64"]),
    other(
        (DType::Float8E4M3FN, F32),
        Does::ReadAs(DType::Float8E4M3FNUZ),
        &["source read as its sibling format"],
    ),
    other(
        (F32, DType::Float8E4M3FN),
        Does::Saturate(false),
        &["saturate ignored: always off", "overflow becomes NaN", "infinity becomes NaN"],
    ),
    other((F32, DType::Float8E5M2), Does::Saturate(true), &["saturate ignored: always on"]),
];

const TOWARD_ZERO: &[&str] = &["rounded toward zero"];
const CLAMPED: &[&str] = &["out of range clamped", "infinity becomes the largest"];
const SIGN_EXTENDED: &[&str] =
    &["sign extended where there is none", "source read as its sibling format"];
const SIGN_NOT_EXTENDED: &[&str] = &["sign not extended", "source read as its sibling format"];
