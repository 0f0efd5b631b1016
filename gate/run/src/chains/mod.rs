//! The suite `onnx-chain`: casts in a row as one graph, where an optimiser might drop or merge a
//! step. The questions follow from the book, at the newest version in which the testee takes both
//! steps. Some casts are by `CastLike`, and some chains have a bitcast, where the testee's hello lists these. Codes that the testee gets wrong step by step are not asked, because `onnx-cast` reports
//! them.

mod bits;
pub(crate) mod explain;
mod forms;
mod instead;
mod texts;
mod three;

use self::forms::Other;
use super::run;
use crate::ends::Ends;
use crate::graph::{ExpectedElement, Graph};
use anyhow::{Context, Result, anyhow};
use castproof_book::{Book, ChainRecord, ChainsFile, Composer, WitnessRecord};
use castproof_methods::{Casts, Step};
use castproof_results::SuiteRun;
use castproof_results::baseline::Baseline;
use castproof_testee::{Feature, Limits, Reply, Testee};
use castproof_vectors::{
    Attributes, DType, FORMAT, Hex, Note, Operator, Question, QuestionFile, QuestionTest, Request,
    Spec, StepOperator, Suite, landmarks, resolve, type_set, versions,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Landmarks of the source that every chain is asked for.
const LANDMARKS: [&str; 6] =
    ["minus one", "smallest subnormal", "negative zero", "largest", "min", "max"];

/// Each flag, why such a test exists, and the bug that it finds.
const NOTES: [(&str, &str, &str); 7] = [
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
        "three",
        "Three casts in a row, of which one or two can be dropped or replaced.",
        "the optimiser rewrites two of them, or what it made of two",
    ),
    (
        "text",
        "A number that is read from a string, or written as one, beside those by which the direct cast is told.",
        "the optimiser drops the step, or a cast of strings is folded wrongly",
    ),
    (
        "bitcast",
        "The bytes between two casts are read as another dtype; a cast returns something else.",
        "the optimiser takes the bitcast for a cast, or drops it or a cast beside it",
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
pub fn ask(tests: &[QuestionTest], strict: bool, testee: &mut dyn Testee) -> Result<SuiteRun> {
    let file = file(tests.to_vec(), BTreeMap::new());
    let results = run::run_questions(&file, strict, &Baseline::default(), testee)?;
    results.suites.into_iter().next().context("a suite that was not run")
}

/// Makes a file of the suite.
pub fn file(tests: Vec<QuestionTest>, notes: BTreeMap<String, Note>) -> QuestionFile {
    QuestionFile {
        format: FORMAT.into(),
        suite: Suite::OnnxChain,
        number_of_tests: tests.len(),
        notes,
        tests,
    }
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

/// Returns what a graph is asked for, or why the book contradicts itself.
type Due<'a> = dyn FnMut(&Graph, &mut Chosen) -> Result<Vec<ExpectedElement>, String> + 'a;

/// The state of the choice of questions.
pub struct Chosen {
    features: Vec<Feature>,
    limits: Limits,
    /// The newest version in which the testee takes each cast.
    taken: HashMap<Step, Option<u32>>,
    /// What the testee gave for single codes in this part of the run, by cast and version; for the causes of wrong chains.
    casts: HashMap<(Step, u32), HashMap<u64, u64>>,
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
        let limits = testee.limits();
        Chosen {
            features,
            limits,
            taken: HashMap::new(),
            casts: HashMap::new(),
            composer,
            witnesses,
        }
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
        let tests = self.of_records(records, testee)?;
        Ok(self.file(tests))
    }

    fn of_records(
        &mut self,
        records: &[&ChainRecord],
        testee: &mut dyn Testee,
    ) -> Result<Vec<QuestionTest>> {
        let mut tests = Vec::new();
        if self.features.contains(&Feature::Chain) {
            for record in records {
                tests.extend(self.of_dtypes(record, testee).map_err(|error| anyhow!(error))?);
            }
        }
        Ok(tests)
    }

    /// Returns the questions about chains with these ends: those of the atlas, and those with strings.
    ///
    /// # Errors
    /// If the book contradicts itself.
    pub(crate) fn of_ends(
        &mut self,
        Ends { ends, records }: &Ends,
        testee: &mut dyn Testee,
    ) -> Result<QuestionFile> {
        let mut tests = self.of_records(records, testee)?;
        for steps in texts::between(*ends) {
            let has_chains = self.features.contains(&Feature::Chain);
            let graph = has_chains.then(|| self.graph(steps, testee)).flatten();
            let Some(graph) = graph else { continue };
            let of_graph = texts::tests(&graph, &mut self.composer, testee);
            tests.extend(of_graph.map_err(|error| anyhow!(error))?);
        }
        if self.features.contains(&Feature::ChainBitcast) {
            for graph in bits::between(*ends) {
                tests.extend(self.of_bits(graph, testee).map_err(|error| anyhow!(error))?);
            }
        }
        Ok(self.file(tests))
    }

    /// Makes a file of these tests, with constants where the testee takes them.
    fn file(&self, mut tests: Vec<QuestionTest>) -> QuestionFile {
        if self.features.contains(&Feature::Constant) {
            // Constants are folded by other code than graphs are, and that code depends on the
            // dtype: the chains there and back cover it.
            let there_and_back = |test: &&QuestionTest| matches!(&test.ask, Question::Chain(chain) if chain.dtypes.len() == 3 && chain.dtypes[0] == chain.dtypes[2]);
            let constants: Vec<QuestionTest> =
                tests.iter().filter(there_and_back).map(constant).collect();
            tests.extend(constants);
        }
        let notes = NOTES.map(|(flag, description, bug)| {
            (flag.to_string(), Note { description: description.into(), bug_type: bug.into() })
        });
        file(tests, BTreeMap::from(notes))
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
            let Some(graph) = self.graph(casts.steps().into(), testee) else { continue };
            let due = self.due(&graph, record, witnesses)?;
            let of_row = graph.tests(due, testee);
            let others = match witnesses.attributes == [Attributes::default(); 2] {
                true => {
                    let mut due = |graph: &Graph, it: &mut Self| it.due(graph, record, witnesses);
                    self.others((&graph, &of_row), &mut due, testee)?
                }
                false => Vec::new(),
            };
            tests.extend(of_row.into_iter().chain(others));
        }
        if let Some(graph) = three::steps(record).and_then(|steps| self.graph(steps, testee)) {
            let head = Casts::of(graph.steps[0], graph.steps[1]).dtypes;
            let of_head = self.witnesses.get(&head).into_iter().flatten();
            let witnesses = of_head.map(|it| &it.codes[..]).next().unwrap_or_default();
            let witnesses = witnesses.iter().take(three::WITNESSES).map(Hex::value);
            let always: Vec<u64> = witnesses.chain(special(head[0])).collect();
            let mut due =
                |graph: &Graph, it: &mut Self| three::due(graph, &always, &mut it.composer);
            let of_row = graph.tests(due(&graph, self)?, testee);
            let others = self.others((&graph, &of_row), &mut due, testee)?;
            tests.extend(of_row.into_iter().chain(others));
        }
        Ok(tests)
    }

    /// Returns the tests of a chain in other tensors and in older versions. `of_row` are those of its codes in a row, `due`
    /// returns what a graph is asked for.
    ///
    /// # Errors
    /// If the book contradicts itself.
    fn others(
        &mut self,
        (graph, of_row): (&Graph, &[QuestionTest]),
        due: &mut Due<'_>,
        testee: &mut dyn Testee,
    ) -> Result<Vec<QuestionTest>, String> {
        let mut tests = Vec::new();
        for other in forms::others(&graph.dtypes()) {
            tests.extend(match other {
                Other::Like(drawn) => self.like(graph, drawn, due, testee)?,
                Other::Shape(drawn) => match forms::shape(drawn, &self.features, &self.limits) {
                    Some(shape) => forms::shaped((graph, of_row), &shape, testee),
                    None => Vec::new(),
                },
                Other::Ordinary => {
                    let tests = self.ordinary(of_row)?;
                    forms::shaped((graph, &tests), &[tests.len() as u64], testee)
                }
                Other::Version(drawn) => match self.older(graph, drawn, testee) {
                    Some(older) => older.tests(due(&older, self)?, testee),
                    None => Vec::new(),
                },
            });
        }
        Ok(tests)
    }

    /// Returns those of these tests whose codes are ordinary.
    fn ordinary(&mut self, tests: &[QuestionTest]) -> Result<Vec<QuestionTest>, String> {
        let mut ordinary = Vec::new();
        for test in tests {
            let Question::Chain(chain) = &test.ask else { continue };
            let Some(code) = chain.input.as_code() else { continue };
            if forms::is_ordinary(chain.dtypes[0], code, &mut self.composer)? {
                ordinary.push(test.clone());
            }
        }
        Ok(ordinary)
    }

    /// Returns the tests of a graph with a bitcast, in the newest version in which the testee takes its casts; none in one that has
    /// no `BitCast`.
    fn of_bits(
        &mut self,
        graph: Graph,
        testee: &mut dyn Testee,
    ) -> Result<Vec<QuestionTest>, String> {
        let Some(at) = graph.bitcast() else { return Ok(Vec::new()) };
        let mut casts = graph.steps.clone();
        let Step { to, .. } = casts.remove(at);
        let Some(Graph { opset, .. }) =
            self.graph(casts, testee).filter(|it| bits::is_in(it.opset))
        else {
            return Ok(Vec::new());
        };
        let graph = Graph { opset, ..graph };
        let mut codes = special(graph.ends().0);
        if at == 0 {
            // The bytes are read at once, so those are special too that are special as the second dtype.
            codes.extend(special(to));
        }
        codes.extend(three::drawn(&graph.steps, opset)?);
        let due = bits::due(&graph, &codes, &mut self.composer)?;
        Ok(graph.tests(due, testee))
    }

    /// Returns the tests of the same casts, some of which are by `CastLike`: which, is drawn. They are asked in the newest version
    /// of `CastLike` up to that of the graph; none if the testee does not take them so.
    fn like(
        &mut self,
        graph: &Graph,
        drawn: u64,
        due: &mut Due<'_>,
        testee: &mut dyn Testee,
    ) -> Result<Vec<QuestionTest>, String> {
        if !self.features.contains(&Feature::ChainCastlike) {
            return Ok(Vec::new());
        }
        let Ok(opset) = resolve(Operator::CastLike, graph.opset) else { return Ok(Vec::new()) };
        // One bit a step, at least one of them 1.
        let likes = 1 + drawn % ((1 << graph.steps.len()) - 1);
        let operators = (0..graph.steps.len()).map(|step| match likes >> step & 1 {
            1 => StepOperator::CastLike,
            _ => StepOperator::Cast,
        });
        let like = Graph { operators: operators.collect(), opset, ..graph.clone() };
        let is_taken = |(step, operator): (&Step, &StepOperator)| {
            takes(*step, opset, testee)
                && (*operator == StepOperator::Cast || takes_like(*step, opset, testee))
        };
        match like.steps.iter().zip(&like.operators).all(is_taken) {
            true => Ok(like.tests(due(&like, self)?, testee)),
            false => Ok(Vec::new()),
        }
    }

    /// Returns the same casts in an older version in which the testee takes all of them, which is drawn; `None` if there is
    /// none.
    fn older(&mut self, graph: &Graph, drawn: u64, testee: &mut dyn Testee) -> Option<Graph> {
        let older = versions(Operator::Cast).iter().filter(|version| **version < graph.opset);
        let older: Vec<u32> = older.copied().collect();
        let first = drawn as usize % older.len().max(1);
        let mut turns = older[first..].iter().chain(&older[..first]);
        let taken = |opset: &&u32| graph.steps.iter().all(|step| takes(*step, **opset, testee));
        let opset = *turns.find(taken)?;
        Some(Graph { opset, ..graph.clone() })
    }

    /// Returns the graph of casts in the newest version in which the testee takes all of them.
    fn graph(&mut self, steps: Vec<Step>, testee: &mut dyn Testee) -> Option<Graph> {
        let newest = steps.iter().map(|step| self.newest(*step, testee));
        let opset = newest.collect::<Option<Vec<u32>>>()?.into_iter().min()?;
        Some(Graph { steps, operators: Vec::new(), opset })
    }

    /// Returns the elements that a chain is asked for.
    fn due(
        &mut self,
        graph: &Graph,
        record: &ChainRecord,
        witnesses: &WitnessRecord,
    ) -> Result<Vec<ExpectedElement>, String> {
        let is_plain = witnesses.attributes == [Attributes::default(); 2];
        let flag = if is_plain { "rewrite" } else { "attributes" };
        let mut asked: Vec<(u64, &'static str)> =
            witnesses.codes.iter().map(|code| (code.value(), flag)).collect();
        if is_plain {
            let shortcuts = record.positive.iter().chain(&record.negative);
            asked.extend(shortcuts.map(|code| (code.value(), "shortcut")));
            asked.extend(special(record.dtypes[0]).into_iter().map(|code| (code, "landmark")));
        }
        let (mut seen, mut due) = (BTreeSet::new(), Vec::new());
        let pieces = self.composer.chain(&graph.requests())?;
        for (code, flag) in asked {
            let expected = pieces.expected(code);
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
        let mut versions = versions(Operator::Cast).iter().rev();
        let newest = versions.find(|version| takes(step, **version, testee)).copied();
        self.taken.insert(step, newest);
        newest
    }
}

/// Does the testee take a cast in a version, that is, cast a zero?
fn takes(step: Step, version: u32, testee: &mut dyn Testee) -> bool {
    let set = type_set(Operator::Cast, version);
    let has = set.contains(&step.from) && set.contains(&step.to);
    has && matches!(testee.takes(&step.request(version)), Reply::Output(_))
}

/// Does the testee take a cast by `CastLike` in a version?
fn takes_like(step: Step, version: u32, testee: &mut dyn Testee) -> bool {
    let spec = Spec::Onnx { op: Operator::CastLike, opset: version };
    matches!(testee.takes(&Request { spec, ..step.request(version) }), Reply::Output(_))
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
