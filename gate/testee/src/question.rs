//! Questions beside casts, as the protocol writes them.

use castproof_vectors::{
    Bitcast, BlockFormat, BlockProfile, Bytes, CodeLayout, ComplexCast, DType, DequantizeBlock,
    DequantizeGguf, DynamicLinear, GgufType, Hex, LaidOut, Linear, Operand, Operands, Profile,
    Promote, QuantizeGguf, QuantizeTensor, Question, Scalar, System, tensor_len,
};
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

/// The operations of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Promote,
    Operands,
    Bitcast,
    ComplexCast,
    #[serde(rename = "quantize-block")]
    QuantizeBlock,
    #[serde(rename = "dequantize-block")]
    DequantizeBlock,
    #[serde(rename = "dequantize-gguf")]
    DequantizeGguf,
    #[serde(rename = "quantize-gguf")]
    QuantizeGguf,
    Pack,
    Unpack,
    #[serde(rename = "quantize-linear")]
    QuantizeLinear,
    #[serde(rename = "dequantize-linear")]
    DequantizeLinear,
    #[serde(rename = "dynamic-quantize-linear")]
    DynamicQuantizeLinear,
}

/// The specification of a question. No name is one of both kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, try_from = "String")]
enum Named {
    Cast(Profile),
    Block(BlockProfile),
}

impl TryFrom<String> for Named {
    type Error = String;

    fn try_from(name: String) -> Result<Named, String> {
        let block = || BlockProfile::ALL.into_iter().find(|profile| profile.name() == name);
        let known = name.parse().map(Named::Cast).ok().or_else(|| block().map(Named::Block));
        known.ok_or_else(|| format!("unknown profile `{name}`"))
    }
}

/// Is this the `op` of a question?
pub(super) fn is_question(op: &str) -> bool {
    let op: StrDeserializer<'_, serde::de::value::Error> = op.into_deserializer();
    Operation::deserialize(op).is_ok()
}

/// The line of a question. Each operation has members of its own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct QuestionHeader {
    seq: u64,
    op: Operation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tensor: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    with: Option<Operand>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system: Option<System>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block_size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    largest: Option<Hex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<BlockFormat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    axis: Option<i64>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<GgufType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layout: Option<CodeLayout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opset: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale_shape: Option<Vec<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    saturate: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    precision: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_dtype: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zero_point: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<u64>>,
    bytes: u64,
}

impl QuestionHeader {
    /// Makes the line of a question, and its payload.
    ///
    /// # Errors
    /// If the question is asked as a cast.
    pub(super) fn new(seq: u64, question: &Question) -> Result<(QuestionHeader, Vec<u8>), String> {
        let none = QuestionHeader::of(seq, Operation::Promote);
        match question {
            Question::CastLike(_) => Err("CastLike is asked as a cast".into()),
            Question::Chain(_) => Err("chains are asked as such".into()),
            Question::Project(_) => Err("conversions are asked as such".into()),
            Question::Promote(Promote { tensor, with }) => {
                let (tensor, with) = (Some(*tensor), Some(*with));
                Ok((QuestionHeader { tensor, with, ..none }, vec![]))
            }
            Question::Operands(question) => Ok(none.operands(question)),
            Question::Bitcast(Bitcast { system, from, to, shape, input }) => {
                let header = QuestionHeader {
                    op: Operation::Bitcast,
                    system: Some(*system),
                    from: Some(*from),
                    to: Some(*to),
                    shape: Some(shape.clone()),
                    bytes: input.0.len() as u64,
                    ..none
                };
                Ok((header, input.0.clone()))
            }
            Question::ComplexCast(ComplexCast { profile, from, to, input }) => {
                let payload = input.bytes(*from);
                let header = QuestionHeader {
                    op: Operation::ComplexCast,
                    profile: Some(Named::Cast(*profile)),
                    from: Some(*from),
                    to: Some(*to),
                    bytes: payload.len() as u64,
                    ..none
                };
                Ok((header, payload))
            }
            Question::QuantizeBlock(block) => {
                Ok((QuestionHeader::tensor(seq, &block.into()), block.input.0.clone()))
            }
            Question::QuantizeTensor(tensor) => {
                Ok((QuestionHeader::tensor(seq, tensor), tensor.input.0.clone()))
            }
            Question::DequantizeBlock(block) => {
                let payload = [&block.scales.0[..], &block.input.0].concat();
                Ok((QuestionHeader::blocks(seq, block, payload.len()), payload))
            }
            Question::DequantizeGguf(ask) => Ok(none.numbers_of_gguf(ask)),
            Question::QuantizeGguf(ask) => Ok(none.blocks_of_gguf(ask)),
            Question::Pack(ask) => Ok(none.of_layout(Operation::Pack, ask)),
            Question::Unpack(ask) => Ok(none.of_layout(Operation::Unpack, ask)),
            Question::QuantizeLinear(linear) => {
                Ok(none.linear(Operation::QuantizeLinear, linear, linear.to))
            }
            Question::DequantizeLinear(linear) => {
                Ok(none.linear(Operation::DequantizeLinear, linear, linear.from))
            }
            Question::DynamicQuantizeLinear(DynamicLinear { shape, input }) => {
                let (shape, bytes) = (Some(shape.clone()), input.0.len() as u64);
                let op = Operation::DynamicQuantizeLinear;
                Ok((QuestionHeader { op, shape, bytes, ..none }, input.0.clone()))
            }
        }
    }

    fn numbers_of_gguf(self, ask: &DequantizeGguf) -> (QuestionHeader, Vec<u8>) {
        let (op, bytes) = (Operation::DequantizeGguf, ask.input.0.len() as u64);
        let (kind, to) = (Some(ask.kind), Some(ask.to));
        (QuestionHeader { op, kind, to, bytes, ..self }, ask.input.0.clone())
    }

    fn blocks_of_gguf(self, ask: &QuantizeGguf) -> (QuestionHeader, Vec<u8>) {
        let (op, bytes) = (Operation::QuantizeGguf, ask.input.0.len() as u64);
        let (kind, from) = (Some(ask.kind), Some(ask.from));
        (QuestionHeader { op, kind, from, bytes, ..self }, ask.input.0.clone())
    }

    fn of_layout(self, op: Operation, ask: &LaidOut) -> (QuestionHeader, Vec<u8>) {
        let (layout, shape) = (Some(ask.layout), Some(ask.shape.clone()));
        let bytes = ask.input.0.len() as u64;
        (QuestionHeader { op, layout, shape, bytes, ..self }, ask.input.0.clone())
    }

    /// The line of an operation without members of its own.
    fn of(seq: u64, op: Operation) -> QuestionHeader {
        QuestionHeader {
            seq,
            op,
            tensor: None,
            with: None,
            system: None,
            profile: None,
            from: None,
            to: None,
            scale: None,
            block_size: None,
            largest: None,
            format: None,
            axis: None,
            kind: None,
            layout: None,
            opset: None,
            scale_shape: None,
            saturate: None,
            precision: None,
            output_dtype: None,
            zero_point: None,
            shape: None,
            bytes: 0,
        }
    }

    fn tensor(seq: u64, tensor: &QuantizeTensor) -> QuestionHeader {
        QuestionHeader {
            profile: Some(Named::Block(tensor.profile)),
            from: Some(tensor.from),
            to: Some(tensor.to),
            scale: Some(tensor.scale),
            block_size: Some(tensor.block_size),
            largest: tensor.largest,
            axis: i64::try_from(tensor.axis).ok(),
            shape: Some(tensor.shape.clone()),
            bytes: tensor.input.0.len() as u64,
            ..QuestionHeader::of(seq, Operation::QuantizeBlock)
        }
    }

    /// The line with the members of two operands, and its payload.
    fn operands(self, question: &Operands) -> (QuestionHeader, Vec<u8>) {
        let elements = question.elements.iter().zip(question.dtypes());
        let payload: Vec<u8> = elements.flat_map(|(element, dtype)| element.bytes(dtype)).collect();
        let header = QuestionHeader {
            op: Operation::Operands,
            tensor: Some(question.tensor),
            with: Some(question.with),
            bytes: payload.len() as u64,
            ..self
        };
        (header, payload)
    }

    fn blocks(seq: u64, block: &DequantizeBlock, bytes: usize) -> QuestionHeader {
        QuestionHeader {
            format: Some(block.format),
            from: Some(block.from),
            to: Some(block.to),
            scale: Some(block.scale),
            block_size: Some(block.block_size),
            axis: i64::try_from(block.axis).ok(),
            shape: Some(block.shape.clone()),
            bytes: bytes as u64,
            ..QuestionHeader::of(seq, Operation::DequantizeBlock)
        }
    }

    /// The line with the members of a linear quantisation, and its payload.
    fn linear(
        self,
        op: Operation,
        linear: &Linear,
        zero_point: DType,
    ) -> (QuestionHeader, Vec<u8>) {
        let payload = linear.payload();
        let header = QuestionHeader {
            op,
            opset: Some(linear.opset),
            from: Some(linear.from),
            to: Some(linear.to),
            scale: Some(linear.scale),
            zero_point: linear.zero_points.as_ref().map(|_| zero_point),
            axis: linear.axis,
            block_size: linear.block_size,
            saturate: linear.saturate.map(u8::from),
            precision: linear.precision,
            output_dtype: linear.output_dtype.then_some(linear.to),
            shape: Some(linear.shape.clone()),
            scale_shape: Some(linear.scale_shape.clone()),
            bytes: payload.len() as u64,
            ..self
        };
        (header, payload)
    }

    /// The linear quantisation of this line, with its payload.
    fn read_linear(self, payload: &[u8]) -> Result<Linear, String> {
        let missing = || "a member of the question is missing; see the protocol".to_string();
        let (from, to) = self.from.zip(self.to).ok_or_else(missing)?;
        let (scale, opset) = self.scale.zip(self.opset).ok_or_else(missing)?;
        let (shape, scale_shape) = self.shape.zip(self.scale_shape).ok_or_else(missing)?;
        let linear = Linear {
            opset,
            from,
            to,
            scale,
            shape,
            scale_shape,
            axis: self.axis,
            block_size: self.block_size,
            saturate: self.saturate.map(|on| on != 0),
            precision: self.precision,
            output_dtype: self.output_dtype.is_some(),
            input: Bytes::default(),
            scales: Bytes::default(),
            zero_points: None,
        };
        linear.with_payload(self.zero_point, payload)
    }

    /// The tensor of blocks of this line, with its payload.
    fn read_blocks(self, payload: &[u8]) -> Result<DequantizeBlock, String> {
        let missing = || "a member of the question is missing; see the protocol".to_string();
        let (from, to) = self.from.zip(self.to).ok_or_else(missing)?;
        let axis = self.axis.and_then(|axis| u64::try_from(axis).ok());
        let (format, axis) = self.format.zip(axis).ok_or_else(missing)?;
        let (shape, scale) = self.shape.zip(self.scale).ok_or_else(missing)?;
        let block_size = self.block_size.ok_or_else(missing)?;
        // What is left of the payload behind the scales are the elements.
        let scales = payload.len().checked_sub(tensor_len(from, &shape)?).ok_or_else(missing)?;
        let (scales, input) = payload.split_at(scales);
        let (scales, input) = (Bytes(scales.to_vec()), Bytes(input.to_vec()));
        let block =
            DequantizeBlock { format, from, to, scale, block_size, axis, shape, scales, input };
        block.codes()?;
        Ok(block)
    }

    /// The blocks of GGUF of this line.
    fn read_gguf(self, payload: Vec<u8>) -> Result<Question, String> {
        let missing = || "a member of the question is missing; see the protocol".to_string();
        let (kind, to) = self.kind.zip(self.to).ok_or_else(missing)?;
        let ask = DequantizeGguf { kind, to, input: Bytes(payload) };
        ask.blocks().map(|_| ())?;
        Ok(Question::DequantizeGguf(ask))
    }

    /// The numbers of this line that become blocks of GGUF.
    fn read_numbers_of_gguf(self, payload: Vec<u8>) -> Result<Question, String> {
        let missing = || "a member of the question is missing; see the protocol".to_string();
        let (kind, from) = self.kind.zip(self.from).ok_or_else(missing)?;
        let ask = QuantizeGguf { kind, from, input: Bytes(payload) };
        ask.blocks()?;
        Ok(Question::QuantizeGguf(ask))
    }

    /// The codes or the bytes of a layout of this line.
    fn read_layout(self, payload: Vec<u8>) -> Result<LaidOut, String> {
        let missing = || "a member of the question is missing; see the protocol".to_string();
        let (layout, shape) = self.layout.zip(self.shape).ok_or_else(missing)?;
        let ask = LaidOut { layout, shape, input: Bytes(payload) };
        ask.sides()?;
        Ok(ask)
    }

    /// The numbers of this line that are quantised in blocks: one block, or a tensor of several.
    fn read_numbers(self, payload: Vec<u8>) -> Result<Question, String> {
        let missing = || "a member of the question is missing; see the protocol".to_string();
        let (from, to) = self.from.zip(self.to).ok_or_else(missing)?;
        let Some(Named::Block(profile)) = self.profile else { return Err(missing()) };
        let (scale, block_size) = self.scale.zip(self.block_size).ok_or_else(missing)?;
        let axis = self.axis.and_then(|axis| u64::try_from(axis).ok());
        let (axis, shape) = axis.zip(self.shape).ok_or_else(missing)?;
        let (largest, input) = (self.largest, Bytes(payload));
        let is_one = matches!(shape[..], [count] if count <= block_size);
        let tensor =
            QuantizeTensor { profile, from, to, scale, block_size, largest, axis, shape, input };
        tensor.layout()?;
        tensor.codes()?;
        Ok(if is_one {
            Question::QuantizeBlock(tensor.block(tensor.input.clone()))
        } else {
            Question::QuantizeTensor(tensor)
        })
    }

    /// Reads a line whose `op` is that of a question.
    ///
    /// # Errors
    /// If it is not the line of a question.
    pub(super) fn parse(line: &str) -> Result<QuestionHeader, String> {
        serde_json::from_str(line).map_err(|error| format!("no question: {error}"))
    }

    /// Makes the question of this line, with its payload.
    ///
    /// # Errors
    /// If a member of the operation is missing, or the payload does not fit the dtypes.
    pub(super) fn question(self, payload: Vec<u8>) -> Result<Question, String> {
        match self.op {
            Operation::QuantizeLinear => {
                return self.read_linear(&payload).map(Question::QuantizeLinear);
            }
            Operation::DequantizeLinear => {
                return self.read_linear(&payload).map(Question::DequantizeLinear);
            }
            Operation::QuantizeBlock => return self.read_numbers(payload),
            Operation::DequantizeGguf => return self.read_gguf(payload),
            Operation::QuantizeGguf => return self.read_numbers_of_gguf(payload),
            Operation::Pack => {
                let ask = self.read_layout(payload)?;
                ask.codes()?;
                return Ok(Question::Pack(ask));
            }
            Operation::Unpack => return self.read_layout(payload).map(Question::Unpack),
            Operation::DequantizeBlock => {
                return self.read_blocks(&payload).map(Question::DequantizeBlock);
            }
            _ => {}
        }
        let QuestionHeader { op, tensor, with, system, profile, from, to, shape, .. } = self;
        let missing = || "a member of the question is missing; see the protocol".to_string();
        match op {
            Operation::Promote => {
                let (tensor, with) = tensor.zip(with).ok_or_else(missing)?;
                Ok(Question::Promote(Promote { tensor, with }))
            }
            Operation::Operands => {
                let (tensor, with) = tensor.zip(with).ok_or_else(missing)?;
                let elements = elements([tensor, with.dtype()], &payload)?;
                Ok(Question::Operands(Operands { tensor, with, elements }))
            }
            Operation::Bitcast => {
                let (system, (from, to)) = system.zip(from.zip(to)).ok_or_else(missing)?;
                let shape = shape.ok_or_else(missing)?;
                let input = Bytes(payload);
                Ok(Question::Bitcast(Bitcast { system, from, to, shape, input }))
            }
            Operation::ComplexCast => {
                let (profile, (from, to)) = profile.zip(from.zip(to)).ok_or_else(missing)?;
                let Named::Cast(profile) = profile else { return Err(missing()) };
                let input = Scalar::from_bytes(from, &payload)?;
                Ok(Question::ComplexCast(ComplexCast { profile, from, to, input }))
            }
            Operation::DynamicQuantizeLinear => {
                let (shape, input) = (shape.ok_or_else(missing)?, Bytes(payload));
                Ok(Question::DynamicQuantizeLinear(DynamicLinear { shape, input }))
            }
            Operation::QuantizeBlock
            | Operation::DequantizeBlock
            | Operation::DequantizeGguf
            | Operation::QuantizeGguf
            | Operation::Pack
            | Operation::Unpack
            | Operation::QuantizeLinear
            | Operation::DequantizeLinear => unreachable!("read above"),
        }
    }
}

/// Reads two elements, one after the other.
///
/// # Errors
/// If the payload has another length.
pub fn elements(dtypes: [DType; 2], payload: &[u8]) -> Result<[Scalar; 2], String> {
    let width = dtypes[0].bits().div_ceil(8) as usize;
    let (first, second) = payload.split_at(width.min(payload.len()));
    Ok([Scalar::from_bytes(dtypes[0], first)?, Scalar::from_bytes(dtypes[1], second)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_arrives_as_it_was_sent() {
        use castproof_suites::questions;
        use castproof_vectors::{Level, Suite};
        let apart = [Suite::OnnxCastlike, Suite::Projections];
        for &suite in Suite::FILES.iter().filter(|suite| !apart.contains(suite)) {
            for test in questions(suite, Level::Core).tests {
                let (header, payload) = QuestionHeader::new(7, &test.ask).expect("a question");
                let line = serde_json::to_string(&header).expect("serialises");
                let read = QuestionHeader::parse(&line).expect("a question");
                assert_eq!(read.question(payload), Ok(test.ask), "{line}");
            }
        }
    }

    #[test]
    fn broken_questions_are_named() {
        let line = r#"{"seq":1,"op":"bitcast","from":"int8","to":"uint8","bytes":1}"#;
        let read = QuestionHeader::parse(line).expect("members may be missing");
        assert!(read.question(vec![1]).unwrap_err().contains("missing"));
        let line = r#"{"seq":1,"op":"operands","tensor":"int8","with":{"number":"int"},"bytes":8}"#;
        let read = QuestionHeader::parse(line).expect("lengths come with the payload");
        let problem = read.question(vec![0; 8]).unwrap_err();
        assert!(problem.contains("one element of int64 takes 8 bytes, not 7"), "{problem}");
        assert!(QuestionHeader::parse(r#"{"seq":1,"op":"promote","speed":1,"bytes":0}"#).is_err());
    }
}
