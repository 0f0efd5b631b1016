//! Conversions between float32 and float16 or float64, for which there is an instruction.

use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, Float16, Float32, Float64};
use core::arch::asm;
use core::arch::x86_64::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Float32) => ("avx512::float_to_float::f16_to_f32", f16_to_f32),
        (Float32, Float16) => ("avx512::float_to_float::f32_to_f16", f32_to_f16),
        (Float64, Float32) => ("avx512::float_to_float::f64_to_f32", f64_to_f32),
        _ => return None,
    })
}

/// The sign bit and the quiet NaN without payload, as float32.
const SIGN: i32 = i32::MIN;
const NAN: i32 = 0x7fc0_0000;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn f16_to_f32(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 64>(input, output, stores, |from, to| {
        // SAFETY: 32 bytes are read and 64 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast()));
            _mm512_storeu_ps(to.as_mut_ptr().cast(), quiet(wide));
        }
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn f32_to_f16(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<64, 32>(input, output, stores, |from, to| {
        // SAFETY: 64 bytes are read and 32 written, of arrays of just that size; unaligned access.
        unsafe {
            let wide = quiet(_mm512_loadu_ps(from.as_ptr().cast()));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), sixteen_halves(wide));
        }
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn f64_to_f32(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<128, 64>(input, output, stores, |from, to| {
        // SAFETY: two times 64 bytes are read and 64 written, of arrays of just that size;
        // unaligned access.
        unsafe {
            let low = _mm512_cvtpd_ps(_mm512_loadu_pd(from.as_ptr().cast()));
            let high = _mm512_cvtpd_ps(_mm512_loadu_pd(from[64..].as_ptr().cast()));
            let both = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high);
            _mm512_storeu_ps(to.as_mut_ptr().cast(), quiet(both));
        }
    });
}

/// Rounds to nearest, ties to even. Written by hand, because the compiler makes the instruction
/// write to memory, which takes 1.7 times as long (Zen 5).
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) fn sixteen_halves(values: __m512) -> __m256i {
    let halves;
    // SAFETY: the instruction is one of the enabled features; it changes only the register that it
    // names, and the exception flags, which the block does not promise to preserve.
    unsafe {
        asm!(
            "vcvtps2ph {halves}, {values}, 0",
            values = in(zmm_reg) values,
            halves = out(ymm_reg) halves,
            options(pure, nomem, nostack),
        );
    }
    halves
}

/// Clears the payload of NaN; other values are unchanged.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn quiet(values: __m512) -> __m512 {
    /// `(a & b) | c`, as a truth table.
    const AND_OR: i32 = 0xea;
    let bits = _mm512_castps_si512(values);
    let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(values, values);
    let (sign, nan) = (_mm512_set1_epi32(SIGN), _mm512_set1_epi32(NAN));
    _mm512_castsi512_ps(_mm512_mask_ternarylogic_epi32::<AND_OR>(bits, is_nan, sign, nan))
}
