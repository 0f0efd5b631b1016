//! Which loop does what: the choice by dtypes and backend.

use crate::Backend;
use crate::arch::{self, Step};
use crate::format::{self, FloatFormat};
use crate::kernels::packing::{Pack, Unpack};
use crate::kernels::{Word, direct, float, integer, power, short};
use castproof_vectors::DType::{self, *};

pub(super) fn is_integer(dtype: DType) -> bool {
    signedness(dtype).is_some()
}

/// Is an integer signed? `None` for bool and floats.
fn signedness(dtype: DType) -> Option<bool> {
    match dtype {
        Int2 | Int4 | Int8 | Int16 | Int32 | Int64 => Some(true),
        Uint2 | Uint4 | Uint8 | Uint16 | Uint32 | Uint64 => Some(false),
        _ => None,
    }
}

/// Do values far below those of the source already overflow?
pub(super) fn is_clamped(from: DType, to: DType) -> bool {
    from.bits() > 8 && is_integer(from) && matches!(to, Float4E2M1 | Float6E2M3 | Float6E3M2)
}

/// The loops to and from float32, or clamped integers; one alone where source or target is that or
/// where there is a loop for the pair. Sub-byte elements take a byte each here.
pub(super) fn middle(from: DType, to: DType, backend: Backend) -> (Option<Step>, Option<Step>) {
    let integer_or_bool = |dtype| is_integer(dtype) || dtype == Bool;
    if to == Bool && integer_or_bool(from) {
        return (Some(to_bool(from, backend)), None);
    }
    if is_clamped(from, to) {
        return clamped(from, to, backend);
    }
    let step = arch::truncate(from, to, backend)
        .or_else(|| arch::small(from, to, backend))
        .or_else(|| arch::short(from, to, backend))
        .or_else(|| direct(from, to, backend))
        .or_else(|| from_short(from, to, backend))
        .or_else(|| from_long_integer(from, to, backend));
    if step.is_some() {
        return (step, None);
    }
    if integer_or_bool(from) && is_integer(to) {
        return (resize(from, to.bits(), backend), None);
    }
    let from_middle = short_float_to_64(from, to, backend).or_else(|| from_float(to, backend));
    (to_float(from, backend), from_middle)
}

/// From float32 to integers of 64 bits, if the source has no more range than integers of 32: other
/// backends than AVX-512 have no loop of instructions for the rest.
fn short_float_to_64(from: DType, to: DType, backend: Backend) -> Option<Step> {
    let long = matches!(from, Float8E8M0 | Bfloat16 | Float32 | Float64);
    match to {
        _ if long || backend == Backend::Avx512 => None,
        Int64 => Some(Step::new::<direct::ShortFloatToInt64>(backend)),
        Uint64 => Some(Step::new::<direct::ShortFloatToUint64>(backend)),
        _ => None,
    }
}

pub(super) fn unpack(bits: u32, backend: Backend) -> Option<Step> {
    arch::unpack(bits, backend).or_else(|| match bits {
        2 => Some(Step::new::<Unpack<2>>(backend)),
        4 => Some(Step::new::<Unpack<4>>(backend)),
        6 => Some(Step::new::<Unpack<6>>(backend)),
        _ => None,
    })
}

pub(super) fn pack(bits: u32, backend: Backend) -> Option<Step> {
    arch::pack(bits, backend).or_else(|| match bits {
        2 => Some(Step::new::<Pack<2>>(backend)),
        4 => Some(Step::new::<Pack<4>>(backend)),
        6 => Some(Step::new::<Pack<6>>(backend)),
        _ => None,
    })
}

/// Bool and integers to bool.
fn to_bool(from: DType, backend: Backend) -> Step {
    let make = match from.bits() {
        16 => Step::new::<integer::ToBool<u16>>,
        32 => Step::new::<integer::ToBool<u32>>,
        64 => Step::new::<integer::ToBool<u64>>,
        _ => Step::new::<integer::ToBool<u8>>,
    };
    make(backend)
}

/// Bool and integers to integers.
fn resize(from: DType, to_bits: u32, backend: Backend) -> Option<Step> {
    match from {
        Bool => from_bool(to_bits, backend),
        Int2 => resized::<u8, 2, true>(to_bits, backend),
        Int4 => resized::<u8, 4, true>(to_bits, backend),
        Int8 => resized::<u8, 8, true>(to_bits, backend),
        Int16 => resized::<u16, 16, true>(to_bits, backend),
        Int32 => resized::<u32, 32, true>(to_bits, backend),
        Uint2 | Uint4 | Uint8 => resized::<u8, 8, false>(to_bits, backend),
        Uint16 => resized::<u16, 16, false>(to_bits, backend),
        Uint32 => resized::<u32, 32, false>(to_bits, backend),
        Int64 | Uint64 => resized::<u64, 64, false>(to_bits, backend),
        _ => None,
    }
}

fn from_bool(to_bits: u32, backend: Backend) -> Option<Step> {
    use integer::FromBool;
    let make = match to_bits {
        16 => Step::new::<FromBool<u16>>,
        32 => Step::new::<FromBool<u32>>,
        64 => Step::new::<FromBool<u64>>,
        _ => Step::new::<FromBool<u8>>,
    };
    Some(make(backend))
}

fn resized<S: Word, const FROM: u32, const SIGNED: bool>(
    to_bits: u32,
    backend: Backend,
) -> Option<Step> {
    use integer::Resize;
    let make = match to_bits {
        2 => Step::new::<Resize<S, u8, FROM, SIGNED, 2>>,
        4 => Step::new::<Resize<S, u8, FROM, SIGNED, 4>>,
        8 => Step::new::<Resize<S, u8, FROM, SIGNED, 8>>,
        16 => Step::new::<Resize<S, u16, FROM, SIGNED, 16>>,
        32 => Step::new::<Resize<S, u32, FROM, SIGNED, 32>>,
        64 => Step::new::<Resize<S, u64, FROM, SIGNED, 64>>,
        _ => return None,
    };
    Some(make(backend))
}

/// Integers of 16 bits and more to floats of 4 and 6 bits.
fn clamped(from: DType, to: DType, backend: Backend) -> (Option<Step>, Option<Step>) {
    use integer::Clamp;
    let make = match from {
        Int16 => Step::new::<Clamp<u16, true>>,
        Int32 => Step::new::<Clamp<u32, true>>,
        Int64 => Step::new::<Clamp<u64, true>>,
        Uint16 => Step::new::<Clamp<u16, false>>,
        Uint32 => Step::new::<Clamp<u32, false>>,
        _ => Step::new::<Clamp<u64, false>>,
    };
    let signed = signedness(from) == Some(true);
    let narrow = if signed { from_clamped::<true> } else { from_clamped::<false> };
    (Some(make(backend)), narrow(to, backend))
}

fn from_clamped<const SIGNED: bool>(to: DType, backend: Backend) -> Option<Step> {
    use integer::FromClamped;
    let make = match to {
        Float4E2M1 => Step::new::<FromClamped<format::Float4E2M1, SIGNED>>,
        Float6E2M3 => Step::new::<FromClamped<format::Float6E2M3, SIGNED>>,
        Float6E3M2 => Step::new::<FromClamped<format::Float6E3M2, SIGNED>>,
        _ => return None,
    };
    Some(make(backend))
}

/// Integers of 16 bits and more to floats of 8 bits with a significand.
fn from_long_integer(from: DType, to: DType, backend: Backend) -> Option<Step> {
    match to {
        Float8E4M3FN => to_short_float::<format::Float8E4M3FN>(from, backend),
        Float8E4M3FNUZ => to_short_float::<format::Float8E4M3FNUZ>(from, backend),
        Float8E5M2 => to_short_float::<format::Float8E5M2>(from, backend),
        Float8E5M2FNUZ => to_short_float::<format::Float8E5M2FNUZ>(from, backend),
        _ => None,
    }
}

fn to_short_float<F: FloatFormat>(from: DType, backend: Backend) -> Option<Step> {
    use integer::ToShortFloat;
    let make = match from {
        Int16 => Step::new::<ToShortFloat<F, u16, 16, true>>,
        Int32 => Step::new::<ToShortFloat<F, u32, 32, true>>,
        Int64 => Step::new::<ToShortFloat<F, u64, 64, true>>,
        Uint16 => Step::new::<ToShortFloat<F, u16, 16, false>>,
        Uint32 => Step::new::<ToShortFloat<F, u32, 32, false>>,
        Uint64 => Step::new::<ToShortFloat<F, u64, 64, false>>,
        _ => return None,
    };
    Some(make(backend))
}

/// float16 and bfloat16 to floats of at most 8 bits, where that takes 16 bits all the way.
fn from_short(from: DType, to: DType, backend: Backend) -> Option<Step> {
    // Shifts of 16 bits by differing amounts are an instruction of AVX-512. Elsewhere only a shift
    // by one amount pays, which is enough where the source has no more range than the target.
    match (from, to) {
        (Float16, Float8E5M2 | Float8E5M2FNUZ) => narrow_short::<format::Float16>(to, backend),
        _ if backend == Backend::Portable => None,
        (Float16, _) => narrow_short::<format::Float16>(to, backend),
        (Bfloat16, _) => narrow_short::<format::BFloat16>(to, backend),
        _ => None,
    }
}

fn narrow_short<S: FloatFormat>(to: DType, backend: Backend) -> Option<Step> {
    use short::Narrow;
    let make = match to {
        Float4E2M1 => Step::new::<Narrow<S, format::Float4E2M1>>,
        Float6E2M3 => Step::new::<Narrow<S, format::Float6E2M3>>,
        Float6E3M2 => Step::new::<Narrow<S, format::Float6E3M2>>,
        Float8E4M3FN => Step::new::<Narrow<S, format::Float8E4M3FN>>,
        Float8E4M3FNUZ => Step::new::<Narrow<S, format::Float8E4M3FNUZ>>,
        Float8E5M2 => Step::new::<Narrow<S, format::Float8E5M2>>,
        Float8E5M2FNUZ => Step::new::<Narrow<S, format::Float8E5M2FNUZ>>,
        _ => return None,
    };
    Some(make(backend))
}

/// Pairs that cannot go through float32, or that keep what it would lose. A cast to the same dtype
/// comes here only where it changes some codes.
fn direct(from: DType, to: DType, backend: Backend) -> Option<Step> {
    if let ((Float64, Float32), Some(step)) = ((from, to), arch::float64_to_float32(backend)) {
        return Some(step);
    }
    let scalar = backend == Backend::Portable;
    let make = match (from, to) {
        (Float8E5M2, Float8E5M2) => Step::new::<float::SaturateInfinity>,
        (Float64, Float32) => Step::new::<direct::Float64ToFloat32>,
        (Float64, Int8) => Step::new::<direct::Float64ToInt8>,
        (Float64, Uint8) => Step::new::<direct::Float64ToUint8>,
        (Float64, Int16) => Step::new::<direct::Float64ToInt16>,
        (Float64, Uint16) => Step::new::<direct::Float64ToUint16>,
        (Float64, Int32) => Step::new::<direct::Float64ToInt32>,
        (Float64, Uint32) => Step::new::<direct::Float64ToUint32>,
        (Float64, Int64) if scalar => Step::new::<direct::Float64ToInt64Scalar>,
        (Float64, Uint64) if scalar => Step::new::<direct::Float64ToUint64Scalar>,
        (Float64, Int64) => Step::new::<direct::Float64ToInt64>,
        (Float64, Uint64) => Step::new::<direct::Float64ToUint64>,
        (Int32, Float32) => Step::new::<direct::Int32ToFloat32>,
        (Uint32, Float32) => Step::new::<direct::Uint32ToFloat32>,
        (Int64, Float32) => Step::new::<direct::Int64ToFloat32>,
        (Uint64, Float32) => Step::new::<direct::Uint64ToFloat32>,
        (Int32, Float64) => Step::new::<direct::Int32ToFloat64>,
        (Uint32, Float64) => Step::new::<direct::Uint32ToFloat64>,
        (Int64, Float64) => Step::new::<direct::Int64ToFloat64>,
        (Uint64, Float64) => Step::new::<direct::Uint64ToFloat64>,
        _ => return None,
    };
    Some(make(backend))
}

/// To float32, exactly or rounded to odd; `None` for float32 itself.
fn to_float(from: DType, backend: Backend) -> Option<Step> {
    use float::Widen;
    use integer::ToFloat;
    let by_instruction = match from {
        Float16 => arch::float16_to_float32(backend),
        Float64 => arch::float64_to_odd_float32(backend),
        _ => arch::integer_to_odd_float32(from, backend),
    };
    if by_instruction.is_some() {
        return by_instruction;
    }
    let make = match from {
        Bool => Step::new::<float::FromBool>,
        Int2 => Step::new::<ToFloat<u8, 2, true>>,
        Int4 => Step::new::<ToFloat<u8, 4, true>>,
        Int8 => Step::new::<ToFloat<u8, 8, true>>,
        Int16 => Step::new::<ToFloat<u16, 16, true>>,
        Int32 => Step::new::<ToFloat<u32, 32, true>>,
        Int64 => Step::new::<ToFloat<u64, 64, true>>,
        Uint2 | Uint4 | Uint8 => Step::new::<ToFloat<u8, 8, false>>,
        Uint16 => Step::new::<ToFloat<u16, 16, false>>,
        Uint32 => Step::new::<ToFloat<u32, 32, false>>,
        Uint64 => Step::new::<ToFloat<u64, 64, false>>,
        Float4E2M1 => Step::new::<Widen<format::Float4E2M1, u8>>,
        Float6E2M3 => Step::new::<Widen<format::Float6E2M3, u8>>,
        Float6E3M2 => Step::new::<Widen<format::Float6E3M2, u8>>,
        Float8E4M3FN => Step::new::<Widen<format::Float8E4M3FN, u8>>,
        Float8E4M3FNUZ => Step::new::<Widen<format::Float8E4M3FNUZ, u8>>,
        Float8E5M2 => Step::new::<Widen<format::Float8E5M2, u8>>,
        Float8E5M2FNUZ => Step::new::<Widen<format::Float8E5M2FNUZ, u8>>,
        Float8E8M0 => Step::new::<power::Widen>,
        Float16 => Step::new::<Widen<format::Float16, u16>>,
        Bfloat16 => Step::new::<Widen<format::BFloat16, u16>>,
        Float64 => Step::new::<float::Odd>,
        Float32 | String | Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => {
            return None;
        }
    };
    Some(make(backend))
}

/// From float32; `None` for float32 itself.
fn from_float(to: DType, backend: Backend) -> Option<Step> {
    use float::Narrow;
    use integer::FromFloat;
    if let Some(step) = from_float_by_instruction(to, backend) {
        return Some(step);
    }
    let make = match to {
        Bool => Step::new::<float::ToBool>,
        Int2 => Step::new::<FromFloat<u8, 2, true>>,
        Int4 => Step::new::<FromFloat<u8, 4, true>>,
        Int8 => Step::new::<FromFloat<u8, 8, true>>,
        Int16 => Step::new::<FromFloat<u16, 16, true>>,
        Int32 => Step::new::<FromFloat<u32, 32, true>>,
        Int64 if backend == Backend::Portable => Step::new::<direct::Float32ToInt64Scalar>,
        Uint64 if backend == Backend::Portable => Step::new::<direct::Float32ToUint64Scalar>,
        Int64 => Step::new::<direct::Float32ToInt64>,
        Uint2 => Step::new::<FromFloat<u8, 2, false>>,
        Uint4 => Step::new::<FromFloat<u8, 4, false>>,
        Uint8 => Step::new::<FromFloat<u8, 8, false>>,
        Uint16 => Step::new::<FromFloat<u16, 16, false>>,
        Uint32 => Step::new::<FromFloat<u32, 32, false>>,
        Uint64 => Step::new::<direct::Float32ToUint64>,
        Float4E2M1 => Step::new::<Narrow<format::Float4E2M1, u8>>,
        Float6E2M3 => Step::new::<Narrow<format::Float6E2M3, u8>>,
        Float6E3M2 => Step::new::<Narrow<format::Float6E3M2, u8>>,
        Float8E4M3FN => Step::new::<Narrow<format::Float8E4M3FN, u8>>,
        Float8E4M3FNUZ => Step::new::<Narrow<format::Float8E4M3FNUZ, u8>>,
        Float8E5M2 => Step::new::<Narrow<format::Float8E5M2, u8>>,
        Float8E5M2FNUZ => Step::new::<Narrow<format::Float8E5M2FNUZ, u8>>,
        Float8E8M0 => Step::new::<power::Narrow>,
        Float16 => Step::new::<Narrow<format::Float16, u16>>,
        Bfloat16 => Step::new::<Narrow<format::BFloat16, u16>>,
        Float64 => Step::new::<direct::Float32ToFloat64>,
        Float32 | String | Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => {
            return None;
        }
    };
    Some(make(backend))
}

fn from_float_by_instruction(to: DType, backend: Backend) -> Option<Step> {
    match to {
        Float16 => arch::float32_to_float16(backend),
        _ => arch::truncate(Float32, to, backend)
            .or_else(|| arch::small(Float32, to, backend))
            .or_else(|| arch::short(Float32, to, backend)),
    }
}
