//! The answers to questions.

use crate::bitcast::{BitcastTensor, bitcast};
use crate::cast::Caster;
use crate::complex::cast_complex;
use crate::operands::{Promoted, promote_operands};
use crate::promotion::promote;
use castproof_vectors::{
    AnswerRecord, Bitcast, Bytes, CastLike, ComplexAnswer, ComplexCast, DType, DTypeAnswer,
    ElementAnswer, Expectation, Operands, OperandsAnswer, Outcome, OutcomeRecord, Promote,
    Question, Request, RuleId, TensorAnswer,
};

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is expected.
    pub expect: AnswerRecord,
    /// What is further tolerated.
    pub tolerate: Option<AnswerRecord>,
    /// The rule that decides.
    pub rule: RuleId,
}

/// Answers a question. `opset` matters to `CastLike` alone.
///
/// # Errors
/// If the question is malformed, in one line.
pub fn answer(question: &Question, opset: u32) -> Result<Answer, String> {
    match question {
        Question::CastLike(question) => cast_like(question, opset),
        Question::Promote(Promote { tensor, with }) => {
            let (dtype, rule) = promote(*tensor, *with);
            let dtype = dtype.map(|dtype| AnswerRecord::DType(DTypeAnswer { dtype }));
            Ok(Answer { expect: dtype.unwrap_or_else(reject), tolerate: None, rule })
        }
        Question::Operands(question) => operands(question),
        Question::Bitcast(Bitcast { system, from, to, shape, input }) => {
            let tensor = BitcastTensor { shape: shape.clone(), bytes: input.0.clone() };
            let (tensor, rule) = bitcast(*system, *from, *to, &tensor)?;
            let expect = tensor.map(|BitcastTensor { shape, bytes }| {
                AnswerRecord::Tensor(TensorAnswer { shape, bytes: Bytes(bytes) })
            });
            Ok(Answer { expect: expect.unwrap_or_else(reject), tolerate: None, rule })
        }
        Question::ComplexCast(question) => complex(question),
        Question::Chain(_) => {
            Err("the oracle answers no chain: compose the pieces of its steps".into())
        }
    }
}

pub(super) fn reject() -> AnswerRecord {
    AnswerRecord::Outcome(OutcomeRecord::new(&Outcome::Reject, DType::Bool))
}

fn cast_like(question: &CastLike, opset: u32) -> Result<Answer, String> {
    let CastLike { from, to, attributes, input } = question;
    let request = Request::cast_like(*from, *to, opset).with(*attributes);
    let answer = Caster::new(&request).and_then(|caster| caster.cast_element(input));
    let Expectation { expect, tolerate, rule } = answer.map_err(|error| error.to_string())?;
    let record = |outcome: &Outcome| AnswerRecord::Outcome(OutcomeRecord::new(outcome, *to));
    Ok(Answer { expect: record(&expect), tolerate: tolerate.as_ref().map(record), rule })
}

fn complex(question: &ComplexCast) -> Result<Answer, String> {
    let ComplexCast { profile, from, to, input } = question;
    let answer = cast_complex(*profile, *from, *to, input).map_err(|error| error.to_string())?;
    let [expect, tolerate] = both(|reading| match element(*to, &answer.parts, reading) {
        ElementAnswer::Complex(parts) => AnswerRecord::Complex(parts),
        ElementAnswer::Real(outcome) => AnswerRecord::Outcome(outcome),
    });
    let tolerate = is_tolerant(&answer.parts).then_some(tolerate);
    Ok(Answer { expect, tolerate, rule: answer.rule })
}

fn operands(question: &Operands) -> Result<Answer, String> {
    let (promoted, rule) = promote_operands(question).map_err(|error| error.to_string())?;
    let Some(Promoted { dtype, operands }) = promoted else {
        return Ok(Answer { expect: reject(), tolerate: None, rule });
    };
    let [expect, tolerate] = both(|reading| {
        let operands = operands.each_ref().map(|parts| element(dtype, parts, reading));
        AnswerRecord::Operands(OperandsAnswer { dtype, operands })
    });
    let tolerate = operands.iter().any(|parts| is_tolerant(parts)).then_some(tolerate);
    Ok(Answer { expect, tolerate, rule })
}

/// Which reading of a part.
#[derive(Clone, Copy)]
enum Reading {
    Expected,
    /// What is tolerated; for a part of which nothing is tolerated, what is expected.
    Tolerated,
}

fn both(record: impl Fn(Reading) -> AnswerRecord) -> [AnswerRecord; 2] {
    [Reading::Expected, Reading::Tolerated].map(record)
}

fn is_tolerant(parts: &[Expectation]) -> bool {
    parts.iter().any(|part| part.tolerate.is_some())
}

/// An element of one part, or of real and imaginary part.
fn element(dtype: DType, parts: &[Expectation], reading: Reading) -> ElementAnswer {
    let record = |part: &Expectation| {
        let outcome = match (reading, &part.tolerate) {
            (Reading::Tolerated, Some(tolerated)) => tolerated,
            _ => &part.expect,
        };
        OutcomeRecord::new(outcome, dtype.part().unwrap_or(dtype))
    };
    match parts {
        [real, imaginary] => {
            ElementAnswer::Complex(ComplexAnswer { complex: [record(real), record(imaginary)] })
        }
        parts => ElementAnswer::Real(record(&parts[0])),
    }
}
