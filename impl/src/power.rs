//! float8e8m0: powers of two from 2^-127 to 2^127 and one NaN; no sign, no zero, no infinity.

use crate::cast::Rules;
use crate::unpacked::{Class, Unpacked};
use castproof_vectors::RoundMode;
use core::hint::select_unpredictable;

const BIAS: i32 = 127;
const MIN: u64 = 0x00;
const MAX: u64 = 0xfe;
const NAN: u64 = 0xff;

/// Powers of two (E8-20).
pub(crate) fn decode(codes: &[u64], values: &mut [Unpacked]) {
    for (value, code) in values.iter_mut().zip(codes) {
        let power = Unpacked::finite(false, 1, *code as i32 - BIAS);
        let class = if *code == NAN { Class::Nan } else { Class::Finite };
        *value = Unpacked { class, ..power };
    }
}

/// The power of two above, below or nearest (E8-08 to E8-12). Whether a value is out of range is
/// asked before it is rounded (E8-06, E8-07); zero and negative values count as below the range.
pub(crate) fn encode(rules: &Rules, values: &[Unpacked], codes: &mut [u64]) {
    let (below, above) = if rules.saturate { (MIN, MAX) } else { (NAN, NAN) };
    for (code, value) in codes.iter_mut().zip(values) {
        // What follows the leading one, as a fraction of 2^64.
        let fraction = value.significand << 1;
        let up = i32::from(rounds_up(rules.round_mode, fraction));
        // By exponent and fraction, as 2^127 itself is in range and all that follows is not.
        let too_large = (value.exponent, fraction) > (BIAS, 0) || value.class == Class::Infinite;
        let too_small = value.exponent < -BIAS || value.negative;
        let power = (value.exponent + BIAS + up) as u64;
        let power = select_unpredictable(too_large, above, power);
        let power = select_unpredictable(too_small, below, power);
        *code = select_unpredictable(value.class == Class::Nan, NAN, power);
    }
}

#[inline(always)]
fn rounds_up(mode: RoundMode, fraction: u64) -> bool {
    match mode {
        RoundMode::Up => fraction != 0,
        RoundMode::Down => false,
        // Ties go up; the midpoint between two powers is 1.5 times the lower one.
        RoundMode::Nearest => fraction >= 1 << 63,
    }
}
