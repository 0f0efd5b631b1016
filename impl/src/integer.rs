//! Integers: codes to values, values to codes, and integer to integer.

use crate::cast::Rules;
use crate::unpacked::{Class, Unpacked, round_shift};
use core::hint::select_unpredictable;

/// Two's complement or unsigned codes of `BITS` bits to values.
pub(crate) fn decode<const BITS: u32, const SIGNED: bool>(codes: &[u64], values: &mut [Unpacked]) {
    for (value, code) in values.iter_mut().zip(codes) {
        let wide = widen(BITS, SIGNED, *code);
        let negative = SIGNED && (wide as i64) < 0;
        let magnitude = if negative { wide.wrapping_neg() } else { wide };
        *value = Unpacked::finite(negative, magnitude, 0);
    }
}

/// Values to integers of `BITS` bits: towards zero (FI-02), those of 2 and 4 bits to nearest, ties
/// to even (I4-02). Out of range gives the nearest end of the range and NaN gives 0; the rules
/// leave both open (FI-04, FI-05, I4-03).
pub(crate) fn encode<const BITS: u32, const SIGNED: bool>(
    _: &Rules,
    values: &[Unpacked],
    codes: &mut [u64],
) {
    let mask = u64::MAX >> (64 - BITS);
    let (positive_end, negative_end) =
        if SIGNED { (mask >> 1, (mask >> 1) + 1) } else { (mask, 0) };
    for (code, value) in codes.iter_mut().zip(values) {
        let whole = if BITS < 8 { nearest(value) } else { towards_zero(value) };
        let number = select_unpredictable(value.class == Class::Infinite, u64::MAX, whole);
        let magnitude = select_unpredictable(value.class == Class::Nan, 0, number);
        let end = select_unpredictable(value.negative, negative_end, positive_end);
        let sign = u64::from(value.negative).wrapping_neg();
        *code = ((magnitude.min(end) ^ sign).wrapping_sub(sign)) & mask;
    }
}

/// Integer to integer, in place: the low bits, in two's complement (II-01, II-02).
pub(crate) fn wrap(from_bits: u32, from_signed: bool, to_mask: u64, codes: &mut [u64]) {
    for code in codes {
        *code = widen(from_bits, from_signed, *code) & to_mask;
    }
}

/// A code of `bits` bits, sign-extended or zero-extended to 64.
#[inline(always)]
fn widen(bits: u32, signed: bool, code: u64) -> u64 {
    let unused = 64 - bits;
    if signed { (((code << unused) as i64) >> unused) as u64 } else { code }
}

/// The magnitude of a finite value without its fraction; `u64::MAX` from 2^64 on.
#[inline(always)]
fn towards_zero(value: &Unpacked) -> u64 {
    let kept = value.significand.wrapping_shr((63 - value.exponent) as u32);
    let kept = select_unpredictable(value.exponent < 0, 0, kept);
    select_unpredictable(value.exponent > 63, u64::MAX, kept)
}

/// The magnitude of a finite value, to nearest, ties to even; anything from 2^62 on for values as
/// large, which is beyond the narrow integers that this is for.
#[inline(always)]
fn nearest(value: &Unpacked) -> u64 {
    round_shift(value.significand, (63 - value.exponent.min(62)) as u32)
}
