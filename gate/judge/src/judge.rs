//! The judge: the one place that compares what came back for a test with what is due.

use castproof_check::verdict::{Verdict, admits, judge};
use castproof_check::words;
use castproof_oracle::admits_text;
use castproof_testee::{Returned, elements};
use castproof_vectors::{
    AnswerRecord, Bitcast, ComplexAnswer, ComplexCast, DType, Element, ElementAnswer, Outcome,
    OutcomeRecord, Question, QuestionTest, Scalar, Test, element_count, landmarks, tensor_len,
};

/// What must come back for one test.
pub enum Expected<'a> {
    /// One element of a cast.
    Element {
        /// Dtypes of the cast.
        pair: (DType, DType),
        /// The element that is cast.
        input: &'a Element,
        /// The recommended reading.
        expect: Outcome,
        /// Another that is tolerated.
        tolerate: Option<Outcome>,
    },
    /// The answer to a question that is not a cast of elements.
    Answer {
        /// The question.
        question: &'a Question,
        /// The recommended reading.
        expect: &'a AnswerRecord,
        /// Another that is tolerated.
        tolerate: Option<&'a AnswerRecord>,
    },
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Got {
    /// One element.
    Element(Element),
    /// The answer to a question.
    Answer(Returned),
}

impl<'a> Expected<'a> {
    /// Returns what is due for a test of a vector file.
    pub fn of_test(pair: (DType, DType), test: &'a Test) -> Expected<'a> {
        let tolerate = test.tolerate.as_ref().map(OutcomeRecord::outcome);
        Expected::Element { pair, input: &test.input, expect: test.expect.outcome(), tolerate }
    }

    /// Returns what is due for a test of a suite of questions.
    pub fn of_question(test: &'a QuestionTest) -> Expected<'a> {
        let (pair, input) = match &test.ask {
            Question::CastLike(question) => ((question.from, question.to), &question.input),
            Question::Chain(question) => {
                ((question.dtypes[0], question.dtypes[2]), &question.input)
            }
            question => {
                let tolerate = test.tolerate.as_ref();
                return Expected::Answer { question, expect: &test.expect, tolerate };
            }
        };
        Expected::Element {
            pair,
            input,
            expect: test.expect.outcome().unwrap_or(Outcome::Reject),
            tolerate: test.tolerate.as_ref().and_then(AnswerRecord::outcome),
        }
    }

    /// Returns the verdict on what came back. `strict`: what is tolerated fails.
    pub fn judge(&self, got: &Got, strict: bool) -> Verdict {
        match (self, got) {
            (Expected::Element { pair, input, expect, tolerate }, Got::Element(got)) => {
                judge_element(expect, tolerate.as_ref(), *pair, (input, got), strict)
            }
            (Expected::Answer { question, expect, tolerate }, Got::Answer(got)) => {
                judge_answer(question, (*expect, *tolerate), got, strict)
            }
            _ => Verdict::Error,
        }
    }

    /// Returns the verdict where nothing came back. A refusal passes, however it is worded, where a
    /// refusal is due; it is allowed where the meaning of a text is open. `strict`: what is tolerated
    /// is not.
    pub fn without_answer(&self, verdict: Verdict, strict: bool) -> Verdict {
        let refused = matches!(verdict, Verdict::Unsupported | Verdict::Error);
        match self {
            Expected::Answer {
                expect: AnswerRecord::Outcome(OutcomeRecord::Reject(_)), ..
            } if refused => Verdict::Pass,
            Expected::Answer { .. } => verdict,
            Expected::Element { expect: Outcome::Reject, .. } if refused => Verdict::Pass,
            Expected::Element { pair, expect, tolerate, .. } => {
                let open_text = verdict == Verdict::Error && pair.0 == DType::String;
                match (expect, tolerate) {
                    (Outcome::Any, _) if open_text => Verdict::Undefined,
                    (_, Some(Outcome::Reject)) if open_text && !strict => Verdict::Tolerated,
                    _ => verdict,
                }
            }
        }
    }

    /// Returns the test of a question about elements, in one operator set; `None` for questions of
    /// other kinds.
    pub fn test(
        &self,
        question: &Question,
        (id, clause): (&str, &str),
        opset: Option<u32>,
    ) -> Option<QuestionTest> {
        let Expected::Element { pair: (_, to), expect, tolerate, .. } = self else { return None };
        let record = |outcome: &Outcome| AnswerRecord::Outcome(OutcomeRecord::new(outcome, *to));
        Some(QuestionTest {
            id: id.into(),
            opsets: opset.into_iter().collect(),
            ask: question.clone(),
            expect: record(expect),
            tolerate: tolerate.as_ref().map(record),
            clause: clause.into(),
            flags: Vec::new(),
        })
    }

    /// Does the specification leave the result open?
    pub fn is_open(&self) -> bool {
        match self {
            Expected::Element { expect, .. } => *expect == Outcome::Any,
            Expected::Answer { expect, .. } => is_open(expect),
        }
    }

    /// Describes what is due, for people.
    pub fn expected(&self) -> String {
        match self {
            Expected::Element { pair, expect, .. } => words::outcome(pair.1, expect),
            Expected::Answer { question, expect, .. } => expected(question, expect),
        }
    }

    /// Describes what came back, for people.
    pub fn shown(&self, got: &Got) -> String {
        match (self, got) {
            (Expected::Element { pair, .. }, Got::Element(got)) => words::element(pair.1, got),
            (Expected::Answer { question, .. }, Got::Answer(got)) => shown(question, got),
            _ => "an answer of another kind".into(),
        }
    }
}

/// Judges what a testee returned for `input` in a cast of this pair. `strict`: what is tolerated
/// fails.
pub fn judge_element(
    expect: &Outcome,
    tolerate: Option<&Outcome>,
    (from, to): (DType, DType),
    (input, got): (&Element, &Element),
    strict: bool,
) -> Verdict {
    if let (Some(target), Some(code)) = (landmarks(to), got.as_code()) {
        return judge(expect, tolerate, code, target, strict);
    }
    let text = got.text();
    let admits = |outcome| admits_text(outcome, from, input.as_code(), &text) == Some(true);
    let is_open = *expect == Outcome::Any;
    Verdict::of_result(admits(expect), is_open, || tolerate.is_some_and(admits), strict)
}

/// Judges the answer to a question.
fn judge_answer(
    question: &Question,
    (expect, tolerate): (&AnswerRecord, Option<&AnswerRecord>),
    returned: &Returned,
    strict: bool,
) -> Verdict {
    let admits = |readings: &[&AnswerRecord]| answer_admits(question, readings, returned);
    let is_tolerated = || tolerate.is_some_and(|tolerate| admits(&[expect, tolerate]));
    Verdict::of_result(admits(&[expect]), is_open(expect), is_tolerated, strict)
}

fn is_open(record: &AnswerRecord) -> bool {
    matches!(record, AnswerRecord::Outcome(outcome) if outcome.outcome() == Outcome::Any)
}

/// Does one of the readings admit this answer? The parts of an element may follow different
/// readings.
fn answer_admits(question: &Question, readings: &[&AnswerRecord], returned: &Returned) -> bool {
    let whole = readings.iter().any(|record| match (record, question) {
        (AnswerRecord::DType(expected), _) => returned.dtype == Some(expected.dtype),
        (AnswerRecord::Tensor(expected), Question::Bitcast(Bitcast { to, .. })) => {
            returned.shape.as_ref() == Some(&expected.shape)
                && without_padding(*to, &expected.shape, &returned.bytes)
                    == without_padding(*to, &expected.shape, &expected.bytes.0)
        }
        _ => false,
    });
    whole || {
        let readings: Option<Vec<_>> = readings.iter().map(|one| parts(question, one)).collect();
        let got = returned_parts(question, returned);
        readings.zip(got).is_some_and(|(readings, (dtype, codes))| {
            let part = dtype.part().unwrap_or(dtype);
            codes.iter().enumerate().all(|(place, &code)| {
                readings.iter().any(|(due, outcomes)| {
                    let outcome = outcomes.get(place);
                    *due == dtype && outcome.is_some_and(|it| admits_code(part, it, code))
                })
            })
        })
    }
}

/// Returns the dtype of the elements that an answer consists of, and what is due of each part.
fn parts(question: &Question, record: &AnswerRecord) -> Option<(DType, Vec<Outcome>)> {
    let outcomes = |parts: &[OutcomeRecord]| parts.iter().map(OutcomeRecord::outcome).collect();
    match (record, question) {
        (AnswerRecord::Complex(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            Some((*to, outcomes(&expected.complex)))
        }
        (AnswerRecord::Outcome(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            Some((*to, vec![expected.outcome()]))
        }
        (AnswerRecord::Operands(expected), Question::Operands(_)) => {
            let parts = expected.operands.iter().flat_map(|operand| match operand {
                ElementAnswer::Complex(ComplexAnswer { complex }) => outcomes(complex),
                ElementAnswer::Real(outcome) => vec![outcome.outcome()],
            });
            Some((expected.dtype, parts.collect()))
        }
        _ => None,
    }
}

/// Returns the dtype of the elements that came back, and the code of each part.
fn returned_parts(question: &Question, returned: &Returned) -> Option<(DType, Vec<u64>)> {
    let (dtype, elements) = match question {
        Question::ComplexCast(ComplexCast { to, .. }) => {
            (*to, vec![Scalar::from_bytes(*to, &returned.bytes).ok()?])
        }
        Question::Operands(_) => {
            let dtype = returned.dtype?;
            (dtype, elements([dtype; 2], &returned.bytes).ok()?.to_vec())
        }
        _ => return None,
    };
    let codes = elements.iter().flat_map(|element| match element {
        Scalar::Real(code) => vec![code.value()],
        Scalar::Complex(parts) => parts.map(|code| code.value()).to_vec(),
    });
    Some((dtype, codes.collect()))
}

fn admits_code(dtype: DType, outcome: &Outcome, code: u64) -> bool {
    landmarks(dtype).is_some_and(|landmarks| admits(outcome, code, landmarks))
}

/// Returns the bytes with the padding bits of the last one cleared, because padding is not part of
/// the value (OX-B10).
fn without_padding(dtype: DType, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // The shape comes from a testee and may be absurd.
    let whole = tensor_len(dtype, shape) == Ok(bytes.len());
    let used = element_count(shape).map_or(0, |count| count % 8 * dtype.bits() as usize % 8);
    if let (true, Some(last), 1..) = (whole, bytes.last_mut(), used) {
        *last &= (1 << used) - 1;
    }
    bytes
}

fn shown(question: &Question, returned: &Returned) -> String {
    let Returned { dtype, shape, bytes } = returned;
    let hex = || castproof_vectors::Bytes(bytes.iter().copied().take(32).collect()).to_string();
    match (question, dtype, shape) {
        (Question::Operands(_), Some(dtype), _) => match elements([*dtype; 2], bytes) {
            Ok([left, right]) => format!("{dtype} {left} and {right}"),
            Err(problem) => format!("{dtype}, but {problem}"),
        },
        (_, Some(dtype), _) => dtype.to_string(),
        (_, _, Some(shape)) => format!("shape {shape:?}, bytes {}", hex()),
        (Question::ComplexCast(ComplexCast { to, .. }), ..) => Scalar::from_bytes(*to, bytes)
            .map_or_else(|problem| problem, |scalar| scalar.to_string()),
        _ => hex(),
    }
}

fn expected(question: &Question, record: &AnswerRecord) -> String {
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
        (AnswerRecord::Outcome(expected), _) => words::outcome(DType::Bool, &expected.outcome()),
        (AnswerRecord::Complex(_), _) => "a complex element".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{Notation, TextOutcome};

    #[test]
    fn texts_are_judged() {
        let pair = (DType::Float32, DType::String);
        let tenth = Element::code(0x3dcc_cccd, DType::Float32);
        let round_trips = |notation| Outcome::Text(TextOutcome::RoundTrips(notation));
        let (plain, any) = (round_trips(Notation::Plain), round_trips(Notation::Any));
        for (text, verdict) in
            [("0.1", Verdict::Pass), ("1e-1", Verdict::Tolerated), ("0.2", Verdict::Fail)]
        {
            let got = Element::Text(text.into());
            assert_eq!(
                judge_element(&plain, Some(&any), pair, (&tenth, &got), false),
                verdict,
                "{text}"
            );
        }
        let (int8, minus_seven) = ((DType::Int8, DType::String), Element::code(0xf9, DType::Int8));
        for (text, verdict) in [
            ("-7", Verdict::Pass),
            ("-7.0", Verdict::Pass),
            ("-70e-1", Verdict::Pass),
            ("-0.7e1", Verdict::Pass),
            ("-7.5", Verdict::Fail),
            ("-7e30", Verdict::Fail),
            ("", Verdict::Fail),
        ] {
            let got = Element::Text(text.into());
            assert_eq!(
                judge_element(&any, None, int8, (&minus_seven, &got), false),
                verdict,
                "{text}"
            );
        }
        let got = Element::Text("?".into());
        let open = judge_element(&Outcome::Any, None, pair, (&tenth, &got), false);
        assert_eq!(open, Verdict::Undefined);
    }

    #[test]
    fn padding_is_no_part_of_an_answer() {
        assert_eq!(without_padding(DType::Int4, &[3], &[0x21, 0xf3]), [0x21, 0x03]);
        assert_eq!(without_padding(DType::Uint2, &[5], &[0xff, 0xfd]), [0xff, 0x01]);
        assert_eq!(without_padding(DType::Int4, &[2], &[0xff]), [0xff]);
        assert_eq!(without_padding(DType::Float32, &[1], &[1, 2, 3, 0xff]), [1, 2, 3, 0xff]);
        // Too few bytes, and a shape that no memory holds: both stay as they came.
        assert_eq!(without_padding(DType::Int4, &[5], &[0xff]), [0xff]);
        assert_eq!(without_padding(DType::Int4, &[u64::MAX, u64::MAX], &[0xff]), [0xff]);
        assert!(without_padding(DType::Int4, &[u64::MAX, u64::MAX, 0], &[]).is_empty());
    }
}
