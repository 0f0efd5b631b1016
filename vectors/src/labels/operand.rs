//! Labels of questions other than numeric casts.

use super::dtype::DType;
use core::fmt;

/// The kinds of Python numbers that promote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "lowercase"))]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum Number {
    Bool,
    Int,
    Float,
}

impl Number {
    /// All kinds.
    pub const ALL: [Number; 3] = [Number::Bool, Number::Int, Number::Float];

    /// Returns the kind's name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Number::Bool => "bool",
            Number::Int => "int",
            Number::Float => "float",
        }
    }

    /// Returns the dtype whose codes write such a number in files and messages. A Python int has no
    /// width, so it counts as int64; a Python float counts as float64.
    pub const fn dtype(self) -> DType {
        match self {
            Number::Bool => DType::Bool,
            Number::Int => DType::Int64,
            Number::Float => DType::Float64,
        }
    }
}

/// The other operand of a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "camelCase"))]
pub enum Operand {
    /// A tensor of this dtype.
    Tensor(DType),
    /// A Python number of this kind.
    Number(Number),
}

impl Operand {
    /// Returns the dtype whose codes write an element of the operand.
    pub const fn dtype(self) -> DType {
        match self {
            Operand::Tensor(dtype) => dtype,
            Operand::Number(number) => number.dtype(),
        }
    }
}

impl fmt::Display for Operand {
    /// `uint8`, or `number:float`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Tensor(dtype) => dtype.fmt(f),
            Operand::Number(number) => write!(f, "{NUMBER}{}", number.name()),
        }
    }
}

/// The text before the kind of a number.
const NUMBER: &str = "number:";

#[cfg(feature = "files")]
impl std::str::FromStr for Operand {
    type Err = String;

    fn from_str(text: &str) -> Result<Operand, String> {
        let Some(kind) = text.strip_prefix(NUMBER) else {
            return text.parse().map(Operand::Tensor);
        };
        let number = Number::ALL.into_iter().find(|number| number.name() == kind);
        number
            .map(Operand::Number)
            .ok_or_else(|| format!("unknown number '{kind}'; known are bool, int, float"))
    }
}

/// The system that defines a bitcast operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "lowercase"))]
pub enum System {
    /// TensorFlow `Bitcast`, which changes the shape if widths differ.
    Tensorflow,
    /// ONNX `BitCast` 26, which requires equal widths.
    Onnx,
}

impl System {
    /// The system's name.
    pub const fn name(self) -> &'static str {
        match self {
            System::Tensorflow => "tensorflow",
            System::Onnx => "onnx",
        }
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for System {
    type Err = String;

    fn from_str(name: &str) -> Result<System, String> {
        [System::Tensorflow, System::Onnx]
            .into_iter()
            .find(|system| system.name() == name)
            .ok_or_else(|| format!("unknown system '{name}'; known are tensorflow, onnx"))
    }
}
