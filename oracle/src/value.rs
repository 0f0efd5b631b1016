//! The exact value of one element.

use crate::number::Rational;

/// The value of a numeric code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Not a number; the payload carries no meaning here.
    Nan {
        /// The sign bit.
        negative: bool,
    },
    /// Positive or negative infinity.
    Infinite {
        /// The sign.
        negative: bool,
    },
    /// A number.
    Finite {
        /// The sign, also that of a zero.
        negative: bool,
        /// The absolute value.
        magnitude: Rational,
    },
}

impl Value {
    /// The signed number; `None` for NaN and infinities. The sign of zero is lost.
    pub fn number(&self) -> Option<Rational> {
        match self {
            Value::Finite { negative: true, magnitude } => Some(Rational::from(-magnitude)),
            Value::Finite { negative: false, magnitude } => Some(magnitude.clone()),
            _ => None,
        }
    }

    /// Is it a zero of either sign?
    pub fn is_zero(&self) -> bool {
        matches!(self, Value::Finite { magnitude, .. } if *magnitude == 0)
    }

    /// A number with its sign; zero is positive.
    pub fn from_number(number: Rational) -> Value {
        Value::Finite { negative: number < 0, magnitude: number.abs() }
    }
}
