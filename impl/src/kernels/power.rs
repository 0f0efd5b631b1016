//! float8e8m0 to float32 and back.

use super::{INFINITY, Map, NAN, SIGN};
use crate::cast::Rules;
use castproof_vectors::RoundMode;

/// 2^-127, the smallest power of two here, which float32 has as a subnormal number.
const MIN: u32 = 0x0040_0000;
/// The smallest normal float32: 2^-126.
const MIN_NORMAL: u32 = 0x0080_0000;
/// 2^127, the largest power of two here.
const MAX: u32 = 0x7f00_0000;
/// Bits of the significand of a float32.
const FRACTION_BITS: u32 = 23;
const CODE_MAX: u32 = 0xfe;
const CODE_NAN: u32 = 0xff;

/// Powers of two to float32; exact (E8-20).
pub(crate) struct Widen;

impl Map for Widen {
    type In = u8;
    type Out = u32;
    type Setup = ();
    fn setup(_: &Rules) {}
    #[inline(always)]
    fn map(_: &(), code: u8) -> u32 {
        let code = u32::from(code);
        // The fields of both formats have the same bias; the lowest is subnormal in float32.
        let power = if code == 0 { MIN } else { code << FRACTION_BITS };
        if code == CODE_NAN { NAN } else { power }
    }
}

/// float32 to powers of two (E8-01 to E8-12).
pub(crate) struct Narrow;

/// What is the same for all elements of a call.
pub(crate) struct Setup {
    below: u32,
    above: u32,
    /// Added before the fraction is cut off, so that it carries where the mode goes up.
    carry: u32,
}

impl Map for Narrow {
    type In = u32;
    type Out = u8;
    type Setup = Setup;
    #[inline(always)]
    fn setup(rules: &Rules) -> Setup {
        let (below, above) = if rules.saturate { (0, CODE_MAX) } else { (CODE_NAN, CODE_NAN) };
        let carry = match rules.round_mode {
            RoundMode::Up => (1 << FRACTION_BITS) - 1,
            RoundMode::Down => 0,
            RoundMode::Nearest => 1 << (FRACTION_BITS - 1),
        };
        Setup { below, above, carry }
    }
    #[inline(always)]
    fn map(setup: &Setup, bits: u32) -> u8 {
        let magnitude = bits & !SIGN;
        // Between 2^-127 and 2^-126, the leading one is the first bit of the fraction: twice the
        // code is the code of twice the value.
        let normal = (magnitude + setup.carry) >> FRACTION_BITS;
        let doubled = ((magnitude << 1).wrapping_add(setup.carry) >> FRACTION_BITS).wrapping_sub(1);
        let power = if magnitude < MIN_NORMAL { doubled } else { normal };
        let power = if magnitude > MAX { setup.above } else { power };
        let power = if magnitude < MIN || bits >= SIGN { setup.below } else { power };
        (if magnitude > INFINITY { CODE_NAN } else { power }) as u8
    }
}
