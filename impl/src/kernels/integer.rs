//! Integers to float32 and back, and integers to integers.

use super::float::{self, Bounds, Narrow};
use super::{Map, Word};
use crate::arch::float_to_integer::{f32_between, f32_to_i32, f32_to_i32_between, f32_to_u32};
use crate::format::FloatFormat;
use crate::rules::Rules;
use core::marker::PhantomData;

/// Integers to float32, for targets of at most 16 bits. Those of at most 16 bits convert exactly.
/// Those of 32 and 64 bits are rounded to odd, with as many bits as these targets need. An integer
/// of at most 8 bits takes a byte.
pub(crate) struct ToFloat<W, const BITS: u32, const SIGNED: bool>(PhantomData<W>);

impl<W: Word, const BITS: u32, const SIGNED: bool> Map for ToFloat<W, BITS, SIGNED> {
    const NAME: &'static str = "integer::ToFloat";
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

/// Integers clamped to 6 bits, in a byte each. Serves targets whose largest value is below 31: an
/// integer that is clamped becomes that value either way.
pub(crate) struct Clamp<W, const SIGNED: bool>(PhantomData<W>);

/// Bits that [`Clamp`] leaves.
pub(crate) const CLAMPED_BITS: u32 = 6;

impl<W: Word, const SIGNED: bool> Map for Clamp<W, SIGNED> {
    const NAME: &'static str = "integer::Clamp";
    type In = W;
    type Out = u8;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: W) -> u8 {
        let range = 1 << CLAMPED_BITS;
        let clamped = if SIGNED {
            code.clamped(-range / 2, range / 2 - 1)
        } else {
            code.at_most(range as u64 - 1)
        };
        clamped.to_u32() as u8 & (range - 1) as u8
    }
}

/// Clamped integers to a float of at most 6 bits: to nearest, ties to even.
pub(crate) struct FromClamped<F, const SIGNED: bool>(PhantomData<F>);

impl<F: FloatFormat, const SIGNED: bool> Map for FromClamped<F, SIGNED> {
    const NAME: &'static str = "integer::FromClamped";
    type In = u8;
    type Out = u8;
    type Setup = Bounds;
    #[inline(always)]
    fn setup(rules: &Rules) -> Bounds {
        <Narrow<F, u8> as Map>::setup(rules)
    }
    #[inline(always)]
    fn map(bounds: &Bounds, code: u8) -> u8 {
        let value = extend(CLAMPED_BITS, SIGNED, code.into()) as i32 as f32;
        <Narrow<F, u8> as Map>::map(bounds, value.to_bits())
    }
}

/// Integers of 16 bits and more to a float of at most 8 bits whose largest value is below 2^17 and
/// whose smallest normal number is at most 1: to nearest, ties to even.
pub(crate) struct ToShortFloat<F, W, const BITS: u32, const SIGNED: bool>(PhantomData<(F, W)>);

impl<F: FloatFormat, W: Word, const BITS: u32, const SIGNED: bool> Map
    for ToShortFloat<F, W, BITS, SIGNED>
{
    const NAME: &'static str = "integer::ToShortFloat";
    type In = W;
    type Out = u8;
    type Setup = Bounds;
    #[inline(always)]
    fn setup(rules: &Rules) -> Bounds {
        <Narrow<F, u8> as Map>::setup(rules)
    }
    #[inline(always)]
    fn map(bounds: &Bounds, code: W) -> u8 {
        // Beyond 2^17 all integers overflow; up to there float32 holds them.
        const FAR: i64 = 1 << 17;
        let value = match (BITS, SIGNED) {
            (..=16, _) => extend(BITS, SIGNED, code.to_u32()) as i32,
            (_, true) => code.clamped(-FAR, FAR).to_u32() as i32,
            (_, false) => code.at_most(FAR as u64).to_u32() as i32,
        };
        let magnitude = (value.wrapping_abs() as f32).to_bits();
        let limited = float::round_normal(F::FORMAT, magnitude).min(bounds.limit);
        let sign = if value < 0 { F::FORMAT.sign() as u32 } else { 0 };
        (if value == 0 { 0 } else { limited | sign }) as u8
    }
}

/// Rounds to odd, in two's complement: clears the bits that float32 cannot hold, and sets the last
/// remaining bit if one of them was set. At least 17 significant bits remain.
///
/// Of 16,777,217, which is 0x0100_0001, the last 8 bits are cut. 0x01 and 0xff make 0x100, so 0x0100_0100 is left, which
/// float32 holds; of 0x0100_0000 nothing is cut.
#[inline(always)]
fn odd_from_32(signed: bool, code: u32) -> u32 {
    let sign = if signed { (code as i32 >> 31) as u32 } else { 0 };
    let cut = if code ^ sign < 1 << 24 { 0 } else { 0xff };
    let odd = code & !cut | ((code & cut) + cut) & !cut;
    (if signed { odd as i32 as f32 } else { odd as f32 }).to_bits()
}

/// Rounds to odd, as [`odd_from_32`] does. Beyond 2^24, where float16 overflows, at least 10 bits
/// remain, which is enough for the 8 of bfloat16.
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
    const NAME: &'static str = "integer::FromFloat";
    type In = u32;
    type Out = W;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), bits: u32) -> W {
        let value = f32::from_bits(bits);
        let (low, high) = ends(BITS, SIGNED);
        match (BITS, SIGNED) {
            (32, true) => W::low(f32_to_i32(value) as u32),
            (32, false) => W::low(f32_to_u32(value)),
            (16, _) | (8, _) => W::low(f32_to_i32_between(value, low, high) as u32),
            _ => W::low(nearest(f32_between(value, low, high)) & ((1 << BITS) - 1)),
        }
    }
}

/// The lowest and the highest integer of at most 16 bits.
#[inline(always)]
const fn ends(bits: u32, signed: bool) -> (i16, u16) {
    let bits = if bits > 16 { 16 } else { bits };
    if signed { (-1 << (bits - 1), u16::MAX >> (17 - bits)) } else { (0, u16::MAX >> (16 - bits)) }
}

/// Rounds a small value to the nearest integer, ties to even, in two's complement. Adding a number
/// whose last bit is worth one leaves the integer in the low bits: 12,582,912 is 0x4b40_0000, with 2.5 it is 0x4b40_0002,
/// and with -3 it is 0x4b3f_fffd, whose low bits are those of -3.
#[inline(always)]
fn nearest(value: f32) -> u32 {
    const LARGE: f32 = (3 << 22) as f32;
    (value + LARGE).to_bits()
}

/// Integer to integer: sign-extended, zero-extended or truncated to the low bits (II-01, II-02). An
/// integer of less than 8 bits takes a byte.
pub(crate) struct Resize<S, T, const FROM: u32, const SIGNED: bool, const TO: u32>(
    PhantomData<(S, T)>,
);

impl<S: Word, T: Word, const FROM: u32, const SIGNED: bool, const TO: u32> Map
    for Resize<S, T, FROM, SIGNED, TO>
{
    const NAME: &'static str = "integer::Resize";
    type In = S;
    type Out = T;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: S) -> T {
        let wide = match (SIGNED, FROM) {
            (false, _) => code.to_u64(),
            // Sign-extends part of a byte: flips the sign bit and subtracts its value. Of int4 0xd becomes 5, and 5 - 8 is -3.
            (true, ..8) => (code.to_u64() ^ 1 << (FROM - 1)).wrapping_sub(1 << (FROM - 1)),
            (true, _) => code.to_i64() as u64,
        };
        T::low_64(if TO < 8 { wide & ((1 << TO) - 1) } else { wide })
    }
}

/// An integer of at least 8 bits to another one that does not have all its numbers: the nearest end of
/// the range for what it does not have.
pub(crate) struct Saturate<S, T, const FROM_SIGNED: bool, const TO_SIGNED: bool>(
    PhantomData<(S, T)>,
);

impl<S: Word, T: Word, const FROM_SIGNED: bool, const TO_SIGNED: bool> Map
    for Saturate<S, T, FROM_SIGNED, TO_SIGNED>
{
    const NAME: &'static str = "integer::Saturate";
    type In = S;
    type Out = T;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: S) -> T {
        let largest = |bytes: usize, signed| (u64::MAX >> (64 - 8 * bytes)) >> u32::from(signed);
        let (of_target, of_source) =
            (largest(size_of::<T>(), TO_SIGNED), largest(size_of::<S>(), FROM_SIGNED));
        let high = of_target.min(of_source);
        if !FROM_SIGNED {
            return T::low_64(code.at_most(high).to_u64());
        }
        // A signed target is narrower.
        let low = if TO_SIGNED { -(high as i64) - 1 } else { 0 };
        T::low_64(code.clamped(low, high as i64).to_i64() as u64)
    }
}

/// An element to true unless the bits of `MASK` are 0 (B-01, B-02, B-04, B-08).
pub(crate) struct ToBool<W, const MASK: u64>(PhantomData<W>);

impl<W: Word, const MASK: u64> Map for ToBool<W, MASK> {
    const NAME: &'static str = "integer::ToBool";
    type In = W;
    type Out = u8;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: W) -> u8 {
        u8::from(code.to_u64() & MASK != 0)
    }
}

/// float8e8m0 to true: none of its codes is zero.
pub(crate) struct AlwaysTrue;

impl Map for AlwaysTrue {
    const NAME: &'static str = "integer::AlwaysTrue";
    type In = u8;
    type Out = u8;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), _: u8) -> u8 {
        1
    }
}

/// bool to 0 and 1; any byte but 0 is true (B-07).
pub(crate) struct FromBool<T>(PhantomData<T>);

impl<T: Word> Map for FromBool<T> {
    const NAME: &'static str = "integer::FromBool";
    type In = u8;
    type Out = T;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), byte: u8) -> T {
        T::low(u32::from(byte != 0))
    }
}

#[inline(always)]
fn extend(bits: u32, signed: bool, code: u32) -> u32 {
    let unused = 32 - bits;
    if signed { (((code << unused) as i32) >> unused) as u32 } else { code }
}
