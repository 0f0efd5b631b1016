//! Questions beside casts, as the protocol writes them.

use castproof_vectors::{
    Bitcast, Bytes, ComplexCast, DType, Operand, Operands, Profile, Promote, Question, Scalar,
    System,
};
use serde::{Deserialize, Serialize};

/// The operations of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Promote,
    Operands,
    Bitcast,
    ComplexCast,
}

/// Is this the `op` of a question?
pub(super) fn is_question(op: &str) -> bool {
    matches!(op, "promote" | "operands" | "bitcast" | "complexcast")
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
    profile: Option<Profile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<DType>,
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
        let none = QuestionHeader {
            seq,
            op: Operation::Promote,
            tensor: None,
            with: None,
            system: None,
            profile: None,
            from: None,
            to: None,
            shape: None,
            bytes: 0,
        };
        match question {
            Question::CastLike(_) => Err("CastLike is asked as a cast".into()),
            Question::Chain(_) => Err("chains are asked as such".into()),
            Question::Promote(Promote { tensor, with }) => {
                let (tensor, with) = (Some(*tensor), Some(*with));
                Ok((QuestionHeader { tensor, with, ..none }, vec![]))
            }
            Question::Operands(question) => {
                let elements = question.elements.iter().zip(question.dtypes());
                let payload: Vec<u8> =
                    elements.flat_map(|(element, dtype)| element.bytes(dtype)).collect();
                let header = QuestionHeader {
                    op: Operation::Operands,
                    tensor: Some(question.tensor),
                    with: Some(question.with),
                    bytes: payload.len() as u64,
                    ..none
                };
                Ok((header, payload))
            }
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
                    profile: Some(*profile),
                    from: Some(*from),
                    to: Some(*to),
                    bytes: payload.len() as u64,
                    ..none
                };
                Ok((header, payload))
            }
        }
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
                let input = Scalar::from_bytes(from, &payload)?;
                Ok(Question::ComplexCast(ComplexCast { profile, from, to, input }))
            }
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
        use castproof_oracle::questions;
        use castproof_vectors::{Level, Suite};
        for &suite in Suite::FILES.iter().filter(|&&suite| suite != Suite::OnnxCastlike) {
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
