//! 16 elements in registers: from memory to float32 and to integers of 32 bits, and from there to
//! narrower integers.

use super::memory::load;
use core::arch::aarch64::*;
use core::arch::asm;
use core::array::from_fn;

/// 16 elements of float32.
pub(super) type Floats = [float32x4_t; 4];

/// 16 elements of float64.
pub(super) type Doubles = [float64x2_t; 8];

/// 16 integers of 32 bits.
pub(super) type Integers = [int32x4_t; 4];

/// float16 as float32.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn halves(bytes: &[u8; 32]) -> Floats {
    let (low, high) = (load(bytes, 0), load(bytes, 1));
    [first_halves(low), last_halves(low), first_halves(high), last_halves(high)]
}

/// The first four of eight float16 as float32. Written by hand, because the intrinsic needs a newer
/// Rust than this crate does.
#[inline]
#[target_feature(enable = "neon")]
fn first_halves(codes: uint8x16_t) -> float32x4_t {
    let singles;
    // SAFETY: the instruction changes only the register that it names, and the exception flags,
    // which the block does not promise to preserve.
    unsafe {
        asm!(
            "fcvtl {singles:v}.4s, {codes:v}.4h",
            codes = in(vreg) codes,
            singles = out(vreg) singles,
            options(pure, nomem, nostack),
        );
    }
    singles
}

/// The last four.
#[inline]
#[target_feature(enable = "neon")]
fn last_halves(codes: uint8x16_t) -> float32x4_t {
    let singles;
    // SAFETY: as for the first ones.
    unsafe {
        asm!(
            "fcvtl2 {singles:v}.4s, {codes:v}.8h",
            codes = in(vreg) codes,
            singles = out(vreg) singles,
            options(pure, nomem, nostack),
        );
    }
    singles
}

/// Eight float32 as float16, to nearest. Written by hand for the same reason.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn eight_halves(first: float32x4_t, last: float32x4_t) -> uint8x16_t {
    let codes;
    // SAFETY: as for the conversions to float32. The first instruction writes the output, so that
    // it must not share a register with the input of the second.
    unsafe {
        asm!(
            "fcvtn {codes:v}.4h, {first:v}.4s",
            "fcvtn2 {codes:v}.8h, {last:v}.4s",
            first = in(vreg) first,
            last = in(vreg) last,
            codes = out(vreg) codes,
            options(pure, nomem, nostack),
        );
    }
    codes
}

/// bfloat16 as float32, of which it is the upper half.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn brains(bytes: &[u8; 32]) -> Floats {
    let zero = vdupq_n_u16(0);
    let (low, high) = (pairs(bytes, 0), pairs(bytes, 1));
    let [a, b] = [vzip1q_u16(zero, low), vzip2q_u16(zero, low)];
    let [c, d] = [vzip1q_u16(zero, high), vzip2q_u16(zero, high)];
    [a, b, c, d].map(|codes| vreinterpretq_f32_u16(codes))
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn singles(bytes: &[u8; 64]) -> Floats {
    from_fn(|part| vreinterpretq_f32_u8(load(bytes, part)))
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn doubles(bytes: &[u8; 128]) -> Doubles {
    from_fn(|part| vreinterpretq_f64_u8(load(bytes, part)))
}

/// float64 as float32, rounded to odd: what overflows becomes the largest number, which is odd.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn odd(values: Doubles) -> Floats {
    from_fn(|part| {
        let first = vcvtx_f32_f64(values[2 * part]);
        vcvtx_high_f32_f64(first, values[2 * part + 1])
    })
}

/// float64 as float32, rounded to odd.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn odd_doubles(bytes: &[u8; 128]) -> Floats {
    odd(doubles(bytes))
}

/// int8 as float32.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn signed_bytes(bytes: &[u8; 16]) -> Floats {
    let codes = vreinterpretq_s8_u8(load(bytes, 0));
    signed_numbers(vmovl_s8(vget_low_s8(codes)), vmovl_high_s8(codes))
}

/// uint8 as float32.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn unsigned_bytes(bytes: &[u8; 16]) -> Floats {
    let codes = load(bytes, 0);
    unsigned_numbers(vmovl_u8(vget_low_u8(codes)), vmovl_high_u8(codes))
}

/// int16 as float32.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn signed_pairs(bytes: &[u8; 32]) -> Floats {
    let [low, high] = [pairs(bytes, 0), pairs(bytes, 1)].map(|codes| vreinterpretq_s16_u16(codes));
    signed_numbers(low, high)
}

/// uint16 as float32.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn unsigned_pairs(bytes: &[u8; 32]) -> Floats {
    unsigned_numbers(pairs(bytes, 0), pairs(bytes, 1))
}

/// Eight elements of two bytes.
#[inline]
#[target_feature(enable = "neon")]
fn pairs(bytes: &[u8; 32], number: usize) -> uint16x8_t {
    vreinterpretq_u16_u8(load(bytes, number))
}

#[inline]
#[target_feature(enable = "neon")]
fn signed_numbers(low: int16x8_t, high: int16x8_t) -> Floats {
    let [a, b] = [vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low)];
    let [c, d] = [vmovl_s16(vget_low_s16(high)), vmovl_high_s16(high)];
    [a, b, c, d].map(|integers| vcvtq_f32_s32(integers))
}

#[inline]
#[target_feature(enable = "neon")]
fn unsigned_numbers(low: uint16x8_t, high: uint16x8_t) -> Floats {
    let [a, b] = [vmovl_u16(vget_low_u16(low)), vmovl_high_u16(low)];
    let [c, d] = [vmovl_u16(vget_low_u16(high)), vmovl_high_u16(high)];
    [a, b, c, d].map(|integers| vcvtq_f32_u32(integers))
}

/// Is any of the elements NaN? The maximum of NaN and another value is NaN.
#[inline]
#[target_feature(enable = "neon")]
fn any_nan([a, b, c, d]: Floats) -> bool {
    vmaxvq_f32(vmaxq_f32(vmaxq_f32(a, b), vmaxq_f32(c, d))).is_nan()
}

/// Clears the payloads of NaN; other values are unchanged. One test passes 16 elements without NaN.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn quiet(mut values: Floats) -> Floats {
    if any_nan(values) {
        // A loop, because the compiler does not always inline `map`.
        for values in &mut values {
            *values = quiet_each(*values);
        }
    }
    values
}

#[inline]
#[target_feature(enable = "neon")]
fn quiet_each(values: float32x4_t) -> float32x4_t {
    /// The quiet NaN without payload, as float32.
    const NAN: f32 = f32::from_bits(0x7fc0_0000);
    let nan = vbslq_f32(vdupq_n_u32(1 << 31), values, vdupq_n_f32(NAN));
    vbslq_f32(vceqq_f32(values, values), values, nan)
}

/// Narrows to 16 bits; beyond the range gives the nearest end of it.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn to_i16(integers: Integers) -> [int16x8_t; 2] {
    from_fn(|part| {
        let first = vqmovn_s32(integers[2 * part]);
        vqmovn_high_s32(first, integers[2 * part + 1])
    })
}

/// As [`to_i16`], to unsigned integers.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn to_u16(integers: Integers) -> [uint16x8_t; 2] {
    from_fn(|part| {
        let first = vqmovun_s32(integers[2 * part]);
        vqmovun_high_s32(first, integers[2 * part + 1])
    })
}

/// As [`to_i16`], to 8 bits.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn to_i8(integers: Integers) -> int8x16_t {
    let [first, last] = to_i16(integers);
    vqmovn_high_s16(vqmovn_s16(first), last)
}

/// As [`to_i8`], to unsigned integers.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn to_u8(integers: Integers) -> uint8x16_t {
    let [first, last] = to_i16(integers);
    vqmovun_high_s16(vqmovun_s16(first), last)
}
