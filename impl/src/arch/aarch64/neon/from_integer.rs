//! Integers to floats, 16 elements at a time: all but those of 32 bits to float64, and those of 32 and
//! 64 bits to floats of 16 bits and to float32, rounded to odd.

use super::float_to_float::{
    numbers_to_brains, numbers_to_doubles, numbers_to_halves, numbers_to_singles,
};
use super::memory::{load, store_all};
use super::sixteen::{
    Doubles, Floats, odd, signed_bytes, signed_pairs, unsigned_bytes, unsigned_pairs,
};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::aarch64::*;
use core::array::from_fn;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Int8, Float64) => ("neon::from_integer::i8_to_f64", i8_to_f64),
        (Uint8, Float64) => ("neon::from_integer::u8_to_f64", u8_to_f64),
        (Int16, Float64) => ("neon::from_integer::i16_to_f64", i16_to_f64),
        (Uint16, Float64) => ("neon::from_integer::u16_to_f64", u16_to_f64),
        (Int64, Float64) => ("neon::from_integer::i64_to_f64", i64_to_f64),
        (Uint64, Float64) => ("neon::from_integer::u64_to_f64", u64_to_f64),
        (Int32, Float16) => ("neon::from_integer::i32_to_f16", i32_to_f16),
        (Uint32, Float16) => ("neon::from_integer::u32_to_f16", u32_to_f16),
        (Int64, Float16) => ("neon::from_integer::i64_to_f16", i64_to_f16),
        (Uint64, Float16) => ("neon::from_integer::u64_to_f16", u64_to_f16),
        (Int32, Bfloat16) => ("neon::from_integer::i32_to_bf16", i32_to_bf16),
        (Uint32, Bfloat16) => ("neon::from_integer::u32_to_bf16", u32_to_bf16),
        (Int64, Bfloat16) => ("neon::from_integer::i64_to_bf16", i64_to_bf16),
        (Uint64, Bfloat16) => ("neon::from_integer::u64_to_bf16", u64_to_bf16),
        _ => return None,
    })
}

/// The loop to float32, rounded to odd where that is inexact.
pub(super) fn to_odd_float32(from: DType) -> Option<(&'static str, Compute)> {
    Some(match from {
        Int32 => ("neon::from_integer::i32_to_odd_f32", i32_to_odd_f32),
        Uint32 => ("neon::from_integer::u32_to_odd_f32", u32_to_odd_f32),
        Int64 => ("neon::from_integer::i64_to_odd_f32", i64_to_odd_f32),
        Uint64 => ("neon::from_integer::u64_to_odd_f32", u64_to_odd_f32),
        _ => return None,
    })
}

// A macro, because the loops differ in nothing but what they call. Each row: the name, the bytes
// that are read and written at a time, how they are read and written.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $load:ident, $store:ident;)*) => {$(
        #[target_feature(enable = "neon")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| $store($load(from), to));
        }
    )*};
}

loops! {
    i8_to_f64: 16 => 128, signed_bytes, numbers_to_doubles;
    u8_to_f64: 16 => 128, unsigned_bytes, numbers_to_doubles;
    i16_to_f64: 32 => 128, signed_pairs, numbers_to_doubles;
    u16_to_f64: 32 => 128, unsigned_pairs, numbers_to_doubles;
    i64_to_f64: 128 => 128, signed_eights, store_doubles;
    u64_to_f64: 128 => 128, unsigned_eights, store_doubles;
    i32_to_f16: 64 => 32, signed_fours, numbers_to_halves;
    u32_to_f16: 64 => 32, unsigned_fours, numbers_to_halves;
    i64_to_f16: 128 => 32, clamped_signed_eights, numbers_to_halves;
    u64_to_f16: 128 => 32, clamped_unsigned_eights, numbers_to_halves;
    i32_to_bf16: 64 => 32, odd_signed_fours, numbers_to_brains;
    u32_to_bf16: 64 => 32, odd_unsigned_fours, numbers_to_brains;
    i64_to_bf16: 128 => 32, odd_signed_eights, numbers_to_brains;
    u64_to_bf16: 128 => 32, odd_unsigned_eights, numbers_to_brains;
    i32_to_odd_f32: 64 => 64, odd_signed_fours, numbers_to_singles;
    u32_to_odd_f32: 64 => 64, odd_unsigned_fours, numbers_to_singles;
    i64_to_odd_f32: 128 => 64, odd_signed_eights, numbers_to_singles;
    u64_to_odd_f32: 128 => 64, odd_unsigned_eights, numbers_to_singles;
}

/// int64 as float64, to nearest.
#[inline]
#[target_feature(enable = "neon")]
fn signed_eights(bytes: &[u8; 128]) -> Doubles {
    from_fn(|part| vcvtq_f64_s64(vreinterpretq_s64_u8(load(bytes, part))))
}

/// As [`signed_eights`], of uint64.
#[inline]
#[target_feature(enable = "neon")]
fn unsigned_eights(bytes: &[u8; 128]) -> Doubles {
    from_fn(|part| vcvtq_f64_u64(vreinterpretq_u64_u8(load(bytes, part))))
}

#[inline]
#[target_feature(enable = "neon")]
fn store_doubles(values: Doubles, to: &mut [u8; 128]) {
    store_all(to, values.map(|values| vreinterpretq_u8_f64(values)));
}

/// int32 as float32, to nearest. Where that is inexact, floats of at most 16 bits other than bfloat16
/// overflow.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn signed_fours(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| vcvtq_f32_s32(vreinterpretq_s32_u8(load(bytes, part))))
}

/// As [`signed_fours`], of uint32.
#[inline]
#[target_feature(enable = "neon")]
fn unsigned_fours(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| vcvtq_f32_u32(vreinterpretq_u32_u8(load(bytes, part))))
}

/// int64 as float32, to nearest, clamped to the range of int32, where those floats overflow.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn clamped_signed_eights(bytes: &[u8; 128]) -> Floats {
    from_fn(|part| {
        let [first, last] =
            [2 * part, 2 * part + 1].map(|part| vreinterpretq_s64_u8(load(bytes, part)));
        vcvtq_f32_s32(vqmovn_high_s64(vqmovn_s64(first), last))
    })
}

/// As [`clamped_signed_eights`], of uint64.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn clamped_unsigned_eights(bytes: &[u8; 128]) -> Floats {
    from_fn(|part| {
        let [first, last] =
            [2 * part, 2 * part + 1].map(|part| vreinterpretq_u64_u8(load(bytes, part)));
        vcvtq_f32_u32(vqmovn_high_u64(vqmovn_u64(first), last))
    })
}

/// int32 as float32, rounded to odd.
#[inline]
#[target_feature(enable = "neon")]
fn odd_signed_fours(bytes: &[u8; 64]) -> Floats {
    let doubles: Doubles = from_fn(|part| {
        let fours = vreinterpretq_s32_u8(load(bytes, part / 2));
        let is_first = part.is_multiple_of(2);
        let pair = if is_first { vmovl_s32(vget_low_s32(fours)) } else { vmovl_high_s32(fours) };
        vcvtq_f64_s64(pair)
    });
    odd(doubles)
}

/// As [`odd_signed_fours`], of uint32.
#[inline]
#[target_feature(enable = "neon")]
fn odd_unsigned_fours(bytes: &[u8; 64]) -> Floats {
    let doubles: Doubles = from_fn(|part| {
        let fours = vreinterpretq_u32_u8(load(bytes, part / 2));
        let is_first = part.is_multiple_of(2);
        let pair = if is_first { vmovl_u32(vget_low_u32(fours)) } else { vmovl_high_u32(fours) };
        vcvtq_f64_u64(pair)
    });
    odd(doubles)
}

/// The bits of an integer of 64 bits that one bit stands for, and that bit. The bits from there on
/// are 53, which float64 holds.
const BELOW: u64 = (1 << 12) - 1;
const STICKY: u64 = 1 << 11;

/// int64 as float32, rounded to odd.
#[inline]
#[target_feature(enable = "neon")]
fn odd_signed_eights(bytes: &[u8; 128]) -> Floats {
    let doubles: Doubles = from_fn(|part| {
        let integers = vreinterpretq_s64_u8(load(bytes, part));
        let magnitudes = vreinterpretq_u64_s64(vabsq_s64(integers));
        let sticky = sticky(vreinterpretq_u64_s64(integers), magnitudes);
        vcvtq_f64_s64(vreinterpretq_s64_u64(sticky))
    });
    odd(doubles)
}

/// As [`odd_signed_eights`], of uint64.
#[inline]
#[target_feature(enable = "neon")]
fn odd_unsigned_eights(bytes: &[u8; 128]) -> Floats {
    let doubles: Doubles = from_fn(|part| {
        let integers = vreinterpretq_u64_u8(load(bytes, part));
        vcvtq_f64_u64(sticky(integers, integers))
    });
    odd(doubles)
}

/// Replaces the last bits of integers from 2^53 on by one that tells whether any of them was set.
/// The integer stays between the same two multiples of 2^12, so it becomes the same odd float32: of 2^53 + 1 the last bits
/// 0x001 become 0x800, which float64 holds.
#[inline]
#[target_feature(enable = "neon")]
fn sticky(integers: uint64x2_t, magnitudes: uint64x2_t) -> uint64x2_t {
    let is_large = vtstq_u64(magnitudes, vdupq_n_u64(u64::MAX << 53));
    let is_inexact = vandq_u64(is_large, vtstq_u64(integers, vdupq_n_u64(BELOW)));
    let replaced = vandq_u64(is_inexact, vdupq_n_u64(BELOW));
    vbslq_u64(replaced, vdupq_n_u64(STICKY), integers)
}
