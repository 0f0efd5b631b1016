//! Judges the answers of one series, in one operator version after another.

use super::explain::Seen;
use super::keep::{Kept, deviate};
use super::ledger::{Clauses, Ledger};
use super::requests::Requests;
use crate::graph::Graph;
use crate::series::{Case, Series, What};
use anyhow::Result;
use castproof_arrange::ask::Said;
use castproof_check::verdict::Verdict;
use castproof_judge::diagnosis::linear::Answered;
use castproof_judge::judge::{Expected, Got};
use castproof_judge::scope::ScopeEdition;
use castproof_methods::Step;
use castproof_results::asked::Asked;
use castproof_results::baseline::Entry;
use castproof_results::{EntryKey, RemarkKey, Results};
use castproof_testee::{Chain, Reply, Returned, Testee};
use castproof_vectors::{Element, Question, Request};
use std::ops::Range;

/// One series, and what came of it so far.
pub(super) struct SeriesRun<'a> {
    series: &'a Series<'a>,
    strict: bool,
    requests: Requests<'a>,
    clauses: Clauses<'a>,
    kept: Kept,
    seen: Seen<'a>,
}

impl<'a> SeriesRun<'a> {
    /// Begins without answers.
    ///
    /// # Errors
    /// If an input is not an element of the series' dtype.
    pub(super) fn new(series: &'a Series<'a>, strict: bool) -> Result<SeriesRun<'a>> {
        let (requests, clauses) = (Requests::new(series)?, Clauses::new(series));
        let (kept, seen) = (Kept::default(), Seen::default());
        Ok(SeriesRun { series, strict, requests, clauses, kept, seen })
    }

    /// Returns the chain that is asked once, if the series is one.
    ///
    /// # Errors
    /// If the chain has no version.
    pub(super) fn only_chain(&self) -> Result<Option<(Chain, usize, Vec<u8>)>> {
        self.requests.only_chain()
    }

    /// Asks for the whole series in one operator version. `ahead`: what came back, if it was asked
    /// already. Returns whether any test was answered.
    ///
    /// # Errors
    /// If a test cannot be asked.
    pub(super) fn at(
        &mut self,
        edition: Option<ScopeEdition>,
        mut ahead: Option<Reply>,
        testee: &mut dyn Testee,
        (asked, entries): (Asked, &[(EntryKey, &Entry)]),
        results: &mut Results,
    ) -> Result<bool> {
        let SeriesRun { series, strict, requests, clauses, kept, seen } = self;
        let request = series.request(edition);
        results.announced += series.cases.len() as u64;
        let ledger = Ledger::new((series, clauses), asked, edition, entries);
        let mut judging = Judging { series, strict: *strict, kept, seen, ledger, results };
        let mut is_answered = false;
        for tests in requests.tests() {
            match requests.ask(tests.clone(), edition, ahead.take(), testee)? {
                Ok(got) => {
                    is_answered = true;
                    judging.answers(tests.start, request, &got);
                }
                Err(said) => {
                    let thrower = requests.thrower(tests.clone(), request.as_ref(), &said, testee);
                    judging.no_answer(tests, &said, thrower);
                }
            }
        }
        judging.ledger.close(judging.results);
        Ok(is_answered)
    }

    /// Adds the failing tests to the results. Returns what was executed.
    pub(super) fn report(self, results: &mut Results) -> Seen<'a> {
        self.kept.report(self.series, results);
        self.seen
    }
}

/// The judgement of a series in one operator version.
struct Judging<'a, 's> {
    series: &'s Series<'s>,
    strict: bool,
    kept: &'a mut Kept,
    seen: &'a mut Seen<'s>,
    ledger: Ledger<'a>,
    results: &'a mut Results,
}

impl<'s> Judging<'_, 's> {
    /// Judges the answers of a request, to the tests from `first` on.
    fn answers(&mut self, first: usize, request: Option<Request>, got: &[Got]) {
        let asked = self.ledger.asked;
        self.results.cells.entry(asked).or_default().counts.executed += got.len() as u64;
        let mut verdicts = Vec::with_capacity(got.len());
        for (index, got) in (first..).zip(got) {
            let case = &self.series.cases[index];
            let verdict = case.due.judge(got, self.strict);
            verdicts.push(verdict);
            if let (true, Got::Element(element)) = (case.due.is_open(), got) {
                self.seen.note_undefined(asked, element);
            }
            let entry = self.ledger.note(index, (verdict, true), self.results);
            let known = entry.map(|entry| entry.reason.clone());
            if let (Some(Question::QuantizeBlock(block)), Got::Answer(returned)) =
                (case.question, got)
            {
                self.seen.note_block(case.id, block, returned, verdict);
            }
            if let Got::Answer(returned) = got {
                self.note_node(case, returned, verdict);
            }
            match got {
                Got::Element(element) if case.question.is_none() => {
                    if verdict == Verdict::Fail {
                        self.kept.add(index, element, self.ledger.version(), known);
                    }
                }
                _ => self.deviate(index, (verdict, case.due.shown(got)), known),
            }
        }
        match (request, self.series.what, self.ledger.opset()) {
            (Some(request), ..) => self.seen.note((self.series, first), request, got, verdicts),
            (None, What::Chain(chain), Some(opset)) => {
                let operators = chain.operators.clone();
                let graph = Graph { steps: Step::of_chain(chain), operators, opset };
                self.seen.note_chain((self.series, first), graph, got, verdicts);
            }
            _ => {}
        }
    }

    /// Notes the answer of a node of linear quantisation, or of a decoder of blocks.
    fn note_node(&mut self, case: &Case<'s>, returned: &Returned, verdict: Verdict) {
        let (Some(question), Expected::Answer { expect, tolerate, .. }) =
            (case.question, &case.due)
        else {
            return;
        };
        let node = Answered {
            id: case.id,
            question,
            expect,
            tolerate: tolerate.filter(|_| !self.strict),
            bytes: returned.bytes.clone(),
            fails: verdict == Verdict::Fail,
        };
        if node.is_node() {
            self.seen.note_node(node);
        }
    }

    /// Gives a verdict to tests for which nothing came back. `thrower` alone causes the error.
    fn no_answer(&mut self, tests: Range<usize>, said: &Said, thrower: Option<Element>) {
        let (verdict, message) = said;
        let (mut charged, mut expected) = (0, 0);
        for index in tests {
            let due = &self.series.cases[index].due;
            let given = due.without_answer(*verdict, self.strict);
            let entry = self.ledger.note(index, (given, false), self.results);
            if given == *verdict {
                charged += 1;
                expected += u64::from(given.is_bad() && entry.is_some());
            }
            let known = entry.map(|entry| entry.reason.clone());
            self.deviate(index, (given, message.clone()), known);
        }
        if charged > 0 {
            let (verdict, message) = (*verdict, message.clone());
            let key = RemarkKey { verdict, message, asked: self.series.asked };
            let remark = self.results.remarks.entry(key).or_default();
            remark.opsets.extend(self.ledger.version());
            remark.tests += charged;
            remark.expected += expected;
            remark.input = remark.input.take().or(thrower);
        }
    }

    fn deviate(&mut self, index: usize, came: (Verdict, String), known: Option<String>) {
        deviate(self.series, index, came, &self.ledger, known, self.results);
    }
}
