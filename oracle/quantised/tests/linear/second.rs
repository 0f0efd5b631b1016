//! A second way: the float32 and float64 of this machine, `half`, and the nearest of all codes. Nothing
//! here comes from the oracle but what is compared.

use super::One;
use castproof_vectors::random::Random;
use castproof_vectors::{DType, Expectation, Outcome};
use half::{bf16, f16};

/// The number of a code; float64 holds every one of these dtypes.
fn number(dtype: DType, code: u64) -> f64 {
    let small = |exponent_bits: u32, bits: u32, bias: i32| {
        let (field, fraction) =
            (code >> bits & ((1 << exponent_bits) - 1), code & ((1 << bits) - 1));
        let negative = code >> (exponent_bits + bits) & 1 == 1;
        let (significand, exponent) =
            if field == 0 { (fraction, 1) } else { (fraction | 1 << bits, field as i32) };
        let magnitude = significand as f64 * 2f64.powi(exponent - bias - bits as i32);
        if negative { -magnitude } else { magnitude }
    };
    match dtype {
        DType::Float32 => f32::from_bits(code as u32).into(),
        DType::Float16 => f16::from_bits(code as u16).into(),
        DType::Bfloat16 => bf16::from_bits(code as u16).into(),
        DType::Float8E4M3FN if code & 0x7f == 0x7f => f64::NAN,
        DType::Float8E4M3FN => small(4, 3, 7),
        DType::Float8E4M3FNUZ if code == 0x80 => f64::NAN,
        DType::Float8E4M3FNUZ => small(4, 3, 8),
        DType::Float8E5M2 if code & 0x7f == 0x7c => f64::INFINITY.copysign(small(5, 2, 15)),
        DType::Float8E5M2 if code & 0x7c == 0x7c => f64::NAN,
        DType::Float8E5M2 => small(5, 2, 15),
        DType::Float8E5M2FNUZ if code == 0x80 => f64::NAN,
        DType::Float8E5M2FNUZ => small(5, 2, 16),
        DType::Float6E2M3 => small(2, 3, 1),
        DType::Float6E3M2 => small(3, 2, 3),
        DType::Float4E2M1 => small(2, 1, 1),
        dtype => {
            let shift = 64 - dtype.bits();
            let (low, high) = range(dtype);
            let signed = ((code << shift) as i64 >> shift) as f64;
            let number = if low < 0.0 { signed } else { code as f64 };
            assert!((low..=high).contains(&number));
            number
        }
    }
}

/// The ends of an integer's range.
fn range(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::Int2 => (-2.0, 1.0),
        DType::Uint2 => (0.0, 3.0),
        DType::Int4 => (-8.0, 7.0),
        DType::Uint4 => (0.0, 15.0),
        DType::Int8 => (-128.0, 127.0),
        DType::Uint8 => (0.0, 255.0),
        DType::Int16 => (-32768.0, 32767.0),
        DType::Uint16 => (0.0, 65535.0),
        DType::Int32 => (-2147483648.0, 2147483647.0),
        other => panic!("{other}"),
    }
}

const FLOATS: [DType; 3] = [DType::Float32, DType::Float16, DType::Bfloat16];
const INTEGERS: [DType; 8] = [
    DType::Int2,
    DType::Uint2,
    DType::Int4,
    DType::Uint4,
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
];
const SMALL: [DType; 7] = [
    DType::Float8E4M3FN,
    DType::Float8E4M3FNUZ,
    DType::Float8E5M2,
    DType::Float8E5M2FNUZ,
    DType::Float6E2M3,
    DType::Float6E3M2,
    DType::Float4E2M1,
];

/// The quotient in the precision of a float dtype that x and scale have. One of float32 is rounded again to
/// the narrower dtypes, which changes nothing: float32 has more than twice their bits.
fn quotient(dtype: DType, x: u64, scale: u64) -> f64 {
    let quotient = number(dtype, x) as f32 / number(dtype, scale) as f32;
    match dtype {
        DType::Float16 => f16::from_f32(quotient).into(),
        DType::Bfloat16 => bf16::from_f32(quotient).into(),
        _ => quotient.into(),
    }
}

/// The code of the nearest number, ties to the even code, at most the largest.
fn nearest(dtype: DType, value: f64) -> u64 {
    let sign = 1u64 << (dtype.bits() - 1);
    let finite = (0..sign).map(|code| number(dtype, code)).filter(|number| number.is_finite());
    let value = value.signum() * value.abs().min(finite.fold(0.0, f64::max));
    let mut best = (f64::INFINITY, 0);
    for code in 0..sign {
        let distance = (number(dtype, code) - value.abs()).abs();
        if distance < best.0 || (distance == best.0 && code % 2 == 0) {
            best = (distance, code);
        }
    }
    let keeps_sign = best.1 != 0 || number(dtype, sign) == 0.0;
    best.1 | if value.is_sign_negative() && keeps_sign { sign } else { 0 }
}

fn code(expectation: &Expectation) -> u64 {
    match expectation.expect {
        Outcome::Code(code) => code,
        ref other => panic!("{other:?}"),
    }
}

/// A scale around 1 or anywhere in the middle of the range, positive.
fn scale(dtype: DType, random: &mut Random) -> u64 {
    let sign = 1u64 << (dtype.bits() - 1);
    loop {
        let code = random.number() & (sign - 1);
        if (1e-3..1e3).contains(&number(dtype, code)) {
            return code;
        }
    }
}

/// Elements that are a few units of the scale, also at halves, or anything finite.
fn elements(dtype: DType, scale: u64, most: f64, random: &mut Random) -> Vec<u64> {
    let draw = |random: &mut Random| {
        let halves = (random.below(4 * most as usize + 9) as f64 - 2.0 * most) / 2.0;
        let near = match dtype {
            DType::Float32 => ((halves * number(dtype, scale)) as f32).to_bits().into(),
            DType::Float16 => f16::from_f64(halves * number(dtype, scale)).to_bits().into(),
            _ => u64::from(bf16::from_f64(halves * number(dtype, scale)).to_bits()),
        };
        let drawn = [near, near ^ 1, random.number() & dtype.code_mask()];
        let code = drawn[random.below(3)];
        if number(dtype, code).is_finite() { code } else { 0 }
    };
    (0..40).map(|_| draw(random)).collect()
}

#[test]
fn integers_are_as_the_machine_divides() {
    let mut random = Random::new(3);
    let mut ends = 0;
    for dtype in FLOATS {
        for to in INTEGERS {
            for _ in 0..30 {
                let (low, high) = range(to);
                let scale = scale(dtype, &mut random);
                let zero_point = random.number() & to.code_mask();
                let input = elements(dtype, scale, high - low, &mut random);
                let asked = One::of(28, [dtype, dtype, to], scale, Some(zero_point));
                for (x, due) in input.iter().zip(asked.quantised(&input)) {
                    let sum = quotient(dtype, *x, scale).round_ties_even() + number(to, zero_point);
                    let clamped = sum.clamp(low, high);
                    ends += u32::from(clamped != sum);
                    let got = (clamped as i64) as u64 & to.code_mask();
                    assert_eq!(
                        code(&due),
                        got,
                        "{dtype} {x:#x} by {scale:#x} + {zero_point:#x}, {to}"
                    );
                }
            }
        }
    }
    assert!(ends > 1000);
}

#[test]
fn floats_are_the_nearest() {
    let mut random = Random::new(4);
    for dtype in FLOATS {
        for to in SMALL {
            for _ in 0..12 {
                let scale = scale(dtype, &mut random);
                let input = elements(dtype, scale, 8.0, &mut random);
                let due = One::of(28, [dtype, dtype, to], scale, None).quantised(&input);
                for (x, due) in input.iter().zip(due) {
                    let got = nearest(to, quotient(dtype, *x, scale));
                    assert_eq!(code(&due), got, "{dtype} {x:#x} by {scale:#x} to {to}");
                }
            }
        }
    }
}

/// float64 holds the product of a difference of at most 17 bits and a scale.
#[test]
fn products_are_rounded_once() {
    let mut random = Random::new(5);
    for dtype in FLOATS {
        for from in INTEGERS.into_iter().chain(SMALL) {
            let is_integer = INTEGERS.contains(&from);
            for _ in 0..40 {
                let scale = scale(dtype, &mut random);
                let zero_point = if is_integer { random.number() & from.code_mask() } else { 0 };
                let input: Vec<u64> = (0..20).map(|_| random.number() & from.code_mask()).collect();
                let asked =
                    One::of(28, [from, dtype, dtype], scale, is_integer.then_some(zero_point));
                for (x, due) in input.iter().zip(asked.dequantised(&input)) {
                    let difference =
                        number(from, *x) - if is_integer { number(from, zero_point) } else { 0.0 };
                    if difference.is_nan() {
                        assert_eq!(due.expect, Outcome::AnyNan);
                        continue;
                    }
                    let product = difference * number(dtype, scale);
                    let got: u64 = match dtype {
                        DType::Float32 => (product as f32).to_bits().into(),
                        DType::Float16 => f16::from_f64(product).to_bits().into(),
                        _ => bf16::from_f64(product).to_bits().into(),
                    };
                    let admits = due
                        .expect
                        .admits(got, castproof_vectors::landmarks(dtype).expect("numeric"));
                    assert!(
                        admits,
                        "{from} {x:#x} - {zero_point:#x} by {dtype} {scale:#x}: {due:?}"
                    );
                }
            }
        }
    }
}
