//! The key by which a run plans, counts, baselines and reports tests.

use castproof_vectors::{
    Attributes, Bitcast, CastLike, ComplexCast, Conversion, DType, DequantizeBlock, DequantizeGguf,
    Linear, Operand, Operands, Operator, Promote, QuantizeBlock, QuantizeTensor, Question, Request,
    Spec, Suite, cast_version,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The key by which tests are grouped: suite, operator version, dtypes, attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asked {
    /// The suite.
    #[serde(default = "onnx_cast", skip_serializing_if = "is_onnx_cast")]
    pub suite: Suite,
    /// The version of `Cast`, or the one that `CastLike` follows; absent where the operator has no
    /// versions, and where the key means tests of all versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opset: Option<u32>,
    /// Dtype of the input; for a promotion, the dtype of the tensor.
    pub from: DType,
    /// Dtype of the output; for a promotion, the other operand.
    pub to: Side,
    /// The attributes that were given.
    pub attributes: Attributes,
}

/// The suite that results files leave out.
pub fn onnx_cast() -> Suite {
    Suite::OnnxCast
}

/// Is it the suite that results files leave out?
pub fn is_onnx_cast(suite: &Suite) -> bool {
    *suite == Suite::OnnxCast
}

impl Asked {
    /// Returns the key of a cast of the suite `onnx-cast` in any version.
    pub fn cast(pair: (DType, DType), attributes: Attributes) -> Asked {
        Asked::of_cast(Suite::OnnxCast, pair, attributes)
    }

    /// Returns the key of a cast of a suite of casts in any version.
    pub fn of_cast(suite: Suite, (from, to): (DType, DType), attributes: Attributes) -> Asked {
        Asked { suite, opset: None, from, to: to.into(), attributes }
    }

    /// Returns the key of a request of `Cast` or of a profile, in the version that is in force.
    pub fn of_request(request: &Request) -> Asked {
        let Request { spec, from, to, attributes } = *request;
        let suite = match spec {
            Spec::Onnx { .. } => Suite::OnnxCast,
            Spec::Profile(profile) => Suite::Profile(profile),
        };
        let version = spec.version().ok().flatten().or(spec.opset());
        Asked::of_cast(suite, (from, to), attributes).at(version)
    }

    /// Returns the key of a question, in any version.
    pub fn of(question: &Question) -> Asked {
        let (from, to, attributes) = match *question {
            Question::CastLike(CastLike { from, to, attributes, .. }) => {
                (from, to.into(), attributes)
            }
            Question::Chain(ref chain) => {
                let (from, to) = chain.ends();
                (from, to.into(), Attributes::default())
            }
            Question::Promote(Promote { tensor, with })
            | Question::Operands(Operands { tensor, with, .. }) => {
                (tensor, Side(with), Attributes::default())
            }
            // Bytes have no dtype of elements.
            Question::DequantizeGguf(DequantizeGguf { to, .. }) => {
                (DType::Uint8, to.into(), Attributes::default())
            }
            Question::Project(ref ask) => {
                let [from, to] = [&ask.from, &ask.to].map(|name| stored_as(name));
                (from, to.into(), Attributes::default())
            }
            // Codes of up to 32 bits and bytes: neither has a dtype.
            Question::Pack(_) | Question::Unpack(_) => {
                (DType::Uint8, DType::Uint8.into(), Attributes::default())
            }
            Question::DynamicQuantizeLinear(_) | Question::QuantizeGguf(_) => {
                (DType::Float32, DType::Uint8.into(), Attributes::default())
            }
            Question::QuantizeLinear(Linear { from, to, .. })
            | Question::DequantizeLinear(Linear { from, to, .. })
            | Question::QuantizeBlock(QuantizeBlock { from, to, .. })
            | Question::QuantizeTensor(QuantizeTensor { from, to, .. })
            | Question::DequantizeBlock(DequantizeBlock { from, to, .. })
            | Question::Bitcast(Bitcast { from, to, .. })
            | Question::ComplexCast(ComplexCast { from, to, .. }) => {
                (from, to.into(), Attributes::default())
            }
        };
        Asked { suite: question.suite(), opset: None, from, to, attributes }
    }

    /// Returns this key in the version of the operator set `opset`; `None` if the operator has no
    /// versions.
    pub fn at(self, opset: Option<u32>) -> Asked {
        let version = |opset| match self.suite {
            Suite::OnnxCastlike => cast_version(Operator::CastLike, opset),
            _ => opset,
        };
        Asked { opset: opset.map(version), ..self }
    }

    /// Returns the dtypes of input and output; for a promotion, those of both operands.
    pub fn pair(&self) -> (DType, DType) {
        (self.from, self.to.0.dtype())
    }
}

/// The dtype that a format is, or else the unsigned integer that holds its codes: a format of P3109 says its bits in its name, TF32 has
/// 19, and the others have 8 or fewer.
fn stored_as(format: &str) -> DType {
    let bits = || match (format, format.strip_prefix("binary").and_then(|it| it.split_once('p'))) {
        ("tf32", _) => 19,
        (_, Some((bits, _))) => bits.parse().unwrap_or(64),
        (_, None) => 8,
    };
    format.parse().unwrap_or_else(|_| match Conversion::width(bits()) {
        1 => DType::Uint8,
        2 => DType::Uint16,
        4 => DType::Uint32,
        _ => DType::Uint64,
    })
}

impl fmt::Display for Asked {
    /// Writes `opset 19 float32 -> float8e4m3fn saturate=0`, without the parts that are not given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Asked { opset, from, to, attributes, .. } = self;
        if let Some(opset) = opset {
            write!(f, "opset {opset} ")?;
        }
        write!(f, "{from} -> {to}")?;
        if *attributes != Attributes::default() {
            write!(f, " {attributes}")?;
        }
        Ok(())
    }
}

/// A dtype, or a Python number that a tensor is promoted with; as text `int8` or `number:int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_has_the_dtype_that_holds_its_codes() {
        for (format, due) in [
            ("binary8p3se", DType::Uint8),
            ("binary12p6uf", DType::Uint16),
            ("tf32", DType::Uint32),
            ("ue5m3", DType::Uint8),
            ("float8e4m3fn", DType::Float8E4M3FN),
            ("float16", DType::Float16),
        ] {
            assert_eq!(stored_as(format), due, "{format}");
        }
    }
}
