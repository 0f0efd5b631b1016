//! What a wrong way does otherwise.

use crate::projection::{Projection, RandomBits, Rounding};
use crate::record::Format;
use castproof_oracle::Value;
use castproof_vectors::{Conversion, Edition, RoundingMode, Saturation};

/// A conversion with its formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What is asked.
    pub conversion: Conversion,
    /// The format of the codes that are given.
    pub from: Format,
    /// The format of the codes that are due.
    pub to: Format,
}

impl Task {
    /// Looks up the formats of a conversion.
    ///
    /// # Errors
    /// One line, if there is no such format.
    pub fn new(conversion: Conversion) -> Result<Task, String> {
        let (from, to) = (Format::named(&conversion.from)?, Format::named(&conversion.to)?);
        Ok(Task { conversion, from, to })
    }

    /// The projection, with this random number where it takes one; `None` if the random bits are missing or too many.
    pub fn projection(&self, random: u64) -> Option<Projection> {
        self.projection_by(self.conversion.rounding, random)
    }

    /// The same with another rounding.
    pub(super) fn projection_by(&self, mode: RoundingMode, random: u64) -> Option<Projection> {
        let Conversion { saturation, edition, random_bits, .. } = self.conversion;
        let bits = match mode.is_stochastic() {
            true => Some(RandomBits::new(random_bits, random).ok()?),
            false => None,
        };
        Some(Projection { rounding: Rounding::of(mode, bits)?, saturation, edition })
    }

    /// The code that is due of a value; `None` where the specifications leave it open.
    pub fn due(&self, value: &Value, random: u64) -> Option<u64> {
        crate::project(value, &self.to, &self.projection(random)?).ok()
    }
}

/// What a wrong way does otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WayChange {
    /// It rounds by another mode.
    Rounding(RoundingMode),
    /// It rounds to the nearer one, ties in another way.
    Ties(Ties),
    /// It saturates by another mode.
    Saturation(Saturation),
    /// It follows another text of P3109.
    Edition(Edition),
    /// It makes something else of what is beyond the largest number.
    Beyond(Beyond),
    /// It makes something else of infinities.
    Infinity(SpecialResults),
    /// It makes something else of NaN.
    Nan(SpecialResults),
    /// It does something else where numbers are small.
    Small(SmallNumbers),
    /// It rounds to another format first.
    Through(&'static str, RoundingMode),
    /// It loses the carry where a significand is rounded up to a power of two.
    Carry(Carry),
    /// It uses the random number otherwise.
    Random(Randomly),
    /// It does something else with the sign.
    Sign(Sign),
    /// It takes the bias of the result to be so much larger.
    BiasOfResult(i32),
    /// It takes the bias of the input to be so much larger.
    BiasOfInput(i32),
    /// It reads the code as one of another format of as many bits.
    ReadAs(&'static str),
    /// It writes a code of another format of as many bits.
    WrittenAs(&'static str),
    /// It does something else to the code.
    Code(Coded),
}

/// Ties of a rounding to the nearer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum Ties {
    TowardZero,
    ToOdd,
    Up,
    Down,
}

/// What is made of a number beyond the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It is tested before it is rounded: what exceeds the largest number, however little, overflows.
    TestedFirst,
    /// The largest number, and infinities as they are due.
    Largest,
    /// Infinity, or NaN where there is none, whatever the rounding.
    Infinity,
    /// NaN.
    Nan,
    /// Zero.
    Zero,
    /// The upper bits of the exponent are lost.
    Wraps,
    /// The sign is lost.
    SignLost,
}

/// What is made of NaN or of infinities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialResults {
    /// NaN.
    Nan,
    /// Infinity, or what numbers beyond the largest become.
    Infinity,
    /// The largest number with its sign.
    Largest,
    /// Zero.
    Zero,
    /// The code of all ones without sign.
    Ones,
    /// The sign is lost.
    SignLost,
}

/// What is made of small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmallNumbers {
    /// A subnormal result becomes zero.
    ResultFlushed,
    /// A number below the smallest normal one becomes zero before it is rounded.
    FlushedFirst,
    /// A subnormal input is taken for zero.
    InputFlushed,
    /// A number below the smallest normal one is rounded to the whole precision first, then once more.
    RoundedTwice,
    /// A number below the smallest normal one is cut.
    Cut,
    /// A number below the smallest one becomes zero, whatever the rounding.
    ZeroBelowSmallest,
    /// A number below the smallest one becomes the smallest one.
    SmallestAtLeast,
    /// A number below the smallest normal one becomes that one.
    NormalAtLeast,
}

/// Which carries are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// Those from one binade to the next.
    Normal,
    /// Those from the subnormal numbers too.
    Subnormal,
    /// Those beyond the largest number too.
    All,
    /// The carry is or-ed into the exponent, so that it is lost where the lowest bit of the exponent is 1.
    Ored,
}

/// What is done with random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Randomly {
    /// Its bits are taken in reverse order.
    Reversed,
    /// Its lowest bit is not used.
    LowestUnused,
    /// Its highest bit is not used.
    HighestUnused,
    /// It is taken as its half.
    Halved,
    /// It is doubled, and its highest bit lost.
    Doubled,
    /// One is added.
    OneMore,
    /// It is complemented.
    Complemented,
    /// It is complemented where the input is negative.
    ComplementedIfNegative,
    /// It is that of the code before.
    Before,
    /// It is that of the code after.
    After,
    /// It is that of the first code.
    First,
    /// The fraction and it must exceed one, rather than reach it.
    Exceeds,
    /// The fraction must be at least it.
    Against,
    /// It is added to every number, even one that the format holds.
    MovesExact,
}

/// What is done with signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The sign is lost.
    Lost,
    /// The sign of zero is lost.
    LostOfZero,
    /// Zero keeps its sign, though the format has no negative zero.
    KeptOfZero,
    /// What is rounded to zero loses its sign.
    LostOfUnderflow,
    /// A negative number becomes zero.
    NegativeZeroed,
    /// A negative number becomes NaN.
    NegativeNan,
}

/// What is done to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coded {
    /// Its lowest bit is lost.
    LowestLost,
    /// It is always zero.
    Zero,
    /// It is one more, where it is the code of a number that was rounded.
    OneMore,
    /// It is one less, where it is the code of a number that was rounded.
    OneLess,
}
