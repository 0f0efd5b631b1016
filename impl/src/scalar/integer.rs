//! Integers: a code to its value, a value to its code, and integer to integer.

use super::unpacked::{Class, Unpacked, round_shift};
use crate::rules::{Integers, Kept, Replaced, Rounding, Rules};

/// A two's complement or unsigned code of `BITS` bits to its value.
pub(super) fn decode<const BITS: u32, const SIGNED: bool>(code: u64) -> Unpacked {
    let wide = widen(BITS, SIGNED, code);
    let negative = SIGNED && (wide as i64) < 0;
    let magnitude = if negative { wide.wrapping_neg() } else { wide };
    Unpacked::finite(negative, magnitude, 0)
}

/// Converts a value to an integer of `BITS` bits: towards zero (FI-02), or to nearest, ties to
/// even, for 2 and 4 bits (I4-02). Out of range gives the nearest end of the range and NaN gives 0;
/// ONNX leaves both open (FI-04, FI-05, I4-03), and a profile may replace them.
pub(super) fn encode<const BITS: u32, const SIGNED: bool>(rules: &Rules, value: &Unpacked) -> u64 {
    let mask = u64::MAX >> (64 - BITS);
    if let Integers::Replaced(replaced) = &rules.integers {
        return replace(replaced, value) & mask;
    }
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

/// Rounds a value to an integer, and replaces it if it is not among the integers that are kept.
fn replace(rules: &Replaced, value: &Unpacked) -> u64 {
    let magnitude = match rules.rounding {
        // Numbers from 2^53 on are integers.
        _ if value.exponent >= 53 => towards_zero(value),
        Rounding::TowardsZero => towards_zero(value),
        Rounding::Nearest => nearest(value),
        Rounding::NearestAway => nearest_away(value),
        Rounding::Up if value.negative => towards_zero(value),
        Rounding::Down if !value.negative => towards_zero(value),
        Rounding::Up | Rounding::Down => towards_zero(value) + u64::from(has_fraction(value)),
    };
    let limit = match rules.kept {
        Kept::Bits { bits, signed: true } if value.negative => Some(1 << (bits - 1)),
        Kept::Bits { bits, signed: true } => Some((1 << (bits - 1)) - 1),
        Kept::Bits { signed: false, .. } if value.negative => Some(0),
        Kept::Bits { bits, .. } => Some(u64::MAX >> (64 - bits)),
        Kept::Either64 if value.negative => Some(1 << 63),
        Kept::Either64 => Some(u64::MAX),
        Kept::All => None,
    };
    let is_kept = match limit {
        // A finite magnitude from 2^64 on is no u64.
        Some(limit) => value.exponent < 64 && magnitude <= limit,
        None => true,
    };
    match value.class {
        Class::Nan => rules.nan,
        Class::Finite if is_kept => {
            let low = match value.exponent {
                64.. => value.significand.checked_shl(value.exponent as u32 - 63).unwrap_or(0),
                _ => magnitude,
            };
            if value.negative { low.wrapping_neg() } else { low }
        }
        _ if value.negative => rules.below,
        _ => rules.above,
    }
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

/// Is a value below 2^53 no integer?
fn has_fraction(value: &Unpacked) -> bool {
    match value.exponent {
        ..0 => value.significand != 0,
        exponent => value.significand << (exponent + 1) != 0,
    }
}

/// Rounds the magnitude of a finite value to nearest, ties to even. From 2^62 on the result is some
/// number of at least 2^62, which is beyond the narrow integers that use this function.
fn nearest(value: &Unpacked) -> u64 {
    round_shift(value.significand, (63 - value.exponent.min(62)) as u32)
}

/// The same for a value below 2^53, ties away from zero.
fn nearest_away(value: &Unpacked) -> u64 {
    let whole = towards_zero(value);
    // The first bit of the fraction is worth a half.
    let half = match value.exponent {
        ..-1 => 0,
        exponent => value.significand >> (62 - exponent) & 1,
    };
    whole + half
}
