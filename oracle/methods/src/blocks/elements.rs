//! From a number and the scale to an element, right or wrong.

use super::catalogue::{Lowest, NanElement, Overflow, PowerMethod, QuotientTies};
use super::numbers::{Numbers, float32};
use castproof_oracle::Value;
use castproof_oracle::encode;
use castproof_oracle::format::{FloatFormat, NanEncoding, float_format};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding, Rounded};
use castproof_vectors::DType;
use std::cmp::Ordering;

/// What a NaN may become, the likelier first.
pub const NAN_ELEMENTS: [NanElement; 8] = [
    NanElement::Nan,
    NanElement::PositiveNan,
    NanElement::PositiveLargest,
    NanElement::Largest,
    NanElement::Zero,
    NanElement::OppositeZero,
    NanElement::PositiveZero,
    NanElement::AllOnes,
];

/// A quotient, as it is rounded to an element.
enum Quotient {
    Finite(Rational),
    Infinite,
    Nan,
}

impl PowerMethod {
    /// Returns the element of one of the numbers under this scale; `None` if the scale is NaN, or the
    /// elements have no code for what the method gives.
    pub fn element(&self, numbers: &Numbers, code: u64, scale: u64) -> Option<u64> {
        let (element, scales) = (float_format(self.to)?, float_format(DType::Float8E8M0)?);
        if scale > scales.largest_code() {
            return None;
        }
        let (negative, quotient) = match numbers.value(code, self.number)? {
            Value::Nan { negative } => (negative, Quotient::Nan),
            Value::Infinite { negative } => (negative, Quotient::Infinite),
            Value::Finite { negative, magnitude } => {
                (negative, self.quotient(&magnitude, scale, scales.bias))
            }
        };
        match quotient {
            Quotient::Nan => self.nan_element?.code(&element, negative),
            Quotient::Infinite => self.beyond(&element, negative),
            Quotient::Finite(quotient) => self.rounded(&element, negative, &quotient),
        }
    }

    fn quotient(&self, magnitude: &Rational, scale: u64, bias: i32) -> Quotient {
        let exponent = scale as i32 - bias;
        let exact = match (scale, self.lowest) {
            (1.., _) | (0, Lowest::Exact) => Rational::from(magnitude >> exponent),
            (0, Lowest::Next) => Rational::from(magnitude >> (exponent + 1)),
            (0, Lowest::Zero) => Rational::new(),
            (0, Lowest::DividedByZero) if *magnitude == 0 => return Quotient::Nan,
            (0, Lowest::DividedByZero) => return Quotient::Infinite,
        };
        match self.quotient.and_then(float_format).map(|middle| Nearest::new(&exact, &middle)) {
            None => Quotient::Finite(exact),
            Some(nearest) if nearest.overflows => Quotient::Infinite,
            Some(nearest) => Quotient::Finite(nearest.rounded.number()),
        }
    }

    fn rounded(&self, element: &FloatFormat, negative: bool, quotient: &Rational) -> Option<u64> {
        let code = encode::magnitude(element, &self.round(element, quotient));
        let is_beyond = match self.overflow {
            Overflow::Positive => Nearest::new(quotient, element).beyond_largest,
            _ => code > element.largest_code(),
        };
        if is_beyond {
            return self.beyond(element, negative);
        }
        let is_subnormal = code >> element.significand_bits == 0;
        let code = if self.flushes && is_subnormal { 0 } else { code };
        let signed = negative && !(self.unsigned_zero && code == 0);
        Some(encode::signed(element, signed, code))
    }

    fn round(&self, element: &FloatFormat, quotient: &Rational) -> Rounded {
        let to = |rounding| round::to_format(quotient, element, rounding);
        match self.ties {
            QuotientTies::Even => to(MagnitudeRounding::NearestEven),
            QuotientTies::Away => to(MagnitudeRounding::NearestAway),
            QuotientTies::Truncated => to(MagnitudeRounding::TowardZero),
            QuotientTies::Toward => {
                let (down, away) =
                    (to(MagnitudeRounding::TowardZero), to(MagnitudeRounding::NearestAway));
                let middle = (down.number() + to(MagnitudeRounding::AwayFromZero).number()) >> 1;
                if middle == *quotient { down } else { away }
            }
            QuotientTies::AddedHalf => {
                let quantum = to(MagnitudeRounding::TowardZero).quantum;
                let half = Rational::from((1, 2));
                let sum = Rational::from(quotient >> quantum) + half;
                // Beyond float32, far beyond all elements, the sum stays as it is.
                let sum = float32(&sum).unwrap_or(sum);
                let count = round::to_integer(&sum, MagnitudeRounding::TowardZero).count;
                Rounded { count, quantum, direction: Ordering::Equal }
            }
        }
    }

    fn beyond(&self, element: &FloatFormat, negative: bool) -> Option<u64> {
        match self.overflow {
            Overflow::Largest => Some(encode::largest(element, negative)),
            Overflow::Positive => Some(element.largest_code()),
            Overflow::Nan => nan(element, negative),
            Overflow::Infinity => element.infinities.then(|| encode::infinity(element, negative)),
        }
    }
}

impl NanElement {
    fn code(self, element: &FloatFormat, negative: bool) -> Option<u64> {
        match self {
            NanElement::Nan => nan(element, negative),
            NanElement::PositiveNan => nan(element, false),
            NanElement::Largest => Some(encode::largest(element, negative)),
            NanElement::PositiveLargest => Some(element.largest_code()),
            NanElement::Zero => Some(encode::signed(element, negative, 0)),
            NanElement::OppositeZero => Some(encode::signed(element, !negative, 0)),
            NanElement::PositiveZero => Some(0),
            NanElement::AllOnes => Some(element.magnitude_mask()),
        }
    }
}

/// The usual NaN with this sign; `None` if the format has none.
fn nan(element: &FloatFormat, negative: bool) -> Option<u64> {
    let code = match element.nan {
        NanEncoding::TopBinade => element.top_binade() | 1 << (element.significand_bits - 1),
        NanEncoding::AllOnes => element.magnitude_mask(),
        NanEncoding::None | NanEncoding::NegativeZero => return None,
    };
    Some(encode::signed(element, negative, code))
}
