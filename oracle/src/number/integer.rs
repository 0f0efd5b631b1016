//! Unbounded integers, with the part of `rug`'s interface that the oracle needs.

use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest, DivRem, Gcd};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Shl, Shr, Sub};

/// An unbounded integer.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(IBig);

/// Raising to a power.
pub trait Pow<Exponent> {
    /// The type of the result.
    type Output;
    /// `self` to the power of the exponent.
    fn pow(self, exponent: Exponent) -> Self::Output;
}

impl Integer {
    /// 0
    pub fn new() -> Integer {
        Integer::default()
    }

    /// Reads digits.
    ///
    /// # Errors
    /// If the text is not a numeral.
    pub fn from_str_radix(digits: &str, radix: u32) -> Result<Integer, String> {
        // The library takes `_` between digits, and signs before them.
        let are_digits = digits.chars().all(|it| it.is_digit(radix));
        match IBig::from_str_radix(digits, radix) {
            Ok(integer) if are_digits => Ok(Integer(integer)),
            _ => Err(format!("'{digits}' is not a numeral: write digits")),
        }
    }

    /// `base` to the power of `exponent`.
    pub fn u_pow_u(base: u32, exponent: u32) -> Integer {
        Integer::from(base).pow(exponent)
    }

    /// The integer, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(&self.0).ok()
    }

    /// The integer, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        i128::try_from(&self.0).ok()
    }

    /// Bits of the absolute value.
    pub fn significant_bits(&self) -> u32 {
        u32::try_from(self.0.bit_len()).expect("as long as the memory allows")
    }

    /// Returns the position of the first set bit at or after `start`, from the least significant.
    pub fn find_one(&self, start: u32) -> Option<u32> {
        let zeros = match start {
            0 => self.0.trailing_zeros()?,
            _ => (&self.0 >> start as usize).trailing_zeros()?,
        };
        Some(start + u32::try_from(zeros).expect("as long as the memory allows"))
    }

    /// Is the lowest bit 1?
    pub fn is_odd(&self) -> bool {
        self.0.bit(0)
    }

    /// Is it a positive power of two?
    pub fn is_power_of_two(&self) -> bool {
        self.0 > IBig::ZERO && self.0.trailing_zeros() == Some(self.0.bit_len() - 1)
    }

    /// The low bits, two's complement.
    pub fn keep_bits_ref(&self, bits: u32) -> Integer {
        let mask = (IBig::ONE << bits as usize) - IBig::ONE;
        Integer(&self.0 & mask)
    }

    /// Quotient, towards zero, and remainder.
    pub fn div_rem_ref(&self, divisor: &Integer) -> (Integer, Integer) {
        let (quotient, rest) = (&self.0).div_rem(&divisor.0);
        (Integer(quotient), Integer(rest))
    }

    /// The greatest integer not above the quotient by a positive divisor.
    pub(super) fn div_floor(&self, divisor: &Integer) -> Integer {
        let (quotient, rest) = self.div_rem_ref(divisor);
        if rest < 0 { quotient - 1 } else { quotient }
    }

    /// The product. `*` would copy the factor.
    pub(super) fn times(&self, factor: &Integer) -> Integer {
        Integer(&self.0 * &factor.0)
    }

    /// The absolute value.
    pub fn abs(self) -> Integer {
        Integer(self.0.abs())
    }

    /// The greatest common divisor of two integers that are not both 0.
    pub(super) fn gcd(&self, other: &Integer) -> Integer {
        Integer((&self.0).gcd(&other.0).into())
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&Integer> for Integer {
    fn from(integer: &Integer) -> Integer {
        integer.clone()
    }
}

macro_rules! from_primitives {
    ($($primitive:ty)*) => {$(
        impl From<$primitive> for Integer {
            fn from(integer: $primitive) -> Integer {
                Integer(integer.into())
            }
        }

        impl PartialEq<$primitive> for Integer {
            fn eq(&self, other: &$primitive) -> bool {
                self.0 == IBig::from(*other)
            }
        }

        impl PartialOrd<$primitive> for Integer {
            fn partial_cmp(&self, other: &$primitive) -> Option<Ordering> {
                self.0.partial_cmp(&IBig::from(*other))
            }
        }
    )*};
}
from_primitives! { u8 u32 i32 u64 i64 i128 }

macro_rules! operators {
    ($($trait:ident $function:ident)*) => {$(
        impl<T> $trait<T> for Integer
        where
            Integer: From<T>,
        {
            type Output = Integer;
            fn $function(self, other: T) -> Integer {
                Integer($trait::$function(self.0, Integer::from(other).0))
            }
        }

        impl<T> $trait<T> for &Integer
        where
            Integer: From<T>,
        {
            type Output = Integer;
            fn $function(self, other: T) -> Integer {
                Integer($trait::$function(&self.0, Integer::from(other).0))
            }
        }
    )*};
}
operators! { Add add Sub sub Mul mul }

impl Neg for Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        Integer(-self.0)
    }
}

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        Integer(-&self.0)
    }
}

impl Integer {
    /// A shift by a negative count shifts the other way; bits that are shifted out round down.
    pub(super) fn shifted_left(&self, bits: i64) -> Integer {
        match bits {
            0.. => Integer(&self.0 << count(bits)),
            _ => Integer(&self.0 >> count(bits)),
        }
    }
}

/// Bits of a shift, either way.
fn count(bits: i64) -> usize {
    usize::try_from(bits.unsigned_abs()).expect("no longer than the memory allows")
}

/// A count of bits to shift by. These types alone, because `rug` shifts by no `i64`: an oracle
/// that compiles without GMP then compiles with it.
pub trait ShiftCount: Into<i64> {}
impl ShiftCount for i32 {}
impl ShiftCount for u32 {}

impl<T: ShiftCount> Shl<T> for &Integer {
    type Output = Integer;
    fn shl(self, bits: T) -> Integer {
        self.shifted_left(bits.into())
    }
}

impl<T: ShiftCount> Shl<T> for Integer {
    type Output = Integer;
    fn shl(self, bits: T) -> Integer {
        &self << bits
    }
}

impl<T: ShiftCount> Shr<T> for &Integer {
    type Output = Integer;
    fn shr(self, bits: T) -> Integer {
        self.shifted_left(-bits.into())
    }
}

impl<T: ShiftCount> Shr<T> for Integer {
    type Output = Integer;
    fn shr(self, bits: T) -> Integer {
        &self >> bits
    }
}

impl Pow<u32> for Integer {
    type Output = Integer;
    fn pow(self, exponent: u32) -> Integer {
        Integer(self.0.pow(exponent as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_are_those_of_twos_complement() {
        for (integer, bits, low) in [(-1, 8, 0xff), (-129, 8, 0x7f), (300, 8, 44), (0, 3, 0)] {
            assert_eq!(Integer::from(integer).keep_bits_ref(bits), low, "{integer}");
        }
    }

    #[test]
    fn quotients_and_shifts_of_negative_integers() {
        let seven = Integer::from(-7);
        assert_eq!(seven.div_rem_ref(&Integer::from(2)), (Integer::from(-3), Integer::from(-1)));
        assert_eq!(seven.div_floor(&Integer::from(2)), -4);
        assert_eq!(&seven >> 1, -4);
        assert_eq!(&seven << -1, -4);
        assert_eq!(seven.gcd(&Integer::from(21)), 7);
    }

    #[test]
    fn digits_alone_are_read() {
        assert_eq!(Integer::from_str_radix("12", 16), Ok(Integer::from(18)));
        for refused in ["", "-1", "+1", "1_000", "1 ", "0x1", "g"] {
            assert!(Integer::from_str_radix(refused, 16).is_err(), "{refused}");
        }
    }

    /// Numbers beside 2^64 and 2^128, where the library changes how it holds them.
    #[test]
    fn numbers_beside_the_widths_of_words() {
        for width in [63, 64, 127, 128, 192] {
            let power = Integer::from(1) << width;
            let (below, above) = (power.clone() - 1, power.clone() + 1);
            assert_eq!((below.significant_bits(), above.significant_bits()), (width, width + 1));
            assert_eq!(below.times(&above), (Integer::from(1) << (2 * width)) - 1);
            assert_eq!(above.div_rem_ref(&power), (Integer::from(1), Integer::from(1)));
            assert_eq!((-above.clone()).div_floor(&power), -2);
            assert_eq!((-below.clone()).keep_bits_ref(width), 1);
            assert_eq!((power.find_one(0), below.find_one(width)), (Some(width), None));
            assert!(below < power && power < above && -above < -power);
        }
    }

    #[test]
    fn bits_are_found() {
        let integer = Integer::from(0b1010_0000u32);
        assert_eq!((integer.find_one(0), integer.find_one(6)), (Some(5), Some(7)));
        assert_eq!((integer.significant_bits(), integer.is_power_of_two()), (8, false));
        let lengths = [255, -255, -256, 0].map(|it| Integer::from(it).significant_bits());
        assert_eq!(lengths, [8, 8, 9, 0]);
        assert!(Integer::from(1u64 << 40).is_power_of_two());
        assert!(!Integer::new().is_power_of_two() && !Integer::from(-4).is_power_of_two());
    }
}
