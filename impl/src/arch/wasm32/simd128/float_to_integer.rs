//! float32 and float64 to integers of at most 32 bits, 16 elements at a time. Floats of less than 32 bits
//! come as float32.
//!
//! Integers of 8 bits and more are rounded towards zero (FI-02), those of 2 and 4 bits to nearest,
//! ties to even (I4-02). A value beyond the range gives the nearest end of the range, and NaN gives
//! 0 (FI-04, FI-05, I4-03), as the instructions that convert and narrow do.

use super::memory::{load, store};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::wasm32::*;
use core::array::from_fn;

/// 16 integers of 32 bits, or their bits.
type Integers = [v128; 4];

/// The loop for a pair, where there is one. Elements of 2 and 4 bits take a byte each.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float32, Int2) => ("simd128::float_to_integer::f32_to_i2", f32_to_i2),
        (Float32, Uint2) => ("simd128::float_to_integer::f32_to_u2", f32_to_u2),
        (Float32, Int4) => ("simd128::float_to_integer::f32_to_i4", f32_to_i4),
        (Float32, Uint4) => ("simd128::float_to_integer::f32_to_u4", f32_to_u4),
        (Float32, Int8) => ("simd128::float_to_integer::f32_to_i8", f32_to_i8),
        (Float32, Uint8) => ("simd128::float_to_integer::f32_to_u8", f32_to_u8),
        (Float32, Int16) => ("simd128::float_to_integer::f32_to_i16", f32_to_i16),
        (Float32, Uint16) => ("simd128::float_to_integer::f32_to_u16", f32_to_u16),
        (Float32, Int32) => ("simd128::float_to_integer::f32_to_i32", f32_to_i32),
        (Float32, Uint32) => ("simd128::float_to_integer::f32_to_u32", f32_to_u32),
        (Float64, Int8) => ("simd128::float_to_integer::f64_to_i8", f64_to_i8),
        (Float64, Uint8) => ("simd128::float_to_integer::f64_to_u8", f64_to_u8),
        (Float64, Int16) => ("simd128::float_to_integer::f64_to_i16", f64_to_i16),
        (Float64, Uint16) => ("simd128::float_to_integer::f64_to_u16", f64_to_u16),
        (Float64, Int32) => ("simd128::float_to_integer::f64_to_i32", f64_to_i32),
        (Float64, Uint32) => ("simd128::float_to_integer::f64_to_u32", f64_to_u32),
        _ => return None,
    })
}

// A macro, because the loops differ only in what they call. Each row: the name, the bytes read and
// written at a time, and the functions that make elements integers, and narrow and write those.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $whole:ident, $store:expr;)*) => {$(
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| $store($whole(from), to));
        }
    )*};
}

loops! {
    f32_to_i2: 64 => 16, nearest, low_bits::<2, true>;
    f32_to_u2: 64 => 16, nearest, low_bits::<2, false>;
    f32_to_i4: 64 => 16, nearest, low_bits::<4, true>;
    f32_to_u4: 64 => 16, nearest, low_bits::<4, false>;
    f32_to_i8: 64 => 16, signed, signed_bytes;
    f32_to_u8: 64 => 16, signed, unsigned_bytes;
    f32_to_i16: 64 => 32, signed, signed_pairs;
    f32_to_u16: 64 => 32, signed, unsigned_pairs;
    f32_to_i32: 64 => 64, signed, store_whole;
    f32_to_u32: 64 => 64, unsigned, store_whole;
    f64_to_i8: 128 => 16, signed_doubles, signed_bytes;
    f64_to_u8: 128 => 16, signed_doubles, unsigned_bytes;
    f64_to_i16: 128 => 32, signed_doubles, signed_pairs;
    f64_to_u16: 128 => 32, signed_doubles, unsigned_pairs;
    f64_to_i32: 128 => 64, signed_doubles, store_whole;
    f64_to_u32: 128 => 64, unsigned_doubles, store_whole;
}

/// float32, rounded towards zero.
#[inline(always)]
fn signed(bytes: &[u8; 64]) -> Integers {
    from_fn(|part| i32x4_trunc_sat_f32x4(load(bytes, part)))
}

/// float32, rounded towards zero, to unsigned integers.
#[inline(always)]
fn unsigned(bytes: &[u8; 64]) -> Integers {
    from_fn(|part| u32x4_trunc_sat_f32x4(load(bytes, part)))
}

/// float32, rounded to nearest, ties to even.
#[inline(always)]
fn nearest(bytes: &[u8; 64]) -> Integers {
    from_fn(|part| i32x4_trunc_sat_f32x4(f32x4_nearest(load(bytes, part))))
}

/// float64, as [`signed`].
#[inline(always)]
fn signed_doubles(bytes: &[u8; 128]) -> Integers {
    from_fn(|part| {
        let [first, last] =
            [2 * part, 2 * part + 1].map(|number| i32x4_trunc_sat_f64x2_zero(load(bytes, number)));
        i64x2_shuffle::<0, 2>(first, last)
    })
}

/// float64, as [`unsigned`]. The instruction that converts to unsigned integers took three times as long in Node,
/// so what is beyond the signed ones is moved into their range, and back.
#[inline(always)]
fn unsigned_doubles(bytes: &[u8; 128]) -> Integers {
    from_fn(|part| {
        let (first, last) = (load(bytes, 2 * part), load(bytes, 2 * part + 1));
        let half = f64x2_splat((1_u64 << 31) as f64);
        let (first_above, last_above) = (f64x2_ge(first, half), f64x2_ge(last, half));
        let first = i32x4_trunc_sat_f64x2_zero(f64x2_sub(first, v128_and(first_above, half)));
        let last = i32x4_trunc_sat_f64x2_zero(f64x2_sub(last, v128_and(last_above, half)));
        let moved = i32x4_max(i64x2_shuffle::<0, 2>(first, last), i32x4_splat(0));
        let above = i32x4_shuffle::<0, 2, 4, 6>(first_above, last_above);
        v128_or(moved, u32x4_shl(above, 31))
    })
}

#[inline(always)]
fn store_whole(integers: Integers, to: &mut [u8; 64]) {
    for (part, integers) in integers.into_iter().enumerate() {
        store(to, part, integers);
    }
}

#[inline(always)]
fn signed_pairs(integers: Integers, to: &mut [u8; 32]) {
    let [first, last] = to_i16(integers);
    store(to, 0, first);
    store(to, 1, last);
}

#[inline(always)]
fn unsigned_pairs(integers: Integers, to: &mut [u8; 32]) {
    store(to, 0, u16x8_narrow_i32x4(integers[0], integers[1]));
    store(to, 1, u16x8_narrow_i32x4(integers[2], integers[3]));
}

#[inline(always)]
fn signed_bytes(integers: Integers, to: &mut [u8; 16]) {
    store(to, 0, to_i8(integers));
}

#[inline(always)]
fn unsigned_bytes(integers: Integers, to: &mut [u8; 16]) {
    store(to, 0, to_u8(integers));
}

/// Bounds each integer to `BITS` bits, in a byte each.
#[inline(always)]
fn low_bits<const BITS: u32, const SIGNED: bool>(integers: Integers, to: &mut [u8; 16]) {
    let mask = u8x16_splat((1 << BITS) - 1);
    if SIGNED {
        let (low, high) = (-1 << (BITS - 1), (1 << (BITS - 1)) - 1);
        let bounded = i8x16_max(i8x16_min(to_i8(integers), i8x16_splat(high)), i8x16_splat(low));
        store(to, 0, v128_and(bounded, mask));
    } else {
        store(to, 0, u8x16_min(to_u8(integers), mask));
    }
}

/// Narrows to 16 bits; beyond the range gives the nearest end of it.
#[inline(always)]
fn to_i16(integers: Integers) -> [v128; 2] {
    [i16x8_narrow_i32x4(integers[0], integers[1]), i16x8_narrow_i32x4(integers[2], integers[3])]
}

/// As [`to_i16`], to 8 bits.
#[inline(always)]
fn to_i8(integers: Integers) -> v128 {
    let [first, last] = to_i16(integers);
    i8x16_narrow_i16x8(first, last)
}

/// As [`to_i8`], to unsigned integers.
#[inline(always)]
fn to_u8(integers: Integers) -> v128 {
    let [first, last] = to_i16(integers);
    u8x16_narrow_i16x8(first, last)
}
