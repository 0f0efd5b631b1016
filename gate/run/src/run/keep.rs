//! Keeps the tests of a series that a report shows one by one.

use super::ledger::Ledger;
use crate::series::Series;
use castproof_check::verdict::Verdict;
use castproof_judge::judge::Expected;
use castproof_results::{Deviation, FAILURES_PER_GROUP, Failure, Results};
use castproof_vectors::{Element, OutcomeRecord};
use std::collections::BTreeMap;

/// The failing tests of a series of casts.
#[derive(Default)]
pub(super) struct Kept {
    /// Operator versions and the baseline's reason, by failing test and returned element.
    failures: BTreeMap<(usize, Element), (Vec<u32>, Option<String>)>,
    left_out: u64,
}

impl Kept {
    /// Keeps a failing test.
    pub(super) fn add(
        &mut self,
        index: usize,
        got: &Element,
        version: Option<u32>,
        known: Option<String>,
    ) {
        let room = self.failures.len() < FAILURES_PER_GROUP;
        let failure = (index, got.clone());
        match self.failures.get_mut(&failure) {
            // What is known of one version does not hide what is unexpected in another.
            Some((versions, reason)) => {
                versions.extend(version);
                *reason = reason.take().and(known);
            }
            None if room => {
                self.failures.insert(failure, (version.into_iter().collect(), known));
            }
            None => self.left_out += 1,
        }
    }

    /// Adds the failing tests to the results.
    pub(super) fn report(self, series: &Series<'_>, results: &mut Results) {
        results.failures_left_out += self.left_out;
        for ((index, got), (opsets, known)) in self.failures {
            let case = &series.cases[index];
            let Expected::Element { pair: (from, to), input, expect, tolerate, .. } = &case.due
            else {
                continue; // its deviation is kept
            };
            results.failures.push(Failure {
                suite: series.asked.suite,
                opsets,
                from: *from,
                to: *to,
                attributes: series.asked.attributes,
                id: case.id.to_string(),
                input: (*input).clone(),
                got,
                expect: OutcomeRecord::new(expect, *to),
                tolerate: tolerate.as_ref().map(|tolerate| OutcomeRecord::new(tolerate, *to)),
                clause: case.clause.to_string(),
                cause: None,
                known,
            });
        }
    }
}

/// Keeps a question whose answer is not the recommended one, or not what the baseline expects. Tests
/// that are not questions are left out.
pub(super) fn deviate(
    series: &Series<'_>,
    index: usize,
    (verdict, got): (Verdict, String),
    ledger: &Ledger<'_>,
    known: Option<String>,
    results: &mut Results,
) {
    let case = &series.cases[index];
    let Some(question) = case.question else { return };
    if verdict == Verdict::Pass && known.is_none() {
        return;
    }
    let opset = ledger.opset();
    let of_elements = || case.due.test(question, (case.id, case.clause), opset);
    let test = || case.drawn.cloned().or_else(of_elements).map(Box::new);
    results.deviations.push(Deviation {
        verdict,
        asked: Some(ledger.asked),
        id: case.id.to_string(),
        clause: case.clause.to_string(),
        question: question.to_string(),
        opset,
        got,
        expected: case.due.expected(),
        cause: None,
        known,
        test: if verdict.is_bad() { test() } else { None },
    });
}
