//! Questions other than numeric casts: CastLike, promotion and its operands, bitcast, complex
//! casts. Each suite of questions is one file.

use super::block::{BlockAnswer, BlockChoice, QuantizeBlock};
use super::chain::CastChain;
use super::decoding::{DequantizeBlock, NumbersAnswer};
use super::gguf::{DequantizeGguf, GgufBlocks, GgufReadings, QuantizeGguf};
use super::laid_out::{LaidOut, LaidOutAnswer};
use super::linear::{DynamicAnswer, DynamicLinear, Linear, LinearAnswer};
use super::projection::{Project, ProjectedAnswer};
use super::tensor::{QuantizeTensor, TensorOfBlocks};
use crate::{
    Attributes, Bytes, DType, Element, Hex, Operand, Outcome, OutcomeRecord, Profile, Suite, System,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a testee is asked to do, with its input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Question {
    /// A cast by ONNX `CastLike`, in each of the test's `opsets`.
    CastLike(CastLike),
    /// The dtype to which MindSpore promotes two operands.
    Promote(Promote),
    /// Both operands of a binary operation, as MindSpore promotes them.
    Operands(Operands),
    /// A tensor's bytes read as another dtype.
    Bitcast(Bitcast),
    /// A cast from or to a complex dtype, by the rules of a framework.
    ComplexCast(ComplexCast),
    /// Casts by ONNX `Cast` in a row, as one graph, in each of the test's `opsets`.
    Chain(CastChain),
    /// The quantisation of a block of numbers that share a scale.
    QuantizeBlock(QuantizeBlock),
    /// The quantisation of a tensor of several blocks.
    QuantizeTensor(QuantizeTensor),
    /// The numbers that blocks stand for.
    DequantizeBlock(DequantizeBlock),
    /// The numbers that blocks of GGUF stand for.
    DequantizeGguf(DequantizeGguf),
    /// Codes of a format by parameters that become codes of another.
    Project(Project),
    /// The blocks of GGUF that numbers become.
    QuantizeGguf(QuantizeGguf),
    /// A tensor that ONNX `QuantizeLinear` quantises.
    QuantizeLinear(Linear),
    /// A tensor that ONNX `DequantizeLinear` makes floats of.
    DequantizeLinear(Linear),
    /// A tensor whose scale ONNX `DynamicQuantizeLinear` finds.
    DynamicQuantizeLinear(DynamicLinear),
    /// Codes of a matrix that become the bytes of a layout.
    Pack(LaidOut),
    /// Bytes of a layout that become codes.
    Unpack(LaidOut),
}

/// A cast of one element by ONNX `CastLike`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CastLike {
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the second input, and so of the output.
    pub to: DType,
    /// The attributes that are given.
    #[serde(default)]
    pub attributes: Attributes,
    /// The element.
    pub input: Element,
}

/// Two operands of MindSpore: a tensor, and a tensor or a Python number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Promote {
    /// Dtype of the tensor.
    pub tensor: DType,
    /// The other operand.
    pub with: Operand,
}

/// One element of each operand of a binary operation of MindSpore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Operands {
    /// Dtype of the tensor.
    pub tensor: DType,
    /// The other operand.
    pub with: Operand,
    /// An element of the tensor and one of the other operand. For a Python number, the code of its
    /// kind's dtype: bool, int64 or float64.
    pub elements: [Scalar; 2],
}

impl Operands {
    /// Returns the dtypes of the elements.
    pub fn dtypes(&self) -> [DType; 2] {
        [self.tensor, self.with.dtype()]
    }
}

/// A tensor whose bytes are read as another dtype.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bitcast {
    /// The system whose operator is asked.
    pub system: System,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// Sizes of the input.
    pub shape: Vec<u64>,
    /// Its elements, packed and little-endian.
    pub input: Bytes,
}

/// A cast of one element from or to a complex dtype.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ComplexCast {
    /// The profile whose rules hold.
    pub profile: Profile,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// The element.
    pub input: Scalar,
}

/// One element of a numeric or complex dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Scalar {
    /// A code.
    Real(Hex),
    /// Real and imaginary part.
    Complex([Hex; 2]),
}

impl Scalar {
    /// Returns the element as bytes, little-endian.
    pub fn bytes(&self, dtype: DType) -> Vec<u8> {
        let (parts, width) = match self {
            Scalar::Real(code) => (vec![*code], dtype.bits().div_ceil(8)),
            Scalar::Complex(parts) => (parts.to_vec(), dtype.bits() / 16),
        };
        let part = |code: Hex| code.value().to_le_bytes().into_iter().take(width as usize);
        parts.into_iter().flat_map(part).collect()
    }

    /// Returns the element that these bytes hold.
    ///
    /// # Errors
    /// If their number is not that of one element.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Result<Scalar, String> {
        let width = dtype.bits().div_ceil(8) as usize;
        if bytes.len() != width || width == 0 {
            return Err(format!("one element of {dtype} takes {width} bytes, not {}", bytes.len()));
        }
        let code = |bytes: &[u8]| {
            bytes.iter().rev().fold(0, |code: u64, &byte| (code << 8) | u64::from(byte))
        };
        Ok(match dtype.part() {
            None => Scalar::Real(Hex::new(code(bytes), dtype)),
            Some(part) => {
                let (real, imaginary) = bytes.split_at(width / 2);
                Scalar::Complex([real, imaginary].map(|bytes| Hex::new(code(bytes), part)))
            }
        })
    }

    fn check(&self, dtype: DType) -> Result<(), String> {
        match (self, dtype.part()) {
            (Scalar::Real(code), None) => code.check(dtype),
            (Scalar::Complex(parts), Some(part)) => {
                parts.iter().try_for_each(|code| code.check(part))
            }
            _ => Err(format!(
                "{self} is not an element of {dtype}: a complex element has two codes, any other has one"
            )),
        }
    }
}

impl fmt::Display for Scalar {
    /// `0x3f800000`, or `(0x3f800000, 0x00000000)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Real(code) => code.fmt(f),
            Scalar::Complex([real, imaginary]) => write!(f, "({real}, {imaginary})"),
        }
    }
}

/// What the answer to a question must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum AnswerRecord {
    /// A dtype: `{"dtype": "int16"}`
    DType(DTypeAnswer),
    /// Both operands, promoted: `{"dtype": "int16", "operands": [{"code": ..}, {"code": ..}]}`
    Operands(OperandsAnswer),
    /// A tensor: `{"shape": [1], "bytes": "0000803f"}`
    Tensor(TensorAnswer),
    /// Outcomes of real and imaginary part: `{"complex": [{"code": ..}, {"anyNaN": true}]}`
    Complex(ComplexAnswer),
    /// A scale and the elements under it: `{"scale": "0x7f", "elements": "7e3801"}`
    Block(BlockAnswer),
    /// Scales that a block may have, each with its elements:
    /// `{"oneOf": [{"scale": "0x7f", "elements": "7e3801"}, {"scale": "0x80", "elements": "763000"}]}`
    BlockChoice(BlockChoice),
    /// Scales and the elements under them: `{"scales": "7f80", "elements": "7e3801"}`
    Blocks(TensorOfBlocks),
    /// The numbers that blocks stand for: `{"numbers": "3f800000 nan"}`
    Numbers(NumbersAnswer),
    /// Codes of a format: `{"codes": "7e nan any"}`
    Projected(ProjectedAnswer),
    /// Blocks of GGUF: `{"blocks": "0038740c"}`
    GgufBlocks(GgufBlocks),
    /// Further blocks of GGUF that are accepted: `{"readings": [{"blocks": "0038740d"}]}`
    GgufReadings(GgufReadings),
    /// The bytes of a layout, or codes: `{"bytes": "1032"}`
    LaidOut(LaidOutAnswer),
    /// A scale, a zero point and elements, each with what is due of it.
    Dynamic(DynamicAnswer),
    /// Elements: `{"elements": [{"code": "0x7f"}, {"any": true}]}`
    Linear(LinearAnswer),
    /// One element, or a refusal.
    Outcome(OutcomeRecord),
}

impl AnswerRecord {
    /// Returns the outcome of one element; `None` if the answer is of another kind.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            AnswerRecord::Outcome(record) => Some(record.outcome()),
            _ => None,
        }
    }
}

/// A dtype as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DTypeAnswer {
    /// The dtype.
    pub dtype: DType,
}

/// Both operands of a binary operation as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OperandsAnswer {
    /// The dtype to which they are promoted.
    pub dtype: DType,
    /// Both operands, as elements of that dtype.
    pub operands: [ElementAnswer; 2],
}

/// One element of a complex or numeric dtype as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ElementAnswer {
    /// Real and imaginary part.
    Complex(ComplexAnswer),
    /// The only part of a numeric element.
    Real(OutcomeRecord),
}

/// A tensor as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TensorAnswer {
    /// Its sizes.
    pub shape: Vec<u64>,
    /// Its elements.
    pub bytes: Bytes,
}

/// Both parts of a complex element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ComplexAnswer {
    /// Real and imaginary part.
    pub complex: [OutcomeRecord; 2],
}

impl Question {
    /// Returns the suite of such questions.
    pub fn suite(&self) -> Suite {
        match self {
            Question::CastLike(_) => Suite::OnnxCastlike,
            Question::Promote(_) => Suite::MindsporePromotion,
            Question::Operands(_) => Suite::MindsporeOperands,
            Question::Bitcast(Bitcast { system: System::Tensorflow, .. }) => Suite::TfBitcast,
            Question::Bitcast(Bitcast { system: System::Onnx, .. }) => Suite::OnnxBitcast,
            Question::ComplexCast(_) => Suite::ComplexCast,
            Question::Chain(_) => Suite::OnnxChain,
            Question::QuantizeBlock(_) => Suite::Blocks,
            Question::QuantizeTensor(_) => Suite::BlocksTensors,
            Question::DequantizeBlock(_) => Suite::BlocksDecoded,
            Question::DequantizeGguf(_) | Question::QuantizeGguf(_) => Suite::Gguf,
            Question::Project(_) => Suite::Projections,
            Question::Pack(_) | Question::Unpack(_) => Suite::Layouts,
            Question::QuantizeLinear(_)
            | Question::DequantizeLinear(_)
            | Question::DynamicQuantizeLinear(_) => Suite::OnnxQuantize,
        }
    }

    pub(crate) fn check(&self, suite: Suite) -> Result<(), String> {
        if self.suite() != suite {
            return Err(format!(
                "the question belongs to the suite {}: move it there",
                self.suite().name()
            ));
        }
        match self {
            Question::CastLike(CastLike { from, input, .. }) => input.check(*from),
            Question::ComplexCast(ComplexCast { from, input, .. }) => input.check(*from),
            Question::Chain(chain) => chain.check(),
            Question::Operands(question) => {
                let mut operands = question.elements.iter().zip(question.dtypes());
                operands.try_for_each(|(element, dtype)| element.check(dtype))
            }
            Question::QuantizeBlock(question) => question.check(),
            Question::QuantizeTensor(question) => question.check(),
            Question::DequantizeBlock(question) => question.check(),
            Question::DequantizeGguf(question) => question.check(),
            Question::Project(question) => question.check(),
            Question::Pack(question) => question.codes().map(|_| ()),
            Question::Unpack(question) => question.check(),
            Question::QuantizeGguf(question) => question.check(),
            Question::QuantizeLinear(question) => question.check(question.to),
            Question::DequantizeLinear(question) => question.check(question.from),
            Question::DynamicQuantizeLinear(question) => question.codes().map(|_| ()),
            Question::Promote(_) | Question::Bitcast(_) => Ok(()),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::CastLike(CastLike { from, to, attributes, input }) => {
                let request = format!("CastLike {from} -> {to} {attributes}");
                write!(f, "{} of {:?}", request.trim_end(), input.text())
            }
            Question::Promote(Promote { tensor, with: Operand::Tensor(other) }) => {
                write!(f, "promote {tensor} {other}")
            }
            Question::Promote(Promote { tensor, with: Operand::Number(number) }) => {
                write!(f, "promote {tensor} with a number of kind {}", number.name())
            }
            Question::Operands(Operands { tensor, with, elements: [left, right] }) => {
                write!(f, "promote {tensor} {left} with {with} {right}")
            }
            Question::Bitcast(Bitcast { system, from, to, shape, .. }) => {
                write!(f, "{} bitcast {from}{shape:?} -> {to}", system.name())
            }
            Question::ComplexCast(ComplexCast { profile, from, to, input }) => {
                write!(f, "{} {from} -> {to} of {input}", profile.name())
            }
            Question::QuantizeBlock(QuantizeBlock { profile, from, to, .. }) => {
                write!(f, "{} {from} -> {to}", profile.name())
            }
            Question::QuantizeTensor(QuantizeTensor { profile, from, to, shape, axis, .. }) => {
                write!(f, "{} {from}{shape:?} by axis {axis} -> {to}", profile.name())
            }
            Question::DequantizeBlock(DequantizeBlock {
                format, from, to, shape, axis, ..
            }) => {
                write!(f, "{} {from}{shape:?} by axis {axis} -> {to}", format.name())
            }
            Question::DequantizeGguf(ask) => {
                let blocks = ask.count() / ask.kind.record().elements;
                write!(f, "{}[{blocks}] -> {}", ask.kind, ask.to)
            }
            Question::Project(ask) => write!(f, "{}", ask.conversion()),
            Question::QuantizeGguf(ask) => {
                write!(f, "{} -> {}[{}]", ask.from, ask.kind, ask.count())
            }
            Question::Pack(ask) => write!(f, "codes{:?} -> {}", ask.shape, ask.layout),
            Question::Unpack(ask) => write!(f, "{} -> codes{:?}", ask.layout, ask.shape),
            Question::QuantizeLinear(linear) => write!(f, "QuantizeLinear {linear}"),
            Question::DequantizeLinear(linear) => write!(f, "DequantizeLinear {linear}"),
            Question::DynamicQuantizeLinear(DynamicLinear { shape, .. }) => {
                write!(f, "DynamicQuantizeLinear float32{shape:?} -> uint8")
            }
            Question::Chain(chain) => write!(f, "{chain}"),
        }
    }
}
