//! Elements of 16 bits and float32 to float16 and bfloat16, through float32 in registers, sixteen
//! at a time.

use super::float_to_float::{quiet, sixteen_halves};
use super::float_to_narrow_integer::{brain, half, single};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::x86_64::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Bfloat16) => ("avx512::to_16_bit_float::f16_to_bf16", f16_to_bf16),
        (Float32, Bfloat16) => ("avx512::to_16_bit_float::f32_to_bf16", f32_to_bf16),
        (Int16, Bfloat16) => ("avx512::to_16_bit_float::i16_to_bf16", i16_to_bf16),
        (Uint16, Bfloat16) => ("avx512::to_16_bit_float::u16_to_bf16", u16_to_bf16),
        (Bfloat16, Float16) => ("avx512::to_16_bit_float::bf16_to_f16", bf16_to_f16),
        (Int16, Float16) => ("avx512::to_16_bit_float::i16_to_f16", i16_to_f16),
        (Uint16, Float16) => ("avx512::to_16_bit_float::u16_to_f16", u16_to_f16),
        _ => return None,
    })
}

// A macro, because the loops differ in nothing but what they call. Each row: the name, the bytes
// that are read at a time, how they become float32 and from there the target.
macro_rules! loops {
    ($($name:ident: $read:literal, $load:ident, $narrow:ident;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, 32>(input, output, stores, |from, to| {
                let narrowed = $narrow(quiet($load(from)));
                // SAFETY: 32 bytes are written, to an array of just that size; unaligned access.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), narrowed) }
            });
        }
    )*};
}

loops! {
    f16_to_bf16: 32, half, to_brain;
    f32_to_bf16: 64, single, to_brain;
    i16_to_bf16: 32, signed, to_brain;
    u16_to_bf16: 32, unsigned, to_brain;
    bf16_to_f16: 32, brain, sixteen_halves;
    i16_to_f16: 32, signed, sixteen_halves;
    u16_to_f16: 32, unsigned, sixteen_halves;
}

/// int16 as float32.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn signed(bytes: &[u8; 32]) -> __m512 {
    // SAFETY: 32 bytes are read, of an array of just that size; unaligned access.
    let codes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
    _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(codes))
}

/// uint16 as float32.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn unsigned(bytes: &[u8; 32]) -> __m512 {
    // SAFETY: as in `signed`.
    let codes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
    _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(codes))
}

/// Rounds to nearest, ties to even: takes the upper half, after a carry from the lower one. The
/// lower half of infinity and of a quiet NaN without payload is zero.
///
/// Added are 0x7fff and the last bit of the upper half. Of the ties 0x3f80_8000 becomes 0x3f80_ffff, which leaves 0x3f80,
/// and 0x3f81_8000 becomes 0x3f82_0000, which leaves 0x3f82.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn to_brain(values: __m512) -> __m256i {
    let bits = _mm512_castps_si512(values);
    let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
    let below_half = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_add_epi32(below_half, odd)))
}
