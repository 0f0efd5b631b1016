//! What a test asks, as far as a baseline tells tests apart.

use crate::results::CellKey;
use castproof_vectors::{
    Attributes, Bitcast, CastLike, ComplexCast, DType, Operand, Operands, Operator, Promote,
    Question, Suite, cast_version,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What tests of one request ask: suite, operator version, dtypes, attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AskedKey {
    /// The suite.
    #[serde(default = "onnx_cast")]
    pub suite: Suite,
    /// The version of `Cast`, or the one that `CastLike` follows; absent where the operator has
    /// no versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opset: Option<u32>,
    /// Dtype of the input; of a promotion, the tensor.
    pub from: DType,
    /// Dtype of the output; of a promotion, what the tensor is promoted with.
    pub to: Side,
    /// The attributes that were given.
    pub attributes: Attributes,
}

/// Results files were first written without it.
fn onnx_cast() -> Suite {
    Suite::OnnxCast
}

impl From<CellKey> for AskedKey {
    fn from(CellKey { version, from, to, attributes }: CellKey) -> AskedKey {
        let (suite, to) = (Suite::OnnxCast, Side::from(to));
        AskedKey { suite, opset: Some(version), from, to, attributes }
    }
}

impl AskedKey {
    /// What a question asks, in the operator set `opset` if its operator has versions.
    pub fn of(question: &Question, opset: Option<u32>) -> AskedKey {
        let opset = opset.map(|opset| cast_version(Operator::CastLike, opset));
        let (from, to, attributes) = match *question {
            Question::CastLike(CastLike { from, to, attributes, .. }) => {
                (from, to.into(), attributes)
            }
            Question::Promote(Promote { tensor, with })
            | Question::Operands(Operands { tensor, with, .. }) => {
                (tensor, Side(with), Attributes::default())
            }
            Question::Bitcast(Bitcast { from, to, .. })
            | Question::ComplexCast(ComplexCast { from, to, .. }) => {
                (from, to.into(), Attributes::default())
            }
        };
        AskedKey { suite: question.suite(), opset, from, to, attributes }
    }
}

/// A dtype, or a Python number that a tensor is promoted with; as text `int8` or `number:int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Side(pub Operand);

impl From<DType> for Side {
    fn from(dtype: DType) -> Side {
        Side(Operand::Tensor(dtype))
    }
}

impl TryFrom<String> for Side {
    type Error = String;

    fn try_from(text: String) -> Result<Side, String> {
        text.parse().map(Side)
    }
}

impl From<Side> for String {
    fn from(side: Side) -> String {
        side.to_string()
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
