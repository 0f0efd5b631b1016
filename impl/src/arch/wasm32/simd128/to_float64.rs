//! float32 and integers of at most 32 bits to float64, which holds them all.

use super::memory::{load, store};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::wasm32::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Int8, Float64) => ("simd128::to_float64::i8_to_f64", i8_to_f64),
        (Uint8, Float64) => ("simd128::to_float64::u8_to_f64", u8_to_f64),
        (Int16, Float64) => ("simd128::to_float64::i16_to_f64", i16_to_f64),
        (Uint16, Float64) => ("simd128::to_float64::u16_to_f64", u16_to_f64),
        (Float32, Float64) => ("simd128::to_float64::f32_to_f64", f32_to_f64),
        _ => return None,
    })
}

// A macro, because the loops differ only in what they call. Each row: the name, the bytes read and
// written at a time, and the function that does so.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $each:expr;)*) => {$(
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, $each);
        }
    )*};
}

loops! {
    i8_to_f64: 16 => 128, |from, to| {
        let codes = load(from, 0);
        signed_eight(i16x8_extend_low_i8x16(codes), &mut to[..64]);
        signed_eight(i16x8_extend_high_i8x16(codes), &mut to[64..]);
    };
    u8_to_f64: 16 => 128, |from, to| {
        let codes = load(from, 0);
        signed_eight(u16x8_extend_low_u8x16(codes), &mut to[..64]);
        signed_eight(u16x8_extend_high_u8x16(codes), &mut to[64..]);
    };
    i16_to_f64: 16 => 64, |from, to| signed_eight(load(from, 0), to);
    u16_to_f64: 16 => 64, |from, to| {
        let codes = load(from, 0);
        four(u32x4_extend_low_u16x8(codes), &mut to[..32]);
        four(u32x4_extend_high_u16x8(codes), &mut to[32..]);
    };
    f32_to_f64: 64 => 128, |from, to| {
        for part in 0..4 {
            let values = quiet(load(from, part));
            store(to, 2 * part, f64x2_promote_low_f32x4(values));
            store(to, 2 * part + 1, f64x2_promote_low_f32x4(high_half(values)));
        }
    };
}

/// Eight signed integers of 16 bits.
#[inline(always)]
fn signed_eight(integers: v128, to: &mut [u8]) {
    four(i32x4_extend_low_i16x8(integers), &mut to[..32]);
    four(i32x4_extend_high_i16x8(integers), &mut to[32..]);
}

/// Four signed integers of 32 bits.
#[inline(always)]
fn four(integers: v128, to: &mut [u8]) {
    store(to, 0, f64x2_convert_low_i32x4(integers));
    store(to, 1, f64x2_convert_low_i32x4(high_half(integers)));
}

#[inline(always)]
fn high_half(vector: v128) -> v128 {
    i64x2_shuffle::<1, 1>(vector, vector)
}

/// Makes every NaN the quiet one without payload, and keeps its sign.
#[inline(always)]
fn quiet(values: v128) -> v128 {
    let is_number = f32x4_eq(values, values);
    let nan = v128_or(v128_and(values, u32x4_splat(1 << 31)), u32x4_splat(0x7fc0_0000));
    v128_bitselect(values, nan, is_number)
}
