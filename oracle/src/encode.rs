//! From rounded number to code.

use crate::format::{FloatFormat, IntegerFormat, NanEncoding, ZeroEncoding};
use crate::number::Integer;
use crate::round::Rounded;

/// Returns the code of a rounded magnitude, without sign. Codes count upwards from zero through the
/// subnormals and the binades, and continue beyond the largest number: a code greater than
/// [`FloatFormat::largest_code`] has overflowed.
///
/// # Panics
/// If the magnitude is below the smallest of a format without zero.
pub fn magnitude(format: &FloatFormat, rounded: &Rounded) -> u64 {
    let count = rounded.count.to_u64().expect("at most the format's precision");
    let exponent_field = rounded.quantum + format.significand_bits as i32 + format.bias;
    let exponent_field = u64::try_from(exponent_field).expect("within the format's binades");
    // The leading bit of a normal number is not stored. A subnormal number does not have it, so its
    // exponent field, which is 1 here, becomes 0.
    (exponent_field << format.significand_bits) + count - (1 << format.significand_bits)
}

/// Returns the code with this sign. In a format with one zero, negative zero becomes that zero.
pub fn signed(format: &FloatFormat, negative: bool, magnitude: u64) -> u64 {
    let signless_zero = magnitude == 0 && format.zero == ZeroEncoding::Unsigned;
    if negative && !signless_zero { magnitude | format.sign_bit() } else { magnitude }
}

/// The largest finite number with this sign.
pub fn largest(format: &FloatFormat, negative: bool) -> u64 {
    signed(format, negative, format.largest_code())
}

/// Infinity with this sign.
///
/// # Panics
/// If the format has no infinity.
pub fn infinity(format: &FloatFormat, negative: bool) -> u64 {
    assert!(format.infinities, "the format has no infinity");
    signed(format, negative, format.top_binade())
}

/// The quiet NaN without payload, with this sign; the only NaN of a format that has one.
///
/// # Panics
/// If the format has no NaN.
pub fn quiet_nan(format: &FloatFormat, negative: bool) -> u64 {
    match format.nan {
        NanEncoding::TopBinade => {
            signed(format, negative, format.top_binade() | 1 << (format.significand_bits - 1))
        }
        NanEncoding::AllOnes => signed(format, negative, format.magnitude_mask()),
        NanEncoding::NegativeZero => format.sign_bit(),
        NanEncoding::None => panic!("the format has no NaN"),
    }
}

/// Returns the low bits of an integer, two's complement: its code if it is in range, otherwise the
/// wrapped code.
pub fn low_bits(format: &IntegerFormat, number: &Integer) -> u64 {
    let low = Integer::from(number.keep_bits_ref(format.bits));
    low.to_u64().expect("at most 64 bits")
}

/// The smallest and the largest integer of the format.
pub fn range(format: &IntegerFormat) -> (Integer, Integer) {
    let count = Integer::from(1) << format.magnitude_bits();
    let smallest = if format.signed { Integer::from(-&count) } else { Integer::new() };
    (smallest, count - 1)
}

/// Is this integer in the range of the format?
pub fn in_range(format: &IntegerFormat, number: &Integer) -> bool {
    let (smallest, largest) = range(format);
    (smallest..=largest).contains(number)
}
