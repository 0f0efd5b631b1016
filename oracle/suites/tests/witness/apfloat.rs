//! rustc_apfloat, the floats of the Rust compiler: a port of LLVM's APFloat. It has no known
//! fault here.

use crate::compare::{agrees, agrees_but, unsaturated};
use castproof_vectors::DType;
use rustc_apfloat::ieee::{BFloat, Double, Half, IeeeFloat, Semantics, Single};
use rustc_apfloat::ieee::{Float8E4M3FN as E4m3fn, Float8E5M2 as E5m2};
use rustc_apfloat::{Float, FloatConvert, Status};

use DType::*;

const FLOATS: [DType; 6] = [Float8E4M3FN, Float8E5M2, Float16, Bfloat16, Float32, Float64];
const SIGNED: [DType; 4] = [Int8, Int16, Int32, Int64];
const UNSIGNED: [DType; 4] = [Uint8, Uint16, Uint32, Uint64];

#[test]
fn floats_to_floats() {
    for from in FLOATS {
        for to in FLOATS {
            // A cast to the same dtype makes NaN quiet; the rules tolerate any NaN.
            agrees_but(
                &unsaturated(from, to),
                |code| from_float(from, to, code),
                |difference| from == to && difference.is_tolerated(to),
            );
        }
    }
}

#[test]
fn floats_to_integers() {
    for from in FLOATS {
        for to in SIGNED.into_iter().chain(UNSIGNED) {
            agrees(&unsaturated(from, to), |code| from_float(from, to, code));
        }
    }
}

#[test]
fn integers_to_floats() {
    for from in SIGNED.into_iter().chain(UNSIGNED) {
        for to in FLOATS {
            agrees(&unsaturated(from, to), |code| Some(from_integer(from, to, code)));
        }
    }
}

/// Casts the code of a float; `None` if the value does not fit the integer.
fn from_float(from: DType, to: DType, code: u64) -> Option<u64> {
    let bits = u128::from(code);
    match from {
        Float8E4M3FN => convert(E4m3fn::from_bits(bits), to),
        Float8E5M2 => convert(E5m2::from_bits(bits), to),
        Float16 => convert(Half::from_bits(bits), to),
        Bfloat16 => convert(BFloat::from_bits(bits), to),
        Float32 => convert(Single::from_bits(bits), to),
        Float64 => convert(Double::from_bits(bits), to),
        _ => unreachable!("{from} is not in FLOATS"),
    }
}

fn convert<S: Semantics>(value: IeeeFloat<S>, to: DType) -> Option<u64> {
    let width = to.bits() as usize;
    let bits = match to {
        Float8E4M3FN => nearest::<S, E4m3fn>(value),
        Float8E5M2 => nearest::<S, E5m2>(value),
        Float16 => nearest::<S, Half>(value),
        Bfloat16 => nearest::<S, BFloat>(value),
        Float32 => nearest::<S, Single>(value),
        Float64 => nearest::<S, Double>(value),
        _ if SIGNED.contains(&to) => {
            let integer = value.to_i128(width);
            let fits = !integer.status.contains(Status::INVALID_OP);
            fits.then_some(integer.value as u128)?
        }
        _ => {
            let integer = value.to_u128(width);
            let fits = !integer.status.contains(Status::INVALID_OP);
            fits.then_some(integer.value)?
        }
    };
    Some(bits as u64 & to.code_mask())
}

fn nearest<S: Semantics, T: Float>(value: IeeeFloat<S>) -> u128
where
    IeeeFloat<S>: FloatConvert<T>,
{
    value.convert(&mut false).value.to_bits()
}

fn from_integer(from: DType, to: DType, code: u64) -> u64 {
    let bits = match to {
        Float8E4M3FN => rounded::<E4m3fn>(from, code),
        Float8E5M2 => rounded::<E5m2>(from, code),
        Float16 => rounded::<Half>(from, code),
        Bfloat16 => rounded::<BFloat>(from, code),
        Float32 => rounded::<Single>(from, code),
        Float64 => rounded::<Double>(from, code),
        _ => unreachable!("{to} is not in FLOATS"),
    };
    bits as u64
}

fn rounded<T: Float>(from: DType, code: u64) -> u128 {
    if UNSIGNED.contains(&from) {
        return T::from_u128(code.into()).value.to_bits();
    }
    let unused = 64 - from.bits();
    T::from_i128(((code << unused) as i64 >> unused).into()).value.to_bits()
}
