//! Conversions among floats of 16, 32 and 64 bits, and of short integers to floats of 16 bits, 32
//! elements at a time.

use super::memory::{store, store_all};
use super::sixteen::{
    Doubles, Floats, brains, doubles, eight_halves, halves, odd_doubles, quiet, signed_bytes,
    signed_pairs, singles, unsigned_bytes, unsigned_pairs,
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
        (Float16, Float32) => ("neon::float_to_float::f16_to_f32", f16_to_f32),
        (Bfloat16, Float32) => ("neon::float_to_float::bf16_to_f32", bf16_to_f32),
        (Float64, Float32) => ("neon::float_to_float::f64_to_f32", f64_to_f32),
        (Float16, Float64) => ("neon::float_to_float::f16_to_f64", f16_to_f64),
        (Bfloat16, Float64) => ("neon::float_to_float::bf16_to_f64", bf16_to_f64),
        (Float32, Float64) => ("neon::float_to_float::f32_to_f64", f32_to_f64),
        (Bfloat16, Float16) => ("neon::float_to_float::bf16_to_f16", bf16_to_f16),
        (Float32, Float16) => ("neon::float_to_float::f32_to_f16", f32_to_f16),
        (Float64, Float16) => ("neon::float_to_float::f64_to_f16", f64_to_f16),
        (Int8, Float16) => ("neon::float_to_float::i8_to_f16", i8_to_f16),
        (Uint8, Float16) => ("neon::float_to_float::u8_to_f16", u8_to_f16),
        (Int16, Float16) => ("neon::float_to_float::i16_to_f16", i16_to_f16),
        (Uint16, Float16) => ("neon::float_to_float::u16_to_f16", u16_to_f16),
        (Float16, Bfloat16) => ("neon::float_to_float::f16_to_bf16", f16_to_bf16),
        (Float32, Bfloat16) => ("neon::float_to_float::f32_to_bf16", f32_to_bf16),
        (Float64, Bfloat16) => ("neon::float_to_float::f64_to_bf16", f64_to_bf16),
        (Int8, Bfloat16) => ("neon::float_to_float::i8_to_bf16", i8_to_bf16),
        (Uint8, Bfloat16) => ("neon::float_to_float::u8_to_bf16", u8_to_bf16),
        (Int16, Bfloat16) => ("neon::float_to_float::i16_to_bf16", i16_to_bf16),
        (Uint16, Bfloat16) => ("neon::float_to_float::u16_to_bf16", u16_to_bf16),
        _ => return None,
    })
}

/// The loop from a float to float32, rounded to odd where that is inexact.
pub(super) fn to_odd_float32(from: DType) -> Option<(&'static str, Compute)> {
    match from {
        Float16 | Bfloat16 => convert(from, Float32),
        Float64 => Some(("neon::float_to_float::f64_to_odd_f32", f64_to_odd_f32)),
        _ => None,
    }
}

// A macro, because the loops differ in nothing but what they call. Each row: the name, the bytes
// that are read and written at a time, how they become float32 and from there the target.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $load:expr, $store:ident;)*) => {$(
        #[target_feature(enable = "neon")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| $store($load(from), to));
        }
    )*};
}

loops! {
    f16_to_f32: 32 => 64, halves, to_singles;
    bf16_to_f32: 32 => 64, brains, to_singles;
    f64_to_f32: 128 => 64, |from| nearest(doubles(from)), to_singles;
    f64_to_odd_f32: 128 => 64, odd_doubles, to_singles;
    f16_to_f64: 32 => 128, halves, to_doubles;
    bf16_to_f64: 32 => 128, brains, to_doubles;
    f32_to_f64: 64 => 128, singles, to_doubles;
    bf16_to_f16: 32 => 32, brains, to_halves;
    f32_to_f16: 64 => 32, singles, to_halves;
    f64_to_f16: 128 => 32, odd_doubles, to_halves;
    i8_to_f16: 16 => 32, signed_bytes, numbers_to_halves;
    u8_to_f16: 16 => 32, unsigned_bytes, numbers_to_halves;
    i16_to_f16: 32 => 32, signed_pairs, numbers_to_halves;
    u16_to_f16: 32 => 32, unsigned_pairs, numbers_to_halves;
    f16_to_bf16: 32 => 32, halves, to_brains;
    f32_to_bf16: 64 => 32, singles, to_brains;
    f64_to_bf16: 128 => 32, odd_doubles, to_brains;
    i8_to_bf16: 16 => 32, signed_bytes, numbers_to_brains;
    u8_to_bf16: 16 => 32, unsigned_bytes, numbers_to_brains;
    i16_to_bf16: 32 => 32, signed_pairs, numbers_to_brains;
    u16_to_bf16: 32 => 32, unsigned_pairs, numbers_to_brains;
}

/// float64 as float32, to nearest.
#[inline]
#[target_feature(enable = "neon")]
fn nearest(values: Doubles) -> Floats {
    from_fn(|part| {
        let first = vcvt_f32_f64(values[2 * part]);
        vcvt_high_f32_f64(first, values[2 * part + 1])
    })
}

#[inline]
#[target_feature(enable = "neon")]
fn to_singles(values: Floats, to: &mut [u8; 64]) {
    numbers_to_singles(quiet(values), to);
}

/// The same for values of which none is NaN with a payload.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn numbers_to_singles(values: Floats, to: &mut [u8; 64]) {
    store_all(to, values.map(|values| vreinterpretq_u8_f32(values)));
}

/// Exact; a quiet NaN without payload stays one.
#[inline]
#[target_feature(enable = "neon")]
fn to_doubles(values: Floats, to: &mut [u8; 128]) {
    numbers_to_doubles(quiet(values), to);
}

/// The same for values of which none is NaN with a payload.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn numbers_to_doubles(values: Floats, to: &mut [u8; 128]) {
    for (part, values) in values.into_iter().enumerate() {
        let (first, last) = (vcvt_f64_f32(vget_low_f32(values)), vcvt_high_f64_f32(values));
        store(to, 2 * part, vreinterpretq_u8_f64(first));
        store(to, 2 * part + 1, vreinterpretq_u8_f64(last));
    }
}

/// Rounds to nearest, ties to even.
#[inline]
#[target_feature(enable = "neon")]
fn to_halves(values: Floats, to: &mut [u8; 32]) {
    numbers_to_halves(quiet(values), to);
}

/// The same for values of which none is NaN with a payload.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn numbers_to_halves(values: Floats, to: &mut [u8; 32]) {
    let codes: [uint8x16_t; 2] =
        from_fn(|part| eight_halves(values[2 * part], values[2 * part + 1]));
    store_all(to, codes);
}

/// Rounds to nearest, ties to even.
#[inline]
#[target_feature(enable = "neon")]
fn to_brains(values: Floats, to: &mut [u8; 32]) {
    numbers_to_brains(quiet(values), to);
}

/// Takes the upper half, after a carry from the lower one. The lower half of infinity and of a quiet
/// NaN without payload is zero.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn numbers_to_brains(values: Floats, to: &mut [u8; 32]) {
    let with_odd = values.map(|values| {
        let bits = vreinterpretq_u32_f32(values);
        // The last bit that stays, moved to the top and from there to the bottom.
        vsraq_n_u32::<31>(bits, vshlq_n_u32::<15>(bits))
    });
    let below_half = vdupq_n_u32(0x7fff);
    let codes: [uint8x16_t; 2] = from_fn(|part| {
        let first = vaddhn_u32(with_odd[2 * part], below_half);
        vreinterpretq_u8_u16(vaddhn_high_u32(first, with_odd[2 * part + 1], below_half))
    });
    store_all(to, codes);
}
