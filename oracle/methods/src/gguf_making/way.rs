//! The axes of methods that make blocks of GGUF, and the steps that they share.

use castproof_oracle::Value;
use castproof_oracle::format::{FloatFormat, float_format};
use castproof_quantised::gguf::Packed;
use castproof_quantised::linear::steps::rounded;
use castproof_vectors::{DType, GgufType};

/// A way to quantise that is not the right one.
pub struct GgufMakingMethod {
    /// What it does, for people.
    pub words: &'static str,
    pub(super) kinds: &'static [GgufType],
    pub(super) way: Way,
}

/// A value on each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) largest: Largest,
    /// What the largest number is divided by; `None`: what the type says.
    pub(super) divisor: Option<i32>,
    pub(super) multiplier: Multiplier,
    pub(super) rounding: Rounding,
    pub(super) is_fused: bool,
    pub(super) clamp: Clamp,
    pub(super) offset: Offset,
    pub(super) order: Order,
    pub(super) stored: Stored,
    pub(super) minimum: Minimum,
    pub(super) zero: Zero,
    /// What is added to the code of the scale of MXFP4.
    pub(super) exponent: Exponent,
    pub(super) ties: Ties,
    pub(super) has_negative_zero: bool,
    pub(super) scale: Scale,
}

/// The number from which the scale follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Largest {
    First,
    Last,
    /// Without its sign.
    Magnitude,
    /// Without its sign, then the opposite.
    Opposite,
    /// The largest number, not the largest magnitude.
    Most,
}

/// How a number and the scale become the number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Multiplier {
    Reciprocal,
    Quotient,
    /// The product with steps / largest number, rounded.
    Direct,
    /// The product with the reciprocal of the scale as it is stored.
    StoredReciprocal,
    StoredQuotient,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// As the type says: half up, or away from zero in Q8_0.
    Own,
    Even,
    Away,
    Up,
    TowardZero,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clamp {
    Right,
    /// Beyond the largest code come the lowest bits.
    Missing,
    /// -7 to 7, and -15 to 15.
    Symmetric,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offset {
    Right,
    /// Two's complement, and in Q8_0 an excess of 128.
    Other,
}

/// Where the elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Split,
    Pairs,
    /// Neighbours in a byte, the first one high.
    HighPairs,
    Swapped,
    FifthReversed,
    FifthLost,
}

/// How the scale becomes float16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Nearest,
    TowardZero,
    Flushed,
    Saturated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Minimum {
    Least,
    /// Elements follow from the minimum as it is stored.
    Stored,
    /// Zero, if it is above zero.
    AtMostZero,
    /// Zero belongs to the range.
    WithZero,
    NotSubtracted,
    Negated,
}

/// What is made of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    Right,
    /// Elements 0 under the scale 0.
    NoElements,
    /// The scale is the positive zero.
    Positive,
    /// The scale is 1.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exponent {
    Floor,
    /// So many more.
    Plus(i32),
    /// Up if there is any fraction.
    Ceil,
    /// Up from 1.75 on.
    Even,
    /// Up from 1.5 on.
    Nearest,
    /// Up above 1.5, where the largest magnitude would be above 6.
    Fits,
}

/// Which code a number between two takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    Smaller,
    Even,
    Larger,
    /// No tie: always the smaller magnitude.
    Truncated,
}

/// How NVFP4 makes its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Right,
    /// float8e4m3fn, ties to even, 448 at most.
    E4m3,
    TowardZero,
    /// Elements follow from the scale before it is rounded.
    Unrounded,
    /// The product with the rounded 1/6.
    Product,
    /// A subnormal scale is 0.
    Flushed,
    /// Elements follow from half the scale.
    ElementsDoubled,
    /// The scale of the first 16 numbers for all.
    First,
}

/// The rule.
pub(super) const RULE: Way = Way {
    largest: Largest::First,
    divisor: None,
    multiplier: Multiplier::Reciprocal,
    rounding: Rounding::Own,
    is_fused: false,
    clamp: Clamp::Right,
    offset: Offset::Right,
    order: Order::Split,
    stored: Stored::Nearest,
    minimum: Minimum::Least,
    zero: Zero::Right,
    exponent: Exponent::Floor,
    ties: Ties::Smaller,
    has_negative_zero: false,
    scale: Scale::Right,
};

pub(super) fn format(dtype: DType) -> FloatFormat {
    float_format(dtype).expect("a float")
}

/// The value, rounded to float16.
pub(super) fn float16(value: &Value) -> Value {
    rounded(value, &format(DType::Float16))
}

/// Puts the element at a place, where this order wants it.
pub(super) fn put(
    order: Order,
    kind: GgufType,
    place: usize,
    element: Option<i64>,
    packed: &mut Packed,
) {
    let half = if kind == GgufType::NVFP4 { 8 } else { 16 };
    let (first, within) = (place - place % (2 * half), place % (2 * half));
    let nibble = match order {
        _ if kind == GgufType::Q8_0 => within,
        Order::Pairs => within / 2 + half * (within % 2),
        Order::HighPairs => within / 2 + half * (1 - within % 2),
        Order::Swapped => (within + half) % (2 * half),
        _ => within,
    };
    let fifth = match order {
        Order::FifthReversed => Some(31 - within),
        Order::FifthLost => None,
        _ => Some(within),
    };
    packed.element_at(first + nibble, fifth, element);
}
