//! Rationals, with the part of `rug`'s interface that the oracle needs.

use super::integer::{Integer, Pow, ShiftCount};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Shl, Shr, Sub};

/// A rational in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numer: Integer,
    /// Positive.
    denom: Integer,
}

impl Rational {
    /// 0
    pub fn new() -> Rational {
        Rational { numer: Integer::new(), denom: Integer::from(1u32) }
    }

    fn reduced(numer: Integer, denom: Integer) -> Rational {
        if denom == 1 {
            return Rational { numer, denom };
        }
        let common = if denom.is_power_of_two() {
            // The usual case: the numbers of dtypes and the midpoints between them.
            let twos = denom.find_one(0).unwrap_or(0);
            let twos = numer.find_one(0).map_or(twos, |those| those.min(twos));
            return Rational { numer: numer >> twos, denom: denom >> twos };
        } else {
            numer.gcd(&denom)
        };
        Rational { numer: numer.div_rem_ref(&common).0, denom: denom.div_rem_ref(&common).0 }
    }

    /// The numerator, with the sign.
    pub fn numer(&self) -> &Integer {
        &self.numer
    }

    /// The denominator, positive.
    pub fn denom(&self) -> &Integer {
        &self.denom
    }

    /// Numerator and denominator.
    pub fn into_numer_denom(self) -> (Integer, Integer) {
        (self.numer, self.denom)
    }

    /// Is the denominator 1?
    pub fn is_integer(&self) -> bool {
        self.denom == 1
    }

    /// The absolute value.
    pub fn abs(self) -> Rational {
        Rational { numer: self.numer.abs(), denom: self.denom }
    }

    /// The absolute value.
    pub fn abs_ref(&self) -> Rational {
        self.clone().abs()
    }

    /// The greatest integer not above it.
    pub fn floor_ref(&self) -> Integer {
        self.numer.div_floor(&self.denom)
    }

    /// The greatest integer not above it.
    pub fn floor(self) -> Rational {
        Rational::from(self.floor_ref())
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::new()
    }
}

impl<T> From<T> for Rational
where
    Integer: From<T>,
{
    fn from(integer: T) -> Rational {
        Rational { numer: Integer::from(integer), ..Rational::new() }
    }
}

impl<N, D> From<(N, D)> for Rational
where
    Integer: From<N> + From<D>,
{
    /// The quotient by a divisor other than 0.
    fn from((numer, denom): (N, D)) -> Rational {
        let (numer, denom) = (Integer::from(numer), Integer::from(denom));
        assert!(denom != 0, "a quotient by 0");
        if denom < 0 { Rational::reduced(-numer, -denom) } else { Rational::reduced(numer, denom) }
    }
}

impl From<&Rational> for Rational {
    fn from(rational: &Rational) -> Rational {
        rational.clone()
    }
}

impl fmt::Display for Rational {
    /// `-3`, `1/2`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.numer.fmt(f)?;
        if self.is_integer() { Ok(()) } else { write!(f, "/{}", self.denom) }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        if self.denom == other.denom {
            return self.numer.cmp(&other.numer);
        }
        self.numer.times(&other.denom).cmp(&other.numer.times(&self.denom))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<i32> for Rational {
    fn eq(&self, other: &i32) -> bool {
        self.denom == 1 && self.numer == *other
    }
}

impl PartialOrd<i32> for Rational {
    fn partial_cmp(&self, other: &i32) -> Option<Ordering> {
        Some(self.cmp(&Rational::from(*other)))
    }
}

fn sum(a: &Rational, b: &Rational) -> Rational {
    if a.denom == b.denom {
        return Rational::reduced(&a.numer + &b.numer, a.denom.clone());
    }
    let numer = a.numer.times(&b.denom) + b.numer.times(&a.denom);
    Rational::reduced(numer, a.denom.times(&b.denom))
}

fn product(a: &Rational, b: &Rational) -> Rational {
    Rational::reduced(a.numer.times(&b.numer), a.denom.times(&b.denom))
}

fn reciprocal(rational: Rational) -> Rational {
    Rational::from((rational.denom, rational.numer))
}

macro_rules! operators {
    ($($trait:ident $function:ident $with:expr;)*) => {$(
        impl<T> $trait<T> for &Rational
        where
            Rational: From<T>,
        {
            type Output = Rational;
            fn $function(self, other: T) -> Rational {
                $with(self, Rational::from(other))
            }
        }

        impl<T> $trait<T> for Rational
        where
            Rational: From<T>,
        {
            type Output = Rational;
            fn $function(self, other: T) -> Rational {
                $trait::$function(&self, other)
            }
        }
    )*};
}
operators! {
    Add add |a: &Rational, b: Rational| sum(a, &b);
    Sub sub |a: &Rational, b: Rational| sum(a, &b.neg());
    Mul mul |a: &Rational, b: Rational| product(a, &b);
    Div div |a: &Rational, b: Rational| product(a, &reciprocal(b));
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { numer: -self.numer, denom: self.denom }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -self.clone()
    }
}

impl Rational {
    /// Multiplies by a power of two; a negative count divides.
    fn shifted_left(&self, bits: i64) -> Rational {
        match bits {
            0.. => Rational::reduced(self.numer.shifted_left(bits), self.denom.clone()),
            _ => Rational::reduced(self.numer.clone(), self.denom.shifted_left(-bits)),
        }
    }
}

impl<T: ShiftCount> Shl<T> for &Rational {
    type Output = Rational;
    fn shl(self, bits: T) -> Rational {
        self.shifted_left(bits.into())
    }
}

impl<T: ShiftCount> Shl<T> for Rational {
    type Output = Rational;
    fn shl(self, bits: T) -> Rational {
        &self << bits
    }
}

impl<T: ShiftCount> Shr<T> for &Rational {
    type Output = Rational;
    fn shr(self, bits: T) -> Rational {
        self.shifted_left(-bits.into())
    }
}

impl<T: ShiftCount> Shr<T> for Rational {
    type Output = Rational;
    fn shr(self, bits: T) -> Rational {
        &self >> bits
    }
}

impl Pow<i32> for Rational {
    type Output = Rational;
    fn pow(self, exponent: i32) -> Rational {
        let power = |integer: Integer| integer.pow(exponent.unsigned_abs());
        let (numer, denom) = (power(self.numer), power(self.denom));
        if exponent < 0 { Rational::from((denom, numer)) } else { Rational { numer, denom } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_lowest_terms() {
        let ratio = |numer: i32, denom: i32| Rational::from((numer, denom));
        assert_eq!(ratio(6, -4), ratio(-3, 2));
        assert_eq!(ratio(1, 3) + ratio(1, 6), ratio(1, 2));
        assert_eq!(ratio(7, 8) - ratio(3, 8), ratio(1, 2));
        assert_eq!(ratio(2, 3) * ratio(3, 4), ratio(1, 2));
        assert_eq!(ratio(2, 3) / ratio(-4, 3), ratio(-1, 2));
        assert_eq!(ratio(3, 4) << 1, ratio(3, 2));
        assert_eq!(ratio(3, 4) >> 3u32, ratio(3, 32));
        assert_eq!(ratio(2, 1).pow(-3), ratio(1, 8));
        for (numer, denom, floor) in [(-7, 2, -4), (7, 2, 3), (-4, 2, -2), (0, 5, 0)] {
            assert_eq!(ratio(numer, denom).floor_ref(), floor);
        }
        assert!(ratio(1, 3) < ratio(1, 2) && ratio(-1, 2) < 0 && ratio(4, 2) == 2);
    }
}
