//! The crate microfloat, with narrow floats modelled on ml_dtypes. All casts go through float32.

use crate::compare::{
    Difference, Fault, agrees, agrees_but, is_through_float32, proves, unsaturated,
};
use castproof_vectors::{DType, Outcome, Request};
use half::{bf16, f16};
use microfloat::{
    f4e2m1fn, f6e2m3fn, f6e3m2fn, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0fnu,
};

use DType::*;

type Read = fn(u64) -> f32;

/// Sources that float32 holds exactly, with functions that read them.
const SOURCES: [(DType, Read); 3] = [
    (Float16, |code| f16::from_bits(code as u16).to_f32()),
    (Bfloat16, |code| bf16::from_bits(code as u16).to_f32()),
    (Float32, |code| f32::from_bits(code as u32)),
];

/// A dtype with its conversions.
struct Micro {
    dtype: DType,
    from_f32: fn(f32) -> u8,
    from_f64: fn(f64) -> u8,
    to_f32: fn(u8) -> f32,
}

/// Makes a [`Micro`]. The types have the same methods but no common trait.
macro_rules! micro {
    ($dtype:expr, $type:ty) => {
        Micro {
            dtype: $dtype,
            from_f32: |x| <$type>::from_f32(x).to_bits(),
            from_f64: |x| <$type>::from_f64(x).to_bits(),
            to_f32: |code| <$type>::from_bits(code).to_f32(),
        }
    };
}

const MICROS: [Micro; 8] = [
    micro!(Float8E4M3FN, f8e4m3fn),
    micro!(Float8E4M3FNUZ, f8e4m3fnuz),
    micro!(Float8E5M2, f8e5m2),
    micro!(Float8E5M2FNUZ, f8e5m2fnuz),
    micro!(Float8E8M0, f8e8m0fnu),
    micro!(Float6E2M3, f6e2m3fn),
    micro!(Float6E3M2, f6e3m2fn),
    micro!(Float4E2M1, f4e2m1fn),
];

#[test]
fn from_floats() {
    for Micro { dtype, from_f32, .. } in MICROS {
        for (from, read) in SOURCES {
            let request = unsaturated(from, dtype);
            let witness = |code| Some(from_f32(read(code)).into());
            agrees_but(&request, witness, |difference| is_known(&request, difference));
        }
    }
}

#[test]
fn from_float64() {
    for Micro { dtype, from_f64, .. } in MICROS {
        let request = unsaturated(Float64, dtype);
        let witness = |code| Some(from_f64(f64::from_bits(code)).into());
        agrees_but(&request, witness, |difference| {
            is_known(&request, difference) || is_through_float32(&request, difference)
        });
    }
}

#[test]
fn to_float32() {
    for Micro { dtype, to_f32, .. } in MICROS {
        let request = unsaturated(dtype, Float32);
        agrees(&request, |code| Some(to_f32(code as u8).to_bits().into()));
    }
}

/// Is the difference a fault of [`known_faults`]? Here each fault is a class of inputs.
fn is_known(request: &Request, difference: &Difference) -> bool {
    let Difference { got, answer, .. } = difference;
    match (request.to, answer.rule.as_str()) {
        (Float8E4M3FN, "F8-N10") => got & 0x7f == 0x7f && answer.expect == largest(*got),
        (Float8E8M0, "E8-06") => *got == 0xfe,
        (Float8E8M0, "E8-07") => *got == 0x00,
        (Float4E2M1, "F4-05") => *got == 0x8,
        _ => false,
    }
}

/// Returns the largest float8e4m3fn with the sign of this code.
fn largest(code: u64) -> Outcome {
    Outcome::Code(0x7e | code & 0x80)
}

#[test]
fn known_faults() {
    for (from, to, input, gives, right, tolerated) in [
        // 464 is midway between 448 and 480, which would be next. It becomes NaN because overflow
        // is tested with >=, although the even neighbour is the largest number.
        (Float32, Float8E4M3FN, 0x43e8_0000, 0x7f, 0x7e, false),
        (Float32, Float8E4M3FN, 0xc3e8_0000, 0xff, 0xfe, false),
        // The smallest float32, below 2^-127, becomes 2^-127 instead of NaN.
        (Float32, Float8E8M0, 0x0000_0001, 0x00, 0xff, false),
        // 1.5 * 2^127 rounds up to 2^128 and becomes 2^127 instead of NaN.
        (Float32, Float8E8M0, 0x7f40_0000, 0xfe, 0xff, false),
        // NaN becomes -0. The page on float4 says 6; -0 is tolerated.
        (Float32, Float4E2M1, 0x7fc0_0000, 0x8, 0x7, true),
        // Inputs just above and just below a tie: float64 is rounded to float32 first.
        (Float64, Float8E4M3FN, 0x3ff1_0000_0000_0001, 0x38, 0x39, true),
        (Float64, Float6E2M3, 0x3fb0_0000_0000_0001, 0x00, 0x01, false),
        (Float64, Float6E3M2, 0x3fb7_ffff_ffff_ffff, 0x02, 0x01, false),
        (Float64, Float4E2M1, 0x3fd0_0000_0000_0001, 0x0, 0x1, false),
        (Float64, Float8E8M0, 0x3ff7_ffff_ffff_ffff, 0x80, 0x7f, true),
    ] {
        let micro = MICROS.into_iter().find(|micro| micro.dtype == to).expect("in the table");
        let got = match from {
            Float32 => (micro.from_f32)(f32::from_bits(input as u32)),
            _ => (micro.from_f64)(f64::from_bits(input)),
        };
        let (request, right) = (unsaturated(from, to), Outcome::Code(right));
        proves(&Fault { request, input, gives, right, tolerated }, got.into());
    }
}
