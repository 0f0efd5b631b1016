//! The operators of ONNX that cast.

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
