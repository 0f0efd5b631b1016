//! Rounding an exact magnitude, once.

use crate::format::FloatFormat;
use crate::number::{Integer, Rational};
use std::cmp::Ordering;

/// What to do with a magnitude between two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MagnitudeRounding {
    /// To the nearer one, a tie to the even one.
    NearestEven,
    /// To the nearer one, a tie to the larger magnitude.
    NearestAway,
    /// To the smaller magnitude.
    TowardZero,
    /// To the larger magnitude.
    AwayFromZero,
}

/// A magnitude rounded to `count * 2^quantum`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounded {
    /// How many units in the last place.
    pub count: Integer,
    /// Exponent of the unit in the last place.
    pub quantum: i32,
    /// How the result compares with the magnitude before rounding.
    pub direction: Ordering,
}

impl Rounded {
    /// The result as a number.
    pub fn number(&self) -> Rational {
        Rational::from(&self.count) << self.quantum
    }

    /// Was the magnitude exact?
    pub fn is_exact(&self) -> bool {
        self.direction == Ordering::Equal
    }
}

/// Rounds a magnitude to an integer.
pub fn to_integer(x: &Rational, rounding: MagnitudeRounding) -> Rounded {
    let (below, rest) = <(Integer, Integer)>::from(x.numer().div_rem_ref(x.denom()));
    if rest == 0 {
        return Rounded { count: below, quantum: 0, direction: Ordering::Equal };
    }
    let against_half = (rest << 1u32).cmp(x.denom());
    let up = match rounding {
        MagnitudeRounding::TowardZero => false,
        MagnitudeRounding::AwayFromZero => true,
        MagnitudeRounding::NearestAway => against_half != Ordering::Less,
        MagnitudeRounding::NearestEven => {
            against_half == Ordering::Greater || (against_half == Ordering::Equal && below.is_odd())
        }
    };
    let direction = if up { Ordering::Greater } else { Ordering::Less };
    Rounded { count: below + u32::from(up), quantum: 0, direction }
}

/// Rounds a magnitude to the significand width of `format`, with gradual underflow and an exponent
/// unbounded above: the `[x]` of the ONNX text.
pub fn to_format(x: &Rational, format: &FloatFormat, rounding: MagnitudeRounding) -> Rounded {
    let exponent = if *x == 0 { format.min_exponent() } else { exponent(x) };
    let quantum = format.quantum(exponent);
    Rounded { quantum, ..to_integer(&Rational::from(x >> quantum), rounding) }
}

/// The exponent of a magnitude other than zero: the largest e with 2^e <= x.
pub fn exponent(x: &Rational) -> i32 {
    let (numer, denom) = (x.numer(), x.denom());
    // 2^(estimate - 1) < x < 2^(estimate + 1)
    let estimate = numer.significant_bits() as i32 - denom.significant_bits() as i32;
    let reached = match estimate {
        _ if denom.is_power_of_two() => true,
        0.. => *numer >= Integer::from(denom << estimate as u32),
        _ => Integer::from(numer << -estimate as u32) >= *denom,
    };
    if reached { estimate } else { estimate - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_any_rational() {
        for (x, expected) in [((1, 3), -2), ((2, 3), -1), ((1, 1), 0), ((7, 2), 1), ((9, 2), 2)] {
            assert_eq!(exponent(&Rational::from(x)), expected, "{x:?}");
        }
    }

    #[test]
    fn halves_go_where_the_mode_says() {
        use MagnitudeRounding::*;
        for (twice, mode, expected) in [
            (5, NearestEven, 2),
            (7, NearestEven, 4),
            (5, NearestAway, 3),
            (5, TowardZero, 2),
            (5, AwayFromZero, 3),
            (4, AwayFromZero, 2),
        ] {
            let rounded = to_integer(&Rational::from((twice, 2)), mode);
            assert_eq!(rounded.count, expected, "{twice}/2 {mode:?}");
            assert_eq!(rounded.is_exact(), twice % 2 == 0);
        }
    }
}
