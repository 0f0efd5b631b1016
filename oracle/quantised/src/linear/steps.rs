//! Single operations on exact values: each is exact, then rounded as its reading says.

use castproof_oracle::Value;
use castproof_oracle::format::{FLOAT32, FLOAT64, FloatFormat};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;

/// How a quotient or a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Without rounding.
    Exact,
    /// The exact result is rounded once.
    Once(FloatFormat),
    /// The operands are rounded, then the result.
    Cast(FloatFormat),
    /// The exact result loses its fraction: a division of integers.
    Truncated,
}

/// The exact result is rounded once, to float32.
pub const IN_FLOAT32: Reading = Reading::Once(FLOAT32);
/// The exact result is rounded once, to float64.
pub const IN_FLOAT64: Reading = Reading::Once(FLOAT64);

/// An operation of x and a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// x divided by the scale.
    Quotient,
    /// x times the scale.
    Product,
}

impl Operation {
    /// The result; `None` if the scale becomes zero or infinite, so that the result is open.
    pub fn of(self, x: &Value, scale: &Rational, reading: Reading) -> Option<Value> {
        let exact = |x: &Value, scale: &Rational| match x {
            Value::Finite { negative, magnitude } => {
                let magnitude = match self {
                    Operation::Quotient => Rational::from(magnitude / scale),
                    Operation::Product => Rational::from(magnitude * scale),
                };
                Value::Finite { negative: *negative, magnitude }
            }
            special => special.clone(),
        };
        Some(match reading {
            Reading::Exact => exact(x, scale),
            Reading::Once(format) => rounded(&exact(x, scale), &format),
            Reading::Cast(format) => {
                let scale = Value::Finite { negative: false, magnitude: scale.clone() };
                let scale = positive(&rounded(&scale, &format))?;
                rounded(&exact(&rounded(x, &format), &scale), &format)
            }
            Reading::Truncated => match exact(x, scale) {
                Value::Finite { negative, magnitude } => {
                    let whole = castproof_oracle::round::to_integer(
                        &magnitude,
                        castproof_oracle::round::MagnitudeRounding::TowardZero,
                    );
                    let magnitude = whole.number();
                    // An integer has one zero: -1 / 4 is 0, and not a negative zero.
                    Value::Finite { negative: negative && magnitude != 0, magnitude }
                }
                special => special,
            },
        })
    }
}

/// The value nearest in a format with infinities, ties to even.
pub fn rounded(value: &Value, format: &FloatFormat) -> Value {
    let Value::Finite { negative, magnitude } = value else { return value.clone() };
    let nearest = Nearest::new(magnitude, format);
    match nearest.overflows {
        true => Value::Infinite { negative: *negative },
        false => Value::Finite { negative: *negative, magnitude: nearest.rounded.number() },
    }
}

/// A number above zero; `None` for every other value.
pub fn positive(value: &Value) -> Option<Rational> {
    match value {
        Value::Finite { negative: false, magnitude } if *magnitude > 0 => Some(magnitude.clone()),
        _ => None,
    }
}

/// The sum with a number. The sum of zeros is positive.
pub fn plus(value: &Value, number: &Rational) -> Value {
    match value.number() {
        Some(own) => Value::from_number(own + number),
        None => value.clone(),
    }
}
