//! Numbers beyond the range of a float format.

use crate::decode;
use crate::encode;
use crate::format::FloatFormat;
use crate::number::Rational;
use crate::round::{self, MagnitudeRounding, Rounded};
use std::cmp::Ordering;

/// The unit in the last place of a format's largest number.
pub fn unit_of_largest(format: &FloatFormat) -> Rational {
    let largest = decode::finite(format, format.largest_code());
    Rational::from(1) << format.quantum(round::exponent(&largest))
}

/// A magnitude rounded into a float format, to nearest even unless another rounding is named, and how it
/// compares with the largest number before and after rounding.
pub struct Nearest {
    /// `[x]`: rounded to the significand width, exponent unbounded above.
    pub rounded: Rounded,
    /// The code of `[x]` without sign; not a number of the format if it overflows.
    pub code: u64,
    /// `[x]` is above the largest number.
    pub overflows: bool,
    /// x itself is above the largest number.
    pub beyond_largest: bool,
}

impl Nearest {
    /// Rounds to nearest even and compares.
    pub fn new(x: &Rational, format: &FloatFormat) -> Nearest {
        Nearest::by(x, format, MagnitudeRounding::NearestEven)
    }

    /// Rounds in this way and compares.
    pub fn by(x: &Rational, format: &FloatFormat, rounding: MagnitudeRounding) -> Nearest {
        let rounded = round::to_format(x, format, rounding);
        let code = encode::magnitude(format, &rounded);
        let overflows = code > format.largest_code();
        let rounded_down = rounded.direction == Ordering::Less;
        let beyond_largest = overflows || (code == format.largest_code() && rounded_down);
        Nearest { rounded, code, overflows, beyond_largest }
    }

    /// Is x itself a number of the format?
    pub fn is_exact(&self) -> bool {
        self.rounded.is_exact() && !self.overflows
    }

    /// The code with this sign, clamped at the largest number.
    pub fn clamped(&self, format: &FloatFormat, negative: bool) -> u64 {
        encode::signed(format, negative, self.code.min(format.largest_code()))
    }
}
