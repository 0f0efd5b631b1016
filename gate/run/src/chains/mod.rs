//! The suite `onnx-chain`: casts in a row as one graph, where an optimiser might drop or merge a
//! step. The questions follow from the book, at the newest version in which the testee takes both
//! steps. Codes that the testee gets wrong step by step are not asked, because `onnx-cast` reports
//! them.

pub(crate) mod explain;

use super::run;
use crate::graph::Graph;
use anyhow::{Context, Result, anyhow};
use castproof_judge::baseline::Baseline;
use castproof_judge::results::SuiteRun;
use castproof_methods::{Casts, Step};
use castproof_testee::{Feature, Reply, Testee};
use castproof_vectors::book::{AtlasFile, Book, ChainRecord, Composer};
use castproof_vectors::{
    Attributes, DType, FORMAT, Hex, Note, Operator, Question, QuestionFile, QuestionTest, Request,
    Suite, landmarks, packed_len, type_set, versions,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Landmarks of the source that every chain is asked for.
const LANDMARKS: [&str; 6] =
    ["minus one", "smallest subnormal", "negative zero", "largest", "min", "max"];

/// Each flag, why such a test exists, and the bug that it finds.
const NOTES: [(&str, &str, &str); 3] = [
    ("shortcut", "The direct cast returns something else.", "the optimiser drops the step"),
    (
        "attributes",
        "The attribute of the first step changes the result.",
        "the optimiser merges casts and loses the attribute",
    ),
    (
        "landmark",
        "A special value, or an end of the range, of the first dtype.",
        "the optimiser replaces both casts by one that is right for ordinary values",
    ),
];

/// Returns the answers of the suite to these tests, without a baseline.
///
/// # Errors
/// If a test is not one of a chain.
pub(crate) fn ask(
    tests: &[QuestionTest],
    strict: bool,
    testee: &mut dyn Testee,
) -> Result<SuiteRun> {
    let file = file(tests.to_vec(), BTreeMap::new());
    let results = run::run_questions(&file, strict, &Baseline::default(), testee)?;
    results.suites.into_iter().next().context("a suite that was not run")
}

/// Makes a file of the suite.
pub(crate) fn file(tests: Vec<QuestionTest>, notes: BTreeMap<String, Note>) -> QuestionFile {
    QuestionFile {
        format: FORMAT.into(),
        suite: Suite::OnnxChain,
        number_of_tests: tests.len(),
        notes,
        tests,
    }
}

/// Returns the chains of the atlas by their ends, each with the first and the last dtype in common.
pub(super) fn by_ends() -> Vec<Vec<&'static ChainRecord>> {
    let mut by_ends: BTreeMap<_, Vec<&ChainRecord>> = BTreeMap::new();
    for record in &AtlasFile::carried().chains {
        let [first, _, last] = record.dtypes;
        by_ends.entry((first, last)).or_default().push(record);
    }
    by_ends.into_values().collect()
}

/// Returns the same test with the input as a constant of the model.
fn constant(test: &QuestionTest) -> QuestionTest {
    let mut test = test.clone();
    if let Question::Chain(chain) = &mut test.ask {
        chain.constant = true;
    }
    test.id = QuestionTest::id_of(Suite::OnnxChain, &test.opsets, &test.ask);
    test
}

/// The state of the choice of questions.
pub(super) struct Chosen {
    features: Vec<Feature>,
    /// The newest version in which the testee takes each cast.
    taken: HashMap<Step, Option<u32>>,
    composer: Composer<'static>,
}

impl Chosen {
    pub(super) fn new(testee: &dyn Testee) -> Chosen {
        let composer = Composer::new(Book::carried());
        Chosen { features: testee.features(), taken: HashMap::new(), composer }
    }

    /// Returns the questions about these chains; none if the testee's hello lists no chains.
    ///
    /// # Errors
    /// If the book contradicts itself.
    pub(super) fn questions(
        &mut self,
        records: &[&ChainRecord],
        testee: &mut dyn Testee,
    ) -> Result<QuestionFile> {
        let mut tests = Vec::new();
        if self.features.contains(&Feature::Chain) {
            for record in records {
                tests.extend(self.of_dtypes(record, testee).map_err(|error| anyhow!(error))?);
            }
        }
        if self.features.contains(&Feature::Constant) {
            // Constants are folded by other code than graphs are, and that code depends on the
            // dtype: the chains there and back cover it.
            let there_and_back = |test: &&QuestionTest| matches!(&test.ask, Question::Chain(chain) if chain.dtypes[0] == chain.dtypes[2]);
            let constants: Vec<QuestionTest> =
                tests.iter().filter(there_and_back).map(constant).collect();
            tests.extend(constants);
        }
        let notes = NOTES.map(|(flag, description, bug)| {
            (flag.to_string(), Note { description: description.into(), bug_type: bug.into() })
        });
        Ok(file(tests, BTreeMap::from(notes)))
    }

    /// Returns the questions of three dtypes, each with the attributes that matter to it.
    fn of_dtypes(
        &mut self,
        record: &ChainRecord,
        testee: &mut dyn Testee,
    ) -> Result<Vec<QuestionTest>, String> {
        let [a, b, c] = record.dtypes;
        let none = Attributes::default();
        let mut newest = |from, to| self.newest(Step { from, to, attributes: none }, testee);
        let Some(opset) = newest(a, b).zip(newest(b, c)).map(|(first, second)| first.min(second))
        else {
            return Ok(Vec::new());
        };
        let mut asked: Vec<(Attributes, u64, &'static str)> = Vec::new();
        let witnesses = record.positive.iter().chain(&record.negative);
        asked.extend(witnesses.map(|code| (none, code.value(), "shortcut")));
        asked.extend(special(a).into_iter().map(|code| (none, code, "landmark")));
        let unsaturated = Attributes { saturate: Some(false), round_mode: None };
        if let Some(code) = self.telling((a, b), unsaturated, opset)? {
            asked.push((unsaturated, code, "attributes"));
        }
        let mut seen = BTreeSet::new();
        let mut tests = Vec::new();
        // Tests of one set of attributes stay together, so that the testee gets them as one tensor.
        for first in [none, unsaturated] {
            let casts = Casts { dtypes: record.dtypes, attributes: [first, none] };
            let graph = Graph { casts, opset };
            let mut due = Vec::new();
            for &(_, code, flag) in asked.iter().filter(|(attributes, ..)| *attributes == first) {
                let expected =
                    self.composer.expected(casts.dtypes, casts.attributes, opset, code)?;
                if let (Some(expected), true) = (expected, seen.insert((first, code))) {
                    due.push((code, expected, flag));
                }
            }
            tests.extend(graph.tests(due, testee));
        }
        Ok(tests)
    }

    /// Returns the newest version in which the testee takes a cast, that is, casts a zero.
    fn newest(&mut self, step: Step, testee: &mut dyn Testee) -> Option<u32> {
        if let Some(known) = self.taken.get(&step) {
            return *known;
        }
        let Step { from, to, attributes } = step;
        let has = |version: &&u32| {
            let set = type_set(Operator::Cast, **version);
            set.contains(&from) && set.contains(&to)
        };
        let zero = vec![0; packed_len(from, 1).unwrap_or(0)];
        let newest = versions(Operator::Cast).iter().rev().filter(has).find(|&&version| {
            let request = Request::cast(from, to, version).with(attributes);
            matches!(testee.cast(&request, 1, &zero), Reply::Output(_))
        });
        let newest = newest.copied();
        self.taken.insert(step, newest);
        newest
    }

    /// Returns the first end of a piece at which these attributes change the result of a pair.
    fn telling(
        &mut self,
        (a, b): (DType, DType),
        attributes: Attributes,
        opset: u32,
    ) -> Result<Option<u64>, String> {
        let request = Request::cast(a, b, opset);
        let Ok(with) = self.composer.pieces(&request.with(attributes)) else {
            return Ok(None); // the version has no such attribute
        };
        let without = self.composer.pieces(&request)?;
        let ends = with.iter().chain(&*without).flat_map(|piece| [piece.first, piece.last]);
        let outcome = |pieces: &[castproof_vectors::Piece], code| {
            castproof_vectors::piece_of(pieces, code).expectation(a, b, code).expect
        };
        let mut telling = ends.filter(|&code| {
            let (with, without) = (outcome(&with, code), outcome(&without, code));
            with != without && with != castproof_vectors::Outcome::Reject
        });
        Ok(telling.next())
    }
}

/// Returns the codes of a dtype that every chain is asked for.
fn special(dtype: DType) -> Vec<u64> {
    let Some(landmarks) = landmarks(dtype) else { return Vec::new() };
    let named = LANDMARKS.iter().filter_map(|name| landmarks.values.get(*name));
    let mut codes: Vec<u64> = named.map(|(code, _)| code.value()).collect();
    codes.extend(landmarks.infinity.iter().map(Hex::value));
    codes.extend(landmarks.nan.first().map(|[first, _]| first.value()));
    codes
}
