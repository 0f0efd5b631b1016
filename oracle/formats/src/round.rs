//! The first step: a number becomes one of its two neighbours.

use crate::projection::{RandomBits, Rounding};
use crate::record::Format;
use castproof_oracle::Value;
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::round::exponent;
use std::cmp::Ordering;

/// Rounds a value to the precision of a format whose exponent has no upper end. NaN, infinities and zeros stay.
pub fn round(value: &Value, format: &Format, rounding: Rounding) -> Value {
    round_by(value, format, |negative, rest, is_odd| goes_up(rounding, negative, rest, is_odd))
}

/// Rounds a value to the precision of a format whose exponent has no upper end, by what is said of its sign, of its fraction, which
/// is not 0, and of whether the neighbour below is odd: does it go to the larger magnitude?
pub(crate) fn round_by(
    value: &Value,
    format: &Format,
    goes_up: impl Fn(bool, &Rational, bool) -> bool,
) -> Value {
    match value {
        Value::Finite { negative, magnitude } if *magnitude != 0 => Value::Finite {
            negative: *negative,
            magnitude: rounded(magnitude, format, |rest, is_odd| goes_up(*negative, rest, is_odd)),
        },
        _ => value.clone(),
    }
}

/// Section 2.1: |x| = (f + v) * 2^q with 0 <= v < 1 becomes f * 2^q or (f + 1) * 2^q. If f + 1 is 2^p, that is the next binade.
fn rounded(x: &Rational, format: &Format, goes_up: impl Fn(&Rational, bool) -> bool) -> Rational {
    let quantum = format.quantum(exponent(x));
    let scaled = Rational::from(x >> quantum);
    let below = Integer::from(scaled.floor_ref());
    let rest = Rational::from(&scaled - &below);
    let is_odd = match format.precision {
        // The only significand is 1, so the exponent code says what is even (PJ-13): 1.5 goes to 1, whose code is 0x80. Zero is even.
        1 => below != 0 && (quantum + format.bias) & 1 == 1,
        _ => below.is_odd(),
    };
    let up = rest != 0 && goes_up(&rest, is_odd);
    Rational::from(below + u32::from(up)) << quantum
}

/// Does a number with this fraction, which is not 0, go to the larger magnitude?
fn goes_up(rounding: Rounding, negative: bool, rest: &Rational, is_odd: bool) -> bool {
    let against_half = rest.cmp(&Rational::from((1, 2)));
    match rounding {
        Rounding::TowardZero => false,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::NearestEven => {
            against_half == Ordering::Greater || (against_half == Ordering::Equal && is_odd)
        }
        Rounding::NearestAway => against_half != Ordering::Less,
        Rounding::ToOdd => !is_odd,
        Rounding::StochasticA(bits) => reaches(floor(rest, bits.count()), bits),
        // floor(v * 2^(N+1)) + 2R + 1 >= 2^(N+1), halved: an odd left side is never equal to the right one.
        Rounding::StochasticB(bits) => {
            let twice = floor(rest, bits.count() + 1) + 1u32;
            reaches(twice >> 1u32, bits)
        }
        Rounding::StochasticC(bits) => reaches(nearest_even(rest, bits.count()), bits),
    }
}

/// Does this many, with the random number, make a whole? There are 2^N parts in one.
fn reaches(parts: Integer, bits: RandomBits) -> bool {
    parts + bits.number() >= Integer::from(1u64 << bits.count())
}

/// v * 2^N, rounded down.
pub(crate) fn floor(rest: &Rational, bits: u32) -> Integer {
    Integer::from(Rational::from(rest << bits).floor_ref())
}

/// v * 2^N, rounded to the nearest integer, a tie to the even one.
fn nearest_even(rest: &Rational, bits: u32) -> Integer {
    let scaled = Rational::from(rest << bits);
    let below = Integer::from(scaled.floor_ref());
    let against_half = Rational::from(&scaled - &below).cmp(&Rational::from((1, 2)));
    let up =
        against_half == Ordering::Greater || (against_half == Ordering::Equal && below.is_odd());
    below + u32::from(up)
}
