//! The tests of a suite, sorted into series: tests that are asked alike are asked together.

use super::drawn::DRAWN;
use super::plan::Plan;
use castproof_judge::asked::Asked;
use castproof_judge::judge::Expected;
use castproof_judge::scope::Edition;
use castproof_vectors::{
    Attributes, CastChain, DType, Operator, OutcomeRecord, Question, QuestionFile, QuestionTest,
    Request, Spec, Test, VectorFile,
};

/// Most elements of one request.
const BATCH: usize = 1 << 16;

/// Most strings of one request. A runtime may refuse a text that the specification leaves open; the
/// refusal must not affect other texts.
const TEXT_BATCH: usize = 1;

/// Most elements of one request that must be refused. The refusal of one must not hide that another is cast.
const REFUSED_BATCH: usize = 1;

/// Tests that are asked alike, in the same operator versions.
pub(super) struct Series<'a> {
    /// What the tests have in common, in any version.
    pub(super) asked: Asked,
    /// The versions in which they are asked; a single `None` if the operator has none.
    pub(super) editions: Vec<Option<Edition>>,
    /// The tests.
    pub(super) cases: Vec<Case<'a>>,
    /// What a testee is asked to do.
    pub(super) what: What<'a>,
}

/// What the tests of a series ask a testee to do.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    /// A cast of elements.
    Cast,
    /// Casts in a row, of elements; this question is one of them.
    Chain(&'a CastChain),
    /// A question of its own for each test.
    Question,
}

/// One test.
pub(super) struct Case<'a> {
    /// Its name.
    pub(super) id: &'a str,
    /// The clause that decides it.
    pub(super) clause: &'a str,
    /// What must come back.
    pub(super) due: Expected<'a>,
    /// The question, in a suite of questions.
    pub(super) question: Option<&'a Question>,
    /// The whole test, if it is drawn and so stands in no file.
    pub(super) drawn: Option<&'a QuestionTest>,
}

/// Returns the series of a pair's vectors: its groups.
pub(super) fn of_casts<'a>(file: &'a VectorFile, plan: &Plan) -> Vec<Series<'a>> {
    let pair = (file.from, file.to);
    let mut all = Vec::new();
    for group in &file.groups {
        let holds = |edition: &&Edition| group.holds_in(edition.version);
        let is_refused = |test: &&Test| matches!(test.expect, OutcomeRecord::Reject(_));
        let (refused, cast): (Vec<&Test>, Vec<&Test>) = group.tests.iter().partition(is_refused);
        // Of some elements of a cast a refusal is due, as where it traps. They are asked after the others.
        for tests in [cast, refused].into_iter().filter(|tests| !tests.is_empty()) {
            let due = |test: &&&Test| !plan.scope.kernel || !is_refused(test);
            let cases = tests.iter().filter(due).map(|test| Case {
                id: &test.id,
                clause: &test.clause,
                due: Expected::of_test(pair, test),
                question: None,
                drawn: None,
            });
            all.push(Series {
                asked: Asked::of_cast(file.suite, pair, group.attributes),
                editions: plan.scope.editions.iter().filter(holds).copied().map(Some).collect(),
                cases: cases.collect(),
                what: What::Cast,
            });
        }
    }
    all
}

/// Returns the series of a suite of questions. Adjacent casts or chains that are asked alike make
/// one series; any other question is a series of its own.
pub(super) fn of_questions(file: &QuestionFile) -> Vec<Series<'_>> {
    let together = |one: &QuestionTest, next: &QuestionTest| {
        one.opsets == next.opsets
            && match (&one.ask, &next.ask) {
                (Question::CastLike(_), Question::CastLike(_)) => {
                    Asked::of(&one.ask) == Asked::of(&next.ask)
                }
                (Question::Chain(one), Question::Chain(next)) => {
                    let CastChain { dtypes, attributes, constant, input: _ } = one;
                    (dtypes, attributes, constant)
                        == (&next.dtypes, &next.attributes, &next.constant)
                }
                _ => false,
            }
    };
    let series = file.tests.chunk_by(together).map(|tests| {
        let (what, op) = match &tests[0].ask {
            Question::CastLike(_) => (What::Cast, Operator::CastLike),
            Question::Chain(chain) => (What::Chain(chain), Operator::Cast),
            _ => (What::Question, Operator::Cast),
        };
        let edition =
            |&opset: &u32| Some(Edition { version: Some(opset), spec: Spec::Onnx { op, opset } });
        let editions: Vec<Option<Edition>> = tests[0].opsets.iter().map(edition).collect();
        let cases = tests.iter().map(|test| Case {
            id: &test.id,
            clause: &test.clause,
            due: Expected::of_question(test),
            question: Some(&test.ask),
            drawn: Some(test).filter(|test| test.flags.iter().any(|flag| flag == DRAWN)),
        });
        Series {
            asked: Asked::of(&tests[0].ask),
            editions: if editions.is_empty() { vec![None] } else { editions },
            cases: cases.collect(),
            what,
        }
    });
    series.collect()
}

impl Series<'_> {
    /// Returns the largest number of tests of one request.
    pub(super) fn batch(&self) -> usize {
        match self.what {
            What::Question => 1,
            _ if self.asked.from == DType::String => TEXT_BATCH,
            _ if self.cases.iter().any(|case| case.due.is_refusal()) => REFUSED_BATCH,
            What::Cast | What::Chain(_) => BATCH,
        }
    }

    /// Returns the request at one version, if the tests are casts of elements.
    pub(super) fn request(&self, edition: Option<Edition>) -> Option<Request> {
        let (from, to) = self.asked.pair();
        let attributes: Attributes = self.asked.attributes;
        let What::Cast = self.what else { return None };
        Some(Request { spec: edition?.spec, from, to, attributes })
    }
}
