//! The crate float8, with two of the float8 dtypes after NVIDIA's `cuda_fp8.hpp`. It saturates,
//! as no other witness of float8 does, and rounds float64 directly. It has no known fault here.

use crate::compare::agrees;
use castproof_vectors::{DType, Request};
use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};

use DType::{Bfloat16, Float8E4M3FN, Float8E5M2, Float16, Float32, Float64};

type Read = fn(u64) -> f64;
type Encode = fn(f64) -> u8;
type Decode = fn(u8) -> f64;

/// Sources, with functions that read them exactly.
const SOURCES: [(DType, Read); 4] = [
    (Float16, |code| f16::from_bits(code as u16).to_f64()),
    (Bfloat16, |code| bf16::from_bits(code as u16).to_f64()),
    (Float32, |code| f32::from_bits(code as u32).into()),
    (Float64, f64::from_bits),
];

/// Targets, with the conversions to and from them.
const TARGETS: [(DType, Encode, Decode); 2] = [
    (Float8E4M3FN, |x| F8E4M3::from_f64(x).to_bits(), |code| F8E4M3::from_bits(code).to_f64()),
    (Float8E5M2, |x| F8E5M2::from_f64(x).to_bits(), |code| F8E5M2::from_bits(code).to_f64()),
];

#[test]
fn to_float8_saturating() {
    for (from, read) in SOURCES {
        for (to, encode, _) in TARGETS {
            for opset in [19, 28] {
                let request = Request::cast(from, to, opset);
                agrees(&request, |code| Some(encode(read(code)).into()));
            }
        }
    }
}

#[test]
fn from_float8() {
    for (from, _, decode) in TARGETS {
        let request = Request::cast(from, Float64, 28);
        agrees(&request, |code| Some(decode(code as u8).to_bits()));
    }
}
