//! The operators of ONNX that cast, and those of the steps of a chain.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The ONNX operator that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// `Cast`: the target dtype is an attribute.
    Cast,
    /// `CastLike`: the target dtype is that of a second input (its values are not read).
    CastLike,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Cast => "Cast",
            Operator::CastLike => "CastLike",
        })
    }
}

/// What a step of a chain does.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StepOperator {
    /// It casts by `Cast`.
    #[default]
    Cast,
    /// It casts by `CastLike`, whose second input has the dtype and no elements.
    CastLike,
    /// It reads the bytes as another dtype of the same width, as `BitCast` does: float32 1.0 as int32 is 0x3f800000.
    Bitcast,
}

impl StepOperator {
    /// Returns what people write after the dtype of a step: ` by CastLike`, and nothing after that of a `Cast`.
    pub const fn suffix(self) -> &'static str {
        match self {
            StepOperator::Cast => "",
            StepOperator::CastLike => " by CastLike",
            StepOperator::Bitcast => " by BitCast",
        }
    }
}
