//! Runs the vectors of one pair through a testee and judges every element.

use super::plan::{Edition, Plan};
use super::results::{Cell, CellKey, FINDINGS_PER_GROUP, Finding, RemarkKey, Results};
use super::text::judge_element;
use super::verdict::Verdict;
use crate::testee::{Reply, Testee};
use anyhow::{Result, anyhow};
use castproof_vectors::{
    DType, Element, Group, Outcome, OutcomeRecord, Request, VectorFile, pack_elements, sha256_hex,
    unpack_elements,
};
use std::collections::BTreeMap;

/// Most elements of one request.
const BATCH: usize = 1 << 16;

/// Most strings of one request: a runtime may refuse a text that the specification leaves open,
/// which must not take its neighbours along.
const TEXT_BATCH: usize = 1;

/// Runs every group of `file` at every operator version of the plan that the group lists.
///
/// # Errors
/// If an input is no element of the file's dtype; what the testee does is never an error.
pub(super) fn run_file(
    file: &VectorFile,
    plan: &Plan,
    testee: &mut dyn Testee,
    results: &mut Results,
) -> Result<()> {
    let mut undefined = BTreeMap::new();
    for group in &file.groups {
        let mut run = GroupRun::new(file, group)?;
        for edition in &plan.editions {
            if group.opsets.contains(&edition.version) {
                let key = run.key(*edition);
                run.at(*edition, testee, results, undefined.entry(key).or_default())?;
            }
        }
        run.report(results);
    }
    for (key, codes) in undefined {
        let cell: &mut Cell = results.cells.entry(key).or_default();
        cell.undefined_fingerprint = (!codes.is_empty()).then(|| sha256_hex(&codes));
    }
    Ok(())
}

/// One group of vectors, ready to be asked at one operator version after another.
struct GroupRun<'a> {
    file: &'a VectorFile,
    group: &'a Group,
    outcomes: Vec<(Outcome, Option<Outcome>)>,
    /// Most elements of one request.
    batch: usize,
    /// The packed inputs, a request each.
    batches: Vec<Vec<u8>>,
    /// Operator versions by failing test and returned element.
    failures: BTreeMap<(usize, Element), Vec<u32>>,
    failures_left_out: u64,
}

impl<'a> GroupRun<'a> {
    fn new(file: &'a VectorFile, group: &'a Group) -> Result<GroupRun<'a>> {
        let outcomes = group.tests.iter().map(|test| {
            (test.expect.outcome(), test.tolerate.as_ref().map(OutcomeRecord::outcome))
        });
        let pack_batch = |tests: &[castproof_vectors::Test]| {
            let elements: Vec<Element> = tests.iter().map(|test| test.input.clone()).collect();
            pack_elements(file.from, &elements).map_err(|error| anyhow!(error))
        };
        let batch = if file.from == DType::String { TEXT_BATCH } else { BATCH };
        Ok(GroupRun {
            file,
            group,
            outcomes: outcomes.collect(),
            batch,
            batches: group.tests.chunks(batch).map(pack_batch).collect::<Result<_>>()?,
            failures: BTreeMap::new(),
            failures_left_out: 0,
        })
    }

    fn key(&self, edition: Edition) -> CellKey {
        CellKey {
            version: edition.version,
            from: self.file.from,
            to: self.file.to,
            attributes: self.group.attributes,
        }
    }

    /// Asks for the whole group at one operator version. The codes of undefined elements are
    /// appended to `undefined`.
    fn at(
        &mut self,
        edition: Edition,
        testee: &mut dyn Testee,
        results: &mut Results,
        undefined: &mut Vec<u8>,
    ) -> Result<()> {
        let key = self.key(edition);
        let request = Request::cast(key.from, key.to, edition.opset).with(self.group.attributes);
        results.announced += self.group.tests.len() as u64;
        for index in 0..self.batches.len() {
            let first = index * self.batch;
            let count = self.batch.min(self.outcomes.len() - first);
            let reply = testee.cast(&request, count, &self.batches[index]);
            let (verdict, message) = match reply {
                Reply::Output(output) => match unpack_elements(key.to, &output, count) {
                    Ok(elements) => {
                        let cell = results.cells.entry(key).or_default();
                        self.judge_batch(first, elements, edition.version, cell, undefined);
                        continue;
                    }
                    Err(problem) => (Verdict::Error, problem),
                },
                Reply::Unsupported(message) => (Verdict::Unsupported, message),
                Reply::Error(message) => (Verdict::Error, message),
                Reply::Crash(message) => (Verdict::Crash, message),
                Reply::Timeout(message) => (Verdict::Timeout, message),
            };
            self.charge(&self.outcomes[first..first + count], key, verdict, message, results);
        }
        Ok(())
    }

    fn judge_batch(
        &mut self,
        first: usize,
        elements: Vec<Element>,
        version: u32,
        cell: &mut Cell,
        undefined: &mut Vec<u8>,
    ) {
        cell.counts.executed += elements.len() as u64;
        for (index, element) in (first..).zip(elements) {
            let (expect, tolerate) = &self.outcomes[index];
            let input = &self.group.tests[index].input;
            let pair = (self.file.from, self.file.to);
            let verdict = judge_element(expect, tolerate.as_ref(), pair, input, &element);
            cell.counts.add(verdict, 1);
            if *expect == Outcome::Any {
                match element.as_code() {
                    Some(code) => undefined.extend(code.to_le_bytes()),
                    None => undefined.extend(element.text().bytes()),
                }
            }
            if verdict == Verdict::Fail {
                self.keep(index, element, version);
            }
        }
    }

    fn keep(&mut self, index: usize, element: Element, version: u32) {
        let room = self.failures.len() < FINDINGS_PER_GROUP;
        let failure = (index, element);
        match self.failures.get_mut(&failure) {
            Some(versions) => versions.push(version),
            None if room => {
                self.failures.insert(failure, vec![version]);
            }
            None => self.failures_left_out += 1,
        }
    }

    /// Gives a verdict to a batch that came back without elements. A refusal, however it is
    /// worded, is right where a refusal is due, and allowed where the meaning of a text is open.
    fn charge(
        &self,
        outcomes: &[(Outcome, Option<Outcome>)],
        key: CellKey,
        verdict: Verdict,
        message: String,
        results: &mut Results,
    ) {
        let refused = matches!(verdict, Verdict::Unsupported | Verdict::Error);
        let due = outcomes.iter().filter(|(expect, _)| *expect == Outcome::Reject).count() as u64;
        let passed = if refused { due } else { 0 };
        let open_text = refused && verdict == Verdict::Error && key.from == DType::String;
        let undefined =
            outcomes.iter().filter(|(expect, _)| *expect == Outcome::Any).count() as u64;
        let undefined = if open_text { undefined } else { 0 };
        let reject = Some(Outcome::Reject);
        let tolerated = outcomes.iter().filter(|(_, tolerate)| *tolerate == reject).count() as u64;
        let tolerated = if open_text { tolerated } else { 0 };
        let charged = outcomes.len() as u64 - passed - undefined - tolerated;
        let counts = &mut results.cells.entry(key).or_default().counts;
        counts.add(Verdict::Pass, passed);
        counts.add(Verdict::Undefined, undefined);
        counts.add(Verdict::Tolerated, tolerated);
        counts.add(verdict, charged);
        if charged > 0 {
            let CellKey { version, from, to, attributes } = key;
            let remark_key = RemarkKey { verdict, message, from, to, attributes };
            let remark = results.remarks.entry(remark_key).or_default();
            remark.opsets.insert(version);
            remark.tests += charged;
        }
    }

    /// Hands over the failing tests.
    fn report(self, results: &mut Results) {
        results.findings_left_out += self.failures_left_out;
        for ((index, got), opsets) in self.failures {
            let test = &self.group.tests[index];
            results.findings.push(Finding {
                opsets,
                from: self.file.from,
                to: self.file.to,
                attributes: self.group.attributes,
                id: test.id.clone(),
                input: test.input.clone(),
                got,
                expect: test.expect.clone(),
                tolerate: test.tolerate.clone(),
                clause: test.clause.clone(),
            });
        }
    }
}
