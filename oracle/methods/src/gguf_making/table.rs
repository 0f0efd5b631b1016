//! What is known to happen.

use super::way::{
    Clamp, Exponent, GgufMakingMethod, Largest, Minimum, Multiplier, Offset, Order, RULE, Rounding,
    Scale, Stored, Ties, Way, Zero,
};
use castproof_vectors::GgufType;

use GgufType::{MXFP4, NVFP4, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0};

/// Types whose elements are integers.
const INTEGERS: &[GgufType] = &[Q4_0, Q4_1, Q5_0, Q5_1, Q8_0];
const NIBBLES: &[GgufType] = &[Q4_0, Q4_1, Q5_0, Q5_1, MXFP4, NVFP4];
/// Types with 8 or 16 in the middle.
const CENTRED: &[GgufType] = &[Q4_0, Q5_0];
const MINIMA: &[GgufType] = &[Q4_1, Q5_1];
const FIFTHS: &[GgufType] = &[Q5_0, Q5_1];
const FOURS: &[GgufType] = &[MXFP4, NVFP4];

const fn row(words: &'static str, kinds: &'static [GgufType], way: Way) -> GgufMakingMethod {
    GgufMakingMethod { words, kinds, way }
}

const fn rounding(
    words: &'static str,
    kinds: &'static [GgufType],
    rounding: Rounding,
) -> GgufMakingMethod {
    row(words, kinds, Way { rounding, ..RULE })
}

const fn multiplier(
    words: &'static str,
    kinds: &'static [GgufType],
    multiplier: Multiplier,
) -> GgufMakingMethod {
    row(words, kinds, Way { multiplier, ..RULE })
}

const fn divisor(
    words: &'static str,
    kinds: &'static [GgufType],
    divisor: i32,
) -> GgufMakingMethod {
    row(words, kinds, Way { divisor: Some(divisor), ..RULE })
}

const fn largest(
    words: &'static str,
    kinds: &'static [GgufType],
    largest: Largest,
) -> GgufMakingMethod {
    row(words, kinds, Way { largest, ..RULE })
}

const fn order(words: &'static str, kinds: &'static [GgufType], order: Order) -> GgufMakingMethod {
    row(words, kinds, Way { order, ..RULE })
}

const fn stored(words: &'static str, stored: Stored) -> GgufMakingMethod {
    row(words, INTEGERS, Way { stored, ..RULE })
}

const fn minimum(words: &'static str, minimum: Minimum) -> GgufMakingMethod {
    row(words, MINIMA, Way { minimum, ..RULE })
}

const fn zero(words: &'static str, kinds: &'static [GgufType], zero: Zero) -> GgufMakingMethod {
    row(words, kinds, Way { zero, ..RULE })
}

const fn exponent(words: &'static str, exponent: Exponent) -> GgufMakingMethod {
    row(words, &[MXFP4], Way { exponent, ..RULE })
}

const fn ties(words: &'static str, ties: Ties) -> GgufMakingMethod {
    row(words, FOURS, Way { ties, ..RULE })
}

const fn scale(words: &'static str, scale: Scale) -> GgufMakingMethod {
    row(words, &[NVFP4], Way { scale, ..RULE })
}

/// The methods, the likelier first.
pub const GGUF_MAKING_METHODS: &[GgufMakingMethod] = &[
    rounding("halves are rounded to even", INTEGERS, Rounding::Even),
    rounding("halves are rounded away from zero", CENTRED, Rounding::Away),
    rounding("halves are rounded up", &[Q8_0], Rounding::Up),
    rounding("elements are rounded toward zero", INTEGERS, Rounding::TowardZero),
    rounding("elements are rounded down", &[Q4_0, Q5_0, Q8_0], Rounding::Down),
    multiplier(
        "numbers are divided by the scale instead of multiplied by its rounded reciprocal",
        INTEGERS,
        Multiplier::Quotient,
    ),
    multiplier(
        "elements follow from the scale that is stored",
        INTEGERS,
        Multiplier::StoredReciprocal,
    ),
    multiplier(
        "numbers are divided by the scale that is stored",
        INTEGERS,
        Multiplier::StoredQuotient,
    ),
    multiplier(
        "numbers are multiplied by the steps over the largest number",
        INTEGERS,
        Multiplier::Direct,
    ),
    row(
        "numbers are multiplied by 127 over the largest number, and halves are rounded to even",
        &[Q8_0],
        Way { multiplier: Multiplier::Direct, rounding: Rounding::Even, ..RULE },
    ),
    row(
        "numbers are divided by the scale, and halves are rounded to even",
        INTEGERS,
        Way { multiplier: Multiplier::Quotient, rounding: Rounding::Even, ..RULE },
    ),
    row(
        "numbers are divided by the scale that is stored, and halves are rounded to even",
        INTEGERS,
        Way { multiplier: Multiplier::StoredQuotient, rounding: Rounding::Even, ..RULE },
    ),
    largest("the scale has no sign, as the largest magnitude", CENTRED, Largest::Magnitude),
    largest(
        "the scale is negative, the largest magnitude without its sign",
        CENTRED,
        Largest::Opposite,
    ),
    largest("the scale follows from the last of equal magnitudes", CENTRED, Largest::Last),
    largest(
        "the scale follows from the largest number, not the largest magnitude",
        &[Q4_0, Q5_0, Q8_0],
        Largest::Most,
    ),
    row(
        "the scale is the largest magnitude over 7",
        &[Q4_0],
        Way { largest: Largest::Magnitude, divisor: Some(7), ..RULE },
    ),
    row(
        "the scale is the largest magnitude over 15",
        &[Q5_0],
        Way { largest: Largest::Magnitude, divisor: Some(15), ..RULE },
    ),
    divisor("the largest number is divided by 7", &[Q4_0], 7),
    divisor("the largest number is divided by 15", &[Q5_0], 15),
    divisor("the range is divided by 16", &[Q4_1], 16),
    divisor("the range is divided by 32", &[Q5_1], 32),
    divisor("the range is divided by 15, as in Q4_1", &[Q5_1], 15),
    divisor("the largest magnitude is divided by 128", &[Q8_0], 128),
    row("8 or 16 is not added to elements", CENTRED, Way { offset: Offset::Other, ..RULE }),
    row("128 is added to elements", &[Q8_0], Way { offset: Offset::Other, ..RULE }),
    row(
        "the element beyond the largest code becomes 0",
        CENTRED,
        Way { clamp: Clamp::Missing, ..RULE },
    ),
    row(
        "elements are clamped to -7 and 7, or -15 and 15",
        CENTRED,
        Way { clamp: Clamp::Symmetric, ..RULE },
    ),
    order("neighbours share a byte, the first one in the low nibble", NIBBLES, Order::Pairs),
    order("neighbours share a byte, the first one in the high nibble", NIBBLES, Order::HighPairs),
    order("the first half lies in the high nibbles", NIBBLES, Order::Swapped),
    order("fifth bits lie from the last to the first", FIFTHS, Order::FifthReversed),
    order("the fifth bits are lost", FIFTHS, Order::FifthLost),
    stored("the scale is rounded to float16 toward zero", Stored::TowardZero),
    stored("subnormal scales are stored as zero", Stored::Flushed),
    stored("a scale beyond float16 is stored as 65504", Stored::Saturated),
    minimum("elements follow from the minimum that is stored", Minimum::Stored),
    minimum("a minimum above zero is taken for zero", Minimum::AtMostZero),
    minimum("zero belongs to the range", Minimum::WithZero),
    minimum("the minimum is not subtracted", Minimum::NotSubtracted),
    minimum("the minimum is stored with the opposite sign", Minimum::Negated),
    zero("elements are 0 under the scale 0", CENTRED, Zero::NoElements),
    zero("the scale of zeros is the positive zero", CENTRED, Zero::Positive),
    zero("the scale of zeros is 1", INTEGERS, Zero::One),
    zero("the scale of zeros is 0x7f", &[MXFP4], Zero::One),
    exponent("the scale is one code too large", Exponent::Plus(1)),
    exponent("the scale is one code too small", Exponent::Plus(-1)),
    exponent("the scale is the power of two below the largest magnitude", Exponent::Plus(2)),
    exponent("the logarithm is rounded up", Exponent::Ceil),
    exponent("the scale goes up from 1.75 on", Exponent::Even),
    exponent("the scale goes up from 1.5 on", Exponent::Nearest),
    exponent("the scale goes up where the largest magnitude would be above 6", Exponent::Fits),
    ties("ties go to the even code", Ties::Even),
    ties("ties go to the larger magnitude", Ties::Larger),
    ties("elements are rounded toward zero", Ties::Truncated),
    row("a negative zero keeps its sign", FOURS, Way { has_negative_zero: true, ..RULE }),
    row(
        "ties go to the even code, and a negative zero keeps its sign",
        FOURS,
        Way { ties: Ties::Even, has_negative_zero: true, ..RULE },
    ),
    row(
        "the scale goes up where the largest magnitude would be above 6, and ties go to the even code",
        &[MXFP4],
        Way { exponent: Exponent::Fits, ties: Ties::Even, ..RULE },
    ),
    scale("the scale is rounded to float8e4m3fn, ties to even and up to 448", Scale::E4m3),
    scale("the scale is rounded toward zero", Scale::TowardZero),
    scale("elements follow from the scale before it is rounded", Scale::Unrounded),
    scale("the largest magnitude is multiplied by the rounded 1/6", Scale::Product),
    scale("a subnormal scale becomes zero", Scale::Flushed),
    scale("elements follow from half the scale", Scale::ElementsDoubled),
    scale("the scale of the first 16 numbers is taken for all", Scale::First),
    multiplier(
        "numbers are multiplied by the rounded reciprocal of the scale",
        &[NVFP4],
        Multiplier::Direct,
    ),
    row(
        "the scale and the elements are rounded as float8e4m3fn and float4e2m1 are cast",
        &[NVFP4],
        Way { scale: Scale::E4m3, ties: Ties::Even, has_negative_zero: true, ..RULE },
    ),
];
