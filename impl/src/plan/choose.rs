//! Which loops do a cast: the choice by dtypes and instruction set.

use super::parts::Why;
use crate::arch::{self, Compute, Loop, Task, ToWideInteger};
use crate::format::{self, FloatFormat};
use crate::instruction_set::InstructionSet;
use crate::kernels::packing::{Pack, Unpack};
use crate::kernels::{Word, float, from_16_bit_float, integer, power_of_two, wide};
use crate::rules::SameDType;
use crate::values::{format_of, is_integer, signedness};
use castproof_vectors::DType::{self, *};

/// The loops between unpacking and packing.
pub(super) struct Middle {
    pub(super) why: Why,
    /// The loop from the source to the target, or to the intermediate form if there is a second
    /// loop.
    pub(super) first: Option<Loop<Compute>>,
    /// The loop from the intermediate form to the target.
    pub(super) second: Option<Loop<Compute>>,
}

/// A function that returns the loop from one dtype to another, if there is one of its kind.
type Way = fn(DType, DType, InstructionSet) -> Option<Loop<Compute>>;

impl Middle {
    pub(super) fn one(why: Why, only: Loop<Compute>) -> Middle {
        Middle { why, first: Some(only), second: None }
    }
}

/// Chooses the loops between two different dtypes, or from a dtype to itself if codes may change.
/// Elements of less than a byte take a byte each.
pub(super) fn middle(from: DType, to: DType, same: SameDType, set: InstructionSet) -> Middle {
    if from == to && same == SameDType::InfinitySaturates {
        return Middle { why: Why::SameDType, first: saturate_infinity(to, set), second: None };
    }
    if let Some(only) = to_bool(from, set).filter(|_| to == Bool) {
        return Middle::one(Why::Truth, only);
    }
    if let Some((clamp, narrow)) = clamped(from, to, set) {
        return Middle { why: Why::Clamped, first: Some(clamp), second: Some(narrow) };
    }
    let ways: [(Why, Way); 5] = [
        (Why::OwnLoop, |from, to, set| arch::own(set, Task::Cast(from, to))),
        (Why::Wide, wide),
        (Why::In16Bits, from_16_bits),
        (Why::LongInteger, from_long_integer),
        (Why::Resized, resize),
    ];
    for (why, way) in ways {
        if let Some(only) = way(from, to, set) {
            return Middle::one(why, only);
        }
    }
    let second = narrow_range_to_64_bits(from, to, set).or_else(|| from_float32(to, set));
    Middle { why: Why::ThroughFloat32, first: to_float32(from, set), second }
}

/// Chooses the loop from float32 to integers of 64 bits for a source whose range is within that of
/// 32-bit integers. The conversion in several instructions is shorter then.
fn narrow_range_to_64_bits(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    let is_narrow = format_of(from).is_some_and(|format| format.max_exponent() < 31);
    match (to, &arch::abilities(set).to_wide_integer) {
        (_, ToWideInteger::ByInstruction) => None,
        (Int64, _) if is_narrow => Some(arch::compiled::<wide::ShortFloatToInt64>(set)),
        (Uint64, _) if is_narrow => Some(arch::compiled::<wide::ShortFloatToUint64>(set)),
        _ => None,
    }
}

/// Packed elements to a byte each.
pub(super) fn unpack(bits: u32, set: InstructionSet) -> Option<Loop<Compute>> {
    arch::own(set, Task::Unpack(bits)).or_else(|| match bits {
        2 => Some(arch::compiled::<Unpack<2>>(set)),
        4 => Some(arch::compiled::<Unpack<4>>(set)),
        6 => Some(arch::compiled::<Unpack<6>>(set)),
        _ => None,
    })
}

/// A byte each to packed elements.
pub(super) fn pack(bits: u32, set: InstructionSet) -> Option<Loop<Compute>> {
    arch::own(set, Task::Pack(bits)).or_else(|| match bits {
        2 => Some(arch::compiled::<Pack<2>>(set)),
        4 => Some(arch::compiled::<Pack<4>>(set)),
        6 => Some(arch::compiled::<Pack<6>>(set)),
        _ => None,
    })
}

/// To bool, of dtypes whose zeros are told by a few bits: all of an integer, all but the sign of most
/// floats; float8e8m0 has none.
fn to_bool(from: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    use integer::{AlwaysTrue, ToBool};
    let make = match from {
        Bool | Int2 | Uint2 | Int4 | Uint4 | Int8 | Uint8 | Float8E4M3FNUZ | Float8E5M2FNUZ => {
            arch::compiled::<ToBool<u8, { u64::MAX }>>
        }
        Int16 | Uint16 => arch::compiled::<ToBool<u16, { u64::MAX }>>,
        Int32 | Uint32 => arch::compiled::<ToBool<u32, { u64::MAX }>>,
        Int64 | Uint64 => arch::compiled::<ToBool<u64, { u64::MAX }>>,
        Float8E4M3FN | Float8E5M2 => arch::compiled::<ToBool<u8, 0x7f>>,
        Float16 | Bfloat16 => arch::compiled::<ToBool<u16, 0x7fff>>,
        Float32 => arch::compiled::<ToBool<u32, 0x7fff_ffff>>,
        Float64 => arch::compiled::<ToBool<u64, { u64::MAX >> 1 }>>,
        Float8E8M0 => arch::compiled::<AlwaysTrue>,
        _ => return None,
    };
    Some(make(set))
}

/// Bool and integers to integers.
fn resize(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    let to_bits = to.bits();
    match from {
        _ if !is_integer(to) => None,
        Bool => from_bool(to_bits, set),
        Int2 => resized::<u8, 2, true>(to_bits, set),
        Int4 => resized::<u8, 4, true>(to_bits, set),
        Int8 => resized::<u8, 8, true>(to_bits, set),
        Int16 => resized::<u16, 16, true>(to_bits, set),
        Int32 => resized::<u32, 32, true>(to_bits, set),
        Uint2 | Uint4 | Uint8 => resized::<u8, 8, false>(to_bits, set),
        Uint16 => resized::<u16, 16, false>(to_bits, set),
        Uint32 => resized::<u32, 32, false>(to_bits, set),
        Int64 | Uint64 => resized::<u64, 64, false>(to_bits, set),
        _ => None,
    }
}

fn from_bool(to_bits: u32, set: InstructionSet) -> Option<Loop<Compute>> {
    use integer::FromBool;
    let make = match to_bits {
        16 => arch::compiled::<FromBool<u16>>,
        32 => arch::compiled::<FromBool<u32>>,
        64 => arch::compiled::<FromBool<u64>>,
        _ => arch::compiled::<FromBool<u8>>,
    };
    Some(make(set))
}

fn resized<S: Word, const FROM: u32, const SIGNED: bool>(
    to_bits: u32,
    set: InstructionSet,
) -> Option<Loop<Compute>> {
    use integer::Resize;
    let make = match to_bits {
        2 => arch::compiled::<Resize<S, u8, FROM, SIGNED, 2>>,
        4 => arch::compiled::<Resize<S, u8, FROM, SIGNED, 4>>,
        8 => arch::compiled::<Resize<S, u8, FROM, SIGNED, 8>>,
        16 => arch::compiled::<Resize<S, u16, FROM, SIGNED, 16>>,
        32 => arch::compiled::<Resize<S, u32, FROM, SIGNED, 32>>,
        64 => arch::compiled::<Resize<S, u64, FROM, SIGNED, 64>>,
        _ => return None,
    };
    Some(make(set))
}

/// Integers of 16 bits and more to floats of 4 and 6 bits. Every integer that is clamped overflows.
fn clamped(from: DType, to: DType, set: InstructionSet) -> Option<(Loop<Compute>, Loop<Compute>)> {
    use integer::Clamp;
    let make = match from {
        Int16 => arch::compiled::<Clamp<u16, true>>,
        Int32 => arch::compiled::<Clamp<u32, true>>,
        Int64 => arch::compiled::<Clamp<u64, true>>,
        Uint16 => arch::compiled::<Clamp<u16, false>>,
        Uint32 => arch::compiled::<Clamp<u32, false>>,
        Uint64 => arch::compiled::<Clamp<u64, false>>,
        _ => return None,
    };
    let signed = signedness(from) == Some(true);
    let narrow = if signed { from_clamped::<true> } else { from_clamped::<false> };
    Some((make(set), narrow(to, set)?))
}

fn from_clamped<const SIGNED: bool>(to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    use integer::FromClamped;
    let make = match to {
        Float4E2M1 => arch::compiled::<FromClamped<format::Float4E2M1, SIGNED>>,
        Float6E2M3 => arch::compiled::<FromClamped<format::Float6E2M3, SIGNED>>,
        Float6E3M2 => arch::compiled::<FromClamped<format::Float6E3M2, SIGNED>>,
        _ => return None,
    };
    Some(make(set))
}

/// Integers of 16 bits and more to floats of 8 bits with a significand.
fn from_long_integer(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    match to {
        Float8E4M3FN => to_short_float::<format::Float8E4M3FN>(from, set),
        Float8E4M3FNUZ => to_short_float::<format::Float8E4M3FNUZ>(from, set),
        Float8E5M2 => to_short_float::<format::Float8E5M2>(from, set),
        Float8E5M2FNUZ => to_short_float::<format::Float8E5M2FNUZ>(from, set),
        _ => None,
    }
}

fn to_short_float<F: FloatFormat>(from: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    use integer::ToShortFloat;
    let make = match from {
        Int16 => arch::compiled::<ToShortFloat<F, u16, 16, true>>,
        Int32 => arch::compiled::<ToShortFloat<F, u32, 32, true>>,
        Int64 => arch::compiled::<ToShortFloat<F, u64, 64, true>>,
        Uint16 => arch::compiled::<ToShortFloat<F, u16, 16, false>>,
        Uint32 => arch::compiled::<ToShortFloat<F, u32, 32, false>>,
        Uint64 => arch::compiled::<ToShortFloat<F, u64, 64, false>>,
        _ => return None,
    };
    Some(make(set))
}

/// float16 and bfloat16 to floats of at most 8 bits, computed in 16 bits where that is faster.
fn from_16_bits(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    let (source, target) = (format_of(from)?, format_of(to)?);
    // Where the target's exponents reach as far down as the source's, all elements are shifted by
    // the same amount, which is fast everywhere.
    let one_shift = target.min_exponent() <= source.min_exponent();
    if !one_shift && !arch::abilities(set).narrows_in_16_bits {
        return None;
    }
    match from {
        Float16 => narrow_16_bits::<format::Float16>(to, set),
        Bfloat16 => narrow_16_bits::<format::BFloat16>(to, set),
        _ => None,
    }
}

fn narrow_16_bits<S: FloatFormat>(to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    use from_16_bit_float::Narrow;
    let make = match to {
        Float4E2M1 => arch::compiled::<Narrow<S, format::Float4E2M1>>,
        Float6E2M3 => arch::compiled::<Narrow<S, format::Float6E2M3>>,
        Float6E3M2 => arch::compiled::<Narrow<S, format::Float6E3M2>>,
        Float8E4M3FN => arch::compiled::<Narrow<S, format::Float8E4M3FN>>,
        Float8E4M3FNUZ => arch::compiled::<Narrow<S, format::Float8E4M3FNUZ>>,
        Float8E5M2 => arch::compiled::<Narrow<S, format::Float8E5M2>>,
        Float8E5M2FNUZ => arch::compiled::<Narrow<S, format::Float8E5M2FNUZ>>,
        _ => return None,
    };
    Some(make(set))
}

/// float8e5m2 to itself.
fn saturate_infinity(dtype: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    match dtype {
        Float8E5M2 => Some(arch::compiled::<float::SaturateInfinity<format::Float8E5M2>>(set)),
        _ => None,
    }
}

/// Pairs that cannot go through float32, that would lose precision in it, or that need no detour.
pub(super) fn wide(from: DType, to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    let one_by_one = converts_one_by_one(set);
    let make = match (from, to) {
        (Float64, Float32) => arch::compiled::<wide::Float64ToFloat32>,
        (Float64, Int8) => arch::compiled::<wide::Float64ToInt8>,
        (Float64, Uint8) => arch::compiled::<wide::Float64ToUint8>,
        (Float64, Int16) => arch::compiled::<wide::Float64ToInt16>,
        (Float64, Uint16) => arch::compiled::<wide::Float64ToUint16>,
        (Float64, Int32) => arch::compiled::<wide::Float64ToInt32>,
        (Float64, Uint32) => arch::compiled::<wide::Float64ToUint32>,
        (Float64, Int64) if one_by_one => arch::compiled::<wide::Float64ToInt64Scalar>,
        (Float64, Uint64) if one_by_one => arch::compiled::<wide::Float64ToUint64Scalar>,
        (Float64, Int64) => arch::compiled::<wide::Float64ToInt64>,
        (Float64, Uint64) => arch::compiled::<wide::Float64ToUint64>,
        (Int32, Float32) => arch::compiled::<wide::Int32ToFloat32>,
        (Uint32, Float32) => arch::compiled::<wide::Uint32ToFloat32>,
        (Int64, Float32) => arch::compiled::<wide::Int64ToFloat32>,
        (Uint64, Float32) => arch::compiled::<wide::Uint64ToFloat32>,
        (Int8, Float64) => arch::compiled::<wide::Int8ToFloat64>,
        (Uint8, Float64) => arch::compiled::<wide::Uint8ToFloat64>,
        (Int16, Float64) => arch::compiled::<wide::Int16ToFloat64>,
        (Uint16, Float64) => arch::compiled::<wide::Uint16ToFloat64>,
        (Int32, Float64) => arch::compiled::<wide::Int32ToFloat64>,
        (Uint32, Float64) => arch::compiled::<wide::Uint32ToFloat64>,
        (Int64, Float64) => arch::compiled::<wide::Int64ToFloat64>,
        (Uint64, Float64) => arch::compiled::<wide::Uint64ToFloat64>,
        _ => return None,
    };
    Some(make(set))
}

fn converts_one_by_one(set: InstructionSet) -> bool {
    matches!(arch::abilities(set).to_wide_integer, ToWideInteger::OneByOne)
}

/// To float32, exactly or rounded to odd; `None` for float32 itself.
pub(super) fn to_float32(from: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    use float::Widen;
    use integer::ToFloat;
    if let Some(own) = arch::own(set, Task::ToOddFloat32(from)) {
        return Some(own);
    }
    let make = match from {
        Bool => arch::compiled::<float::FromBool>,
        Int2 => arch::compiled::<ToFloat<u8, 2, true>>,
        Int4 => arch::compiled::<ToFloat<u8, 4, true>>,
        Int8 => arch::compiled::<ToFloat<u8, 8, true>>,
        Int16 => arch::compiled::<ToFloat<u16, 16, true>>,
        Int32 => arch::compiled::<ToFloat<u32, 32, true>>,
        Int64 => arch::compiled::<ToFloat<u64, 64, true>>,
        Uint2 | Uint4 | Uint8 => arch::compiled::<ToFloat<u8, 8, false>>,
        Uint16 => arch::compiled::<ToFloat<u16, 16, false>>,
        Uint32 => arch::compiled::<ToFloat<u32, 32, false>>,
        Uint64 => arch::compiled::<ToFloat<u64, 64, false>>,
        Float4E2M1 => arch::compiled::<Widen<format::Float4E2M1, u8>>,
        Float6E2M3 => arch::compiled::<Widen<format::Float6E2M3, u8>>,
        Float6E3M2 => arch::compiled::<Widen<format::Float6E3M2, u8>>,
        Float8E4M3FN => arch::compiled::<Widen<format::Float8E4M3FN, u8>>,
        Float8E4M3FNUZ => arch::compiled::<Widen<format::Float8E4M3FNUZ, u8>>,
        Float8E5M2 => arch::compiled::<Widen<format::Float8E5M2, u8>>,
        Float8E5M2FNUZ => arch::compiled::<Widen<format::Float8E5M2FNUZ, u8>>,
        Float8E8M0 => arch::compiled::<power_of_two::Widen>,
        Float16 => arch::compiled::<Widen<format::Float16, u16>>,
        Bfloat16 => arch::compiled::<Widen<format::BFloat16, u16>>,
        Float64 => arch::compiled::<float::Odd>,
        Float32 | String | Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => {
            return None;
        }
    };
    Some(make(set))
}

/// From float32; `None` for float32 itself.
pub(super) fn from_float32(to: DType, set: InstructionSet) -> Option<Loop<Compute>> {
    use float::Narrow;
    use integer::FromFloat;
    if let Some(own) = arch::own(set, Task::Cast(Float32, to)) {
        return Some(own);
    }
    let one_by_one = converts_one_by_one(set);
    let make = match to {
        Bool => arch::compiled::<float::ToBool>,
        Int2 => arch::compiled::<FromFloat<u8, 2, true>>,
        Int4 => arch::compiled::<FromFloat<u8, 4, true>>,
        Int8 => arch::compiled::<FromFloat<u8, 8, true>>,
        Int16 => arch::compiled::<FromFloat<u16, 16, true>>,
        Int32 => arch::compiled::<FromFloat<u32, 32, true>>,
        Int64 if one_by_one => arch::compiled::<wide::Float32ToInt64Scalar>,
        Uint64 if one_by_one => arch::compiled::<wide::Float32ToUint64Scalar>,
        Int64 => arch::compiled::<wide::Float32ToInt64>,
        Uint2 => arch::compiled::<FromFloat<u8, 2, false>>,
        Uint4 => arch::compiled::<FromFloat<u8, 4, false>>,
        Uint8 => arch::compiled::<FromFloat<u8, 8, false>>,
        Uint16 => arch::compiled::<FromFloat<u16, 16, false>>,
        Uint32 => arch::compiled::<FromFloat<u32, 32, false>>,
        Uint64 => arch::compiled::<wide::Float32ToUint64>,
        Float4E2M1 => arch::compiled::<Narrow<format::Float4E2M1, u8>>,
        Float6E2M3 => arch::compiled::<Narrow<format::Float6E2M3, u8>>,
        Float6E3M2 => arch::compiled::<Narrow<format::Float6E3M2, u8>>,
        Float8E4M3FN => arch::compiled::<Narrow<format::Float8E4M3FN, u8>>,
        Float8E4M3FNUZ => arch::compiled::<Narrow<format::Float8E4M3FNUZ, u8>>,
        Float8E5M2 => arch::compiled::<Narrow<format::Float8E5M2, u8>>,
        Float8E5M2FNUZ => arch::compiled::<Narrow<format::Float8E5M2FNUZ, u8>>,
        Float8E8M0 => arch::compiled::<power_of_two::Narrow>,
        Float16 => arch::compiled::<Narrow<format::Float16, u16>>,
        Bfloat16 => arch::compiled::<Narrow<format::BFloat16, u16>>,
        Float64 => arch::compiled::<wide::Float32ToFloat64>,
        Float32 | String | Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => {
            return None;
        }
    };
    Some(make(set))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::values::is_integer_or_bool;

    /// Returns how the portable loops go from one dtype to another, by what the dtypes are.
    fn due(from: DType, to: DType) -> Why {
        let short_float = |dtype: DType| format_of(dtype).is_some() && dtype.bits() <= 8;
        let wide_float = |dtype: DType| format_of(dtype).is_some() && dtype.bits() >= 32;
        let from_integer = |bits: u32| is_integer(from) && from.bits() >= bits;
        let one_shift = || {
            let lowest = |dtype| format_of(dtype).map(format::Format::min_exponent);
            lowest(to) <= lowest(from)
        };
        match to {
            Bool if is_integer_or_bool(from) || from.is_float() && from.bits() >= 8 => Why::Truth,
            _ if from_integer(16) && short_float(to) && to.bits() < 8 => Why::Clamped,
            _ if from_integer(16) && short_float(to) => Why::LongInteger,
            _ if from_integer(32) && wide_float(to) => Why::Wide,
            Float64 if from_integer(8) => Why::Wide,
            _ if from == Float64 && is_integer(to) && to.bits() >= 8 => Why::Wide,
            Float32 if from == Float64 => Why::Wide,
            _ if is_integer_or_bool(from) && is_integer(to) => Why::Resized,
            _ if matches!(from, Float16 | Bfloat16) && short_float(to) && one_shift() => {
                Why::In16Bits
            }
            _ => Why::ThroughFloat32,
        }
    }

    /// A dtype that a table of loops above forgets takes the way through float32, which may be slow
    /// or wrong.
    #[test]
    fn no_table_forgets_a_dtype() {
        let pairs =
            DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
        for (from, to) in pairs.filter(|(from, to)| from != to) {
            let why = middle(from, to, SameDType::Kept, InstructionSet::Portable).why;
            assert_eq!(why, due(from, to), "impl/src/plan/choose.rs: {from} to {to}");
        }
        for &dtype in DType::NUMERIC {
            let saturates = Rules::NEWEST.same_dtype(dtype) == SameDType::InfinitySaturates;
            let has_loop = saturate_infinity(dtype, InstructionSet::Portable).is_some();
            assert_eq!(has_loop, saturates, "impl/src/plan/choose.rs: {dtype} to itself");
        }
    }
}
