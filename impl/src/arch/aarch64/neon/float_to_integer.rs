//! Floats to integers, 16 elements at a time.
//!
//! Integers of 8 bits and more are rounded towards zero (FI-02), those of 2 and 4 bits to nearest,
//! ties to even (I4-02). A value beyond the range gives the nearest end of the range, and NaN gives
//! 0 (FI-04, FI-05, I4-03), as the instructions that convert and narrow do. float64 goes to at most
//! 16 bits through float32, rounded to odd, which keeps its side of every integer and of every half.

use super::memory::{store, store_all};
use super::sixteen::{
    Doubles, Floats, Integers, brains, doubles, halves, odd_doubles, singles, to_i8, to_i16, to_u8,
    to_u16,
};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::aarch64::*;
use core::array::from_fn;

/// The loop for a pair, where there is one. Elements of 2 and 4 bits take a byte each.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Int2) => ("neon::float_to_integer::f16_to_i2", f16_to_i2),
        (Float16, Uint2) => ("neon::float_to_integer::f16_to_u2", f16_to_u2),
        (Float16, Int4) => ("neon::float_to_integer::f16_to_i4", f16_to_i4),
        (Float16, Uint4) => ("neon::float_to_integer::f16_to_u4", f16_to_u4),
        (Float16, Int8) => ("neon::float_to_integer::f16_to_i8", f16_to_i8),
        (Float16, Uint8) => ("neon::float_to_integer::f16_to_u8", f16_to_u8),
        (Float16, Int16) => ("neon::float_to_integer::f16_to_i16", f16_to_i16),
        (Float16, Uint16) => ("neon::float_to_integer::f16_to_u16", f16_to_u16),
        (Float16, Int32) => ("neon::float_to_integer::f16_to_i32", f16_to_i32),
        (Float16, Uint32) => ("neon::float_to_integer::f16_to_u32", f16_to_u32),
        (Float16, Int64) => ("neon::float_to_integer::f16_to_i64", f16_to_i64),
        (Float16, Uint64) => ("neon::float_to_integer::f16_to_u64", f16_to_u64),
        (Bfloat16, Int2) => ("neon::float_to_integer::bf16_to_i2", bf16_to_i2),
        (Bfloat16, Uint2) => ("neon::float_to_integer::bf16_to_u2", bf16_to_u2),
        (Bfloat16, Int4) => ("neon::float_to_integer::bf16_to_i4", bf16_to_i4),
        (Bfloat16, Uint4) => ("neon::float_to_integer::bf16_to_u4", bf16_to_u4),
        (Bfloat16, Int8) => ("neon::float_to_integer::bf16_to_i8", bf16_to_i8),
        (Bfloat16, Uint8) => ("neon::float_to_integer::bf16_to_u8", bf16_to_u8),
        (Bfloat16, Int16) => ("neon::float_to_integer::bf16_to_i16", bf16_to_i16),
        (Bfloat16, Uint16) => ("neon::float_to_integer::bf16_to_u16", bf16_to_u16),
        (Bfloat16, Int32) => ("neon::float_to_integer::bf16_to_i32", bf16_to_i32),
        (Bfloat16, Uint32) => ("neon::float_to_integer::bf16_to_u32", bf16_to_u32),
        (Bfloat16, Int64) => ("neon::float_to_integer::bf16_to_i64", bf16_to_i64),
        (Bfloat16, Uint64) => ("neon::float_to_integer::bf16_to_u64", bf16_to_u64),
        (Float32, Int2) => ("neon::float_to_integer::f32_to_i2", f32_to_i2),
        (Float32, Uint2) => ("neon::float_to_integer::f32_to_u2", f32_to_u2),
        (Float32, Int4) => ("neon::float_to_integer::f32_to_i4", f32_to_i4),
        (Float32, Uint4) => ("neon::float_to_integer::f32_to_u4", f32_to_u4),
        (Float32, Int8) => ("neon::float_to_integer::f32_to_i8", f32_to_i8),
        (Float32, Uint8) => ("neon::float_to_integer::f32_to_u8", f32_to_u8),
        (Float32, Int16) => ("neon::float_to_integer::f32_to_i16", f32_to_i16),
        (Float32, Uint16) => ("neon::float_to_integer::f32_to_u16", f32_to_u16),
        (Float32, Int32) => ("neon::float_to_integer::f32_to_i32", f32_to_i32),
        (Float32, Uint32) => ("neon::float_to_integer::f32_to_u32", f32_to_u32),
        (Float32, Int64) => ("neon::float_to_integer::f32_to_i64", f32_to_i64),
        (Float32, Uint64) => ("neon::float_to_integer::f32_to_u64", f32_to_u64),
        (Float64, Int2) => ("neon::float_to_integer::f64_to_i2", f64_to_i2),
        (Float64, Uint2) => ("neon::float_to_integer::f64_to_u2", f64_to_u2),
        (Float64, Int4) => ("neon::float_to_integer::f64_to_i4", f64_to_i4),
        (Float64, Uint4) => ("neon::float_to_integer::f64_to_u4", f64_to_u4),
        (Float64, Int8) => ("neon::float_to_integer::f64_to_i8", f64_to_i8),
        (Float64, Uint8) => ("neon::float_to_integer::f64_to_u8", f64_to_u8),
        (Float64, Int16) => ("neon::float_to_integer::f64_to_i16", f64_to_i16),
        (Float64, Uint16) => ("neon::float_to_integer::f64_to_u16", f64_to_u16),
        (Float64, Int32) => ("neon::float_to_integer::f64_to_i32", f64_to_i32),
        (Float64, Uint32) => ("neon::float_to_integer::f64_to_u32", f64_to_u32),
        (Float64, Int64) => ("neon::float_to_integer::f64_to_i64", f64_to_i64),
        (Float64, Uint64) => ("neon::float_to_integer::f64_to_u64", f64_to_u64),
        _ => return None,
    })
}

// A macro, because the loops differ only in what they call. Each row: the name, the bytes read and
// written at a time, and the functions that read elements, make them integers, and narrow and write
// those.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $load:ident, $whole:ident, $store:expr;)*) => {$(
        #[target_feature(enable = "neon")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| {
                $store($whole($load(from)), to);
            });
        }
    )*};
}

loops! {
    f16_to_i2: 32 => 16, halves, nearest, low_bits::<2, true>;
    f16_to_u2: 32 => 16, halves, nearest, low_bits::<2, false>;
    f16_to_i4: 32 => 16, halves, nearest, low_bits::<4, true>;
    f16_to_u4: 32 => 16, halves, nearest, low_bits::<4, false>;
    f16_to_i8: 32 => 16, halves, signed, signed_bytes;
    f16_to_u8: 32 => 16, halves, signed, unsigned_bytes;
    f16_to_i16: 32 => 32, halves, signed, signed_pairs;
    f16_to_u16: 32 => 32, halves, signed, unsigned_pairs;
    f16_to_i32: 32 => 64, halves, signed, store_whole;
    f16_to_u32: 32 => 64, halves, unsigned, store_whole;
    f16_to_i64: 32 => 128, wide_halves, signed_wide, store_wide;
    f16_to_u64: 32 => 128, wide_halves, unsigned_wide, store_wide;
    bf16_to_i2: 32 => 16, brains, nearest, low_bits::<2, true>;
    bf16_to_u2: 32 => 16, brains, nearest, low_bits::<2, false>;
    bf16_to_i4: 32 => 16, brains, nearest, low_bits::<4, true>;
    bf16_to_u4: 32 => 16, brains, nearest, low_bits::<4, false>;
    bf16_to_i8: 32 => 16, brains, signed, signed_bytes;
    bf16_to_u8: 32 => 16, brains, signed, unsigned_bytes;
    bf16_to_i16: 32 => 32, brains, signed, signed_pairs;
    bf16_to_u16: 32 => 32, brains, signed, unsigned_pairs;
    bf16_to_i32: 32 => 64, brains, signed, store_whole;
    bf16_to_u32: 32 => 64, brains, unsigned, store_whole;
    bf16_to_i64: 32 => 128, wide_brains, signed_wide, store_wide;
    bf16_to_u64: 32 => 128, wide_brains, unsigned_wide, store_wide;
    f32_to_i2: 64 => 16, singles, nearest, low_bits::<2, true>;
    f32_to_u2: 64 => 16, singles, nearest, low_bits::<2, false>;
    f32_to_i4: 64 => 16, singles, nearest, low_bits::<4, true>;
    f32_to_u4: 64 => 16, singles, nearest, low_bits::<4, false>;
    f32_to_i8: 64 => 16, singles, signed, signed_bytes;
    f32_to_u8: 64 => 16, singles, signed, unsigned_bytes;
    f32_to_i16: 64 => 32, singles, signed, signed_pairs;
    f32_to_u16: 64 => 32, singles, signed, unsigned_pairs;
    f32_to_i32: 64 => 64, singles, signed, store_whole;
    f32_to_u32: 64 => 64, singles, unsigned, store_whole;
    f32_to_i64: 64 => 128, wide_singles, signed_wide, store_wide;
    f32_to_u64: 64 => 128, wide_singles, unsigned_wide, store_wide;
    f64_to_i2: 128 => 16, odd_doubles, nearest, low_bits::<2, true>;
    f64_to_u2: 128 => 16, odd_doubles, nearest, low_bits::<2, false>;
    f64_to_i4: 128 => 16, odd_doubles, nearest, low_bits::<4, true>;
    f64_to_u4: 128 => 16, odd_doubles, nearest, low_bits::<4, false>;
    f64_to_i8: 128 => 16, odd_doubles, signed, signed_bytes;
    f64_to_u8: 128 => 16, odd_doubles, signed, unsigned_bytes;
    f64_to_i16: 128 => 32, odd_doubles, signed, signed_pairs;
    f64_to_u16: 128 => 32, odd_doubles, signed, unsigned_pairs;
    f64_to_i32: 128 => 64, doubles, signed_doubles, store_whole;
    f64_to_u32: 128 => 64, doubles, unsigned_doubles, store_whole;
    f64_to_i64: 128 => 128, doubles, signed_wide, store_wide;
    f64_to_u64: 128 => 128, doubles, unsigned_wide, store_wide;
}

/// 16 integers of 64 bits, or their bits.
type Wide = [uint64x2_t; 8];

/// float16 as float64.
#[inline]
#[target_feature(enable = "neon")]
fn wide_halves(bytes: &[u8; 32]) -> Doubles {
    widened(halves(bytes))
}

/// bfloat16 as float64.
#[inline]
#[target_feature(enable = "neon")]
fn wide_brains(bytes: &[u8; 32]) -> Doubles {
    widened(brains(bytes))
}

/// float32 as float64.
#[inline]
#[target_feature(enable = "neon")]
fn wide_singles(bytes: &[u8; 64]) -> Doubles {
    widened(singles(bytes))
}

#[inline]
#[target_feature(enable = "neon")]
fn widened(values: Floats) -> Doubles {
    from_fn(|part| {
        let fours = values[part / 2];
        if part % 2 == 0 { vcvt_f64_f32(vget_low_f32(fours)) } else { vcvt_high_f64_f32(fours) }
    })
}

/// Rounds towards zero.
#[inline]
#[target_feature(enable = "neon")]
fn signed(values: Floats) -> Integers {
    values.map(|values| vcvtq_s32_f32(values))
}

/// Rounds towards zero, to unsigned integers.
#[inline]
#[target_feature(enable = "neon")]
fn unsigned(values: Floats) -> Integers {
    values.map(|values| vreinterpretq_s32_u32(vcvtq_u32_f32(values)))
}

/// Rounds to nearest, ties to even.
#[inline]
#[target_feature(enable = "neon")]
fn nearest(values: Floats) -> Integers {
    values.map(|values| vcvtnq_s32_f32(values))
}

/// As [`signed`].
#[inline]
#[target_feature(enable = "neon")]
fn signed_doubles(values: Doubles) -> Integers {
    join(values.map(|values| vcvtq_s64_f64(values)))
}

/// Narrows to 32 bits; beyond the range gives the nearest end of it.
#[inline]
#[target_feature(enable = "neon")]
fn join(integers: [int64x2_t; 8]) -> Integers {
    from_fn(|part| {
        let first = vqmovn_s64(integers[2 * part]);
        vqmovn_high_s64(first, integers[2 * part + 1])
    })
}

/// As [`unsigned`].
#[inline]
#[target_feature(enable = "neon")]
fn unsigned_doubles(values: Doubles) -> Integers {
    let integers = unsigned_wide(values);
    from_fn(|part| {
        let first = vqmovn_u64(integers[2 * part]);
        vreinterpretq_s32_u32(vqmovn_high_u64(first, integers[2 * part + 1]))
    })
}

/// Rounds towards zero, to 64 bits.
#[inline]
#[target_feature(enable = "neon")]
fn signed_wide(values: Doubles) -> Wide {
    values.map(|values| vreinterpretq_u64_s64(vcvtq_s64_f64(values)))
}

/// As [`signed_wide`], to unsigned integers.
#[inline]
#[target_feature(enable = "neon")]
fn unsigned_wide(values: Doubles) -> Wide {
    values.map(|values| vcvtq_u64_f64(values))
}

#[inline]
#[target_feature(enable = "neon")]
fn store_wide(integers: Wide, to: &mut [u8; 128]) {
    store_all(to, integers.map(|integers| vreinterpretq_u8_u64(integers)));
}

#[inline]
#[target_feature(enable = "neon")]
fn store_whole(integers: Integers, to: &mut [u8; 64]) {
    store_all(to, integers.map(|integers| vreinterpretq_u8_s32(integers)));
}

#[inline]
#[target_feature(enable = "neon")]
fn signed_pairs(integers: Integers, to: &mut [u8; 32]) {
    store_all(to, to_i16(integers).map(|integers| vreinterpretq_u8_s16(integers)));
}

#[inline]
#[target_feature(enable = "neon")]
fn unsigned_pairs(integers: Integers, to: &mut [u8; 32]) {
    store_all(to, to_u16(integers).map(|integers| vreinterpretq_u8_u16(integers)));
}

#[inline]
#[target_feature(enable = "neon")]
fn signed_bytes(integers: Integers, to: &mut [u8; 16]) {
    store(to, 0, vreinterpretq_u8_s8(to_i8(integers)));
}

#[inline]
#[target_feature(enable = "neon")]
fn unsigned_bytes(integers: Integers, to: &mut [u8; 16]) {
    store(to, 0, to_u8(integers));
}

/// Bounds each integer to `BITS` bits, in a byte each.
#[inline]
#[target_feature(enable = "neon")]
fn low_bits<const BITS: u32, const SIGNED: bool>(integers: Integers, to: &mut [u8; 16]) {
    let mask = vdupq_n_u8((1 << BITS) - 1);
    if SIGNED {
        let (low, high) = (-1 << (BITS - 1), (1 << (BITS - 1)) - 1);
        let bounded = vmaxq_s8(vminq_s8(to_i8(integers), vdupq_n_s8(high)), vdupq_n_s8(low));
        store(to, 0, vandq_u8(vreinterpretq_u8_s8(bounded), mask));
    } else {
        store(to, 0, vminq_u8(to_u8(integers), mask));
    }
}
