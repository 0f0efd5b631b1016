//! From rounded number to code.

use crate::format::{FloatFormat, IntegerFormat, ZeroEncoding};
use crate::number::Integer;
use crate::round::Rounded;

/// The code of a rounded magnitude, without sign. Codes count upwards from zero through the
/// subnormals and the binades, and on beyond the largest number: what is greater than
/// [`FloatFormat::largest_code`] has overflowed.
///
/// # Panics
/// If the magnitude is below the smallest of a format without zero.
pub(crate) fn magnitude(format: &FloatFormat, rounded: &Rounded) -> u64 {
    let count = rounded.count.to_u64().expect("at most the format's precision");
    let exponent_field = rounded.quantum + format.significand_bits as i32 + format.bias;
    let exponent_field = u64::try_from(exponent_field).expect("within the format's binades");
    // The leading bit of a normal number is not stored; in a subnormal, whose exponent field
    // here is 1, its absence takes that 1 away again.
    (exponent_field << format.significand_bits) + count - (1 << format.significand_bits)
}

/// The code with this sign. A negative zero becomes the one zero of a format without another.
pub(crate) fn signed(format: &FloatFormat, negative: bool, magnitude: u64) -> u64 {
    let signless_zero = magnitude == 0 && format.zero == ZeroEncoding::Unsigned;
    if negative && !signless_zero { magnitude | format.sign_bit() } else { magnitude }
}

/// The largest finite number with this sign.
pub(crate) fn largest(format: &FloatFormat, negative: bool) -> u64 {
    signed(format, negative, format.largest_code())
}

/// Infinity with this sign.
///
/// # Panics
/// If the format has no infinity.
pub(crate) fn infinity(format: &FloatFormat, negative: bool) -> u64 {
    assert!(format.infinities, "the format has no infinity");
    signed(format, negative, format.top_binade())
}

/// The low bits of an integer, two's complement: its code where it is in range, the wrapped
/// code where it is not.
pub(crate) fn low_bits(format: &IntegerFormat, number: &Integer) -> u64 {
    let low = Integer::from(number.keep_bits_ref(format.bits));
    low.to_u64().expect("at most 64 bits")
}

/// The smallest and the largest integer of the format.
pub(crate) fn range(format: &IntegerFormat) -> (Integer, Integer) {
    let count = Integer::from(1) << format.magnitude_bits();
    let smallest = if format.signed { Integer::from(-&count) } else { Integer::new() };
    (smallest, count - 1)
}

/// Is this integer in the range of the format?
pub(crate) fn in_range(format: &IntegerFormat, number: &Integer) -> bool {
    let (smallest, largest) = range(format);
    (smallest..=largest).contains(number)
}
