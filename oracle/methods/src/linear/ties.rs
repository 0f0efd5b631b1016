//! A number between two results, rounded as an axis says.

use super::catalogue::ResultTies;
use castproof_oracle::format::{FloatFormat, float_format};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding, Rounded};
use castproof_vectors::DType;
use std::cmp::Ordering;

impl ResultTies {
    /// Rounds a magnitude to an integer.
    pub(super) fn to_integer(self, negative: bool, magnitude: &Rational) -> Rounded {
        if self == ResultTies::AddedHalf {
            let sum = float32(Rational::from(magnitude + half()));
            return round::to_integer(&sum, MagnitudeRounding::TowardZero);
        }
        self.choose(negative, magnitude, |rounding| round::to_integer(magnitude, rounding))
    }

    /// Rounds a magnitude to a float.
    pub(super) fn to_format(
        self,
        negative: bool,
        magnitude: &Rational,
        format: &FloatFormat,
    ) -> Rounded {
        if self == ResultTies::AddedHalf {
            let quantum =
                round::to_format(magnitude, format, MagnitudeRounding::TowardZero).quantum;
            let sum = float32(Rational::from(magnitude >> quantum) + half());
            let count = round::to_integer(&sum, MagnitudeRounding::TowardZero).count;
            return Rounded { count, quantum, direction: Ordering::Equal };
        }
        self.choose(negative, magnitude, |rounding| round::to_format(magnitude, format, rounding))
    }

    fn choose(
        self,
        negative: bool,
        magnitude: &Rational,
        to: impl Fn(MagnitudeRounding) -> Rounded,
    ) -> Rounded {
        let away = match self {
            ResultTies::Even => return to(MagnitudeRounding::NearestEven),
            ResultTies::Truncated => return to(MagnitudeRounding::TowardZero),
            ResultTies::Floor if negative => return to(MagnitudeRounding::AwayFromZero),
            ResultTies::Floor => return to(MagnitudeRounding::TowardZero),
            ResultTies::Ceil if negative => return to(MagnitudeRounding::TowardZero),
            ResultTies::Ceil => return to(MagnitudeRounding::AwayFromZero),
            ResultTies::Away | ResultTies::AddedHalf => true,
            ResultTies::Up => !negative,
            ResultTies::Down => negative,
        };
        let lower = to(MagnitudeRounding::TowardZero);
        let middle = (lower.number() + to(MagnitudeRounding::AwayFromZero).number()) >> 1;
        if !away && middle == *magnitude { lower } else { to(MagnitudeRounding::NearestAway) }
    }
}

fn half() -> Rational {
    Rational::from((1, 2))
}

/// The number of float32 nearest to a magnitude; beyond the largest, the magnitude itself, which is far beyond all results.
fn float32(magnitude: Rational) -> Rational {
    let nearest = float_format(DType::Float32).map(|format| Nearest::new(&magnitude, &format));
    match nearest {
        Some(nearest) if !nearest.overflows => nearest.rounded.number(),
        _ => magnitude,
    }
}
