//! Why a case exists: the flags of the vector files.

use std::collections::BTreeSet;

/// A reason to ask about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// One of all codes of a narrow source.
    EveryCode,
    /// Zero.
    Zero,
    /// Negative zero.
    NegativeZero,
    /// Infinity.
    Infinity,
    /// A quiet NaN, or one of a format that knows only one sort.
    Nan,
    /// A signalling NaN.
    SignallingNan,
    /// Largest, smallest, smallest normal, largest subnormal.
    RangeEnd,
    /// Power of two.
    PowerOfTwo,
    /// Next to a power of two, on the far side.
    PowerAbove,
    /// Last number before a power of two.
    BinadeEnd,
    /// A number that the target holds exactly.
    TargetValue,
    /// An integer of the target's range.
    Integral,
    /// Next to an integer, on the side of zero.
    IntegralBelow,
    /// Next to an integer, on the far side.
    IntegralAbove,
    /// Exactly between two neighbours.
    Tie,
    /// Next to a tie, on the side of zero.
    TieBelow,
    /// Next to a tie, on the far side.
    TieAbove,
    /// On or next to a limit beyond which the target overflows.
    Overflow,
    /// Where integers of some width end.
    IntegerLimit,
    /// Rounding through float32 gives something else.
    DoubleRounding,
    /// A number at an end of the target's range.
    TargetRangeEnd,
    /// The first or the last of a run of codes with one answer, or with answers in equal steps.
    AnswerEnd,
    /// One lower bit alone decides the answer.
    SingleBit,
    /// In a binade in which there is no other case.
    Binade,
    /// Drawn at random from a fixed seed.
    Random,
    /// An attribute is given that must change nothing.
    IgnoredAttribute,
    /// The request must be refused.
    Refused,
    /// One of the ways in which a numeral can be spelled.
    Spelling,
    /// INF or NaN in letters.
    Literal,
    /// A text that is not a numeral, or not a numeral for this target.
    NoNumeral,
    /// A numeral of very many digits.
    Long,
    /// An implementation once got it wrong.
    Regression,
}

/// Flag, name, description, kind of bug.
#[rustfmt::skip]
const TABLE: [(Flag, &str, &str, &str); 32] = [
    (Flag::EveryCode, "every-code", "one of all codes of a narrow source", "table or decoding"),
    (Flag::Zero, "zero", "zero", "special value"),
    (Flag::NegativeZero, "negative-zero", "negative zero", "special value"),
    (Flag::Infinity, "infinity", "infinity", "special value"),
    (Flag::Nan, "nan", "quiet or only NaN", "special value"),
    (Flag::SignallingNan, "signalling-nan", "signalling NaN", "special value"),
    (Flag::RangeEnd, "range-end", "largest or smallest number, smallest normal, largest subnormal of the source", "range"),
    (Flag::PowerOfTwo, "power-of-two", "power of two", "exponent"),
    (Flag::PowerAbove, "power-above", "next to a power of two, on the far side of zero", "exponent"),
    (Flag::BinadeEnd, "binade-end", "last number before a power of two", "carry into the exponent"),
    (Flag::TargetValue, "target-value", "a number that the target holds exactly", "encoding"),
    (Flag::Integral, "integral", "an integer", "rounding"),
    (Flag::IntegralBelow, "integral-below", "next to an integer, on the side of zero", "rounding"),
    (Flag::IntegralAbove, "integral-above", "next to an integer, on the far side of zero", "rounding"),
    (Flag::Tie, "tie", "exactly between two neighbours", "rounding"),
    (Flag::TieBelow, "tie-below", "next to a tie, on the side of zero", "rounding"),
    (Flag::TieAbove, "tie-above", "next to a tie, on the far side of zero", "rounding"),
    (Flag::Overflow, "overflow", "on or next to a limit of the target's range", "saturation"),
    (Flag::IntegerLimit, "integer-limit", "a power of two or the integer beside it, where integers of some width end", "wrapping"),
    (Flag::DoubleRounding, "double-rounding", "rounding through float32 gives another result", "rounding twice"),
    (Flag::TargetRangeEnd, "target-range-end", "largest or smallest number, smallest normal, largest subnormal of the target, or 1", "range"),
    (Flag::AnswerEnd, "answer-end", "first or last of the codes with one answer, or with answers in equal steps", "boundary"),
    (Flag::SingleBit, "single-bit", "a code with one single lower bit set, which decides, or without any", "bits that are not looked at"),
    (Flag::Binade, "binade", "a number of a binade in which there is no other case", "wrong in few binades"),
    (Flag::Random, "random", "drawn at random from a fixed seed", "unforeseen"),
    (Flag::IgnoredAttribute, "ignored-attribute", "an attribute is given that must change nothing here", "attribute handling"),
    (Flag::Refused, "refused", "the request must be refused, whatever the input", "validation"),
    (Flag::Spelling, "spelling", "one of the ways to spell a numeral", "parsing"),
    (Flag::Literal, "literal", "INF or NaN in letters", "parsing"),
    (Flag::NoNumeral, "no-numeral", "a text that is no numeral for this target", "validation"),
    (Flag::Long, "long", "a numeral of very many digits", "parsing"),
    (Flag::Regression, "regression", "an implementation once got it wrong", "regression"),
];

impl Flag {
    /// Every flag with its name, its description and the kind of bug that it finds, as vector
    /// files write them.
    pub const ALL: [(Flag, &str, &str, &str); TABLE.len()] = {
        let mut i = 0;
        while i < TABLE.len() {
            assert!(TABLE[i].0 as usize == i, "TABLE stands in the order of the enum");
            i += 1;
        }
        TABLE
    };

    /// The flag as vector files write it.
    pub const fn name(self) -> &'static str {
        Flag::ALL[self as usize].1
    }

    /// Returns at most two of these flags: the most informative ones.
    pub(crate) fn shown(flags: &BTreeSet<Flag>) -> Vec<Flag> {
        let limits = [Flag::PowerOfTwo, Flag::PowerAbove, Flag::BinadeEnd];
        let limit = limits.iter().any(|flag| flags.contains(flag));
        let says_less = |flag: &Flag| match flag {
            Flag::EveryCode | Flag::TargetValue | Flag::AnswerEnd | Flag::Random => flags.len() > 1,
            Flag::IntegerLimit => limit,
            _ => false,
        };
        let mut shown: Vec<Flag> = flags.iter().copied().filter(|flag| !says_less(flag)).collect();
        if shown.is_empty() {
            shown.extend(flags.last());
        }
        // The later flags belong to few codes only.
        shown.split_off(shown.len().saturating_sub(2))
    }

    /// The flag of the neighbour on the side of zero.
    pub(crate) const fn inside(self) -> Flag {
        match self {
            Flag::Tie => Flag::TieBelow,
            Flag::Integral => Flag::IntegralBelow,
            Flag::PowerOfTwo => Flag::BinadeEnd,
            other => other,
        }
    }

    /// The flag of the neighbour on the far side of zero.
    pub(crate) const fn outside(self) -> Flag {
        match self {
            Flag::Tie => Flag::TieAbove,
            Flag::Integral => Flag::IntegralAbove,
            Flag::PowerOfTwo => Flag::PowerAbove,
            other => other,
        }
    }
}
