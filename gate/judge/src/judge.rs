//! The judge: the one place that compares what came back for a test with what is due.

use crate::answer_words::{dynamic_of, expected, shown};
use crate::blocks::{block_admits, is_other_scale, wrong_block, wrong_choice, wrong_number};
use crate::gguf;
use crate::layouts;
use crate::projections::wrong_code;
use crate::written::written;
use castproof_check::verdict::{Verdict, admits_code, judge};
use castproof_check::words;
use castproof_oracle::admits_text;
use castproof_testee::{Returned, elements};
use castproof_vectors::{
    AnswerRecord, Bitcast, ComplexAnswer, ComplexCast, DType, DynamicAnswer, Element,
    ElementAnswer, Outcome, OutcomeRecord, Question, QuestionTest, Scalar, Test, element_count,
    landmarks, tensor_len, unpack,
};

/// What must come back for one test.
#[derive(Clone)]
pub enum Expected<'a> {
    /// One element of a cast.
    Element {
        /// Dtypes of the cast.
        pair: (DType, DType),
        /// The element that is cast.
        input: &'a Element,
        /// What a text is compared with, where that is not the input: the dtype and the element that the last cast of a
        /// chain to string gets.
        written: Option<(DType, Element)>,
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
        let (input, expect) = (&test.input, test.expect.outcome());
        Expected::Element { pair, input, written: None, expect, tolerate }
    }

    /// Returns what is due for a test of a suite of questions.
    pub fn of_question(test: &'a QuestionTest) -> Expected<'a> {
        let (pair, input, written) = match &test.ask {
            Question::CastLike(question) => ((question.from, question.to), &question.input, None),
            Question::Chain(question) => {
                (question.ends(), &question.input, written(question, &test.opsets))
            }
            question => {
                let tolerate = test.tolerate.as_ref();
                return Expected::Answer { question, expect: &test.expect, tolerate };
            }
        };
        Expected::Element {
            pair,
            input,
            written,
            expect: test.expect.outcome().unwrap_or(Outcome::Reject),
            tolerate: test.tolerate.as_ref().and_then(AnswerRecord::outcome),
        }
    }

    /// Returns the verdict on what came back. `strict`: what is tolerated fails.
    pub fn judge(&self, got: &Got, strict: bool) -> Verdict {
        match (self, got) {
            (Expected::Element { pair, input, written, expect, tolerate }, Got::Element(got)) => {
                let (pair, input) = match written {
                    Some((from, element)) => ((*from, pair.1), element),
                    None => (*pair, *input),
                };
                judge_element(expect, tolerate.as_ref(), pair, (input, got), strict)
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

    /// Must an element be refused?
    pub fn is_refusal(&self) -> bool {
        matches!(self, Expected::Element { expect: Outcome::Reject, .. })
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
            (Expected::Answer { question, expect, tolerate }, Got::Answer(got)) => {
                let readings: Vec<_> = std::iter::once(*expect).chain(*tolerate).collect();
                wrong_part(question, &readings, got).unwrap_or_else(|| shown(question, got))
            }
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
    if let (Question::QuantizeBlock(block), Some(AnswerRecord::BlockChoice(choice)), false) =
        (question, tolerate, strict)
        && is_other_scale(block, choice, &returned.bytes)
    {
        return Verdict::Undefined;
    }
    let admits = |readings: &[&AnswerRecord]| answer_admits(question, readings, returned);
    let is_tolerated = || tolerate.is_some_and(|tolerate| admits(&[expect, tolerate]));
    Verdict::of_result(admits(&[expect]), is_open(expect), is_tolerated, strict)
}

fn is_open(record: &AnswerRecord) -> bool {
    let is_any = |outcome: &OutcomeRecord| outcome.outcome() == Outcome::Any;
    match record {
        AnswerRecord::Outcome(outcome) => is_any(outcome),
        AnswerRecord::Linear(expected) => expected.elements.iter().all(is_any),
        AnswerRecord::GgufBlocks(expected) => {
            expected.open.as_ref().is_some_and(|open| open.0.iter().all(|bits| *bits == 0xff))
        }
        AnswerRecord::LaidOut(expected) => {
            expected.open.as_ref().is_some_and(|open| open.0.iter().all(|bits| *bits == 0xff))
        }
        AnswerRecord::Dynamic(expected) => {
            is_any(&expected.scale) && expected.elements.iter().all(is_any)
        }
        _ => false,
    }
}

/// Does one of the readings admit this answer? The parts of an element may follow different
/// readings.
fn answer_admits(question: &Question, readings: &[&AnswerRecord], returned: &Returned) -> bool {
    if let Question::Project(ask) = question {
        return wrong_code(ask, readings, &returned.bytes).is_none();
    }
    let whole = readings.iter().any(|record| match (record, question) {
        (AnswerRecord::DType(expected), _) => returned.dtype == Some(expected.dtype),
        (AnswerRecord::Tensor(expected), Question::Bitcast(Bitcast { to, .. })) => {
            returned.shape.as_ref() == Some(&expected.shape)
                && without_padding(*to, &expected.shape, &returned.bytes)
                    == without_padding(*to, &expected.shape, &expected.bytes.0)
        }
        (AnswerRecord::Block(expected), Question::QuantizeBlock(block)) => {
            block_admits(block, expected, &returned.bytes)
        }
        (AnswerRecord::BlockChoice(expected), Question::QuantizeBlock(block)) => {
            expected.one_of.iter().any(|one| block_admits(block, one, &returned.bytes))
        }
        (AnswerRecord::Blocks(expected), Question::QuantizeTensor(tensor)) => {
            wrong_block(tensor, expected, &returned.bytes).is_none()
        }
        (AnswerRecord::Numbers(expected), Question::DequantizeBlock(block)) => {
            wrong_number(block, expected, &returned.bytes).is_none()
        }
        (AnswerRecord::Numbers(expected), Question::DequantizeGguf(ask)) => {
            gguf::wrong_number(ask, expected, &returned.bytes).is_none()
        }
        (AnswerRecord::GgufBlocks(expected), Question::QuantizeGguf(ask)) => {
            let further = readings.iter().find_map(|it| match it {
                AnswerRecord::GgufReadings(further) => Some(further),
                _ => None,
            });
            gguf::wrong_block(ask, (expected, further), &returned.bytes).is_none()
        }
        (AnswerRecord::LaidOut(expected), Question::Pack(_) | Question::Unpack(_)) => {
            expected.first_wrong(&returned.bytes).is_none()
        }
        (AnswerRecord::Dynamic(expected), Question::DynamicQuantizeLinear(_)) => {
            dynamic_admits(expected, &returned.bytes)
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

/// Are these the scale, the zero point and the elements of a tensor whose scale was found?
fn dynamic_admits(expected: &DynamicAnswer, bytes: &[u8]) -> bool {
    let Some((scale, zero_point, elements)) = dynamic_of(bytes) else { return false };
    let due = std::iter::once(&expected.zero_point).chain(&expected.elements);
    let got = std::iter::once(zero_point).chain(elements.iter().copied());
    admits_code(DType::Float32, &expected.scale.outcome(), scale)
        && elements.len() == expected.elements.len()
        && due.zip(got).all(|(due, code)| admits_code(DType::Uint8, &due.outcome(), code.into()))
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
        (
            AnswerRecord::Linear(expected),
            Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear),
        ) => Some((linear.to, outcomes(&expected.elements))),
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
        Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear) => {
            let codes = unpack(linear.to, &returned.bytes, linear.count()).ok()?;
            return Some((linear.to, codes));
        }
        _ => return None,
    };
    let codes = elements.iter().flat_map(|element| match element {
        Scalar::Real(code) => vec![code.value()],
        Scalar::Complex(parts) => parts.map(|code| code.value()).to_vec(),
    });
    Some((dtype, codes.collect()))
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

/// Describes the first element of a tensor that is not due; `None` if there is none, and for questions about
/// something else.
fn wrong_part(
    question: &Question,
    readings: &[&AnswerRecord],
    returned: &Returned,
) -> Option<String> {
    match (question, readings) {
        (Question::QuantizeTensor(tensor), [AnswerRecord::Blocks(due), ..]) => {
            wrong_block(tensor, due, &returned.bytes)
        }
        (Question::DequantizeBlock(block), [AnswerRecord::Numbers(due), ..]) => {
            wrong_number(block, due, &returned.bytes)
        }
        (Question::DequantizeGguf(ask), [AnswerRecord::Numbers(due), ..]) => {
            gguf::wrong_number(ask, due, &returned.bytes)
        }
        (Question::Project(ask), _) => wrong_code(ask, readings, &returned.bytes),
        (Question::Pack(ask), [AnswerRecord::LaidOut(due), ..]) => {
            layouts::wrong_byte(ask, due, &returned.bytes)
        }
        (Question::Unpack(ask), [AnswerRecord::LaidOut(due), ..]) => {
            layouts::wrong_code(ask, due, &returned.bytes)
        }
        (Question::QuantizeGguf(ask), [AnswerRecord::GgufBlocks(due), ..]) => {
            let further = match readings {
                [_, AnswerRecord::GgufReadings(further)] => Some(further),
                _ => None,
            };
            gguf::wrong_block(ask, (due, further), &returned.bytes)
        }
        (Question::QuantizeBlock(block), [_, AnswerRecord::BlockChoice(_)]) => {
            wrong_choice(block, &returned.bytes)
        }
        (Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear), _) => {
            let (dtype, got) = returned_parts(question, returned)?;
            let due: Vec<_> = readings.iter().filter_map(|it| parts(question, it)).collect();
            let is_due = |place: usize| {
                due.iter().any(|(_, due)| admits_code(dtype, &due[place], got[place]))
            };
            let (_, first) = due.first().filter(|(_, due)| due.len() == got.len())?;
            let place = (0..got.len()).find(|&place| !is_due(place))?;
            let quantises = matches!(question, Question::QuantizeLinear(_));
            let small = if quantises { linear.to } else { linear.from };
            let codes = linear.codes(small).ok()?;
            let at = linear.place(place).1;
            let zero = codes.zero_points.and_then(|zeros| zeros.get(at).copied());
            let zero =
                zero.map(|zero| format!(" and the zero point {}", words::value(small, zero)));
            let zero = zero.unwrap_or_default();
            Some(format!(
                "{} at place {place}, not {}, for {} under the scale {}{zero}",
                words::value(dtype, got[place]),
                words::outcome(dtype, &first[place]),
                words::value(linear.from, codes.input[place]),
                words::value(linear.scale, *codes.scales.get(at)?),
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{Notation, TextOutcome};

    /// Three numbers of mx-floor in float6e2m3, which take three bytes with zeros behind 18 bits.
    #[test]
    fn blocks_are_judged() {
        let verdict = |scale: &str, elements: &str, bytes: &[u8]| {
            let ask = r#"{"quantizeBlock":{"profile":"mx-floor","from":"float32","to":"float6e2m3",
                "scale":"float8e8m0","blockSize":32,"input":"0000803f0000803f0000803f"}}"#;
            let expect = format!(r#"{{"scale":"{scale}","elements":"{elements}"}}"#);
            let expect = serde_json::from_str(&expect).expect("an answer");
            let ask = serde_json::from_str(ask).expect("a question");
            let returned = Returned { bytes: bytes.to_vec(), ..Returned::default() };
            judge_answer(&ask, (&expect, None), &returned, false)
        };
        // 1, 2 and 3 in six bits each.
        let right = [0x7d, 0x81, 0x30, 0x00];
        assert_eq!(verdict("0x7d", "010203", &right), Verdict::Pass);
        assert_eq!(verdict("0x7d", "01..03", &right), Verdict::Pass);
        assert_eq!(verdict("0x7d", "010303", &right), Verdict::Fail);
        assert_eq!(verdict("0x7e", "010203", &right), Verdict::Fail);
        // The bits behind the elements, and another length.
        assert_eq!(verdict("0x7d", "010203", &[0x7d, 0x81, 0x30, 0x40]), Verdict::Fail);
        assert_eq!(verdict("0x7d", "010203", &right[..3]), Verdict::Fail);
        assert_eq!(verdict("0x7d", "01020300", &right), Verdict::Fail);
        // Elements under NaN are open, its scale is not.
        assert_eq!(verdict("0xff", "......", &[0xff, 0x81, 0x30, 0x00]), Verdict::Pass);
        assert_eq!(verdict("0xff", "......", &right), Verdict::Fail);
    }

    /// Two rows of a block of two numbers and a shorter one, in four bits each.
    #[test]
    fn tensors_are_judged() {
        let verdict = |bytes: &[u8]| {
            let ask = r#"{"quantizeTensor":{"profile":"mx-floor","from":"float16","to":"float4e2m1",
                "scale":"float8e8m0","blockSize":2,"axis":1,"shape":[2,3],
                "input":"003c003c003c003c003c003c"}}"#;
            let expect = r#"{"scales":"7d7e7fff","elements":"01020304050."}"#.replace("0.", "..");
            let expect = serde_json::from_str(&expect).expect("an answer");
            let ask = serde_json::from_str(ask).expect("a question");
            let returned = Returned { bytes: bytes.to_vec(), ..Returned::default() };
            judge_answer(&ask, (&expect, None), &returned, false)
        };
        let right = [0x7d, 0x7e, 0x7f, 0xff, 0x21, 0x43, 0xe5];
        assert_eq!(verdict(&right), Verdict::Pass);
        for place in 0..right.len() - 1 {
            let mut wrong = right;
            wrong[place] ^= 1;
            assert_eq!(verdict(&wrong), Verdict::Fail, "{place}");
        }
        // The last element is open, and the scales lie row by row.
        assert_eq!(verdict(&[0x7d, 0x7e, 0x7f, 0xff, 0x21, 0x43, 0x05]), Verdict::Pass);
        assert_eq!(verdict(&[0x7d, 0x7f, 0x7e, 0xff, 0x21, 0x43, 0xe5]), Verdict::Fail);
        assert_eq!(verdict(&right[..6]), Verdict::Fail);
        assert_eq!(verdict(&right[..2]), Verdict::Fail);
    }

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
