//! From the largest magnitude to the scale, right or wrong.

use super::catalogue::{Exponent, NanScale, PowerMethod, ScaleShift};
use super::logarithm;
use super::numbers::{Largest, Numbers, float32};
use castproof_oracle::decode;
use castproof_oracle::format::{FloatFormat, float_format};
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_vectors::DType;

/// The exponent of a quotient that is zero, below that of every scale.
const NO_EXPONENT: i32 = -1000;

impl PowerMethod {
    /// Returns the scale of a block.
    pub fn scale(&self, numbers: &Numbers) -> u64 {
        match self.nan {
            NanScale::Code(code) if numbers.has_nan(self.enters) => code,
            _ => self.scale_of(&numbers.largest(self.enters, self.largest)),
        }
    }

    /// Returns the scale of a block without NaN that has this largest magnitude.
    pub fn scale_of(&self, largest: &Largest) -> u64 {
        match largest {
            Largest::Zero => self.zero,
            Largest::Infinite => self.infinity,
            Largest::Finite(amax) => self.scale_of_number(amax),
        }
    }

    fn scale_of_number(&self, amax: &Rational) -> u64 {
        let [Some(element), Some(scales), Some(wide)] =
            [self.to, DType::Float8E8M0, DType::Float32].map(float_format)
        else {
            unreachable!("all are floats");
        };
        let carry = half_up(amax, element.significand_bits);
        if self.overflows && Nearest::new(&carry, &wide).overflows {
            return scales.magnitude_mask();
        }
        let emax = round::exponent(&largest_element(&element));
        let shift = match self.shift {
            ScaleShift::None => 0,
            ScaleShift::More => 1,
            ScaleShift::Less => -1,
            ScaleShift::Emax => emax,
            ScaleShift::MinusEmax => -emax,
        };
        let code = exponent(self.exponent, &element, amax) + shift + scales.bias;
        u64::try_from(code).unwrap_or(0).clamp(self.low, scales.largest_code())
    }
}

fn largest_element(element: &FloatFormat) -> Rational {
    decode::finite(element, element.largest_code())
}

/// The least e with x <= 2^e.
fn up(x: &Rational) -> i32 {
    let exponent = round::exponent(x);
    exponent + i32::from(*x != Rational::from(2).pow(exponent))
}

/// Rounds to a significand with this many bits behind the leading one, a half up.
fn half_up(x: &Rational, bits: u32) -> Rational {
    let quantum = round::exponent(x) - bits as i32;
    let rounded = round::to_integer(&Rational::from(x >> quantum), MagnitudeRounding::NearestAway);
    Rational::from(rounded.count) << quantum
}

/// The exponent of the scale of a largest magnitude above zero, of any size.
fn exponent(rule: Exponent, element: &FloatFormat, amax: &Rational) -> i32 {
    let max = largest_element(element);
    let emax = round::exponent(&max);
    let floor = round::exponent(amax);
    // In float32, where nothing overflows: what is divided or multiplied here becomes smaller.
    let quotient = || float32(&Rational::from(amax / &max)).filter(|quotient| *quotient != 0);
    let of_quotient = |exponent: fn(&Rational) -> i32| {
        quotient().map_or(NO_EXPONENT, |quotient| exponent(&quotient))
    };
    let of_product = |factor: Option<Rational>, exponent: fn(&Rational) -> i32| {
        let product = factor.and_then(|factor| float32(&Rational::from(amax * &factor)));
        product.filter(|product| *product != 0).map_or(NO_EXPONENT, |product| exponent(&product))
    };
    match rule {
        Exponent::Floor => floor - emax,
        Exponent::Ceil => up(amax) - emax,
        Exponent::CeilOfQuotient => up(&Rational::from(amax / &max)),
        Exponent::FloorOfRounded => {
            round::exponent(&half_up(amax, element.significand_bits)) - emax
        }
        Exponent::FloorOfRoundedToOneBit => round::exponent(&half_up(amax, 1)) - emax,
        Exponent::Fit => {
            let quotient = Rational::from(amax >> (floor - emax));
            floor - emax + i32::from(Nearest::new(&quotient, element).overflows)
        }
        Exponent::CeilOfProduct => of_product(float32(&(Rational::from(1) / &max)), up),
        Exponent::FloorOfProduct => of_product(Some(Rational::from(1) >> emax), round::exponent),
        Exponent::FloorOfQuotient => of_quotient(round::exponent),
        Exponent::FloorOfLog => logarithm::rounded_to_integer(amax).unwrap_or(floor) - emax,
        Exponent::CeilOfLog => of_quotient(|x| {
            logarithm::rounded_to_integer(x).unwrap_or_else(|| round::exponent(x) + 1)
        }),
        Exponent::NearestOfLog => of_quotient(|x| {
            // Half way in the logarithm is the square root of 2, which no number is.
            let below = round::exponent(x);
            let square = Rational::from(x * x);
            below + i32::from(square > Rational::from(2).pow(2 * below + 1))
        }),
        Exponent::TruncatedLog => {
            let truncated = if *amax < 1 { up(amax) } else { floor };
            truncated - emax
        }
    }
}
