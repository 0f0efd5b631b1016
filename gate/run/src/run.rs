//! The one path of a test: it is asked, judged, counted, compared with the baseline and kept.

use super::plan::Plan;
use super::probe::depends_on_place;
use super::series::{self, Series, What};
use crate::arrange::arrange;
use anyhow::{Context, Result, anyhow};
use castproof_check::verdict::Verdict;
use castproof_judge::asked::Asked;
use castproof_judge::baseline::{Baseline, Entry, Watch};
use castproof_judge::diagnosis::texts::TextCase;
use castproof_judge::diagnosis::{Observation, diagnose, fingerprint};
use castproof_judge::finding::touch;
use castproof_judge::judge::{Due, Got};
use castproof_judge::results::{
    Deviation, EntryKey, FAILURES_PER_GROUP, Failure, RemarkKey, Results, SuiteRun, Surprise,
};
use castproof_judge::scope::Edition;
use castproof_testee::{BROKE_PROTOCOL, Chain, Testee};
use castproof_vectors::{
    Element, OutcomeRecord, QuestionFile, Request, Spec, VectorFile, pack_elements, sha256_hex,
    unpack_elements,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Runs the vectors of a pair in every operator version of the plan.
///
/// # Errors
/// If an input is not an element of the file's dtype; what the testee does is never an error.
pub(super) fn run_casts(
    file: &VectorFile,
    plan: &Plan,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let mut results = run(&series::of_casts(file, plan), plan.scope.strict, baseline, testee)?;
    let versions: Vec<(Option<u32>, Spec)> =
        plan.scope.editions.iter().map(|edition| (edition.version, edition.spec)).collect();
    arrange(file, &versions, &plan.arranging, baseline, testee, &mut results);
    // A clause may decide tests of several groups, so tallies without surprises are dropped only
    // now.
    results.drop_dull_tallies();
    Ok(results)
}

/// Runs a suite of questions. Its cells are those of the suite.
///
/// # Errors
/// As [`run_casts`].
pub(super) fn run_questions(
    file: &QuestionFile,
    strict: bool,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let mut results = run(&series::of_questions(file), strict, baseline, testee)?;
    let cells = std::mem::take(&mut results.cells);
    let deviations = std::mem::take(&mut results.deviations);
    results.remarks.clear(); // each stands among the deviations
    let suite = SuiteRun::new(file.suite, results.announced, cells, deviations);
    results.suites.push(suite);
    Ok(results)
}

/// Runs series after series, and explains what deviates.
fn run(
    all: &[Series<'_>],
    strict: bool,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let mut results = Results::default();
    let mut observed: BTreeMap<Asked, Vec<Observation>> = BTreeMap::new();
    let mut texts: BTreeMap<Asked, BTreeSet<TextCase>> = BTreeMap::new();
    let mut undefined: BTreeMap<Asked, Vec<u8>> = BTreeMap::new();
    for series in all {
        let mut run = SeriesRun::new(series, strict)?;
        for &edition in &series.editions {
            let asked = series.asked.at(edition.and_then(|edition| edition.version));
            let entries = baseline.of_request(&asked);
            run.at(asked, edition, testee, &entries, &mut results)?;
        }
        for (asked, codes) in &run.undefined {
            undefined.entry(*asked).or_default().extend(codes);
        }
        let of_pair = Asked { attributes: Default::default(), ..series.asked };
        observed.entry(of_pair).or_default().append(&mut run.observed);
        texts.entry(of_pair).or_default().append(&mut run.texts);
        run.report(&mut results);
    }
    for (asked, codes) in undefined.iter().filter(|(_, codes)| !codes.is_empty()) {
        let cell = results.cells.entry(*asked).or_default();
        cell.undefined_fingerprint = Some(sha256_hex(codes));
    }
    for (asked, cases) in texts {
        touch::note_texts(&asked, &cases.into_iter().collect::<Vec<_>>(), &mut results);
    }
    for (asked, observed) in observed.iter().filter(|(_, observed)| !observed.is_empty()) {
        for explained in diagnose(asked, observed) {
            touch::note(asked, observed, explained, strict, testee, &mut results);
        }
        let varies = depends_on_place(observed, testee);
        results.fingerprints.extend(fingerprint(asked, observed, varies));
    }
    Ok(results)
}

/// One series, ready to be asked in one operator version after another.
struct SeriesRun<'a> {
    series: &'a Series<'a>,
    strict: bool,
    /// The packed inputs, one entry for each request; empty if each test is a question.
    batches: Vec<Vec<u8>>,
    /// The clauses of the series. `clause_of` holds the place of each test's clause among them.
    clauses: Vec<&'a str>,
    clause_of: Vec<usize>,
    /// Operator versions and the baseline's reason, by failing test and returned element.
    failures: BTreeMap<(usize, Element), (Vec<u32>, Option<String>)>,
    failures_left_out: u64,
    /// The results of undefined elements: codes as 8 bytes each, texts as they are.
    undefined: BTreeMap<Asked, Vec<u8>>,
    /// What was executed; results that several operator versions share are kept once.
    observed: Vec<Observation>,
    /// The same for texts.
    texts: BTreeSet<TextCase>,
}

impl<'a> SeriesRun<'a> {
    fn new(series: &'a Series<'a>, strict: bool) -> Result<SeriesRun<'a>> {
        let pack_batch = |cases: &[series::Case<'_>]| {
            let input = |case: &series::Case<'_>| match case.due {
                Due::Element { input, .. } => Some(input.clone()),
                Due::Answer { .. } => None,
            };
            let elements: Vec<Element> = cases.iter().filter_map(input).collect();
            pack_elements(series.asked.from, &elements).map_err(|error| anyhow!(error))
        };
        let chunks = series.cases.chunks(series.batch());
        let batches = match series.what {
            What::Cast | What::Chain(_) => chunks.map(pack_batch).collect::<Result<_>>()?,
            What::Question => Vec::new(),
        };
        let mut clauses: Vec<&str> = series.cases.iter().map(|case| case.clause).collect();
        clauses.sort_unstable();
        clauses.dedup();
        let place = |case: &series::Case<'_>| clauses.binary_search(&case.clause).unwrap_or(0);
        Ok(SeriesRun {
            clause_of: series.cases.iter().map(place).collect(),
            series,
            strict,
            batches,
            clauses,
            failures: BTreeMap::new(),
            failures_left_out: 0,
            undefined: BTreeMap::new(),
            observed: Vec::new(),
            texts: BTreeSet::new(),
        })
    }

    /// Asks for the whole series in one operator version.
    fn at(
        &mut self,
        asked: Asked,
        edition: Option<Edition>,
        testee: &mut dyn Testee,
        entries: &[(EntryKey, &Entry)],
        results: &mut Results,
    ) -> Result<()> {
        let request = self.series.request(edition);
        let cases = self.series.cases.len();
        results.announced += cases as u64;
        let mut ledger = Ledger::new(self, asked, edition, entries);
        for (index, first) in (0..cases).step_by(self.series.batch()).enumerate() {
            let tests = first..cases.min(first + self.series.batch());
            match self.ask(index, tests.clone(), (request, edition), testee)? {
                Ok(got) => self.judge_batch(first, request, &got, &mut ledger, results),
                Err(said) => {
                    let thrower = self.thrower(tests.clone(), request.as_ref(), &said, testee);
                    self.charge(tests, &said, thrower, &mut ledger, results);
                }
            }
        }
        ledger.close(self, results);
        Ok(())
    }

    /// Asks for some tests. Returns what came back, or the verdict and message that came instead.
    fn ask(
        &self,
        batch: usize,
        tests: Range<usize>,
        (request, edition): (Option<Request>, Option<Edition>),
        testee: &mut dyn Testee,
    ) -> Result<Result<Vec<Got>, (Verdict, String)>> {
        let to = self.series.asked.pair().1;
        let reply = match (self.series.what, request) {
            (What::Chain(chain), _) => {
                let chain = Chain {
                    dtypes: chain.dtypes.to_vec(),
                    attributes: chain.attributes.to_vec(),
                    opset: edition
                        .and_then(|edition| edition.spec.opset())
                        .context("a chain without a version")?,
                    constant: chain.constant,
                };
                testee.chain(&chain, tests.len(), &self.batches[batch])
            }
            (_, Some(request)) => testee.cast(&request, tests.len(), &self.batches[batch]),
            (_, None) => {
                let question = self.series.cases[tests.start].question;
                let question = question.context("a test that is neither a cast nor a question")?;
                return Ok(testee.ask(question).told().map(|got| vec![Got::Answer(got)]));
            }
        };
        Ok(reply.told().and_then(|output| {
            let elements = unpack_elements(to, &output, tests.len());
            let elements = elements.map_err(|problem| (Verdict::Error, problem))?;
            Ok(elements.into_iter().map(Got::Element).collect())
        }))
    }

    fn judge_batch(
        &mut self,
        first: usize,
        request: Option<Request>,
        got: &[Got],
        ledger: &mut Ledger<'_>,
        results: &mut Results,
    ) {
        results.cells.entry(ledger.asked).or_default().counts.executed += got.len() as u64;
        let mut verdicts = Vec::with_capacity(got.len());
        for (index, got) in (first..).zip(got) {
            let due = &self.series.cases[index].due;
            let verdict = due.judge(got, self.strict);
            verdicts.push(verdict);
            if let (true, Got::Element(element)) = (due.is_open(), got) {
                let undefined = self.undefined.entry(ledger.asked).or_default();
                match element.as_code() {
                    Some(code) => undefined.extend(code.to_le_bytes()),
                    None => undefined.extend(element.text().bytes()),
                }
            }
            let entry = ledger.note(self, index, verdict, results);
            let known = entry.map(|entry| entry.reason.clone());
            match got {
                Got::Element(element) if self.series.cases[index].question.is_none() => {
                    if verdict == Verdict::Fail {
                        self.keep(index, element, ledger.version(), known);
                    }
                }
                _ => self.deviate(index, verdict, due.shown(got), ledger, known, results),
            }
        }
        if let Some(request) = request {
            self.observe(first, request, got, verdicts);
        }
    }

    /// Notes what was executed, for diagnoses.
    fn observe(&mut self, first: usize, request: Request, got: &[Got], verdicts: Vec<Verdict>) {
        if !request.from.is_numeric() || !request.to.is_numeric() {
            self.observe_texts(first, request, got, &verdicts);
            return;
        }
        let input = |case: &series::Case<'_>| match case.due {
            Due::Element { input, .. } => input.as_code(),
            Due::Answer { .. } => None,
        };
        let output = |got: &Got| match got {
            Got::Element(element) => element.as_code(),
            Got::Answer(_) => None,
        };
        let cases = &self.series.cases[first..first + got.len()];
        let inputs: Vec<u64> = cases.iter().filter_map(input).collect();
        let got: Vec<u64> = got.iter().filter_map(output).collect();
        if !self.observed.iter().any(|seen| seen.inputs == inputs && seen.got == got) {
            self.observed.push(Observation { request, inputs, got, verdicts });
        }
    }

    fn observe_texts(&mut self, first: usize, request: Request, got: &[Got], verdicts: &[Verdict]) {
        let Request { from, to, attributes, .. } = request;
        for ((case, got), &verdict) in self.series.cases[first..].iter().zip(got).zip(verdicts) {
            let (Due::Element { input, .. }, Got::Element(got)) = (&case.due, got) else {
                continue;
            };
            let (input, got) = ((*input).clone(), got.clone());
            self.texts.insert(TextCase { from, to, attributes, input, got, verdict });
        }
    }

    /// Keeps a failing test of a cast.
    fn keep(&mut self, index: usize, got: &Element, version: Option<u32>, known: Option<String>) {
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
            None => self.failures_left_out += 1,
        }
    }

    /// Keeps a question whose answer is not the recommended one, or not what the baseline expects.
    fn deviate(
        &self,
        index: usize,
        verdict: Verdict,
        got: String,
        ledger: &Ledger<'_>,
        known: Option<String>,
        results: &mut Results,
    ) {
        let case = &self.series.cases[index];
        let Some(question) = case.question else { return };
        if verdict != Verdict::Pass || known.is_some() {
            let opset = ledger.edition.and_then(|edition| edition.spec.opset());
            let test = verdict
                .is_bad()
                .then(|| case.due.test(question, (case.id, case.clause), opset).map(Box::new));
            results.deviations.push(Deviation {
                verdict,
                asked: Some(ledger.asked),
                id: case.id.to_string(),
                clause: case.clause.to_string(),
                question: question.to_string(),
                opset,
                got,
                expected: case.due.expected(),
                known,
                test: test.flatten(),
            });
        }
    }

    /// Gives a verdict to tests for which nothing came back.
    fn charge(
        &self,
        tests: Range<usize>,
        (verdict, message): &(Verdict, String),
        thrower: Option<Element>,
        ledger: &mut Ledger<'_>,
        results: &mut Results,
    ) {
        let (mut charged, mut expected) = (0, 0);
        for index in tests {
            let due = &self.series.cases[index].due;
            let given = due.without_answer(*verdict, self.strict);
            let entry = ledger.note(self, index, given, results);
            if given == *verdict {
                charged += 1;
                expected += u64::from(given.is_bad() && entry.is_some());
            }
            let known = entry.map(|entry| entry.reason.clone());
            self.deviate(index, given, message.clone(), ledger, known, results);
        }
        if charged > 0 {
            let (verdict, message) = (*verdict, message.clone());
            let key = RemarkKey { verdict, message, asked: self.series.asked };
            let remark = results.remarks.entry(key).or_default();
            remark.opsets.extend(ledger.version());
            remark.tests += charged;
            remark.expected += expected;
            remark.input = remark.input.take().or(thrower);
        }
    }

    /// Finds one input that alone causes an error, by halving the tests; `None` if there is none.
    /// It does not search after a crash or a broken protocol, because each half would cost a
    /// restart of the testee, and restarts are limited.
    fn thrower(
        &self,
        tests: Range<usize>,
        request: Option<&Request>,
        (verdict, message): &(Verdict, String),
        testee: &mut dyn Testee,
    ) -> Option<Element> {
        if *verdict != Verdict::Error || message.starts_with(BROKE_PROTOCOL) {
            return None;
        }
        let request = request?;
        let inputs = self.series.cases[tests].iter().map(|case| match &case.due {
            Due::Element { input, .. } => Some((*input).clone()),
            Due::Answer { .. } => None,
        });
        let mut left: Vec<Element> = inputs.collect::<Option<_>>()?;
        let mut throws = |elements: &[Element]| {
            let packed = pack_elements(request.from, elements).ok()?;
            let said = testee.cast(request, elements.len(), &packed).told().err()?;
            (said.0 == Verdict::Error).then_some(())
        };
        while left.len() > 1 {
            let rest = left.split_off(left.len() / 2);
            if throws(&left).is_none() {
                throws(&rest)?;
                left = rest;
            }
        }
        left.pop()
    }

    /// Adds the failing tests to the results.
    fn report(self, results: &mut Results) {
        results.failures_left_out += self.failures_left_out;
        for ((index, got), (opsets, known)) in self.failures {
            let case = &self.series.cases[index];
            let Due::Element { pair: (from, to), input, expect, tolerate } = &case.due else {
                continue; // its deviation is kept
            };
            results.failures.push(Failure {
                suite: self.series.asked.suite,
                opsets,
                from: *from,
                to: *to,
                attributes: self.series.asked.attributes,
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

/// Counts the verdicts of a series in one operator version, by clause, and compares them with the
/// baseline.
struct Ledger<'a> {
    asked: Asked,
    edition: Option<Edition>,
    watch: Watch<'a>,
    by_clause: Vec<Surprise>,
}

impl<'a> Ledger<'a> {
    fn new(
        run: &SeriesRun<'_>,
        asked: Asked,
        edition: Option<Edition>,
        entries: &'a [(EntryKey, &'a Entry)],
    ) -> Ledger<'a> {
        let by_clause = vec![Surprise::default(); run.clauses.len()];
        Ledger { asked, edition, watch: Watch::new(asked, entries), by_clause }
    }

    /// Returns the operator version, if there is one.
    fn version(&self) -> Option<u32> {
        self.edition.and_then(|edition| edition.version)
    }

    /// Counts one verdict. Returns the entry of the baseline that expects a bad one or rules out a
    /// good one.
    fn note(
        &mut self,
        run: &SeriesRun<'_>,
        index: usize,
        verdict: Verdict,
        results: &mut Results,
    ) -> Option<&'a Entry> {
        let case = &run.series.cases[index];
        let entry = self.watch.note((case.clause, case.id), verdict, results);
        let cell = results.cells.entry(self.asked).or_default();
        let tally = &mut self.by_clause[run.clause_of[index]];
        cell.counts.add(verdict, 1);
        tally.counts.add(verdict, 1);
        match (verdict.is_bad(), entry) {
            (true, Some(_)) => cell.expected += 1,
            (true, None) => tally.unexpected.add(verdict, 1),
            (false, Some(_)) => cell.unexpected_passes += 1,
            (false, None) => {}
        }
        entry
    }

    /// Adds the counts by clause to the results.
    fn close(self, run: &SeriesRun<'_>, results: &mut Results) {
        for (clause, tally) in run.clauses.iter().zip(&self.by_clause) {
            results.tally(self.asked, clause, tally);
        }
    }
}
