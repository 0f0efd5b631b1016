//! Runs the vectors of one pair through a testee and judges every element.

use super::plan::{Edition, Plan};
use super::probe::depends_on_place;
use super::text::judge_element;
use crate::baseline::{Baseline, Entry, Watch};
use crate::diagnosis::{Observation, diagnose, fingerprint};
use crate::results::{
    CellKey, EntryKey, FINDINGS_PER_GROUP, Finding, RemarkKey, Results, Surprise,
};
use crate::testee::{Reply, Testee};
use crate::verdict::Verdict;
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

/// Runs every group of `file` at every operator version of the plan that the group lists, and
/// explains what deviates.
///
/// # Errors
/// If an input is no element of the file's dtype; what the testee does is never an error.
pub(super) fn run_file(
    file: &VectorFile,
    plan: &Plan,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let mut results = Results::default();
    let mut observed = Vec::new();
    let mut undefined: BTreeMap<CellKey, Vec<u8>> = BTreeMap::new();
    for group in &file.groups {
        let mut run = GroupRun::new(file, group, plan.strict)?;
        for edition in &plan.editions {
            if group.opsets.contains(&edition.version) {
                let entries = baseline.of_request(&run.key(*edition).into());
                run.at(*edition, testee, &entries, &mut results)?;
            }
        }
        for (key, codes) in &run.undefined {
            undefined.entry(*key).or_default().extend(codes);
        }
        observed.append(&mut run.observed);
        run.report(&mut results);
    }
    // A clause may decide tests of several groups, so only now is it plain what surprises.
    results.drop_dull_tallies();
    for (key, codes) in undefined.iter().filter(|(_, codes)| !codes.is_empty()) {
        let cell = results.cells.entry(*key).or_default();
        cell.undefined_fingerprint = Some(sha256_hex(codes));
    }
    let pair = (file.from, file.to);
    results.diagnoses = diagnose(pair, &observed);
    let varies = depends_on_place(&observed, testee);
    results.fingerprints.extend(fingerprint(pair, &observed, varies));
    Ok(results)
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
    /// Clauses of the group, and the place of each test's among them.
    clauses: Vec<&'a str>,
    clause_of: Vec<usize>,
    /// Operator versions and the baseline's reason, by failing test and returned element.
    failures: BTreeMap<(usize, Element), (Vec<u32>, Option<String>)>,
    failures_left_out: u64,
    /// Undefined elements: codes as 8 bytes each, texts as they are.
    undefined: BTreeMap<CellKey, Vec<u8>>,
    /// What was executed, once where several operator versions gave the same.
    observed: Vec<Observation>,
}

impl<'a> GroupRun<'a> {
    fn new(file: &'a VectorFile, group: &'a Group, strict: bool) -> Result<GroupRun<'a>> {
        let outcomes = group.tests.iter().map(|test| {
            let tolerate = test.tolerate.as_ref().filter(|_| !strict);
            (test.expect.outcome(), tolerate.map(OutcomeRecord::outcome))
        });
        let pack_batch = |tests: &[castproof_vectors::Test]| {
            let elements: Vec<Element> = tests.iter().map(|test| test.input.clone()).collect();
            pack_elements(file.from, &elements).map_err(|error| anyhow!(error))
        };
        let mut clauses: Vec<&str> = group.tests.iter().map(|test| test.clause.as_str()).collect();
        clauses.sort_unstable();
        clauses.dedup();
        let place = |test: &castproof_vectors::Test| {
            clauses.binary_search(&test.clause.as_str()).unwrap_or_default()
        };
        let batch = if file.from == DType::String { TEXT_BATCH } else { BATCH };
        Ok(GroupRun {
            file,
            group,
            outcomes: outcomes.collect(),
            batch,
            batches: group.tests.chunks(batch).map(pack_batch).collect::<Result<_>>()?,
            clause_of: group.tests.iter().map(place).collect(),
            clauses,
            failures: BTreeMap::new(),
            failures_left_out: 0,
            undefined: BTreeMap::new(),
            observed: Vec::new(),
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

    /// Asks for the whole group at one operator version.
    fn at(
        &mut self,
        edition: Edition,
        testee: &mut dyn Testee,
        entries: &[(EntryKey, &Entry)],
        results: &mut Results,
    ) -> Result<()> {
        let key = self.key(edition);
        let request = Request::cast(key.from, key.to, edition.opset).with(self.group.attributes);
        results.announced += self.group.tests.len() as u64;
        let mut ledger = Ledger::new(self, key, entries);
        for index in 0..self.batches.len() {
            let first = index * self.batch;
            let count = self.batch.min(self.outcomes.len() - first);
            let (verdict, message) = match testee.cast(&request, count, &self.batches[index]) {
                Reply::Output(output) => match unpack_elements(key.to, &output, count) {
                    Ok(got) => {
                        self.judge_batch(first, request, &got, &mut ledger, results);
                        continue;
                    }
                    Err(problem) => (Verdict::Error, problem),
                },
                Reply::Unsupported(message) => (Verdict::Unsupported, message),
                Reply::Error(message) => (Verdict::Error, message),
                Reply::Crash(message) => (Verdict::Crash, message),
                Reply::Timeout(message) => (Verdict::Timeout, message),
            };
            self.charge(first..first + count, verdict, message, &mut ledger, results);
        }
        ledger.close(self, results);
        Ok(())
    }

    fn judge_batch(
        &mut self,
        first: usize,
        request: Request,
        got: &[Element],
        ledger: &mut Ledger<'_>,
        results: &mut Results,
    ) {
        let (key, pair) = (ledger.key, (self.file.from, self.file.to));
        results.cells.entry(key).or_default().counts.executed += got.len() as u64;
        let mut verdicts = Vec::with_capacity(got.len());
        for (index, element) in (first..).zip(got) {
            let (expect, tolerate) = &self.outcomes[index];
            let input = &self.group.tests[index].input;
            let verdict = judge_element(expect, tolerate.as_ref(), pair, input, element);
            verdicts.push(verdict);
            if *expect == Outcome::Any {
                let undefined = self.undefined.entry(key).or_default();
                match element.as_code() {
                    Some(code) => undefined.extend(code.to_le_bytes()),
                    None => undefined.extend(element.text().bytes()),
                }
            }
            let known = ledger.note(self, index, verdict, results);
            if verdict == Verdict::Fail {
                self.keep(index, element, key.version, known);
            }
        }
        self.observe(first, request, got, verdicts);
    }

    /// Notes what was executed, for diagnoses; those know numbers only.
    fn observe(&mut self, first: usize, request: Request, got: &[Element], verdicts: Vec<Verdict>) {
        if !request.from.is_numeric() || !request.to.is_numeric() {
            return;
        }
        let tests = &self.group.tests[first..first + got.len()];
        let inputs: Vec<u64> = tests.iter().filter_map(|test| test.input.as_code()).collect();
        let got: Vec<u64> = got.iter().filter_map(Element::as_code).collect();
        if !self.observed.iter().any(|seen| seen.inputs == inputs && seen.got == got) {
            self.observed.push(Observation { request, inputs, got, verdicts });
        }
    }

    fn keep(&mut self, index: usize, got: &Element, version: u32, known: Option<String>) {
        let room = self.failures.len() < FINDINGS_PER_GROUP;
        let failure = (index, got.clone());
        match self.failures.get_mut(&failure) {
            // One version's surprise is not hidden by what is known of another.
            Some((versions, reason)) => {
                versions.push(version);
                *reason = reason.take().and(known);
            }
            None if room => {
                self.failures.insert(failure, (vec![version], known));
            }
            None => self.failures_left_out += 1,
        }
    }

    /// Gives a verdict to tests that came back without elements.
    fn charge(
        &self,
        tests: std::ops::Range<usize>,
        verdict: Verdict,
        message: String,
        ledger: &mut Ledger<'_>,
        results: &mut Results,
    ) {
        let (mut charged, mut expected) = (0, 0);
        for index in tests {
            let given = self.without_element(index, verdict);
            let known = ledger.note(self, index, given, results).is_some();
            if given == verdict {
                charged += 1;
                expected += u64::from(known);
            }
        }
        if charged > 0 {
            let CellKey { version, from, to, attributes } = ledger.key;
            let remark_key = RemarkKey { verdict, message, from, to, attributes };
            let remark = results.remarks.entry(remark_key).or_default();
            remark.opsets.insert(version);
            remark.tests += charged;
            remark.expected += expected;
        }
    }

    /// The verdict of a test that came back without an element. A refusal, however it is worded,
    /// is right where a refusal is due, and allowed where the meaning of a text is open.
    fn without_element(&self, index: usize, verdict: Verdict) -> Verdict {
        let (expect, tolerate) = &self.outcomes[index];
        let open_text = verdict == Verdict::Error && self.file.from == DType::String;
        match (expect, tolerate) {
            (Outcome::Reject, _) if matches!(verdict, Verdict::Unsupported | Verdict::Error) => {
                Verdict::Pass
            }
            (Outcome::Any, _) if open_text => Verdict::Undefined,
            (_, Some(Outcome::Reject)) if open_text => Verdict::Tolerated,
            _ => verdict,
        }
    }

    /// Hands over the failing tests.
    fn report(self, results: &mut Results) {
        results.findings_left_out += self.failures_left_out;
        for ((index, got), (opsets, known)) in self.failures {
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
                known,
            });
        }
    }
}

/// Counts the verdicts of a group at one operator version, by clause, and holds the baseline
/// against them.
struct Ledger<'a> {
    key: CellKey,
    watch: Watch<'a>,
    by_clause: Vec<Surprise>,
}

impl<'a> Ledger<'a> {
    fn new(run: &GroupRun<'_>, key: CellKey, entries: &'a [(EntryKey, &'a Entry)]) -> Ledger<'a> {
        let by_clause = vec![Surprise::default(); run.clauses.len()];
        Ledger { key, watch: Watch::new(key.into(), entries), by_clause }
    }

    /// Counts one verdict. Gives the reason of the entry that expects a bad one.
    fn note(
        &mut self,
        run: &GroupRun<'_>,
        index: usize,
        verdict: Verdict,
        results: &mut Results,
    ) -> Option<String> {
        let test = &run.group.tests[index];
        let entry = self.watch.note((&test.clause, &test.id), verdict, results);
        let cell = results.cells.entry(self.key).or_default();
        let tally = &mut self.by_clause[run.clause_of[index]];
        cell.counts.add(verdict, 1);
        tally.counts.add(verdict, 1);
        match (verdict.is_bad(), entry) {
            (true, Some(_)) => cell.expected += 1,
            (true, None) => tally.unexpected.add(verdict, 1),
            (false, Some(_)) => cell.unexpected_passes += 1,
            (false, None) => {}
        }
        entry.filter(|_| verdict.is_bad()).map(|entry| entry.reason.clone())
    }

    /// Hands over the counts by clause.
    fn close(self, run: &GroupRun<'_>, results: &mut Results) {
        for (clause, tally) in run.clauses.iter().zip(&self.by_clause) {
            results.tally(self.key.into(), clause, tally);
        }
    }
}
