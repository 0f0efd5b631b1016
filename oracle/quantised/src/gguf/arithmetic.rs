//! Products and sums of exact values, with the specials of IEEE 754.

use castproof_oracle::Value;
use castproof_oracle::number::Rational;
use std::cmp::Ordering;

/// The product of all factors. Zero times infinity is NaN, and signs multiply, those of zeros too. No order of the factors
/// gives another result.
pub fn product<const N: usize>(factors: [Value; N]) -> Value {
    factors.into_iter().reduce(times).expect("at least one factor")
}

fn times(one: Value, other: Value) -> Value {
    use Value::{Finite, Infinite, Nan};
    match (one, other) {
        (Nan { negative }, _) | (_, Nan { negative }) => Nan { negative },
        (
            Finite { negative, magnitude },
            Finite { negative: other_sign, magnitude: other_magnitude },
        ) => Finite { negative: negative != other_sign, magnitude: magnitude * other_magnitude },
        (Infinite { negative }, Infinite { negative: other }) => {
            Infinite { negative: negative != other }
        }
        (Infinite { negative }, Finite { negative: other, magnitude })
        | (Finite { negative: other, magnitude }, Infinite { negative }) => {
            if magnitude == 0 {
                Nan { negative: false }
            } else {
                Infinite { negative: negative != other }
            }
        }
    }
}

/// The quotient. A number over infinity is zero, and over zero infinite; zero over zero, and infinity over infinity, are NaN.
pub fn quotient(one: Value, other: Value) -> Value {
    let other = match other {
        Value::Infinite { negative } => Value::Finite { negative, magnitude: Rational::new() },
        Value::Finite { negative, magnitude } if magnitude == 0 => Value::Infinite { negative },
        Value::Finite { negative, magnitude } => {
            Value::Finite { negative, magnitude: Rational::from(1) / magnitude }
        }
        nan => nan,
    };
    times(one, other)
}

/// The sum. Infinities of both signs give NaN. A sum of zero is positive, unless both terms are negative zeros.
pub fn sum(one: Value, other: Value) -> Value {
    use Value::{Finite, Infinite, Nan};
    match (&one, &other) {
        (Nan { .. }, _) => one,
        (_, Nan { .. }) => other,
        (Infinite { negative }, Infinite { negative: other_sign }) if negative != other_sign => {
            Nan { negative: false }
        }
        (Infinite { .. }, _) => one,
        (_, Infinite { .. }) => other,
        (Finite { negative, .. }, Finite { negative: other_sign, .. }) => {
            let both_negative = *negative && *other_sign;
            let total = one.number().expect("finite") + other.number().expect("finite");
            let negative = if total == 0 { both_negative } else { total < 0 };
            Finite { negative, magnitude: total.abs() }
        }
    }
}

/// The difference: the sum with the opposite.
pub fn difference(one: Value, other: Value) -> Value {
    sum(one, opposite(other))
}

/// The value with the other sign.
pub fn opposite(value: Value) -> Value {
    match value {
        Value::Nan { negative } => Value::Nan { negative: !negative },
        Value::Infinite { negative } => Value::Infinite { negative: !negative },
        Value::Finite { negative, magnitude } => Value::Finite { negative: !negative, magnitude },
    }
}

/// An integer, whose zero is positive.
pub fn integer(number: i64) -> Value {
    Value::from_number(Rational::from(number))
}

/// An integer times a power of two.
pub fn scaled(number: i64, exponent: i32) -> Value {
    Value::from_number(Rational::from(number) << exponent)
}

/// The magnitude without its sign.
pub fn magnitude(value: &Value) -> Value {
    match value {
        Value::Nan { .. } => Value::Nan { negative: false },
        Value::Infinite { .. } => Value::Infinite { negative: false },
        Value::Finite { magnitude, .. } => {
            Value::Finite { negative: false, magnitude: magnitude.clone() }
        }
    }
}

/// Is one value less than the other? NaN is neither less nor larger.
pub fn is_less(one: &Value, other: &Value) -> bool {
    let sign = |negative: bool| if negative { -1 } else { 1 };
    let infinite = |value: &Value| match value {
        Value::Infinite { negative } => Some(sign(*negative)),
        _ => Some(0),
    };
    match (one, other) {
        (Value::Nan { .. }, _) | (_, Value::Nan { .. }) => false,
        (Value::Finite { .. }, Value::Finite { .. }) => one.number() < other.number(),
        _ => infinite(one).cmp(&infinite(other)) == Ordering::Less,
    }
}
