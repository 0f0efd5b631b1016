//! Integers to float32 and back, and integers to integers.

use super::{Map, Word};
use crate::arch::float_to_integer::{f32_to_i32, f32_to_u32};
use crate::cast::Rules;
use core::marker::PhantomData;

/// Integers of at most 16 bits to float32: exact. Those of 32 and 64 bits: rounded to odd, which
/// serves targets of at most 14 significant bits. One of at most 8 bits takes a byte each.
pub(crate) struct ToFloat<W, const BITS: u32, const SIGNED: bool>(PhantomData<W>);

impl<W: Word, const BITS: u32, const SIGNED: bool> Map for ToFloat<W, BITS, SIGNED> {
    type In = W;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: W) -> u32 {
        match BITS {
            64 => odd_from_64(SIGNED, code.to_u64()),
            32 => odd_from_32(SIGNED, code.to_u32()),
            _ => (extend(BITS, SIGNED, code.to_u32()) as i32 as f32).to_bits(),
        }
    }
}

/// Rounded to odd, in two's complement: bits that float32 has no room for are cleared, and the
/// last bit that stays is set if one of them was. At least 17 significant bits stay.
#[inline(always)]
fn odd_from_32(signed: bool, code: u32) -> u32 {
    let sign = if signed { (code as i32 >> 31) as u32 } else { 0 };
    let cut = if code ^ sign < 1 << 24 { 0 } else { 0xff };
    let odd = code & !cut | ((code & cut) + cut) & !cut;
    (if signed { odd as i32 as f32 } else { odd as f32 }).to_bits()
}

/// As [`odd_from_32`]. Beyond 2^24, where float16 is long infinite, at least 10 bits stay, which
/// is enough for the 8 of bfloat16.
#[inline(always)]
fn odd_from_64(signed: bool, code: u64) -> u32 {
    let sign = if signed { (code as i64 >> 63) as u64 } else { 0 };
    let magnitude = code ^ sign;
    let cut = if magnitude < 1 << 38 { (1 << 14) - 1 } else { (1 << 28) - 1 };
    let cut = if magnitude < 1 << 52 { cut } else { (1 << 40) - 1 };
    let cut = if magnitude < 1 << 24 { 0 } else { cut };
    let odd = code & !cut | ((code & cut) + cut) & !cut;
    (if signed { odd as i64 as f32 } else { odd as f32 }).to_bits()
}

/// float32 to integers: towards zero (FI-02), those of 2 and 4 bits to nearest, ties to even
/// (I4-02). Out of range gives the nearest end of the range and NaN gives 0.
pub(crate) struct FromFloat<W, const BITS: u32, const SIGNED: bool>(PhantomData<W>);

impl<W: Word, const BITS: u32, const SIGNED: bool> Map for FromFloat<W, BITS, SIGNED> {
    type In = u32;
    type Out = W;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), bits: u32) -> W {
        let value = f32::from_bits(bits);
        match (BITS, SIGNED) {
            (32, true) => W::low(f32_to_i32(value) as u32),
            (32, false) => W::low(f32_to_u32(value)),
            (16, _) | (8, _) => W::low(f32_to_i32(bounded(BITS, SIGNED, value)) as u32),
            _ => W::low(nearest(bounded(BITS, SIGNED, value)) & ((1 << BITS) - 1)),
        }
    }
}

/// The nearest end of the range for what is out of it, NaN as 0.
#[inline(always)]
fn bounded(bits: u32, signed: bool, value: f32) -> f32 {
    let (low, high) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let (low, high) = (low as f32, high as f32);
    let above = if value > low { value } else { low };
    let inside = if above < high { above } else { high };
    if value.is_nan() { 0.0 } else { inside }
}

/// The nearest integer to a small value, ties to even, in two's complement: added to a number
/// whose last bit is worth one, the value ends up in the low bits.
#[inline(always)]
fn nearest(value: f32) -> u32 {
    const LARGE: f32 = (3 << 22) as f32;
    (value + LARGE).to_bits()
}

/// An integer, sign-extended or zero-extended to 32 bits; of 64 bits the low 32 (II-02).
pub(crate) struct ToWord<W, const BITS: u32, const SIGNED: bool>(PhantomData<W>);

impl<W: Word, const BITS: u32, const SIGNED: bool> Map for ToWord<W, BITS, SIGNED> {
    type In = W;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: W) -> u32 {
        if BITS < 32 { extend(BITS, SIGNED, code.to_u32()) } else { code.to_u32() }
    }
}

/// The low bits of 32 (II-02).
pub(crate) struct FromWord<W, const BITS: u32>(PhantomData<W>);

impl<W: Word, const BITS: u32> Map for FromWord<W, BITS> {
    type In = u32;
    type Out = W;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), word: u32) -> W {
        W::low(word & (u32::MAX >> (32 - BITS)))
    }
}

/// 32 bits, sign-extended or zero-extended to 64 (II-01, II-02).
pub(crate) struct Extend<const SIGNED: bool>;

impl<const SIGNED: bool> Map for Extend<SIGNED> {
    type In = u32;
    type Out = u64;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), word: u32) -> u64 {
        if SIGNED { i64::from(word as i32) as u64 } else { u64::from(word) }
    }
}

/// Any code but 0 to true (B-04, B-08).
pub(crate) struct ToBool<W>(PhantomData<W>);

impl<W: Word> Map for ToBool<W> {
    type In = W;
    type Out = u8;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: W) -> u8 {
        u8::from(code.to_u64() != 0)
    }
}

/// bool to 0 and 1 in 32 bits; any byte but 0 is true (B-07).
pub(crate) struct FromBool;

impl Map for FromBool {
    type In = u8;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), byte: u8) -> u32 {
        u32::from(byte != 0)
    }
}

#[inline(always)]
fn extend(bits: u32, signed: bool, code: u32) -> u32 {
    let unused = 32 - bits;
    if signed { (((code << unused) as i32) >> unused) as u32 } else { code }
}
