//! A value to the code of a float8 dtype, rounded by the round mode.

use super::unpacked::{Class, Unpacked};
use crate::format::Format;
use crate::rules::{ModeEnds, Rules};
use castproof_vectors::RoundMode;
use core::cmp::Ordering;

/// Rounds by the mode; overflow is decided on the rounded value.
pub(super) fn encode(format: Format, rules: &Rules, value: &Unpacked) -> u64 {
    let ends = ModeEnds::new(format, rules);
    let sign = usize::from(value.negative);
    match value.class {
        Class::Nan => ends.nan,
        Class::Infinite => ends.infinity[sign],
        Class::Finite => {
            let magnitude = round(format, rules.round_mode, value);
            let signed = magnitude | if value.negative { format.sign() } else { 0 };
            if magnitude > format.max() { ends.overflow[sign] } else { signed }
        }
    }
}

/// The code without sign, as if the exponent had no upper bound: that of the neighbour towards zero, or the
/// next one. Of 1.9375 in float8e4m3fn the neighbours are 0x3f (1.875) and 0x40 (2).
fn round(format: Format, mode: RoundMode, value: &Unpacked) -> u64 {
    let min = format.min_exponent();
    let exponent = value.exponent.max(min);
    let drop = 63 - format.significand_bits + (exponent - value.exponent) as u32;
    let kept = value.significand.checked_shr(drop).unwrap_or(0);
    let below = (((exponent - min) as u64) << format.significand_bits) + kept;
    let rest = value.significand - kept.checked_shl(drop).unwrap_or(0);
    let against_half = match drop {
        ..=64 => rest.cmp(&(1 << (drop - 1))),
        _ => Ordering::Less,
    };
    let up = match mode {
        RoundMode::TowardZero => false,
        RoundMode::Up => rest != 0 && !value.negative,
        RoundMode::Down => rest != 0 && value.negative,
        RoundMode::NearestAway => against_half != Ordering::Less,
        RoundMode::Nearest => match against_half {
            Ordering::Less => false,
            Ordering::Equal => below % 2 == 1,
            Ordering::Greater => true,
        },
    };
    below + u64::from(up)
}
