//! What a projection is: rounding, saturation and edition.

use castproof_vectors::{Edition, RoundingMode, Saturation};
use std::fmt;

/// How an exact number becomes a code of a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Projection {
    /// To which of its two neighbours a number goes.
    pub rounding: Rounding,
    /// What a number beyond the largest becomes.
    pub saturation: Saturation,
    /// Which text of P3109 holds, where two differ.
    pub edition: Edition,
}

/// To which of its two neighbours a number goes. The neighbours are those of a format whose exponent has no upper end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearer one, a tie to the even one (PJ-03).
    #[default]
    NearestEven,
    /// To the nearer one, a tie to the larger magnitude (PJ-04).
    NearestAway,
    /// To the smaller magnitude (PJ-01).
    TowardZero,
    /// To the greater one, toward positive infinity (PJ-02).
    Up,
    /// To the smaller one, toward negative infinity (PJ-02).
    Down,
    /// To the odd one (PJ-05).
    ToOdd,
    /// By random bits, which are added to the fraction, cut to as many bits (PJ-06).
    StochasticA(RandomBits),
    /// By random bits and one half, to the fraction cut to one bit more (PJ-07).
    StochasticB(RandomBits),
    /// By random bits, to the fraction rounded to as many bits (PJ-08).
    StochasticC(RandomBits),
}

/// A number R of N random bits. The larger it is, the more numbers go to the larger magnitude (PJ-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomBits {
    count: u32,
    number: u64,
}

impl RandomBits {
    /// The most bits.
    pub const MOST: u32 = 63;

    /// Takes N from 1 to [`RandomBits::MOST`] and R below 2^N. N = 0 is left out: the draft's formal text refuses it (PJ-10).
    ///
    /// # Errors
    /// One line, if they are not.
    pub fn new(count: u32, number: u64) -> Result<RandomBits, String> {
        if !(1..=RandomBits::MOST).contains(&count) {
            return Err(format!(
                "{count} random bits: write a number of bits from 1 to {}",
                RandomBits::MOST
            ));
        }
        if number >> count != 0 {
            return Err(format!(
                "{number} has more than {count} bits: write a random number from 0 to {}",
                (1u64 << count) - 1
            ));
        }
        Ok(RandomBits { count, number })
    }

    /// N
    pub fn count(self) -> u32 {
        self.count
    }

    /// R
    pub fn number(self) -> u64 {
        self.number
    }
}

impl Rounding {
    /// The six modes that take no random bits.
    pub const FIXED: [Rounding; 6] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::TowardZero,
        Rounding::Up,
        Rounding::Down,
        Rounding::ToOdd,
    ];

    /// The three modes that take random bits.
    pub fn stochastic(bits: RandomBits) -> [Rounding; 3] {
        [Rounding::StochasticA(bits), Rounding::StochasticB(bits), Rounding::StochasticC(bits)]
    }

    /// The random bits, of a mode that takes them.
    pub fn random_bits(self) -> Option<RandomBits> {
        match self {
            Rounding::StochasticA(bits)
            | Rounding::StochasticB(bits)
            | Rounding::StochasticC(bits) => Some(bits),
            _ => None,
        }
    }

    /// The mode, without random bits.
    pub const fn mode(self) -> RoundingMode {
        match self {
            Rounding::NearestEven => RoundingMode::NearestEven,
            Rounding::NearestAway => RoundingMode::NearestAway,
            Rounding::TowardZero => RoundingMode::TowardZero,
            Rounding::Up => RoundingMode::Up,
            Rounding::Down => RoundingMode::Down,
            Rounding::ToOdd => RoundingMode::ToOdd,
            Rounding::StochasticA(_) => RoundingMode::StochasticA,
            Rounding::StochasticB(_) => RoundingMode::StochasticB,
            Rounding::StochasticC(_) => RoundingMode::StochasticC,
        }
    }

    /// The mode with its random bits, which only a stochastic one has; `None` if they are missing or too many.
    pub fn of(mode: RoundingMode, bits: Option<RandomBits>) -> Option<Rounding> {
        let all = bits.map_or(vec![], |bits| Rounding::stochastic(bits).to_vec());
        let all = if bits.is_none() { Rounding::FIXED.to_vec() } else { all };
        all.into_iter().find(|rounding| rounding.mode() == mode)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.mode().name()
    }
}

/// What no rounding and no saturation decides: specifications differ, and each needs a choice of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// NaN, and the format has none (PJ-32).
    Nan,
    /// A negative number, and the format is unsigned and none of P3109 (PJ-34, PJ-42).
    Sign,
    /// Zero, and the format has none (PJ-42).
    Zero,
    /// Saturation `propagate`, which only P3109 has (PJ-21).
    Propagate,
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Open::Nan => "the format has no NaN, and specifications differ in what NaN becomes: zero, the largest number, or anything",
            Open::Sign => "the format has no negative number, and specifications differ in what one becomes: the number without its sign, NaN, or the smallest number",
            Open::Zero => "the format has no zero, and specifications differ in what zero becomes: NaN, or the smallest number",
            Open::Propagate => "only formats of P3109 have the saturation propagate: use finite or none",
        })
    }
}
