//! Powers of two as scales of blocks, by their codes in float8e8m0: 0x7f is 1.

use crate::kernels::INFINITY;

/// The leading bit of a significand of float32.
pub(crate) const LEADING: u32 = 1 << 23;

/// The code of the largest scale of MX formats, 2^127.
const LARGEST_SCALE: u8 = 0xfe;

/// The code of the smallest scale that is not below a number that is not negative; the largest scale for an
/// infinity.
pub(crate) fn power_up(number: f32) -> u8 {
    match number.to_bits() {
        INFINITY.. => LARGEST_SCALE,
        // Half of 2^-126 is the smallest scale.
        bits if bits <= LEADING / 2 => 0,
        bits => bits.div_ceil(LEADING) as u8,
    }
}

/// The bits of 1 over the scale with this code, which is subnormal under the largest one.
pub(crate) fn over_power(code: u8) -> u32 {
    match code {
        LARGEST_SCALE => LEADING / 2,
        code => (254 - u32::from(code)) << 23,
    }
}
