//! Integers: a code to its value, a value to its code, and integer to integer.

use super::unpacked::{Class, Unpacked, round_shift};
use crate::rules::Rules;

/// A two's complement or unsigned code of `BITS` bits to its value.
pub(super) fn decode<const BITS: u32, const SIGNED: bool>(code: u64) -> Unpacked {
    let wide = widen(BITS, SIGNED, code);
    let negative = SIGNED && (wide as i64) < 0;
    let magnitude = if negative { wide.wrapping_neg() } else { wide };
    Unpacked::finite(negative, magnitude, 0)
}

/// Converts a value to an integer of `BITS` bits: towards zero (FI-02), or to nearest, ties to
/// even, for 2 and 4 bits (I4-02). Out of range gives the nearest end of the range and NaN gives 0;
/// the rules leave both open (FI-04, FI-05, I4-03).
pub(super) fn encode<const BITS: u32, const SIGNED: bool>(_: &Rules, value: &Unpacked) -> u64 {
    let mask = u64::MAX >> (64 - BITS);
    let (positive_end, negative_end) =
        if SIGNED { (mask >> 1, (mask >> 1) + 1) } else { (mask, 0) };
    let magnitude = match value.class {
        Class::Nan => 0,
        Class::Infinite => u64::MAX,
        Class::Finite if BITS < 8 => nearest(value),
        Class::Finite => towards_zero(value),
    };
    let end = if value.negative { negative_end } else { positive_end };
    let bounded = magnitude.min(end);
    (if value.negative { bounded.wrapping_neg() } else { bounded }) & mask
}

/// A code of `bits` bits, sign-extended or zero-extended to 64.
pub(crate) fn widen(bits: u32, signed: bool, code: u64) -> u64 {
    let unused = 64 - bits;
    if signed { (((code << unused) as i64) >> unused) as u64 } else { code }
}

/// The magnitude of a finite value without its fraction; `u64::MAX` from 2^64 on.
fn towards_zero(value: &Unpacked) -> u64 {
    match value.exponent {
        ..0 => 0,
        0..64 => value.significand >> (63 - value.exponent),
        _ => u64::MAX,
    }
}

/// Rounds the magnitude of a finite value to nearest, ties to even. From 2^62 on the result is some
/// number of at least 2^62, which is beyond the narrow integers that use this function.
fn nearest(value: &Unpacked) -> u64 {
    round_shift(value.significand, (63 - value.exponent.min(62)) as u32)
}
