//! A number between two results, rounded as an axis says.

use super::catalogue::Ties;
use castproof_oracle::format::{FloatFormat, float_format};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, Rounded, Rounding};
use castproof_vectors::DType;
use std::cmp::Ordering;

impl Ties {
    /// Rounds a magnitude to an integer.
    pub(super) fn to_integer(self, negative: bool, magnitude: &Rational) -> Rounded {
        if self == Ties::AddedHalf {
            let sum = float32(Rational::from(magnitude + half()));
            return round::to_integer(&sum, Rounding::TowardZero);
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
        if self == Ties::AddedHalf {
            let quantum = round::to_format(magnitude, format, Rounding::TowardZero).quantum;
            let sum = float32(Rational::from(magnitude >> quantum) + half());
            let count = round::to_integer(&sum, Rounding::TowardZero).count;
            return Rounded { count, quantum, direction: Ordering::Equal };
        }
        self.choose(negative, magnitude, |rounding| round::to_format(magnitude, format, rounding))
    }

    fn choose(
        self,
        negative: bool,
        magnitude: &Rational,
        to: impl Fn(Rounding) -> Rounded,
    ) -> Rounded {
        let away = match self {
            Ties::Even => return to(Rounding::NearestEven),
            Ties::Truncated => return to(Rounding::TowardZero),
            Ties::Floor if negative => return to(Rounding::AwayFromZero),
            Ties::Floor => return to(Rounding::TowardZero),
            Ties::Ceil if negative => return to(Rounding::TowardZero),
            Ties::Ceil => return to(Rounding::AwayFromZero),
            Ties::Away | Ties::AddedHalf => true,
            Ties::Up => !negative,
            Ties::Down => negative,
        };
        let lower = to(Rounding::TowardZero);
        let middle = (lower.number() + to(Rounding::AwayFromZero).number()) >> 1;
        if !away && middle == *magnitude { lower } else { to(Rounding::NearestAway) }
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
