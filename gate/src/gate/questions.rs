//! Runs the suites of questions through a testee, and says what it found.

use super::journal::{Part, Progress};
use super::plan::Plan;
use super::source::Source;
use super::text::judge_element;
use crate::baseline::{AskedKey, Baseline, Watch};
use crate::results::{Deviation, Results, SuiteRun, Surprise};
use crate::testee::{Reply, Returned, Testee, elements};
use crate::verdict::{Counts, Verdict, thousands};
use crate::words;
use anyhow::{Result, anyhow};
use castproof_vectors::{
    AnswerRecord, Bitcast, CastLike, ComplexAnswer, ComplexCast, DType, ElementAnswer, Operator,
    Outcome, OutcomeRecord, Question, QuestionFile, QuestionTest, Request, Scalar, Suite, clause,
    element_count, landmarks, pack_elements, tensor_len, unpack_elements,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Runs every suite of the plan that was not done before, and adds what it finds to `results`.
///
/// # Errors
/// If the source's files are broken; what the testee does is never an error.
pub(super) fn run(
    source: &Source,
    plan: &Plan,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
    done: &mut Progress,
) -> Result<()> {
    for suite in plan.questions() {
        let part = Part::Suite(suite);
        let came = match done.take(part) {
            Some(came) => came,
            None => {
                let came = run_suite(&source.questions(suite)?, plan.strict, baseline, testee)?;
                done.add(part, &came)?;
                came
            }
        };
        results.extend(came);
        results.drop_dull_tallies();
    }
    Ok(())
}

fn run_suite(
    file: &QuestionFile,
    strict: bool,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let mut results = Results::default();
    let mut run = SuiteRun {
        suite: file.suite,
        announced: 0,
        counts: Counts::default(),
        expected: 0,
        unexpected_passes: 0,
        deviations: Vec::new(),
    };
    for test in &file.tests {
        let tolerate = test.tolerate.as_ref().filter(|_| !strict);
        let test = &QuestionTest { tolerate: tolerate.cloned(), ..test.clone() };
        let opsets: Vec<Option<u32>> = match &test.opsets[..] {
            [] => vec![None],
            opsets => opsets.iter().copied().map(Some).collect(),
        };
        for opset in opsets {
            let answer = match (&test.ask, opset) {
                (Question::CastLike(question), Some(opset)) => {
                    cast_like(question, opset, test, testee)?
                }
                (question, _) => ask(question, test, testee),
            };
            let asked = AskedKey::of(&test.ask, opset);
            let reason = known(asked, test, answer.0, baseline, &mut results);
            run.count(test, opset, answer, reason);
        }
    }
    results.announced = run.announced;
    results.suites.push(run);
    Ok(results)
}

/// The reason of the baseline's entry that expects a bad verdict, or that rules out a good one.
fn known(
    asked: AskedKey,
    test: &QuestionTest,
    verdict: Verdict,
    baseline: &Baseline,
    results: &mut Results,
) -> Option<String> {
    let entries = baseline.of_request(&asked);
    let entry = Watch::new(asked, &entries).note((&test.clause, &test.id), verdict, results);
    let mut tally = Surprise::default();
    tally.counts.add(verdict, 1);
    if verdict.is_bad() && entry.is_none() {
        tally.unexpected.add(verdict, 1);
    }
    results.tally(asked, &test.clause, &tally);
    entry.map(|entry| entry.reason.clone())
}

impl SuiteRun {
    fn count(
        &mut self,
        test: &QuestionTest,
        opset: Option<u32>,
        (verdict, got): (Verdict, Got),
        known: Option<String>,
    ) {
        self.announced += 1;
        self.counts.add(verdict, 1);
        self.counts.executed += u64::from(matches!(got, Got::Output(_)));
        match (verdict.is_bad(), &known) {
            (true, Some(_)) => self.expected += 1,
            (false, Some(_)) => self.unexpected_passes += 1,
            (_, None) => {}
        }
        if verdict != Verdict::Pass || known.is_some() {
            let (Got::Output(got) | Got::Message(got)) = got;
            self.deviations.push(Deviation {
                verdict,
                id: test.id.clone(),
                clause: test.clause.clone(),
                question: test.ask.to_string(),
                opset,
                got,
                expected: expected(&test.ask, &test.expect),
                known,
            });
        }
    }
}

/// What came back, for people.
enum Got {
    Output(String),
    Message(String),
}

fn cast_like(
    question: &CastLike,
    opset: u32,
    test: &QuestionTest,
    testee: &mut dyn Testee,
) -> Result<(Verdict, Got)> {
    let CastLike { from, to, attributes, input } = question;
    let request =
        Request { op: Operator::CastLike, ..Request::cast(*from, *to, opset).with(*attributes) };
    let payload =
        pack_elements(*from, std::slice::from_ref(input)).map_err(|error| anyhow!(error))?;
    let output = match testee.cast(&request, 1, &payload) {
        Reply::Output(output) => output,
        other => return Ok(refused(test, other)),
    };
    Ok(match unpack_elements(*to, &output, 1) {
        Err(problem) => (Verdict::Error, Got::Message(problem)),
        Ok(elements) => {
            let got = &elements[0];
            let outcome = |record: &AnswerRecord| match record {
                AnswerRecord::Outcome(outcome) => Some(outcome.outcome()),
                _ => None,
            };
            let expect = outcome(&test.expect).unwrap_or(Outcome::Reject);
            let tolerate = test.tolerate.as_ref().and_then(outcome);
            let verdict = judge_element(&expect, tolerate.as_ref(), (*from, *to), input, got);
            (verdict, Got::Output(words::element(*to, got)))
        }
    })
}

fn ask(question: &Question, test: &QuestionTest, testee: &mut dyn Testee) -> (Verdict, Got) {
    let returned = match testee.ask(question) {
        Reply::Output(returned) => returned,
        other => return refused(test, other),
    };
    let admits = |readings: &[&AnswerRecord]| admits(question, readings, &returned);
    let verdict = match &test.tolerate {
        _ if admits(&[&test.expect]) => match is_open(&test.expect) {
            true => Verdict::Undefined,
            false => Verdict::Pass,
        },
        Some(tolerate) if admits(&[&test.expect, tolerate]) => Verdict::Tolerated,
        _ => Verdict::Fail,
    };
    (verdict, Got::Output(shown(question, &returned)))
}

/// A reply without output: right where a refusal is due, and allowed where a text means nothing.
fn refused<T>(test: &QuestionTest, reply: Reply<T>) -> (Verdict, Got) {
    let due = AnswerRecord::Outcome(OutcomeRecord::new(&Outcome::Reject, DType::Bool));
    let from_text =
        matches!(&test.ask, Question::CastLike(question) if question.from == DType::String);
    let open = from_text && (is_open(&test.expect) || test.tolerate.as_ref() == Some(&due));
    match reply {
        Reply::Unsupported(message) | Reply::Error(message) if test.expect == due => {
            (Verdict::Pass, Got::Message(message))
        }
        Reply::Error(message) if open => (Verdict::Undefined, Got::Message(message)),
        Reply::Unsupported(message) => (Verdict::Unsupported, Got::Message(message)),
        Reply::Error(message) => (Verdict::Error, Got::Message(message)),
        Reply::Crash(message) => (Verdict::Crash, Got::Message(message)),
        Reply::Timeout(message) => (Verdict::Timeout, Got::Message(message)),
        Reply::Output(_) => (Verdict::Error, Got::Message("an output".into())),
    }
}

fn is_open(record: &AnswerRecord) -> bool {
    matches!(record, AnswerRecord::Outcome(outcome) if outcome.outcome() == Outcome::Any)
}

/// Is this what one of the readings asks for? Parts of elements may follow different readings.
fn admits(question: &Question, readings: &[&AnswerRecord], returned: &Returned) -> bool {
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

/// The dtype of the elements that an answer consists of, and what is due of each part.
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

/// The dtype of the elements that came back, and the code of each part.
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
    landmarks(dtype).is_some_and(|landmarks| {
        outcome.admits(code, |code| landmarks.is_nan(code), |code| landmarks.is_valid(code))
    })
}

/// Bytes with the padding of the last one cleared, which is no part of the value (OX-B10).
fn without_padding(dtype: DType, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // The shape is what a testee says, and may be absurd.
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
        (AnswerRecord::Outcome(expected), Question::ComplexCast(ComplexCast { to, .. }))
        | (AnswerRecord::Outcome(expected), Question::CastLike(CastLike { to, .. })) => {
            words::outcome(*to, &expected.outcome())
        }
        (AnswerRecord::Outcome(expected), _) => words::outcome(DType::Bool, &expected.outcome()),
        (AnswerRecord::Complex(_), _) => "a complex element".into(),
    }
}

/// One line for each suite, then what differs, at most `limit` cases.
///
/// # Errors
/// If writing fails.
pub(super) fn report(out: &mut dyn Write, runs: &[SuiteRun], limit: usize) -> io::Result<()> {
    if !runs.is_empty() {
        writeln!(out)?;
    }
    for SuiteRun { suite, counts, .. } in runs {
        writeln!(
            out,
            "{:<19} {:>7} tests, {:>7} executed: {counts}",
            suite.name(),
            thousands(counts.judged()),
            thousands(counts.executed)
        )?;
    }
    let mut clauses: BTreeMap<(Suite, &str), Vec<&Deviation>> = BTreeMap::new();
    for run in runs {
        for deviation in run.surprises() {
            clauses.entry((run.suite, &deviation.clause)).or_default().push(deviation);
        }
    }
    if clauses.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nDiffering answers")?;
    let (mut room, share) = (limit, limit.div_ceil(clauses.len()).max(1));
    for ((suite, id), deviations) in clauses {
        let rule = clause(id).map_or("", |clause| clause.rule);
        let shown = deviations.len().min(share).min(room);
        room -= shown;
        writeln!(out, "\n{} {id}  {rule}  ({shown} of {} cases)", suite.name(), deviations.len())?;
        for deviation in deviations.iter().take(shown) {
            writeln!(out, "  {deviation}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_no_part_of_an_answer() {
        assert_eq!(without_padding(DType::Int4, &[3], &[0x21, 0xf3]), [0x21, 0x03]);
        assert_eq!(without_padding(DType::Uint2, &[5], &[0xff, 0xfd]), [0xff, 0x01]);
        assert_eq!(without_padding(DType::Int4, &[2], &[0xff]), [0xff]);
        assert_eq!(without_padding(DType::Float32, &[1], &[1, 2, 3, 0xff]), [1, 2, 3, 0xff]);
        // Too few bytes, and a shape that no memory holds: as they came.
        assert_eq!(without_padding(DType::Int4, &[5], &[0xff]), [0xff]);
        assert_eq!(without_padding(DType::Int4, &[u64::MAX, u64::MAX], &[0xff]), [0xff]);
        assert!(without_padding(DType::Int4, &[u64::MAX, u64::MAX, 0], &[]).is_empty());
    }
}
