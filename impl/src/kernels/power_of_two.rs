//! float8e8m0 to float32 and back.

use super::{Map, NAN};
use crate::rules::{Rules, ScaleRange};
use castproof_vectors::RoundMode;

/// The smallest power of two of float8e8m0, 2^-127: a subnormal float32.
const MIN: u32 = 0x0040_0000;
/// The smallest normal float32: 2^-126.
const MIN_NORMAL: u32 = 0x0080_0000;
/// The largest power of two of float8e8m0, 2^127.
const MAX: u32 = 0x7f00_0000;
/// Bits of the significand of a float32.
const FRACTION_BITS: u32 = 23;
const CODE_NAN: u32 = 0xff;

/// Powers of two to float32; exact (E8-20).
pub(crate) struct Widen;

impl Map for Widen {
    const NAME: &'static str = "power_of_two::Widen";
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
    /// Whether a value beyond the range becomes the nearest end of the range rather than NaN.
    saturate: bool,
    /// The first and the last number in range.
    range: (u32, u32),
    /// From here on a number becomes 2^-126 rather than 2^-127.
    second: u32,
    /// Added before the fraction is cut off, so that it carries where the mode rounds up. To nearest it is half of a
    /// binade: 3 is 0x4040_0000 and becomes 0x4080_0000, whose exponent field 0x81 is the code of 4.
    carry: u32,
}

impl Map for Narrow {
    const NAME: &'static str = "power_of_two::Narrow";
    type In = u32;
    type Out = u8;
    type Setup = Setup;
    #[inline(always)]
    fn setup(rules: &Rules) -> Setup {
        let (second, carry) = match rules.round_mode {
            RoundMode::Up => (MIN + 1, (1 << FRACTION_BITS) - 1),
            RoundMode::Down | RoundMode::TowardZero => (MIN_NORMAL, 0),
            RoundMode::Nearest | RoundMode::NearestAway => {
                (MIN + MIN / 2, 1 << (FRACTION_BITS - 1))
            }
        };
        let range = match rules.scale_range {
            ScaleRange::BeforeRounding => (MIN, MAX),
            // A number that carries past 2^127 is out of range.
            ScaleRange::AfterRounding => (1, MAX + (1 << FRACTION_BITS) - 1 - carry),
            ScaleRange::ClampedBelow => (0, MAX + (1 << FRACTION_BITS) - 1 - carry),
        };
        Setup { saturate: rules.saturate, range, second, carry }
    }
    #[inline(always)]
    fn map(setup: &Setup, bits: u32) -> u8 {
        // Negative numbers are below the range, like small ones; so are their bits as signed
        // integers. Of the range, only 2^-127 is subnormal in float32: a value that does not become
        // 2^-127 is raised to 2^-126 at least.
        let raised = if bits as i32 >= setup.second as i32 { bits.max(MIN_NORMAL) } else { 0 };
        let power = (raised.min(MAX) + setup.carry) >> FRACTION_BITS;
        let (first, last) = setup.range;
        let outside = bits.wrapping_sub(first) > last - first;
        let is_nan = f32::from_bits(bits).is_nan() || outside && !setup.saturate;
        (if is_nan { CODE_NAN } else { power }) as u8
    }
}
