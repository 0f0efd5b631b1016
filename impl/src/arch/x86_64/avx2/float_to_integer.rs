//! Floats to integers of at most 32 bits, 32 elements at a time.
//!
//! Integers of 8 bits and more are rounded towards zero (FI-02), those of 2 and 4 bits to nearest,
//! ties to even (I4-02). A value beyond the range gives the nearest end of the range, and NaN gives
//! 0 (FI-04, FI-05, I4-03). The conversion to integers of 32 bits gives the lowest integer for NaN
//! and beyond its range. Where it does so for one of 32 elements, they are converted again, bounded.

use super::memory::{load, store, store_all};
use super::thirty_two::{Floats, Integers, brains, halves, singles, to_i8, to_i16, to_u8, to_u16};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::x86_64::*;
use core::array::from_fn;

/// The loop for a pair, where there is one. Elements of 2 and 4 bits take a byte each.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Float16, Int2) => ("avx2::float_to_integer::f16_to_i2", f16_to_i2),
        (Float16, Uint2) => ("avx2::float_to_integer::f16_to_u2", f16_to_u2),
        (Float16, Int4) => ("avx2::float_to_integer::f16_to_i4", f16_to_i4),
        (Float16, Uint4) => ("avx2::float_to_integer::f16_to_u4", f16_to_u4),
        (Float16, Int8) => ("avx2::float_to_integer::f16_to_i8", f16_to_i8),
        (Float16, Uint8) => ("avx2::float_to_integer::f16_to_u8", f16_to_u8),
        (Float16, Int16) => ("avx2::float_to_integer::f16_to_i16", f16_to_i16),
        (Float16, Uint16) => ("avx2::float_to_integer::f16_to_u16", f16_to_u16),
        (Float16, Int32) => ("avx2::float_to_integer::f16_to_i32", f16_to_i32),
        (Float16, Uint32) => ("avx2::float_to_integer::f16_to_u32", f16_to_u32),
        (Bfloat16, Int2) => ("avx2::float_to_integer::bf16_to_i2", bf16_to_i2),
        (Bfloat16, Uint2) => ("avx2::float_to_integer::bf16_to_u2", bf16_to_u2),
        (Bfloat16, Int4) => ("avx2::float_to_integer::bf16_to_i4", bf16_to_i4),
        (Bfloat16, Uint4) => ("avx2::float_to_integer::bf16_to_u4", bf16_to_u4),
        (Bfloat16, Int8) => ("avx2::float_to_integer::bf16_to_i8", bf16_to_i8),
        (Bfloat16, Uint8) => ("avx2::float_to_integer::bf16_to_u8", bf16_to_u8),
        (Bfloat16, Int16) => ("avx2::float_to_integer::bf16_to_i16", bf16_to_i16),
        (Bfloat16, Uint16) => ("avx2::float_to_integer::bf16_to_u16", bf16_to_u16),
        (Bfloat16, Int32) => ("avx2::float_to_integer::bf16_to_i32", bf16_to_i32),
        (Bfloat16, Uint32) => ("avx2::float_to_integer::bf16_to_u32", bf16_to_u32),
        (Float32, Int2) => ("avx2::float_to_integer::f32_to_i2", f32_to_i2),
        (Float32, Uint2) => ("avx2::float_to_integer::f32_to_u2", f32_to_u2),
        (Float32, Int4) => ("avx2::float_to_integer::f32_to_i4", f32_to_i4),
        (Float32, Uint4) => ("avx2::float_to_integer::f32_to_u4", f32_to_u4),
        (Float32, Int8) => ("avx2::float_to_integer::f32_to_i8", f32_to_i8),
        (Float32, Uint8) => ("avx2::float_to_integer::f32_to_u8", f32_to_u8),
        (Float32, Int16) => ("avx2::float_to_integer::f32_to_i16", f32_to_i16),
        (Float32, Uint16) => ("avx2::float_to_integer::f32_to_u16", f32_to_u16),
        (Float32, Int32) => ("avx2::float_to_integer::f32_to_i32", f32_to_i32),
        (Float32, Uint32) => ("avx2::float_to_integer::f32_to_u32", f32_to_u32),
        (Float64, Int2) => ("avx2::float_to_integer::f64_to_i2", f64_to_i2),
        (Float64, Uint2) => ("avx2::float_to_integer::f64_to_u2", f64_to_u2),
        (Float64, Int4) => ("avx2::float_to_integer::f64_to_i4", f64_to_i4),
        (Float64, Uint4) => ("avx2::float_to_integer::f64_to_u4", f64_to_u4),
        (Float64, Int8) => ("avx2::float_to_integer::f64_to_i8", f64_to_i8),
        (Float64, Uint8) => ("avx2::float_to_integer::f64_to_u8", f64_to_u8),
        (Float64, Int16) => ("avx2::float_to_integer::f64_to_i16", f64_to_i16),
        (Float64, Uint16) => ("avx2::float_to_integer::f64_to_u16", f64_to_u16),
        (Float64, Int32) => ("avx2::float_to_integer::f64_to_i32", f64_to_i32),
        (Float64, Uint32) => ("avx2::float_to_integer::f64_to_u32", f64_to_u32),
        _ => return None,
    })
}

// A macro, because the loops differ only in what they call. Each row: the name, the bytes read and
// written at a time, and the functions that read elements, make them integers of 32 bits, and
// narrow and write those.
macro_rules! loops {
    ($($name:ident: $read:literal => $written:literal, $load:ident, $whole:ident, $store:expr;)*) => {$(
        #[target_feature(enable = "avx2,f16c")]
        fn $name(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
            by_chunks::<$read, $written>(input, output, stores, |from, to| {
                $store($whole($load(from)), to);
            });
        }
    )*};
}

loops! {
    f16_to_i2: 64 => 32, halves, nearest, low_bits::<2, true>;
    f16_to_u2: 64 => 32, halves, nearest, low_bits::<2, false>;
    f16_to_i4: 64 => 32, halves, nearest, low_bits::<4, true>;
    f16_to_u4: 64 => 32, halves, nearest, low_bits::<4, false>;
    f16_to_i8: 64 => 32, halves, signed, signed_bytes;
    f16_to_u8: 64 => 32, halves, signed, unsigned_bytes;
    f16_to_i16: 64 => 64, halves, signed, signed_pairs;
    f16_to_u16: 64 => 64, halves, signed, unsigned_pairs;
    f16_to_i32: 64 => 128, halves, signed, store_whole;
    f16_to_u32: 64 => 128, halves, unsigned, store_whole;
    bf16_to_i2: 64 => 32, brains, nearest, low_bits::<2, true>;
    bf16_to_u2: 64 => 32, brains, nearest, low_bits::<2, false>;
    bf16_to_i4: 64 => 32, brains, nearest, low_bits::<4, true>;
    bf16_to_u4: 64 => 32, brains, nearest, low_bits::<4, false>;
    bf16_to_i8: 64 => 32, brains, signed, signed_bytes;
    bf16_to_u8: 64 => 32, brains, signed, unsigned_bytes;
    bf16_to_i16: 64 => 64, brains, signed, signed_pairs;
    bf16_to_u16: 64 => 64, brains, signed, unsigned_pairs;
    bf16_to_i32: 64 => 128, brains, signed, store_whole;
    bf16_to_u32: 64 => 128, brains, unsigned, store_whole;
    f32_to_i2: 128 => 32, singles, nearest, low_bits::<2, true>;
    f32_to_u2: 128 => 32, singles, nearest, low_bits::<2, false>;
    f32_to_i4: 128 => 32, singles, nearest, low_bits::<4, true>;
    f32_to_u4: 128 => 32, singles, nearest, low_bits::<4, false>;
    f32_to_i8: 128 => 32, singles, signed, signed_bytes;
    f32_to_u8: 128 => 32, singles, signed, unsigned_bytes;
    f32_to_i16: 128 => 64, singles, signed, signed_pairs;
    f32_to_u16: 128 => 64, singles, signed, unsigned_pairs;
    f32_to_i32: 128 => 128, singles, signed, store_whole;
    f32_to_u32: 128 => 128, singles, unsigned, store_whole;
    f64_to_i2: 256 => 32, doubles, nearest_doubles, low_bits::<2, true>;
    f64_to_u2: 256 => 32, doubles, nearest_doubles, low_bits::<2, false>;
    f64_to_i4: 256 => 32, doubles, nearest_doubles, low_bits::<4, true>;
    f64_to_u4: 256 => 32, doubles, nearest_doubles, low_bits::<4, false>;
    f64_to_i8: 256 => 32, doubles, signed_doubles, signed_bytes;
    f64_to_u8: 256 => 32, doubles, signed_doubles, unsigned_bytes;
    f64_to_i16: 256 => 64, doubles, signed_doubles, signed_pairs;
    f64_to_u16: 256 => 64, doubles, signed_doubles, unsigned_pairs;
    f64_to_i32: 256 => 128, doubles, signed_doubles, store_whole;
    f64_to_u32: 256 => 128, doubles, unsigned_doubles, store_whole;
}

type Doubles = [__m256d; 8];

#[inline]
#[target_feature(enable = "avx2")]
fn doubles(bytes: &[u8; 256]) -> Doubles {
    from_fn(|part| _mm256_castsi256_pd(load(bytes, part)))
}

/// Is any of the integers the lowest?
#[inline]
#[target_feature(enable = "avx2")]
fn any_lowest(integers: Integers) -> bool {
    let [a, b, c, d] =
        integers.map(|integers| _mm256_cmpeq_epi32(integers, _mm256_set1_epi32(i32::MIN)));
    let any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
    _mm256_movemask_epi8(any) != 0
}

/// Rounds towards zero.
#[inline]
#[target_feature(enable = "avx2")]
fn signed(values: Floats) -> Integers {
    let whole = values.map(|values| _mm256_cvttps_epi32(values));
    if !any_lowest(whole) {
        return whole;
    }
    values.map(|values| flip_above(values, _mm256_cvttps_epi32(number(values))))
}

/// Rounds to nearest, ties to even.
#[inline]
#[target_feature(enable = "avx2")]
fn nearest(values: Floats) -> Integers {
    let whole = values.map(|values| _mm256_cvtps_epi32(values));
    if !any_lowest(whole) {
        return whole;
    }
    values.map(|values| flip_above(values, _mm256_cvtps_epi32(number(values))))
}

const END: f64 = (1_u64 << 31) as f64;

/// Makes 0 of NaN.
#[inline]
#[target_feature(enable = "avx2")]
fn number(values: __m256) -> __m256 {
    _mm256_and_ps(values, _mm256_cmp_ps::<_CMP_ORD_Q>(values, values))
}

/// Makes the highest integer of the lowest, by flipping its bits, where the value is `END` or more: of 3e9 the conversion
/// makes 0x8000_0000, and all bits flipped 0x7fff_ffff. Below the range 0x8000_0000 is right.
#[inline]
#[target_feature(enable = "avx2")]
fn flip_above(values: __m256, whole: __m256i) -> __m256i {
    let above = _mm256_cmp_ps::<_CMP_GE_OQ>(values, _mm256_set1_ps(END as f32));
    _mm256_xor_si256(whole, _mm256_castps_si256(above))
}

/// Rounds towards zero, to unsigned integers. The maximum of NaN and zero, in this order, is zero.
#[inline]
#[target_feature(enable = "avx2")]
fn unsigned(values: Floats) -> Integers {
    let values = values.map(|values| _mm256_max_ps(values, _mm256_setzero_ps()));
    let whole = values.map(|values| _mm256_cvttps_epi32(values));
    if any_lowest(whole) { values.map(|values| unsigned_each(values)) } else { whole }
}

/// The upper half of the range is converted less `END`, and beyond the range all bits are set. 3e9 less 2^31 is 0x32d0_5e00,
/// and with the highest bit 0xb2d0_5e00; 5e9 is beyond 2^32 and gives 0xffff_ffff.
#[inline]
#[target_feature(enable = "avx2")]
fn unsigned_each(values: __m256) -> __m256i {
    let (half, end) = (_mm256_set1_ps(END as f32), _mm256_set1_ps(2.0 * END as f32));
    let upper = _mm256_cmp_ps::<_CMP_GE_OQ>(values, half);
    let above = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(values, end));
    let whole = _mm256_cvttps_epi32(_mm256_sub_ps(values, _mm256_and_ps(upper, half)));
    let bit = _mm256_slli_epi32::<31>(_mm256_castps_si256(upper));
    _mm256_or_si256(_mm256_xor_si256(whole, bit), above)
}

/// As [`signed`].
#[inline]
#[target_feature(enable = "avx2")]
fn signed_doubles(values: Doubles) -> Integers {
    let whole = join(values.map(|values| _mm256_cvttpd_epi32(values)));
    if !any_lowest(whole) {
        return whole;
    }
    join(values.map(|values| _mm256_cvttpd_epi32(bounded(values))))
}

/// As [`nearest`].
#[inline]
#[target_feature(enable = "avx2")]
fn nearest_doubles(values: Doubles) -> Integers {
    let whole = join(values.map(|values| _mm256_cvtpd_epi32(values)));
    if !any_lowest(whole) {
        return whole;
    }
    join(values.map(|values| _mm256_cvtpd_epi32(bounded(values))))
}

/// Makes 0 of NaN, and the highest integer of a value above. Below the range the conversion gives the
/// lowest.
#[inline]
#[target_feature(enable = "avx2")]
fn bounded(values: __m256d) -> __m256d {
    let number = _mm256_cmp_pd::<_CMP_ORD_Q>(values, values);
    _mm256_and_pd(_mm256_min_pd(values, _mm256_set1_pd(END - 1.0)), number)
}

/// As [`unsigned`]. float64 holds the integers of both ranges, so their middles are made one: 5 less 2^31 is converted to
/// 0x8000_0005, and the highest bit flipped gives 5.
#[inline]
#[target_feature(enable = "avx2")]
fn unsigned_doubles(values: Doubles) -> Integers {
    let shifted = values.map(|values| {
        let positive = _mm256_max_pd(values, _mm256_setzero_pd());
        let bounded = _mm256_min_pd(positive, _mm256_set1_pd(2.0 * END - 1.0));
        let whole = _mm256_round_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(bounded);
        _mm256_cvttpd_epi32(_mm256_sub_pd(whole, _mm256_set1_pd(END)))
    });
    join(shifted).map(|integers| _mm256_xor_si256(integers, _mm256_set1_epi32(i32::MIN)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn join([a, b, c, d, e, f, g, h]: [__m128i; 8]) -> Integers {
    [(a, b), (c, d), (e, f), (g, h)].map(|(low, high)| _mm256_set_m128i(high, low))
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_whole(integers: Integers, to: &mut [u8; 128]) {
    store_all(to, integers);
}

#[inline]
#[target_feature(enable = "avx2")]
fn signed_pairs(integers: Integers, to: &mut [u8; 64]) {
    store_all(to, to_i16(integers));
}

#[inline]
#[target_feature(enable = "avx2")]
fn unsigned_pairs(integers: Integers, to: &mut [u8; 64]) {
    store_all(to, to_u16(integers));
}

#[inline]
#[target_feature(enable = "avx2")]
fn signed_bytes(integers: Integers, to: &mut [u8; 32]) {
    store(to, 0, to_i8(integers));
}

#[inline]
#[target_feature(enable = "avx2")]
fn unsigned_bytes(integers: Integers, to: &mut [u8; 32]) {
    store(to, 0, to_u8(integers));
}

/// Bounds each integer to `BITS` bits, in a byte each. To int4 9 becomes 7, and of -3, which is 0xfd, the low bits are 0xd.
#[inline]
#[target_feature(enable = "avx2")]
fn low_bits<const BITS: u32, const SIGNED: bool>(integers: Integers, to: &mut [u8; 32]) {
    let bytes = if SIGNED {
        let (low, high) = (-1 << (BITS - 1), (1 << (BITS - 1)) - 1);
        let bounded = _mm256_min_epi8(to_i8(integers), _mm256_set1_epi8(high));
        let bounded = _mm256_max_epi8(bounded, _mm256_set1_epi8(low));
        _mm256_and_si256(bounded, _mm256_set1_epi8((1 << BITS) - 1))
    } else {
        _mm256_min_epu8(to_u8(integers), _mm256_set1_epi8((1 << BITS) - 1))
    };
    store(to, 0, bytes);
}
