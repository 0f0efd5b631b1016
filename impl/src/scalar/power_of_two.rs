//! float8e8m0: powers of two from 2^-127 to 2^127 and one NaN; no sign, no zero, no infinity.

use super::unpacked::{Class, Unpacked};
use crate::rules::{Rules, ScaleRange};
use castproof_vectors::RoundMode;

const BIAS: i32 = 127;
const MIN: u64 = 0x00;
const MAX: u64 = 0xfe;
const NAN: u64 = 0xff;

/// A power of two (E8-20).
pub(super) fn decode(code: u64) -> Unpacked {
    let power = Unpacked::finite(false, 1, code as i32 - BIAS);
    Unpacked { class: if code == NAN { Class::Nan } else { Class::Finite }, ..power }
}

/// Encodes the power of two above, below or nearest (E8-08 to E8-12). The range is checked before
/// rounding (E8-06, E8-07) unless the rules say otherwise; zero and negative values count as below
/// the range.
pub(super) fn encode(rules: &Rules, value: &Unpacked) -> u64 {
    let value = &Unpacked { negative: value.negative && !rules.scale_of_magnitude, ..*value };
    if rules.scale_range != ScaleRange::BeforeRounding && !rules.saturate {
        return after_rounding(rules, value);
    }
    let (below, above) = if rules.saturate { (MIN, MAX) } else { (NAN, NAN) };
    // What follows the leading one, as a fraction of 2^64.
    let fraction = value.significand << 1;
    // Compares exponent and fraction: 2^127 itself is in range, and larger values are not.
    let too_large = (value.exponent, fraction) > (BIAS, 0) || value.class == Class::Infinite;
    let too_small = value.exponent < -BIAS || value.negative;
    if value.class == Class::Nan {
        NAN
    } else if too_small {
        below
    } else if too_large {
        above
    } else {
        (value.exponent + BIAS) as u64 + u64::from(rounds_up(rules.round_mode, fraction))
    }
}

/// Rounds first. What is then above the range becomes NaN; a positive number below the range becomes
/// its lower end, and so does what is not positive, unless the rules make it NaN.
fn after_rounding(rules: &Rules, value: &Unpacked) -> u64 {
    let is_positive = !value.negative && !value.is_zero();
    let has_code = is_positive || rules.scale_range == ScaleRange::ClampedBelow;
    let up = rounds_up(rules.round_mode, value.significand << 1);
    let exponent = match rules.scale_range {
        // The largest float32 is no power of two: rounded up, it is out of range.
        ScaleRange::ClampedBelow if value.exponent > BIAS => {
            BIAS + i32::from(!cuts(rules.round_mode))
        }
        _ => value.exponent + i32::from(up),
    };
    let rounded = exponent + BIAS;
    match u64::try_from(rounded.max(0)) {
        Ok(code @ MIN..=MAX) if has_code && value.class == Class::Finite => code,
        _ => NAN,
    }
}

fn rounds_up(mode: RoundMode, fraction: u64) -> bool {
    match mode {
        RoundMode::Up => fraction != 0,
        RoundMode::Down | RoundMode::TowardZero => false,
        // Ties go up; the midpoint between two powers is 1.5 times the lower one.
        RoundMode::Nearest | RoundMode::NearestAway => fraction >= 1 << 63,
    }
}

/// Is a power of two never the one above?
fn cuts(mode: RoundMode) -> bool {
    matches!(mode, RoundMode::Down | RoundMode::TowardZero)
}
