//! Words for what is due of a question, and for what came.

use crate::blocks::{block_of, block_words};
use crate::gguf;
use crate::layouts;
use crate::projections;
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_testee::{Returned, elements};
use castproof_vectors::{
    AnswerRecord, ComplexAnswer, ComplexCast, DType, ElementAnswer, ElementCodes, Hex, Outcome,
    OutcomeRecord, Question, Scalar, unpack,
};

/// The most elements of a tensor that are listed.
const MOST_LISTED: usize = 8;

pub(crate) fn shown(question: &Question, returned: &Returned) -> String {
    let Returned { dtype, shape, bytes } = returned;
    let hex = || castproof_vectors::Bytes(bytes.iter().copied().take(32).collect()).to_string();
    match (question, dtype, shape) {
        (Question::Operands(_), Some(dtype), _) => match elements([*dtype; 2], bytes) {
            Ok([left, right]) => format!("{dtype} {left} and {right}"),
            Err(problem) => format!("{dtype}, but {problem}"),
        },
        (Question::QuantizeBlock(block), ..) => match block_of(block, bytes) {
            Some((scale, codes)) => {
                let codes = codes.iter().map(|code| Some(*code as u8)).collect();
                block_words(Hex::new(scale, block.scale), ElementCodes(codes))
            }
            None => hex(),
        },
        (Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear), ..) => {
            match unpack(linear.to, bytes, linear.count()) {
                Ok(codes) => listed(linear.to, codes.into_iter().map(Outcome::Code)),
                Err(problem) => problem,
            }
        }
        (Question::DynamicQuantizeLinear(_), ..) => match dynamic_of(bytes) {
            Some((scale, zero_point, elements)) => {
                let codes = elements.iter().map(|&code| Outcome::Code(code.into()));
                dynamic_words(&Outcome::Code(scale), &Outcome::Code(zero_point.into()), codes)
            }
            None => hex(),
        },
        (_, Some(dtype), _) => dtype.to_string(),
        (_, _, Some(shape)) => format!("shape {shape:?}, bytes {}", hex()),
        (Question::ComplexCast(ComplexCast { to, .. }), ..) => Scalar::from_bytes(*to, bytes)
            .map_or_else(|problem| problem, |scalar| scalar.to_string()),
        _ => hex(),
    }
}

pub(crate) fn expected(question: &Question, record: &AnswerRecord) -> String {
    let complex = |dtype: DType, ComplexAnswer { complex }: &ComplexAnswer| {
        let part = dtype.part().unwrap_or(dtype);
        let parts = complex.each_ref().map(|one| words::outcome(part, &one.outcome()));
        format!("({})", parts.join(", "))
    };
    match (record, question) {
        (AnswerRecord::DType(expected), _) => expected.dtype.to_string(),
        (AnswerRecord::Operands(expected), _) => {
            let dtype = expected.dtype;
            let operand = |operand: &ElementAnswer| match operand {
                ElementAnswer::Complex(parts) => complex(dtype, parts),
                ElementAnswer::Real(outcome) => words::outcome(dtype, &outcome.outcome()),
            };
            format!("{dtype} {}", expected.operands.each_ref().map(operand).join(" and "))
        }
        (AnswerRecord::Tensor(expected), _) => {
            let bytes = expected.bytes.0.iter().copied().take(32).collect();
            format!("shape {:?}, bytes {}", expected.shape, castproof_vectors::Bytes(bytes))
        }
        (AnswerRecord::Complex(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            complex(*to, expected)
        }
        (AnswerRecord::Outcome(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            words::outcome(*to, &expected.outcome())
        }
        (
            AnswerRecord::Linear(expected),
            Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear),
        ) => listed(linear.to, expected.elements.iter().map(OutcomeRecord::outcome)),
        (AnswerRecord::Linear(_), _) => "elements".into(),
        (AnswerRecord::Dynamic(expected), _) => {
            let elements = expected.elements.iter().map(OutcomeRecord::outcome);
            dynamic_words(&expected.scale.outcome(), &expected.zero_point.outcome(), elements)
        }
        (AnswerRecord::Outcome(expected), _) => words::outcome(DType::Bool, &expected.outcome()),
        (AnswerRecord::Complex(_), _) => "a complex element".into(),
        (AnswerRecord::Block(expected), _) => {
            block_words(expected.scale, expected.elements.clone())
        }
        (AnswerRecord::BlockChoice(_), _) => "the elements that belong to the scale".into(),
        (AnswerRecord::Blocks(_), _) => "each block as it is alone".into(),
        (AnswerRecord::Numbers(_), Question::DequantizeGguf(ask)) => {
            format!("each element as {} says", ask.kind)
        }
        (AnswerRecord::Projected(due), Question::Project(ask)) => projections::listed(ask, due),
        (AnswerRecord::Projected(_), _) => "codes of a format".into(),
        (AnswerRecord::Numbers(_), _) => "each element times its scale".into(),
        (AnswerRecord::GgufBlocks(expected), _) => gguf::shown(expected),
        (AnswerRecord::LaidOut(expected), _) => layouts::shown(&expected.bytes.0),
        (AnswerRecord::GgufReadings(further), _) => {
            let shown: Vec<String> = further.readings.iter().map(gguf::shown).collect();
            shown.join(" or ")
        }
    }
}

/// Lists the first elements of a tensor.
fn listed(dtype: DType, outcomes: impl Iterator<Item = Outcome>) -> String {
    let mut outcomes = outcomes.map(|outcome| words::outcome(dtype, &outcome));
    let mut listed: Vec<String> = outcomes.by_ref().take(MOST_LISTED).collect();
    let more = outcomes.count();
    if more > 0 {
        listed.push(format!("and {} more", thousands(more as u64)));
    }
    listed.join(", ")
}

fn dynamic_words(
    scale: &Outcome,
    zero_point: &Outcome,
    elements: impl Iterator<Item = Outcome>,
) -> String {
    let scale = words::outcome(DType::Float32, scale);
    let zero_point = words::outcome(DType::Uint8, zero_point);
    format!("scale {scale}, zero point {zero_point}, elements {}", listed(DType::Uint8, elements))
}

/// Returns scale, zero point and elements of an answer; `None` if it is too short.
pub(crate) fn dynamic_of(bytes: &[u8]) -> Option<(u64, u8, &[u8])> {
    let (scale, rest) = bytes.split_first_chunk::<4>()?;
    let (zero_point, elements) = rest.split_first()?;
    Some((u32::from_le_bytes(*scale).into(), *zero_point, elements))
}
