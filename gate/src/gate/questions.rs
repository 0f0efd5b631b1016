//! Runs the suites of questions through a testee, and says what it found.

use super::source::Source;
use super::text::judge_element;
use crate::results::{Deviation, SuiteRun};
use crate::testee::{Reply, Returned, Testee};
use crate::verdict::{Counts, Verdict, thousands};
use crate::words::{self, outcome};
use anyhow::{Result, anyhow};
use castproof_vectors::{
    AnswerRecord, Bitcast, CastLike, ComplexCast, DType, Operator, Outcome, OutcomeRecord,
    Question, QuestionFile, QuestionTest, Request, Scalar, Suite, clause, landmarks, pack_elements,
    unpack_elements,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Runs every suite that is asked for and that the source has.
///
/// # Errors
/// If the source's files are broken; what the testee does is never an error.
pub(super) fn run(
    source: &Source,
    suites: &[Suite],
    testee: &mut dyn Testee,
) -> Result<Vec<SuiteRun>> {
    let mut runs = Vec::new();
    for &suite in Suite::QUESTIONS.iter().filter(|suite| suites.contains(suite)) {
        if let Some(file) = source.questions(suite)? {
            runs.push(run_suite(&file, testee)?);
        }
    }
    Ok(runs)
}

fn run_suite(file: &QuestionFile, testee: &mut dyn Testee) -> Result<SuiteRun> {
    let mut run = SuiteRun {
        suite: file.suite,
        announced: 0,
        counts: Counts::default(),
        deviations: Vec::new(),
    };
    for test in &file.tests {
        match &test.ask {
            Question::CastLike(question) => {
                for &opset in &test.opsets {
                    let answer = cast_like(question, opset, test, testee)?;
                    count(&mut run, test, Some(opset), answer);
                }
            }
            question => {
                let answer = ask(question, test, testee);
                count(&mut run, test, None, answer);
            }
        }
    }
    Ok(run)
}

fn count(
    run: &mut SuiteRun,
    test: &QuestionTest,
    opset: Option<u32>,
    (verdict, got): (Verdict, Got),
) {
    run.announced += 1;
    run.counts.add(verdict, 1);
    run.counts.executed += u64::from(matches!(got, Got::Output(_)));
    if verdict.is_bad() || verdict == Verdict::Unsupported {
        let (Got::Output(got) | Got::Message(got)) = got;
        run.deviations.push(Deviation {
            verdict,
            id: test.id.clone(),
            clause: test.clause.clone(),
            question: test.ask.to_string(),
            opset,
            got,
            expected: expected(&test.ask, &test.expect),
        });
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
    let admits = |record: &AnswerRecord| admits(question, record, &returned);
    let verdict = match admits(&test.expect) {
        true if is_open(&test.expect) => Verdict::Undefined,
        true => Verdict::Pass,
        false if test.tolerate.as_ref().is_some_and(admits) => Verdict::Tolerated,
        false => Verdict::Fail,
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

fn admits(question: &Question, record: &AnswerRecord, returned: &Returned) -> bool {
    match (record, question) {
        (AnswerRecord::DType(expected), _) => returned.dtype == Some(expected.dtype),
        (AnswerRecord::Tensor(expected), Question::Bitcast(Bitcast { to, .. })) => {
            returned.shape.as_ref() == Some(&expected.shape)
                && without_padding(*to, &expected.shape, &returned.bytes)
                    == without_padding(*to, &expected.shape, &expected.bytes.0)
        }
        (AnswerRecord::Complex(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            match (Scalar::from_bytes(*to, &returned.bytes), to.part()) {
                (Ok(Scalar::Complex(parts)), Some(part)) => parts
                    .iter()
                    .zip(&expected.complex)
                    .all(|(code, outcome)| admits_code(part, &outcome.outcome(), code.value())),
                _ => false,
            }
        }
        (AnswerRecord::Outcome(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            match Scalar::from_bytes(*to, &returned.bytes) {
                Ok(Scalar::Real(code)) => admits_code(*to, &expected.outcome(), code.value()),
                _ => false,
            }
        }
        _ => false,
    }
}

fn admits_code(dtype: DType, outcome: &Outcome, code: u64) -> bool {
    landmarks(dtype).is_some_and(|landmarks| {
        outcome.admits(code, |code| landmarks.is_nan(code), |code| landmarks.is_valid(code))
    })
}

/// Bytes with the padding of the last one cleared, which is no part of the value (OX-B10).
fn without_padding(dtype: DType, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let bits = shape.iter().product::<u64>() * u64::from(dtype.bits());
    let padding = bits.next_multiple_of(8) - bits;
    let due = bits.div_ceil(8);
    if let (true, Some(last)) = (bytes.len() as u64 == due, bytes.last_mut()) {
        *last &= 0xff >> padding;
    }
    bytes
}

fn shown(question: &Question, returned: &Returned) -> String {
    let Returned { dtype, shape, bytes } = returned;
    let hex = || castproof_vectors::Bytes(bytes.iter().copied().take(32).collect()).to_string();
    match (question, dtype, shape) {
        (_, Some(dtype), _) => dtype.to_string(),
        (_, _, Some(shape)) => format!("shape {shape:?}, bytes {}", hex()),
        (Question::ComplexCast(ComplexCast { to, .. }), ..) => Scalar::from_bytes(*to, bytes)
            .map_or_else(|problem| problem, |scalar| scalar.to_string()),
        _ => hex(),
    }
}

fn expected(question: &Question, record: &AnswerRecord) -> String {
    match (record, question) {
        (AnswerRecord::DType(expected), _) => expected.dtype.to_string(),
        (AnswerRecord::Tensor(expected), _) => {
            let bytes = expected.bytes.0.iter().copied().take(32).collect();
            format!("shape {:?}, bytes {}", expected.shape, castproof_vectors::Bytes(bytes))
        }
        (AnswerRecord::Complex(expected), Question::ComplexCast(ComplexCast { to, .. })) => {
            let part = to.part().unwrap_or(*to);
            let parts = expected.complex.each_ref().map(|one| outcome(part, &one.outcome()));
            format!("({})", parts.join(", "))
        }
        (AnswerRecord::Outcome(expected), Question::ComplexCast(ComplexCast { to, .. }))
        | (AnswerRecord::Outcome(expected), Question::CastLike(CastLike { to, .. })) => {
            outcome(*to, &expected.outcome())
        }
        (AnswerRecord::Outcome(expected), _) => outcome(DType::Bool, &expected.outcome()),
        (AnswerRecord::Complex(_), _) => "a complex element".into(),
    }
}

/// One line for each suite, then what differs, at most `limit` cases.
///
/// # Errors
/// If writing fails.
pub(super) fn report(out: &mut dyn Write, runs: &[SuiteRun], limit: usize) -> io::Result<()> {
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
        for deviation in run.deviations.iter().filter(|d| d.verdict.is_bad()) {
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
            let Deviation { verdict, question, opset, got, expected, .. } = deviation;
            let opset = opset.map_or(String::new(), |opset| format!("  [opset {opset}]"));
            let said = if *verdict == Verdict::Fail { "gave" } else { verdict.name() };
            writeln!(out, "  {question}: {said} {got}, expected {expected}{opset}")?;
        }
    }
    Ok(())
}
