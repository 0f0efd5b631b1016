//! What a run has found so far, and the results that follow from it.

use super::vectors::Folder;
use anyhow::Result;
use castproof_arrange::ask::{AnsweredTensor, Said};
use castproof_arrange::tensor::{Tensor, Way};
use castproof_check::verdict::Verdict;
use castproof_judge::diagnosis::{Observation, diagnose};
use castproof_judge::finding::touch;
use castproof_judge::scope::Judgement;
use castproof_methods::Step;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_results::{Deviation, Failure, Misplaced, RemarkKey, Results, SuiteRun};
use castproof_run::made::{self, Inputs};
use castproof_testee::Testee;
use castproof_vectors::{Attributes, DType, Element, QuestionTest, Request, RuleId, Spec, Suite};
use std::collections::{BTreeMap, BTreeSet};

/// Most failing codes of a pair and its attributes that are kept; further ones are only counted.
const MOST_KEPT: usize = 64;

/// Most failing codes with the same result, by the same rule, that are made simpler.
const MOST_ALIKE: usize = 32;

/// Most deviations of one chain, with the same verdict by the same rule, that are made small.
const MOST_ALIKE_CHAINS: usize = 8;

/// No more deviations of chains are made small once this many tests of chains are kept.
const MOST_CHAIN_TESTS: usize = 512;

/// Most failing tensors of a request whose elements are diagnosed.
const MOST_OBSERVED: usize = 4;

/// A request is asked no more after this many of its tensors were not answered.
const MOST_UNANSWERED: u64 = 3;

/// A pair and the attributes that are given.
pub(super) type Given = ((DType, DType), Attributes);

/// Chains of the same casts that deviate by the same rule.
pub(super) type Alike = (Vec<Step>, Verdict, String);

/// The result of a chain.
pub(super) struct Chained {
    /// The verdicts on all elements.
    pub(super) run: SuiteRun,
    /// New deviations, made small; the first new one as it was if none deviates alone.
    pub(super) small: Vec<Deviation>,
    /// Tests that deviate only together.
    pub(super) together: Vec<QuestionTest>,
}

/// What a run has found so far.
#[derive(Default)]
pub(super) struct Deviations {
    results: Results,
    /// Failing codes, with the result of each by each specification.
    failures: BTreeMap<(Given, u64), BTreeMap<Spec, u64>>,
    /// How many codes were kept to represent failing ones.
    kept: BTreeMap<Given, usize>,
    /// How many failing codes were examined, by result and rule.
    alike: BTreeMap<(Given, u64, RuleId), usize>,
    /// Failing codes, and the simpler ones, with fewer attributes, that represent them.
    simplest: BTreeMap<(Given, u64), (Given, u64)>,
    observed: BTreeMap<Request, Vec<Observation>>,
    /// Tensors that were not answered, by request.
    unanswered: BTreeMap<Request, u64>,
    /// Pairs and layouts with known faults of places.
    placed: BTreeSet<((DType, DType), String)>,
    /// What was said of tensors that were not answered.
    said: BTreeSet<RemarkKey>,
    inputs: BTreeMap<(Suite, (DType, DType)), Inputs>,
    /// The results of chains; only deviations that were made small are kept one by one.
    chains: Option<SuiteRun>,
    /// Tests of chains that deviate, by name.
    chain_tests: BTreeMap<String, QuestionTest>,
    /// How many deviations of chains were made small.
    alike_chains: BTreeMap<Alike, usize>,
    folder: Option<Folder>,
}

/// A failing element of a tensor.
#[derive(Clone, Copy)]
pub(super) struct Wrong {
    pub(super) code: u64,
    pub(super) got: u64,
    pub(super) rule: RuleId,
}

fn given(request: &Request) -> Given {
    ((request.from, request.to), request.attributes)
}

fn suite(request: &Request) -> Suite {
    Asked::of_request(request).suite
}

/// Returns the specification with the version that is in force.
fn spec(request: &Request) -> Spec {
    Asked::of_request(request).opset.map_or(request.spec, Spec::cast)
}

impl Deviations {
    /// Begins without findings. New ones are written to the folder at once.
    pub(super) fn new(folder: Option<Folder>) -> Deviations {
        Deviations { folder, ..Deviations::default() }
    }

    /// Returns the number of findings of all kinds.
    pub(super) fn number(&self) -> usize {
        let chains = self.chains.as_ref().map_or(0, |run| run.deviations.len());
        self.failures.len() + self.results.misplaced.len() + self.results.remarks.len() + chains
    }

    /// Returns the failing codes, each with the request of the newest version in which it fails.
    pub(super) fn failing(&self) -> impl Iterator<Item = (Request, u64)> {
        self.failures.iter().filter_map(|((((from, to), attributes), code), came)| {
            let (spec, _) = came.last_key_value()?;
            Some((Request::new(*spec, *from, *to).with(*attributes), *code))
        })
    }

    /// Returns the tests of chains that deviate.
    pub(super) fn chain_tests(&self) -> impl Iterator<Item = &QuestionTest> {
        self.chain_tests.values()
    }

    /// Returns the places of elements that are right alone.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.results.misplaced.iter().map(|found| &found.place)
    }

    /// Was some request not answered?
    pub(super) fn has_remarks(&self) -> bool {
        self.results.remarks.keys().any(|key| key.verdict.is_bad())
    }

    /// Does a deviation of a chain teach nothing new?
    pub(super) fn is_known_chain(&mut self, alike: Alike) -> bool {
        let count = self.alike_chains.entry(alike).or_default();
        *count += 1;
        *count > MOST_ALIKE_CHAINS || self.chain_tests.len() >= MOST_CHAIN_TESTS
    }

    /// Counts a chain and keeps what deviates.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn chained(&mut self, came: Chained) -> Result<()> {
        let Chained { mut run, small, together } = came;
        run.deviations.clear();
        let chains = self
            .chains
            .get_or_insert_with(|| SuiteRun::new(Suite::OnnxChain, 0, BTreeMap::new(), Vec::new()));
        chains.add(&run);
        let before = self.chain_tests.len();
        let tests = small.iter().filter_map(|it| it.test.as_deref().cloned()).chain(together);
        self.chain_tests.extend(tests.map(|test| (test.id.clone(), test)));
        for deviation in small {
            if !chains.deviations.iter().any(|it| it.id == deviation.id) {
                chains.deviations.push(deviation);
            }
        }
        match &mut self.folder {
            Some(folder) if self.chain_tests.len() > before => {
                folder.write_chains(self.chain_tests.values().cloned().collect())
            }
            _ => Ok(()),
        }
    }

    /// Counts a tensor and the verdicts on its elements, except those that fail although their
    /// codes are right alone.
    pub(super) fn count(
        &mut self,
        tensor: &Tensor,
        came: &AnsweredTensor,
        right_alone: &BTreeSet<u64>,
    ) {
        let asked = Asked::of_request(&tensor.request);
        let arranged = self.results.arranged.entry(asked).or_default();
        arranged.tensors += 1;
        arranged.elements += came.got.len() as u64;
        let counts = &mut self.results.cells.entry(asked).or_default().counts;
        for (code, &verdict) in tensor.codes.iter().zip(&came.verdicts) {
            if verdict == Verdict::Fail && right_alone.contains(code) {
                arranged.wrong += 1;
                continue;
            }
            counts.executed += 1;
            counts.add(verdict, 1);
            self.results.announced += 1;
        }
    }

    /// Counts a tensor of `CastLike`.
    pub(super) fn count_like(&mut self, asked: Asked, came: &AnsweredTensor) {
        let wrong = came.verdicts.iter().filter(|verdict| **verdict == Verdict::Fail).count();
        let arranged = self.results.arranged.entry(asked).or_default();
        arranged.tensors += 1;
        arranged.elements += came.got.len() as u64;
        arranged.wrong += wrong as u64;
    }

    /// Counts a tensor of drawn texts, or of numbers to be written. Wrong elements are counted beside the cells, as
    /// those of places are.
    pub(super) fn count_texts(&mut self, request: &Request, elements: u64, wrong: u64) {
        let asked = Asked::of_request(request);
        let arranged = self.results.arranged.entry(asked).or_default();
        arranged.tensors += 1;
        arranged.elements += elements;
        arranged.wrong += wrong;
        let counts = &mut self.results.cells.entry(asked).or_default().counts;
        counts.executed += elements - wrong;
        counts.add(Verdict::Pass, elements - wrong);
        self.results.announced += elements - wrong;
    }

    /// Is there a finding of texts by this rule?
    pub(super) fn has_text(&self, asked: &Asked, rule: &str) -> bool {
        let of_rule = |it: &Misplaced| it.asked == *asked && it.clause.as_deref() == Some(rule);
        self.results.misplaced.iter().any(of_rule)
    }

    /// Was a tensor of this key answered with elements?
    pub(super) fn was_arranged(&self, asked: &Asked) -> bool {
        self.results.arranged.get(asked).is_some_and(|arranged| arranged.tensors > 0)
    }

    /// Notes a tensor of `CastLike` that the testee does not take.
    pub(super) fn lacks(&mut self, asked: Asked) {
        self.results.arranged.entry(asked).or_default().unsupported += 1;
    }

    /// Notes a request that the testee does not take.
    pub(super) fn unsupported(&mut self, request: &Request) {
        let cell = self.results.cells.entry(Asked::of_request(request)).or_default();
        cell.counts.add(Verdict::Unsupported, 1);
        self.results.announced += 1;
    }

    /// Was some tensor of the request answered with elements?
    pub(super) fn was_answered(&self, request: &Request) -> bool {
        let cell = self.results.cells.get(&Asked::of_request(request));
        cell.is_some_and(|cell| cell.counts.executed > 0)
    }

    /// Does this element teach nothing new? If it is known, its version is added.
    pub(super) fn is_known(&mut self, request: &Request, wrong: &Wrong) -> bool {
        let given = given(request);
        if let Some(simplest) = self.simplest.get(&(given, wrong.code)) {
            if *simplest == (given, wrong.code) {
                let came = self.failures.entry(*simplest).or_default();
                came.insert(spec(request), wrong.got);
            }
            return true;
        }
        let alike = self.alike.entry((given, wrong.got, wrong.rule)).or_default();
        *alike += 1;
        *alike > MOST_ALIKE || self.kept.get(&given).is_some_and(|kept| *kept >= MOST_KEPT)
    }

    /// Keeps the code that represents a failing one: `simplest` fails alone in `request`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn fails(
        &mut self,
        (from, code): (&Request, u64),
        (request, simplest): (&Request, &Wrong),
    ) -> Result<()> {
        let kept = (given(request), simplest.code);
        self.simplest.insert((given(from), code), kept);
        self.simplest.insert(kept, kept);
        let is_new = !self.failures.contains_key(&kept);
        self.failures.entry(kept).or_default().insert(spec(request), simplest.got);
        if !is_new {
            return Ok(());
        }
        *self.kept.entry(given(from)).or_default() += 1;
        self.observed.entry(*request).or_default().push(Observation {
            request: *request,
            inputs: vec![simplest.code],
            got: vec![simplest.got],
            verdicts: vec![Verdict::Fail],
        });
        self.keep(request, [Element::code(simplest.code, request.from)])
    }

    /// Keeps a failing tensor for diagnoses.
    pub(super) fn observe(&mut self, tensor: &Tensor, came: &AnsweredTensor) {
        let observed = self.observed.entry(tensor.request).or_default();
        let tensors = observed.iter().filter(|it| it.inputs.len() > 1).count();
        if !tensor.way.is_formed() && tensors < MOST_OBSERVED {
            observed.push(Observation {
                request: tensor.request,
                inputs: tensor.codes.clone(),
                got: came.got.clone(),
                verdicts: came.verdicts.clone(),
            });
        }
    }

    /// Is a fault of places of this pair and layout new?
    pub(super) fn is_new_place(&mut self, tensor: &Tensor) -> bool {
        let Request { from, to, .. } = tensor.request;
        let layout = match &tensor.way {
            // A contiguous tensor of any shape may be wrong where one of rank 1 is right.
            Way::Formed(form) => format!("{}, formed", form.layout.name()),
            way => way.layout(),
        };
        self.placed.insert(((from, to), layout))
    }

    /// Keeps faults of places.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn misplaced(&mut self, request: &Request, found: Vec<Misplaced>) -> Result<()> {
        for one in found {
            let inputs: Vec<Element> = one.codes.iter().chain(&one.input).cloned().collect();
            self.keep(request, inputs)?;
            // Beyond the vectors each rule is a fault of its own; elsewhere the place is the fault.
            let is_same_rule =
                |it: &Misplaced| one.place != Place::BeyondVectors || it.clause == one.clause;
            let known =
                |it: &Misplaced| it.asked == one.asked && it.place == one.place && is_same_rule(it);
            if !self.results.misplaced.iter().any(known) {
                self.results.cells.entry(one.asked).or_default().misplaced += 1;
                self.results.misplaced.push(one);
            }
        }
        Ok(())
    }

    /// Counts a tensor of a form that the testee does not take.
    pub(super) fn not_formed(&mut self, tensor: &Tensor) {
        let asked = Asked::of_request(&tensor.request);
        self.results.arranged.entry(asked).or_default().unsupported += 1;
    }

    /// Counts a tensor that was not answered. Returns `true` if the message is new.
    pub(super) fn unanswered(&mut self, tensor: &Tensor, (verdict, message): &Said) -> bool {
        *self.unanswered.entry(tensor.request).or_default() += 1;
        let asked = Asked::of_request(&tensor.request);
        let elements = tensor.codes.len() as u64;
        self.results.announced += elements;
        self.results.cells.entry(asked).or_default().counts.add(*verdict, elements);
        let key = remark_key(&tensor.request, (*verdict, message.clone()));
        if let Some(remark) = self.results.remarks.get_mut(&key) {
            remark.opsets.extend(spec(&tensor.request).opset());
            remark.tests += elements;
        }
        self.said.insert(key)
    }

    /// Is the request asked no more, because too many of its tensors were not answered?
    pub(super) fn is_given_up(&self, request: &Request) -> bool {
        self.unanswered.get(request).is_some_and(|count| *count >= MOST_UNANSWERED)
    }

    /// Keeps a code whose tensor is not answered, and what was said instead.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn says(&mut self, tensor: &Tensor, said: Said, code: u64) -> Result<()> {
        let request = &tensor.request;
        let remark = self.results.remarks.entry(remark_key(request, said)).or_default();
        remark.opsets.extend(spec(request).opset());
        remark.tests += tensor.codes.len() as u64;
        remark.input = Some(Element::code(code, request.from));
        self.keep(request, [Element::code(code, request.from)])
    }

    /// Adds inputs to the file of their pair.
    fn keep(
        &mut self,
        request: &Request,
        elements: impl IntoIterator<Item = Element>,
    ) -> Result<()> {
        let pair = (request.from, request.to);
        let inputs = self.inputs.entry((suite(request), pair)).or_default();
        let before = inputs.len();
        inputs.extend(elements.into_iter().map(|element| (request.attributes, element)));
        match &mut self.folder {
            Some(folder) if inputs.len() > before => folder.write(pair, inputs),
            _ => Ok(()),
        }
    }

    /// Returns the results, with their causes. If the testee answers, they have the whole range of
    /// failing inputs.
    ///
    /// # Errors
    /// If the book lacks a pair; it has all of them.
    pub(super) fn results(
        mut self,
        strict: bool,
        testee: &mut dyn Testee,
    ) -> Result<Results, String> {
        for (&(suite, pair), inputs) in &self.inputs {
            self.results.failures.extend(failures(suite, pair, inputs, &self.failures)?);
        }
        let mut by_pair: BTreeMap<(Suite, (DType, DType)), Vec<Observation>> = BTreeMap::new();
        for (request, observed) in self.observed {
            let pair = (request.from, request.to);
            by_pair.entry((suite(&request), pair)).or_default().extend(observed);
        }
        for ((suite, pair), observed) in by_pair {
            let asked = Asked::of_cast(suite, pair, Attributes::default());
            for explained in diagnose(&asked, &observed) {
                let judgement = Judgement { strict, silent_as: None };
                touch::note(&asked, &observed, explained, judgement, testee, &mut self.results);
            }
        }
        let failing = self.results.totals().of(Verdict::Fail);
        self.results.suites.extend(self.chains);
        let kept: usize = self.results.failures.iter().map(|it| it.opsets.len().max(1)).sum();
        self.results.failures_left_out = failing.saturating_sub(kept as u64);
        self.results.sort();
        Ok(self.results)
    }
}

fn remark_key(request: &Request, (verdict, message): Said) -> RemarkKey {
    let asked = Asked::of_cast(suite(request), (request.from, request.to), request.attributes);
    RemarkKey { verdict, message, asked }
}

/// Returns the failing tests of a pair: tests of its vectors with a wrong result.
fn failures(
    suite: Suite,
    (from, to): (DType, DType),
    inputs: &Inputs,
    came: &BTreeMap<(Given, u64), BTreeMap<Spec, u64>>,
) -> Result<Vec<Failure>, String> {
    let file = made::file(suite, (from, to), inputs)?;
    let mut failures = Vec::new();
    for group in &file.groups {
        for test in &group.tests {
            let code = test.input.as_code();
            let came = code.and_then(|code| came.get(&(((from, to), group.attributes), code)));
            let mut by_result: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            let specs = suite.specs(&group.opsets);
            for (spec, got) in came.into_iter().flatten() {
                if specs.contains(spec) {
                    by_result.entry(*got).or_default().extend(spec.opset());
                }
            }
            failures.extend(by_result.into_iter().map(|(got, opsets)| Failure {
                suite,
                opsets,
                from,
                to,
                attributes: group.attributes,
                id: test.id.clone(),
                input: test.input.clone(),
                got: Element::code(got, to),
                expect: test.expect.clone(),
                tolerate: test.tolerate.clone(),
                clause: test.clause.clone(),
                cause: None,
                known: None,
            }));
        }
    }
    Ok(failures)
}
