//! Casts in a row as one graph, for testees that take chains. Each step is asked and judged as a
//! cast of its own first; only elements that the testee gets right step by step are asked as a graph.

use super::deviations::Chained;
use super::plan::Drawn;
use super::worker::Worker;
use anyhow::{Result, anyhow};
use castproof_arrange::shrink::simplest;
use castproof_arrange::tensor::Tensor;
use castproof_check::fuzz::Draw;
use castproof_check::verdict::Verdict;
use castproof_judge::answers;
use castproof_results::{Deviation, SuiteRun};
use castproof_run::chains::ask;
use castproof_run::graph::{ExpectedElement, Graph};
use castproof_run::made::FOUND;
use castproof_run::made::is_answered;
use castproof_vectors::{Question, QuestionTest};
use std::collections::BTreeMap;

/// How many deviations of one tensor of a chain are made small.
const MOST_SMALL: usize = 4;

impl Worker<'_> {
    /// Asks for a chain that starts with the request of `draw`; `None` if there is nothing to
    /// judge.
    ///
    /// # Errors
    /// If the book contradicts itself.
    pub(super) fn chain(&mut self, draw: &Draw, drawn: &Drawn) -> Result<Option<Chained>> {
        let Drawn { graph, codes } = drawn;
        if self.composer.pieces(draw.request()).is_err() {
            return Ok(None); // the book holds no answers for these attributes
        }
        let codes = self.shared.not_deadly((draw.request().from, draw.request().to), codes);
        let Some(steps) = self.steps(draw, graph, &codes)? else { return Ok(None) };
        let due = self.due(graph, &codes)?;
        let tests = graph.right_tests(due, &steps);
        if tests.is_empty() || self.shared.is_interrupted() {
            return Ok(None);
        }
        let run = self.ask_chain(&tests)?;
        let is_new = |it: &&Deviation| {
            let alike = (graph.steps.clone(), it.verdict, it.clause.clone());
            it.verdict.is_bad() && !self.shared.found().is_known_chain(alike)
        };
        let new: Vec<&Deviation> = run.deviations.iter().filter(is_new).take(MOST_SMALL).collect();
        let mut small = Vec::new();
        for deviation in &new {
            small.extend(self.small(graph, deviation)?);
        }
        let mut together = Vec::new();
        if let (true, Some(first)) = (small.is_empty(), new.first()) {
            small.push((*first).clone());
            together = tests;
        }
        Ok(Some(Chained { run, small, together }))
    }

    /// Asks for the steps of a chain one after the other, and judges each as a cast. Returns what the
    /// last one gives for each code; empty where the chain leaves the code out.
    fn steps(
        &mut self,
        draw: &Draw,
        graph: &Graph,
        codes: &[u64],
    ) -> Result<Option<BTreeMap<u64, u64>>> {
        if codes.is_empty() {
            return Ok(None);
        }
        let first = Tensor::plain(*draw.request(), codes.to_vec());
        let Some(came) = self.one(draw, &first)? else { return Ok(None) };
        let mut got = came.got;
        for request in &graph.requests()[1..] {
            if !is_answered(request) || self.shared.is_closed(request) {
                return Ok(None);
            }
            let next = answers::draw(request).map_err(|problem| anyhow!(problem))?;
            let all = self.shared.without_deadly(Tensor::plain(*request, got));
            let Some(all) = all.filter(|it| it.codes.len() == codes.len()) else {
                return Ok(None);
            };
            let Some(came) = self.one(&next, &all)? else { return Ok(None) };
            got = came.got;
        }
        Ok(Some(codes.iter().copied().zip(got).collect()))
    }

    /// Returns the tests of codes, except those that the testee gets wrong step by step.
    fn tests(&mut self, graph: &Graph, codes: &[u64]) -> Result<Vec<QuestionTest>> {
        let due = self.due(graph, codes)?;
        Ok(graph.tests(due, self.testee.as_mut()))
    }

    /// Returns what is due of the codes that the chain takes.
    fn due(&mut self, graph: &Graph, codes: &[u64]) -> Result<Vec<ExpectedElement>> {
        let mut due: Vec<ExpectedElement> = Vec::new();
        let pieces = self.composer.chain(&graph.requests()).map_err(anyhow::Error::msg)?;
        for &code in codes {
            if let Some(expected) = pieces.expected(code) {
                due.push((code, expected, FOUND));
            }
        }
        Ok(due)
    }

    /// Asks for tests of one chain; restarts a testee that died.
    fn ask_chain(&mut self, tests: &[QuestionTest]) -> Result<SuiteRun> {
        let run = ask(tests, self.shared.strict, self.testee.as_mut())?;
        if run.counts.of(Verdict::Crash) + run.counts.of(Verdict::Timeout) > 0 {
            self.died();
        }
        Ok(run)
    }

    /// Finds the simplest element that alone deviates like this one; `None` if this one does not
    /// deviate alone.
    fn small(&mut self, graph: &Graph, deviation: &Deviation) -> Result<Option<Deviation>> {
        let Some(test) = deviation.test.as_deref() else { return Ok(None) };
        let Some(alone) = self.alone_in_chain(test, deviation)? else { return Ok(None) };
        let Some(code) = input_of(test) else { return Ok(Some(alone)) };
        if deviation.verdict != Verdict::Fail {
            return Ok(Some(alone)); // each further try may end the testee
        }
        let mut small = alone;
        let (_, error) = simplest(code, |codes| {
            let tests = self.tests(graph, codes)?;
            let came = self.ask_chain(&tests)?;
            let mut failing = Vec::new();
            for test in &tests {
                let Some(alike) = came.deviations.iter().find(|it| is_alike(it, test, deviation))
                else {
                    break;
                };
                if codes.len() == 1 {
                    small = alike.clone();
                }
                failing.extend(input_of(test));
            }
            anyhow::Ok(failing)
        });
        error.map_or(Ok(Some(small)), Err)
    }

    /// Asks for a test alone; returns its deviation if it is like another one.
    fn alone_in_chain(
        &mut self,
        test: &QuestionTest,
        like: &Deviation,
    ) -> Result<Option<Deviation>> {
        let came = self.ask_chain(std::slice::from_ref(test))?;
        Ok(came.deviations.into_iter().find(|it| is_alike(it, test, like)))
    }
}

fn is_alike(it: &Deviation, test: &QuestionTest, like: &Deviation) -> bool {
    it.id == test.id && it.verdict == like.verdict && it.clause == like.clause
}

/// Returns the code that a chain starts with.
fn input_of(test: &QuestionTest) -> Option<u64> {
    match &test.ask {
        Question::Chain(chain) => chain.input.as_code(),
        _ => None,
    }
}
