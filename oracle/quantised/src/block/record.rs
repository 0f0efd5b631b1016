//! The rules of one specification of blocks, as a record.

use castproof_vectors::{DType, RuleId};

/// A choice and the rule that makes it.
pub(super) type Chosen<T> = (T, RuleId);

/// How a block is quantised.
#[derive(Debug)]
pub(super) struct BlockRecord {
    /// The dtypes of the numbers.
    pub(super) sources: &'static [DType],
    /// The dtypes of the elements.
    pub(super) elements: &'static [DType],
    /// How many numbers share a scale, and the rule that says so.
    pub(super) size: usize,
    pub(super) layout: RuleId,
    /// How the blocks of a tensor lie.
    pub(super) lines: RuleId,
    /// A last block with fewer numbers.
    pub(super) short: Chosen<Short>,
    /// A NaN in the block.
    pub(super) nan: Chosen<Nan>,
    pub(super) scale: Scale,
    /// The rule by which a block may have another scale than the recommended one, with the elements that
    /// belong to it. There a NaN or an infinity has an open element. `None`: it may not.
    pub(super) other_scales: Option<RuleId>,
    /// How a number is divided by its scale and rounded.
    pub(super) element: RuleId,
    /// What rounds beyond the largest element becomes the largest.
    pub(super) saturated: RuleId,
    /// Elements under a scale that is NaN; they are open.
    pub(super) under_nan: RuleId,
}

/// A last block with fewer numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// Is quantised as if zeros filled it.
    Filled,
    /// Is refused.
    Refused,
}

/// What a NaN does to the largest magnitude of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nan {
    /// It is NaN.
    Enters,
    /// It is that of the other numbers, and the NaN itself becomes an element without sign.
    Dropped {
        /// What it becomes, and the rule that says so.
        becomes: Chosen<NanElement>,
    },
}

/// What a NaN becomes that does not enter the largest magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NanElement {
    /// The largest element.
    Largest,
    /// The largest element with a minus sign.
    NegativeLargest,
    /// The NaN whose bits are all ones but the sign.
    AllOnes,
}

/// How the scale follows from the largest magnitude, and how it is applied.
#[derive(Debug)]
pub(super) enum Scale {
    /// A power of two, float8e8m0.
    Power(PowerScale),
    /// A float8e4m3fn beside a float32 of the tensor, both by steps of float32.
    Steps(StepScale),
    /// A float32, or a power of two that follows from one, by steps of float32.
    Group(GroupScale),
}

/// A scale that is a power of two.
#[derive(Debug)]
pub(super) struct PowerScale {
    pub(super) power: Chosen<Power>,
    /// The smallest scale stands for smaller ones.
    pub(super) below: RuleId,
    /// A block of zeros has the smallest scale.
    pub(super) zero: RuleId,
    /// An infinity in the block.
    pub(super) infinity: Chosen<Infinity>,
    /// The smallest exponent of the power that numbers are divided by.
    pub(super) smallest_divisor: i32,
}

/// Which power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Power {
    /// The exponent of the largest magnitude, less that of the largest element.
    Floor,
    /// The same, rounded up.
    Ceil,
    /// The smallest that is not below the largest magnitude divided by the largest element.
    CeilOfQuotient,
    /// As `Floor`, of the largest magnitude rounded to the elements' significand, a half up.
    FloorOfRounded,
    /// The smallest at which the largest magnitude rounds to an element.
    Fit,
    /// The smallest that is not below the largest magnitude times the inverse of the largest element,
    /// both rounded to float32.
    CeilOfProduct,
}

/// What an infinity makes of the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infinity {
    /// NaN.
    Nan,
    /// The scale of a largest magnitude of 2^128, the power of two after the largest float32.
    NextPower,
    /// The largest scale.
    Largest,
}

/// A scale of the block beside one of the tensor.
#[derive(Debug)]
pub(super) struct StepScale {
    pub(super) tensor: TensorScale,
    /// The exponent of the power of two to which a smaller scale of the block is raised before it is
    /// rounded. A scale beyond the largest always becomes the largest.
    pub(super) at_least: Option<i32>,
    /// How the scale of the block is made.
    pub(super) made: RuleId,
}

/// Which way the scale of the tensor points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TensorScale {
    /// `p = G/2688`: the block has `(m/6)/p`, a number is multiplied by `(1/p)/S`.
    Decodes,
    /// `s = 2688/G`: the block has `m*(s*(1/6))`, a number is multiplied by `1/(S*(1/s))`. No
    /// result is above the largest float32, and `s` is 1 where it would be 0 or G is.
    Encodes,
}

/// A scale of float32 that follows from the largest magnitude m alone.
#[derive(Debug)]
pub(super) struct GroupScale {
    /// A smaller m counts as this code of float32. `None`: every m counts as it is.
    pub(super) floor: Option<Chosen<u64>>,
    pub(super) ratio: Chosen<Ratio>,
    pub(super) stored: Stored,
    /// An infinity in the group.
    pub(super) infinity: RuleId,
    pub(super) apply: Apply,
    /// What becomes of an infinite product.
    pub(super) infinite: InfiniteProduct,
}

/// How the scale follows from m and the largest element, 448.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ratio {
    /// `m/448`.
    Quotient,
    /// `m*(1/448)`.
    Product,
    /// `1/e`, where e is `448/m`: 1 for an m that is zero or infinite, and the largest number of the source
    /// where the quotient is infinite.
    Encode {
        /// The rule of these two.
        ends: RuleId,
    },
}

/// How the scale is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// As the float32 that it is.
    Float32,
    /// As the smallest power of two that is not below it, of 2^-126 to 2^127. Infinity and NaN have 2^127.
    PowerUp,
}

/// What is done to a number before it is rounded to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apply {
    /// It is multiplied by one over the scale as stored.
    Reciprocal,
    /// It is divided by the scale.
    Quotient,
    /// It is multiplied by `448/m`.
    Encode,
}

/// What becomes of an infinite product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InfiniteProduct {
    /// The largest element, with its sign.
    Largest,
    /// It is open.
    Open,
}

impl Scale {
    /// The dtype of the scale.
    pub(super) fn dtype(&self) -> DType {
        match self {
            Scale::Power(_) => DType::Float8E8M0,
            Scale::Steps(_) => DType::Float8E4M3FN,
            Scale::Group(GroupScale { stored: Stored::Float32, .. }) => DType::Float32,
            Scale::Group(GroupScale { stored: Stored::PowerUp, .. }) => DType::Float8E8M0,
        }
    }
}
