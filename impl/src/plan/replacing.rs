//! Loops of casts whose rules replace codes that the usual loops write.

use super::choose::{Middle, from_float32, to_float32, wide};
use super::parts::Why;
use crate::arch::{self, Compute, Loop};
use crate::format;
use crate::instruction_set::InstructionSet;
use crate::kernels::Word;
use crate::kernels::by_mode::NarrowByMode;
use crate::kernels::integer::Saturate;
use crate::kernels::replacing::{
    Float, Float32ToFloat64, Float64ToFloat32, MagnitudeToPower, NarrowToOnes, RoundToInteger,
    ToInteger,
};
use crate::rules::{Integers, Nan, Rounding, Rules};
use crate::values::{Values, format_of, is_integer, signedness};
use castproof_vectors::DType;

/// Chooses the loops between two different dtypes if the rules replace codes of this cast.
pub(super) fn middle(from: DType, to: DType, rules: &Rules, set: InstructionSet) -> Option<Middle> {
    let why = Why::Replaced;
    let through_float32 = |second| Some(Middle { why, first: to_float32(from, set), second });
    let is_float = matches!(Values::of(from), Some(Values::Float(_) | Values::PowerOfTwo));
    match (from, to) {
        _ if rules.rounds_first(from, to) => {
            let first = wide(from, DType::Float32, set);
            Some(Middle { why, first, second: from_float32(to, set) })
        }
        (_, DType::Float8E8M0) if rules.scale_of_magnitude && from != to => {
            through_float32(Some(arch::compiled::<MagnitudeToPower>(set)))
        }
        _ if rules.float8_by_mode => through_float32(by_mode(to, set)),
        _ if is_float && from != to && has_ones(to, rules) => through_float32(to_ones(to, set)),
        (DType::Float64, DType::Float32) if replaces_nan(rules) => {
            Some(Middle::one(why, arch::compiled::<Float64ToFloat32>(set)))
        }
        (DType::Float32, DType::Float64) if replaces_nan(rules) => {
            Some(Middle::one(why, arch::compiled::<Float32ToFloat64>(set)))
        }
        _ if rules.integers_saturate && is_integer(from) && from != to => {
            Some(Middle::one(why, saturated(from, to, set)?))
        }
        _ if !is_integer(to) => None,
        (DType::Float64, _) => Some(Middle::one(why, to_integer::<u64>(to, rules, set)?)),
        (DType::Float32, _) => Some(Middle::one(why, to_integer::<u32>(to, rules, set)?)),
        _ if is_float => through_float32(Some(to_integer::<u32>(to, rules, set)?)),
        _ => None,
    }
}

fn by_mode(to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    let make = match to {
        DType::Float8E4M3FN => arch::compiled::<NarrowByMode<format::Float8E4M3FN>>,
        DType::Float8E5M2 => arch::compiled::<NarrowByMode<format::Float8E5M2>>,
        _ => return None,
    };
    Some(make(set))
}

/// Does NaN have another code in float32 and float64 than the usual loops write?
fn replaces_nan(rules: &Rules) -> bool {
    matches!(rules.nan, Nan::Positive | Nan::Payload)
}

/// Is NaN of a target the positive code with all bits set?
fn has_ones(to: DType, rules: &Rules) -> bool {
    format_of(to).is_some_and(|format| rules.nan_is_all_ones(format))
}

fn to_ones(to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    let make = match to {
        DType::Float16 => arch::compiled::<NarrowToOnes<format::Float16, u16>>,
        DType::Bfloat16 => arch::compiled::<NarrowToOnes<format::BFloat16, u16>>,
        DType::Float8E4M3FN => arch::compiled::<NarrowToOnes<format::Float8E4M3FN, u8>>,
        DType::Float8E5M2 => arch::compiled::<NarrowToOnes<format::Float8E5M2, u8>>,
        _ => return None,
    };
    Some(make(set))
}

/// To an integer, if the rules replace codes there.
fn to_integer<S: Float>(to: DType, rules: &Rules, set: InstructionSet) -> Option<Loop<Compute>> {
    let Integers::Replaced(replaced) = rules.integers else { return None };
    Some(match to.bits() {
        64 => compiled::<S, u64>(replaced.rounding, set),
        32 => compiled::<S, u32>(replaced.rounding, set),
        16 => compiled::<S, u16>(replaced.rounding, set),
        _ => compiled::<S, u8>(replaced.rounding, set),
    })
}

fn compiled<S: Float, T: Word>(rounding: Rounding, set: InstructionSet) -> Loop<Compute> {
    match rounding {
        Rounding::TowardsZero => arch::compiled::<ToInteger<S, T>>(set),
        _ => arch::compiled::<RoundToInteger<S, T>>(set),
    }
}

/// Between integers of at least 8 bits; none if the target has all numbers of the source.
fn saturated(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    match from.bits() {
        8 => saturated_from::<u8>(from, to, set),
        16 => saturated_from::<u16>(from, to, set),
        32 => saturated_from::<u32>(from, to, set),
        64 => saturated_from::<u64>(from, to, set),
        _ => None,
    }
}

fn saturated_from<S: Word>(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    match to.bits() {
        8 => saturated_between::<S, u8>(from, to, set),
        16 => saturated_between::<S, u16>(from, to, set),
        32 => saturated_between::<S, u32>(from, to, set),
        64 => saturated_between::<S, u64>(from, to, set),
        _ => None,
    }
}

fn saturated_between<S: Word, T: Word>(
    from: DType,
    to: DType,
    set: InstructionSet,
) -> Option<Loop<Compute>> {
    let narrower = to.bits() < from.bits();
    let make = match (signedness(from)?, signedness(to)?) {
        (true, true) if narrower => arch::compiled::<Saturate<S, T, true, true>>,
        (false, false) if narrower => arch::compiled::<Saturate<S, T, false, false>>,
        (true, false) => arch::compiled::<Saturate<S, T, true, false>>,
        (false, true) if to.bits() <= from.bits() => arch::compiled::<Saturate<S, T, false, true>>,
        _ => return None,
    };
    Some(make(set))
}
