//! Single operations of float32: each is exact, then rounded once to nearest even.

use castproof_oracle::format::FLOAT32;
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Value, decode};

/// A float32 that is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FloatStep {
    /// NaN.
    Nan,
    /// Infinity.
    Infinite,
    /// A number.
    Finite(Rational),
}

impl FloatStep {
    /// The float32 nearest to a number that is not negative.
    #[must_use]
    pub fn nearest(x: &Rational) -> FloatStep {
        let nearest = Nearest::new(x, &FLOAT32);
        if nearest.overflows {
            FloatStep::Infinite
        } else {
            FloatStep::Finite(nearest.rounded.number())
        }
    }

    /// The magnitude of a value, which float32 holds.
    #[must_use]
    pub fn magnitude(value: &Value) -> FloatStep {
        match value {
            Value::Nan { .. } => FloatStep::Nan,
            Value::Infinite { .. } => FloatStep::Infinite,
            Value::Finite { magnitude, .. } => FloatStep::Finite(magnitude.clone()),
        }
    }

    /// The product, rounded.
    #[must_use]
    pub fn times(&self, other: &FloatStep) -> FloatStep {
        use FloatStep::{Finite, Infinite, Nan};
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Finite(a), Finite(b)) => FloatStep::nearest(&Rational::from(a * b)),
            (Finite(zero), Infinite) | (Infinite, Finite(zero)) if *zero == 0 => Nan,
            _ => Infinite,
        }
    }

    /// The quotient, rounded.
    #[must_use]
    pub fn over(&self, other: &FloatStep) -> FloatStep {
        use FloatStep::{Finite, Infinite, Nan};
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite, Infinite) => Nan,
            (Finite(a), Finite(b)) if *b == 0 => {
                if *a == 0 {
                    Nan
                } else {
                    Infinite
                }
            }
            (Finite(a), Finite(b)) => FloatStep::nearest(&Rational::from(a / b)),
            (Infinite, Finite(_)) => Infinite,
            (Finite(_), Infinite) => Finite(Rational::new()),
        }
    }

    /// The smaller of the step and the largest float32. NaN stays.
    #[must_use]
    pub fn at_most_largest(self) -> FloatStep {
        match self {
            FloatStep::Infinite => {
                FloatStep::Finite(decode::finite(&FLOAT32, FLOAT32.largest_code()))
            }
            step => step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What IEEE 754 says of zeros and infinities.
    #[test]
    fn special_operands() {
        let finite = |x: u32| FloatStep::Finite(Rational::from(x));
        assert_eq!(finite(0).over(&finite(0)), FloatStep::Nan);
        assert_eq!(finite(1).over(&finite(0)), FloatStep::Infinite);
        assert_eq!(finite(1).over(&FloatStep::Infinite), finite(0));
        assert_eq!(FloatStep::Infinite.over(&FloatStep::Infinite), FloatStep::Nan);
        assert_eq!(finite(0).times(&FloatStep::Infinite), FloatStep::Nan);
        assert_eq!(finite(2).times(&FloatStep::Infinite), FloatStep::Infinite);
        assert_eq!(finite(6).over(&finite(3)), finite(2));
    }

    #[test]
    fn a_third_is_rounded() {
        let third =
            FloatStep::Finite(Rational::from(1)).over(&FloatStep::Finite(Rational::from(3)));
        assert_eq!(third, FloatStep::Finite(Rational::from((0x0055_5556u32 * 2 - 1, 1u32 << 25))));
        let largest = FloatStep::Infinite.at_most_largest();
        assert_eq!(largest.times(&FloatStep::Finite(Rational::from(2))), FloatStep::Infinite);
    }
}
