//! Loops of casts whose rules replace codes that the usual loops write.

use super::choose::{Middle, to_float32};
use super::parts::Why;
use crate::arch::{self, Compute, Loop};
use crate::instruction_set::InstructionSet;
use crate::kernels::Word;
use crate::kernels::replacing::{Float, Float32ToFloat64, Float64ToFloat32, ToInteger};
use crate::rules::{Integers, Nan, Rules};
use crate::values::{format_of, is_integer};
use castproof_vectors::DType;

/// Chooses the loops between two different dtypes if the rules replace codes of this cast.
pub(super) fn middle(from: DType, to: DType, rules: &Rules, set: InstructionSet) -> Option<Middle> {
    let why = Why::Replaced;
    match (from, to) {
        (DType::Float64, DType::Float32) if rules.nan != Nan::Signed => {
            Some(Middle::one(why, arch::compiled::<Float64ToFloat32>(set)))
        }
        (DType::Float32, DType::Float64) if rules.nan != Nan::Signed => {
            Some(Middle::one(why, arch::compiled::<Float32ToFloat64>(set)))
        }
        _ if rules.integers == Integers::Nearest || !is_integer(to) => None,
        (DType::Float64, _) => Some(Middle::one(why, to_integer::<u64>(to, set))),
        (DType::Float32, _) => Some(Middle::one(why, to_integer::<u32>(to, set))),
        _ if format_of(from).is_some() => {
            let second = Some(to_integer::<u32>(to, set));
            Some(Middle { why, first: to_float32(from, set), second })
        }
        _ => None,
    }
}

fn to_integer<S: Float>(to: DType, set: InstructionSet) -> Loop<Compute> {
    match to.bits() {
        64 => compiled::<S, u64>(set),
        32 => compiled::<S, u32>(set),
        16 => compiled::<S, u16>(set),
        _ => compiled::<S, u8>(set),
    }
}

fn compiled<S: Float, T: Word>(set: InstructionSet) -> Loop<Compute> {
    arch::compiled::<ToInteger<S, T>>(set)
}
