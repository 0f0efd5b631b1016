//! What a run found out.

use super::{EntryKey, Surprise, SurpriseKey, Usage, Varying, rows};
use crate::asked::{Asked, is_onnx_cast, onnx_cast};
use crate::diagnosis::{Diagnosis, Done, Fingerprint};
use crate::finding::Range;
use crate::place::Place;
use crate::recognition::Recognition;
use castproof_check::verdict::{Counts, Verdict};
use castproof_check::words;
use castproof_vectors::{Attributes, DType, Element, OutcomeRecord, QuestionTest, Suite};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How many failing tests of one group of vectors are kept one by one; the rest are counted.
pub const FAILURES_PER_GROUP: usize = 1000;

/// Everything that a run found out, or the part of it that covers one pair.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Results {
    /// Tests in the vectors of this run, counted once for each operator version that they run at.
    pub announced: u64,
    /// Verdicts by what was asked.
    #[serde(with = "rows")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<rows::Row<Asked, Cell>>"))]
    pub cells: BTreeMap<Asked, Cell>,
    /// Failing tests.
    pub failures: Vec<Failure>,
    /// Failing tests beyond those that are kept one by one.
    pub failures_left_out: u64,
    /// Requests that were not answered with elements, by what came instead.
    #[serde(with = "rows")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<rows::Row<RemarkKey, Remark>>"))]
    pub remarks: BTreeMap<RemarkKey, Remark>,
    /// The diagnoses of the failing tests of a pair.
    #[serde(default)]
    pub diagnoses: Vec<Diagnosis>,
    /// What the testee does with undefined inputs.
    #[serde(default)]
    pub fingerprints: Vec<Fingerprint>,
    /// Which profiles the testee casts as where ONNX leaves the result open, by pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recognitions: Vec<Recognition>,
    /// Inputs whose result is open and depends on its place in the tensor, one of each pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varying: Vec<Varying>,
    /// The outcomes of the baseline's entries, by their place in the file.
    #[serde(default, with = "rows", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<rows::Row<EntryKey, Usage>>"))]
    pub usage: BTreeMap<EntryKey, Usage>,
    /// Verdicts of tests that one entry of a baseline would cover, if some of them were bad and not
    /// expected.
    #[serde(default, with = "rows", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<rows::Row<SurpriseKey, Surprise>>"))]
    pub surprises: BTreeMap<SurpriseKey, Surprise>,
    /// What was arranged, by key.
    #[serde(default, with = "rows", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<rows::Row<Asked, Arranged>>"))]
    pub arranged: BTreeMap<Asked, Arranged>,
    /// Casts that are wrong in some tensors: at some places, although right alone, or at codes beyond
    /// the vectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misplaced: Vec<Misplaced>,
    /// The inputs of a pair that fail by one cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// The runs of the suites of questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<SuiteRun>,
    /// Questions that deviate, until their suite is complete.
    #[serde(skip)]
    pub deviations: Vec<Deviation>,
}

/// The outcome of the tests of a cell.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// Verdicts.
    pub counts: Counts,
    /// Tests with a bad verdict that the baseline expects.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub expected: u64,
    /// Tests that passed although the baseline expects a bad verdict.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unexpected_passes: u64,
    /// Findings of places and of codes beyond the vectors that no baseline expects.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub misplaced: u64,
    /// SHA-256 over the outputs of undefined elements, each code as 8 bytes little-endian and each
    /// text as it is, in the order of the vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined_fingerprint: Option<String>,
}

impl std::ops::AddAssign<&Cell> for Cell {
    /// Adds the counts; a fingerprint belongs to one cell only.
    fn add_assign(&mut self, other: &Cell) {
        self.counts += other.counts;
        self.expected += other.expected;
        self.unexpected_passes += other.unexpected_passes;
        self.misplaced += other.misplaced;
    }
}

impl Cell {
    /// Tests with a bad verdict that no baseline expects.
    pub fn unexpected(&self) -> u64 {
        // A results file may hold any numbers.
        self.counts.bad().saturating_sub(self.expected)
    }
}

/// How much was arranged of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Arranged {
    /// Tensors that were asked.
    pub tensors: u64,
    /// Elements of those that came back.
    pub elements: u64,
    /// Wrong ones among them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wrong: u64,
    /// Tensors of forms that the testee does not support.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsupported: u64,
}

impl std::ops::AddAssign for Arranged {
    fn add_assign(&mut self, other: Arranged) {
        self.tensors += other.tensors;
        self.elements += other.elements;
        self.wrong += other.wrong;
        self.unsupported += other.unsupported;
    }
}

/// A cast that is wrong in some tensors: at some places, although right alone, or at codes beyond
/// the vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Misplaced {
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// Which places: `the tail of 8`, `layout strided`, `written outside, after the end`; or `codes
    /// beyond the vectors`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub place: Place,
    /// The whole finding, for people.
    pub sentence: String,
    /// Elements of the shortest tensor that shows it.
    pub count: u64,
    /// How that tensor reaches the testee.
    pub layout: String,
    /// Index of its first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The input of that element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Element>,
    /// What the testee returned for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<Element>,
    /// What it should have returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<OutcomeRecord>,
    /// The clause that decides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// The first distinct codes of the tensor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Element>,
    /// What is done at the place; absent if no known methods give most of the wrong results there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
    /// Why the baseline expects it; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

impl Misplaced {
    /// Returns the lowest distinct codes of a tensor, at most eight, for the member `codes`.
    pub fn some_codes(codes: impl Iterator<Item = u64>, from: DType) -> Vec<Element> {
        let distinct: BTreeSet<u64> = codes.collect();
        distinct.into_iter().take(8).map(|code| Element::code(code, from)).collect()
    }
}

impl fmt::Display for Misplaced {
    /// `opset 28 float32 -> float16: right alone; wrong in the tail of 8: ...`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.asked, self.sentence)
    }
}

/// A test that failed, at one or more operator versions with the same output.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// The suite.
    #[serde(default = "onnx_cast", skip_serializing_if = "is_onnx_cast")]
    pub suite: Suite,
    /// Operator versions; empty for a profile.
    pub opsets: Vec<u32>,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// The attributes that were given.
    pub attributes: Attributes,
    /// The test.
    pub id: String,
    /// Its input.
    pub input: Element,
    /// What the testee returned.
    pub got: Element,
    /// What it should have returned.
    pub expect: OutcomeRecord,
    /// What would have been tolerated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerate: Option<OutcomeRecord>,
    /// The clause that decides it.
    pub clause: String,
    /// The wrong method that gives exactly this output, or `depends on the place in the tensor`; absent if none is
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Why the baseline expects it; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

impl Failure {
    /// Returns `0x43e80001 (464.00003) gave 0x7e (448), expected any NaN`.
    pub fn sentence(&self) -> String {
        let Failure { from, to, .. } = *self;
        let (input, got) = (words::element(from, &self.input), words::element(to, &self.got));
        let expect = words::outcome(to, &self.expect.outcome());
        let tolerate = self.tolerate.as_ref().map(|it| words::outcome(to, &it.outcome()));
        let tolerate = tolerate.map_or(String::new(), |it| format!(", tolerated {it}"));
        format!("{input} gave {got}, expected {expect}{tolerate}")
    }

    /// Returns the keys of this test: one for each operator version, or the only one of a profile.
    pub fn asked(&self) -> Vec<Asked> {
        let asked = Asked::of_cast(self.suite, (self.from, self.to), self.attributes);
        match self.opsets[..] {
            [] => vec![asked],
            ref opsets => opsets.iter().map(|&opset| asked.at(Some(opset))).collect(),
        }
    }
}

/// The inputs of a pair that fail by one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Touched {
    /// The key under which most of them fail.
    #[serde(flatten)]
    pub asked: Asked,
    /// The cause; absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The inputs.
    pub range: Range,
}

/// A request that was not answered with elements, and what came instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RemarkKey {
    /// `unsupported`, `error`, `crash` or `timeout`.
    pub verdict: Verdict,
    /// The testee's message, or what happened to it.
    pub message: String,
    /// What was asked, in any version.
    #[serde(flatten)]
    pub asked: Asked,
}

/// How often a remark was made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remark {
    /// Operator versions.
    pub opsets: BTreeSet<u32>,
    /// Tests of the requests.
    pub tests: u64,
    /// Those that the baseline expects.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub expected: u64,
    /// One input that suffices for the remark; absent where none was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Element>,
}

/// The run of a suite of questions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SuiteRun {
    /// The suite.
    pub suite: Suite,
    /// Tests that it holds, once for each operator version.
    pub announced: u64,
    /// Verdicts.
    pub counts: Counts,
    /// Tests with a bad verdict that the baseline expects.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub expected: u64,
    /// Tests that passed although the baseline expects a bad verdict.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unexpected_passes: u64,
    /// Questions with another verdict than `pass`, and passes that the baseline rules out.
    pub deviations: Vec<Deviation>,
    /// Verdicts by what was asked.
    #[serde(default, with = "rows", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<rows::Row<Asked, Cell>>"))]
    pub cells: BTreeMap<Asked, Cell>,
}

/// A question whose answer is not the recommended one, or not the one that the baseline expects.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deviation {
    /// The verdict.
    pub verdict: Verdict,
    /// The key; absent in files of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// The test.
    pub id: String,
    /// The clause that decides it.
    pub clause: String,
    /// The question, for people.
    pub question: String,
    /// The operator version; absent where the operator has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opset: Option<u32>,
    /// What was returned, or what came instead.
    pub got: String,
    /// What was due.
    pub expected: String,
    /// What explains it: of a chain that fails, what the casts were rewritten to; of a block, what the
    /// quantiser does otherwise than the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The reason of the baseline's entry that expects a bad verdict; absent if no entry does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// The test of a chain or of CastLike, in the operator set `opset` alone, or one that was drawn, so
    /// that it can be reproduced; absent unless the verdict is bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Box<QuestionTest>>,
}

impl fmt::Display for Deviation {
    /// `tensorflow bitcast float32[3] -> uint8: gave shape [3], bytes 0x00, expected a refusal`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Deviation { verdict, question, opset, got, expected, .. } = self;
        let said = match verdict {
            Verdict::Fail => "gave",
            Verdict::Pass => "passed, which the baseline rules out:",
            other => other.name(),
        };
        write!(f, "{question}: {said} {got}, expected {expected}")?;
        opset.map_or(Ok(()), |opset| write!(f, " (opset {opset})"))
    }
}

impl Deviation {
    /// Does it fail a run? A bad verdict does if no baseline expects it, and a pass does if a
    /// baseline rules it out.
    pub fn is_surprise(&self) -> bool {
        self.verdict.is_bad() == self.known.is_none()
    }
}

impl SuiteRun {
    /// Sums these cells.
    pub fn new(
        suite: Suite,
        announced: u64,
        cells: BTreeMap<Asked, Cell>,
        deviations: Vec<Deviation>,
    ) -> SuiteRun {
        let mut sum = Cell::default();
        cells.values().for_each(|cell| sum += cell);
        let Cell { counts, expected, unexpected_passes, .. } = sum;
        SuiteRun { suite, announced, counts, expected, unexpected_passes, deviations, cells }
    }

    /// Adds another part of the suite, except its deviations.
    pub fn add(&mut self, part: &SuiteRun) {
        self.announced += part.announced;
        self.counts += part.counts;
        self.expected += part.expected;
        self.unexpected_passes += part.unexpected_passes;
        for (asked, cell) in &part.cells {
            *self.cells.entry(*asked).or_default() += cell;
        }
    }

    /// Returns the cells of one operator version by pair, summed over all attributes.
    pub fn by_pair(&self, version: u32) -> BTreeMap<(DType, DType), Cell> {
        by_pair(&self.cells, Some(version))
    }

    /// Returns the deviations that fail a run.
    pub fn surprises(&self) -> impl Iterator<Item = &Deviation> {
        self.deviations.iter().filter(|it| it.is_surprise())
    }
}

impl Results {
    /// Returns the sum of all that was arranged.
    pub fn all_arranged(&self) -> Arranged {
        let mut sum = Arranged::default();
        self.arranged.values().for_each(|one| sum += *one);
        sum
    }

    /// Returns the sum of all verdicts.
    pub fn totals(&self) -> Counts {
        let mut counts = self.sum(|_| true).counts;
        for suite in &self.suites {
            counts += suite.counts;
        }
        counts
    }

    /// Returns the sum of the cells that `chosen` accepts.
    pub fn sum(&self, chosen: impl Fn(&Asked) -> bool) -> Cell {
        let mut sum = Cell::default();
        for (_, cell) in self.cells.iter().filter(|(key, _)| chosen(key)) {
            sum += cell;
        }
        sum
    }

    /// Returns the cells of one operator version by pair, summed over all attributes; `None`
    /// selects the cells of a profile.
    pub fn by_pair(&self, version: Option<u32>) -> BTreeMap<(DType, DType), Cell> {
        by_pair(&self.cells, version)
    }

    /// Counts the tests of one clause twice, for the two entries of a baseline that would cover
    /// them: one for failing tests of the clause, one for requests that are not answered.
    pub fn tally(&mut self, asked: Asked, clause: &str, tests: &Surprise) {
        let (failed, unanswered) = tests.unexpected.split(Verdict::Fail);
        for (clause, unexpected) in [(Some(clause.to_string()), failed), (None, unanswered)] {
            let sum = self.surprises.entry(SurpriseKey { asked, clause }).or_default();
            sum.counts += tests.counts;
            sum.unexpected += unexpected;
        }
    }

    /// Drops the tallies without a surprise, except those of CastLike whose cast has one.
    pub fn drop_dull_tallies(&mut self) {
        let of_casts = |key: &SurpriseKey| {
            let asked = Asked { suite: Suite::OnnxCast, ..key.asked };
            SurpriseKey { asked, clause: key.clause.clone() }
        };
        let surprising = self.surprises.iter().filter(|(_, it)| it.unexpected.bad() > 0);
        let kept: BTreeSet<SurpriseKey> = surprising.map(|(key, _)| key.clone()).collect();
        self.surprises.retain(|key, _| {
            let is_like = key.asked.suite == Suite::OnnxCastlike;
            kept.contains(key) || is_like && kept.contains(&of_casts(key))
        });
    }

    /// Makes one failure of those of the same test with the same result in several versions.
    pub fn join_versions(&mut self) {
        let mut joined: Vec<Failure> = Vec::with_capacity(self.failures.len());
        let mut places: BTreeMap<(String, Element), usize> = BTreeMap::new();
        for failure in std::mem::take(&mut self.failures) {
            match places.get(&(failure.id.clone(), failure.got.clone())) {
                Some(&place) => {
                    let known = &mut joined[place];
                    known.opsets.extend(&failure.opsets);
                    known.opsets.sort_unstable();
                    // What is known of one version does not hide what is unexpected in another.
                    known.known = known.known.take().and(failure.known);
                }
                None => {
                    places.insert((failure.id.clone(), failure.got.clone()), joined.len());
                    joined.push(failure);
                }
            }
        }
        self.failures = joined;
    }

    /// Puts what was gathered pair by pair into the order of the dtypes.
    pub fn sort(&mut self) {
        let Results {
            failures,
            diagnoses,
            fingerprints,
            recognitions,
            varying,
            misplaced,
            touched,
            // One number each.
            announced: _,
            failures_left_out: _,
            // Ordered by their keys.
            cells: _,
            remarks: _,
            usage: _,
            surprises: _,
            arranged: _,
            // In the order in which they are asked.
            suites: _,
            deviations: _,
        } = self;
        failures.sort_by_key(|failure| (failure.from, failure.to));
        misplaced.sort_by_key(|found| found.asked);
        touched.sort_by_key(|touched| touched.asked);
        diagnoses.sort_by_key(|it| (it.suite, it.from, it.to));
        fingerprints.sort_by_key(|it| (it.suite, it.from, it.to));
        recognitions.sort_by_key(|it| (it.from, it.to));
        varying.sort_by_key(|it| it.asked);
    }

    /// Adds the results of a pair or a suite that these do not contain yet.
    pub fn extend(&mut self, part: Results) {
        let Results {
            announced,
            cells,
            failures,
            failures_left_out,
            remarks,
            diagnoses,
            fingerprints,
            recognitions,
            varying,
            usage,
            surprises,
            arranged,
            misplaced,
            touched,
            suites,
            deviations,
        } = part;
        self.announced += announced;
        self.cells.extend(cells);
        self.failures.extend(failures);
        self.failures_left_out += failures_left_out;
        self.remarks.extend(remarks);
        self.diagnoses.extend(diagnoses);
        self.fingerprints.extend(fingerprints);
        self.recognitions.extend(recognitions);
        self.varying.extend(varying);
        for (entry, used) in usage {
            *self.usage.entry(entry).or_default() += used;
        }
        self.surprises.extend(surprises);
        self.arranged.extend(arranged);
        self.misplaced.extend(misplaced);
        self.touched.extend(touched);
        self.suites.extend(suites);
        self.deviations.extend(deviations);
    }
}

/// Returns the cells of one operator version by pair, summed over all attributes.
fn by_pair(cells: &BTreeMap<Asked, Cell>, version: Option<u32>) -> BTreeMap<(DType, DType), Cell> {
    let mut pairs: BTreeMap<_, Cell> = BTreeMap::new();
    for (key, cell) in cells.iter().filter(|(key, _)| key.opset == version) {
        *pairs.entry(key.pair()).or_default() += cell;
    }
    pairs
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
