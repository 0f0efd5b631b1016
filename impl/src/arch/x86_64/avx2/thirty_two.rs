//! 32 elements in registers: from memory to float32 and to integers of 32 bits, and from there to
//! narrower integers.

use super::memory::{load, load_half, load_quarter};
use core::arch::x86_64::*;
use core::array::from_fn;

/// 32 elements of float32.
pub(super) type Floats = [__m256; 4];

/// 32 integers of 32 bits.
pub(super) type Integers = [__m256i; 4];

/// float16 as float32.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn halves(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| _mm256_cvtph_ps(load_half(bytes, part)))
}

/// bfloat16 as float32, of which it is the upper half.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn brains(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| {
        let codes = _mm256_cvtepu16_epi32(load_half(bytes, part));
        _mm256_castsi256_ps(_mm256_slli_epi32::<16>(codes))
    })
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn singles(bytes: &[u8; 128]) -> Floats {
    from_fn(|part| _mm256_castsi256_ps(load(bytes, part)))
}

/// int8 as float32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn signed_bytes(bytes: &[u8; 32]) -> Floats {
    from_fn(|part| _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load_quarter(bytes, part))))
}

/// uint8 as float32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn unsigned_bytes(bytes: &[u8; 32]) -> Floats {
    from_fn(|part| _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(load_quarter(bytes, part))))
}

/// int16 as float32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn signed_pairs(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(load_half(bytes, part))))
}

/// uint16 as float32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn unsigned_pairs(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(load_half(bytes, part))))
}

/// Is any of the elements NaN?
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn any_nan([a, b, c, d]: Floats) -> bool {
    let first = _mm256_cmp_ps::<_CMP_UNORD_Q>(a, b);
    let second = _mm256_cmp_ps::<_CMP_UNORD_Q>(c, d);
    _mm256_movemask_ps(first) | _mm256_movemask_ps(second) != 0
}

/// Clears the payloads of NaN: 0xffa0_0001 becomes 0xffc0_0000. Other values are unchanged. One test passes 32 elements
/// without NaN.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn quiet(values: Floats) -> Floats {
    if any_nan(values) { values.map(|values| quiet_each(values)) } else { values }
}

#[inline]
#[target_feature(enable = "avx2")]
fn quiet_each(values: __m256) -> __m256 {
    /// The quiet NaN without payload, as float32.
    const NAN: f32 = f32::from_bits(0x7fc0_0000);
    let nan = _mm256_or_ps(_mm256_and_ps(values, _mm256_set1_ps(-0.0)), _mm256_set1_ps(NAN));
    _mm256_blendv_ps(values, nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(values, values))
}

/// Narrows to 16 bits; beyond the range gives the nearest end of it. In the order of the elements.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_i16([a, b, c, d]: Integers) -> [__m256i; 2] {
    [in_order(_mm256_packs_epi32(a, b)), in_order(_mm256_packs_epi32(c, d))]
}

/// As [`to_i16`], to unsigned integers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_u16([a, b, c, d]: Integers) -> [__m256i; 2] {
    [in_order(_mm256_packus_epi32(a, b)), in_order(_mm256_packus_epi32(c, d))]
}

/// As [`to_i16`], to 8 bits.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_i8([a, b, c, d]: Integers) -> __m256i {
    let (low, high) = (_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    fours_in_order(_mm256_packs_epi16(low, high))
}

/// As [`to_i8`], to unsigned integers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn to_u8([a, b, c, d]: Integers) -> __m256i {
    let (low, high) = (_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    fours_in_order(_mm256_packus_epi16(low, high))
}

/// Packing two vectors alternates between their halves: of 0 to 7 and 8 to 15 it makes 0 to 3, 8 to 11, 4 to 7, 12 to 15.
/// This puts the quarters in order.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn in_order(vector: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(vector)
}

/// The same after four vectors were packed into one.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn fours_in_order(vector: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(vector, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}
