//! The suite `onnx-chain`: casts in a row as one graph, where an optimiser might drop or merge a
//! step. The questions follow from the book, at the newest version in which the testee takes both
//! steps. Codes that the testee gets wrong step by step are not asked, because `onnx-cast` reports
//! them.

pub(crate) mod explain;

use super::run;
use crate::graph::{ExpectedElement, Graph};
use anyhow::{Context, Result, anyhow};
use castproof_judge::baseline::Baseline;
use castproof_judge::results::SuiteRun;
use castproof_methods::{Casts, Step};
use castproof_testee::{Feature, Reply, Testee};
use castproof_vectors::book::{AtlasFile, Book, ChainRecord, ChainsFile, Composer, WitnessRecord};
use castproof_vectors::{
    Attributes, DType, FORMAT, Hex, Note, Operator, Question, QuestionFile, QuestionTest, Request,
    Suite, landmarks, type_set, versions,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Landmarks of the source that every chain is asked for.
const LANDMARKS: [&str; 6] =
    ["minus one", "smallest subnormal", "negative zero", "largest", "min", "max"];

/// Each flag, why such a test exists, and the bug that it finds.
const NOTES: [(&str, &str, &str); 4] = [
    (
        "rewrite",
        "Other casts, such as those of another dtype in the middle, return something else.",
        "the optimiser merges the casts, or replaces one",
    ),
    ("shortcut", "The direct cast returns something else.", "the optimiser drops the step"),
    (
        "attributes",
        "The attributes of the steps change the result.",
        "the optimiser merges casts and loses or exchanges attributes",
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
pub fn by_ends() -> Vec<Vec<&'static ChainRecord>> {
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
pub struct Chosen {
    features: Vec<Feature>,
    /// The newest version in which the testee takes each cast.
    taken: HashMap<Step, Option<u32>>,
    composer: Composer<'static>,
    witnesses: HashMap<[DType; 3], Vec<&'static WitnessRecord>>,
}

impl Chosen {
    /// Begins a choice for a testee.
    pub fn new(testee: &dyn Testee) -> Chosen {
        let features = testee.features();
        let mut witnesses: HashMap<_, Vec<&WitnessRecord>> = HashMap::new();
        if features.contains(&Feature::Chain) {
            for record in &ChainsFile::carried().chains {
                witnesses.entry(record.dtypes).or_default().push(record);
            }
        }
        let composer = Composer::new(Book::carried());
        Chosen { features, taken: HashMap::new(), composer, witnesses }
    }

    /// Returns the questions about these chains; none if the testee's hello lists no chains.
    ///
    /// # Errors
    /// If the book contradicts itself.
    pub fn questions(
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
        let mut tests = Vec::new();
        // Tests of one set of attributes stay together, so that the testee gets them as one tensor.
        for witnesses in self.witnesses.get(&record.dtypes).cloned().unwrap_or_default() {
            let casts = Casts { dtypes: record.dtypes, attributes: witnesses.attributes };
            let [one, other] = casts.steps().map(|step| self.newest(step, testee));
            let Some((one, other)) = one.zip(other) else { continue };
            let graph = Graph { casts, opset: one.min(other) };
            let due = self.due(&graph, record, &witnesses.codes)?;
            tests.extend(graph.tests(due, testee));
        }
        Ok(tests)
    }

    /// Returns the elements that a chain is asked for.
    fn due(
        &mut self,
        graph: &Graph,
        record: &ChainRecord,
        witnesses: &[Hex],
    ) -> Result<Vec<ExpectedElement>, String> {
        let Graph { casts, opset } = *graph;
        let is_plain = casts.attributes == [Attributes::default(); 2];
        let flag = if is_plain { "rewrite" } else { "attributes" };
        let mut asked: Vec<(u64, &'static str)> =
            witnesses.iter().map(|code| (code.value(), flag)).collect();
        if is_plain {
            let shortcuts = record.positive.iter().chain(&record.negative);
            asked.extend(shortcuts.map(|code| (code.value(), "shortcut")));
            asked.extend(special(casts.dtypes[0]).into_iter().map(|code| (code, "landmark")));
        }
        let (mut seen, mut due) = (BTreeSet::new(), Vec::new());
        for (code, flag) in asked {
            let Casts { dtypes, attributes } = casts;
            let expected = self.composer.expected(dtypes, attributes, opset, code)?;
            if let (Some(expected), true) = (expected, seen.insert(code)) {
                due.push((code, expected, flag));
            }
        }
        Ok(due)
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
        let newest = versions(Operator::Cast).iter().rev().filter(has).find(|&&version| {
            let request = Request::cast(from, to, version).with(attributes);
            matches!(testee.takes(&request), Reply::Output(_))
        });
        let newest = newest.copied();
        self.taken.insert(step, newest);
        newest
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
