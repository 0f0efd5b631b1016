//! `CastLike` casts like `Cast`, so it is asked for what `Cast` is asked: for the codes of the pair's vectors in
//! every version and with all attributes, and in the newest version for drawn codes too, and in tensors of many
//! counts, shapes and layouts, constants among them. What it gets wrong as `Cast` does is reported once, as a fault
//! of `Cast`.

use super::drawn;
use super::editions::Arranging;
use super::plan::Arrangement;
use super::request::One;
use super::sets::{note, of_version, seed_of, shares};
use super::wording::{misplaced, unanswered};

use crate::ask::{Judge, Said, ask, cast, error};
use crate::tensor::{Tensor, Way};
use castproof_check::arrange::Filling;
use castproof_check::fuzz::Draw;
use castproof_check::verdict::{Verdict, thousands};
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_judge::finding::failing::Failing;
use castproof_judge::judge::{Expected, Got};
use castproof_judge::silent;
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_results::place::Place;
use castproof_results::{Arranged, Misplaced, Results};
use castproof_testee::Testee;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, Outcome, OutcomeRecord, Request, Spec, Suite, Test,
    VectorFile, pack, pack_elements, unpack, unpack_elements,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Asks `CastLike` for a pair.
pub(super) fn run(
    file: &VectorFile,
    how: &Arranging,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    let pair = (file.from, file.to);
    for (number, (version, spec)) in how.like.editions().into_iter().enumerate() {
        let sets = of_version(file, Some(version));
        let is_text = !pair.0.is_numeric() || !pair.1.is_numeric();
        if is_text && number > 0 {
            return; // texts are asked one by one, so that all versions would take long
        }
        for (attributes, tests, _) in shares(&sets) {
            let of_cast = Asked::of_cast(file.suite, pair, attributes).at(Some(version));
            let asked = Asked { suite: Suite::OnnxCastlike, ..of_cast };
            let request = Request::new(spec, pair.0, pair.1).with(attributes);
            let failing = Failing::of(&of_cast, &sets, results, how.judgement.silent_as);
            let is_newest = number == 0;
            let mut like =
                Asking { request, version, asked, how, failing, testee, wrong: BTreeSet::new() };
            let (tally, found) = match is_text {
                true => like.texts(tests),
                false => {
                    like.numbers(tests, is_newest, is_newest && attributes == Attributes::default())
                }
            };
            note(asked, tally, found, baseline, results);
        }
    }
}

/// One request of `CastLike`.
struct Asking<'a> {
    request: Request,
    /// The version of `Cast` that it follows.
    version: u32,
    asked: Asked,
    how: &'a Arranging,
    /// What the vectors show to be wrong in that `Cast`.
    failing: Failing,
    testee: &'a mut dyn Testee,
    /// The codes that are wrong.
    wrong: BTreeSet<u64>,
}

/// What is due of a code.
struct Due {
    code: u64,
    expect: Outcome,
    tolerate: Option<Outcome>,
    rule: String,
}

/// Codes that are asked as one tensor.
enum Batch<'a> {
    /// Those of the vectors of `Cast`, which say what is due.
    Tests(Vec<(u64, &'a Test)>),
    /// Those of which the answers of `CastLike` say it.
    Drawn(Rc<Draw>, Vec<u64>),
}

impl Batch<'_> {
    fn codes(&self) -> Vec<u64> {
        match self {
            Batch::Tests(tests) => tests.iter().map(|(code, _)| *code).collect(),
            Batch::Drawn(_, codes) => codes.clone(),
        }
    }

    fn due(&self, at: usize) -> Due {
        match self {
            Batch::Tests(tests) => {
                let (code, test) = tests[at];
                let tolerate = test.tolerate.as_ref().map(OutcomeRecord::outcome);
                let (expect, rule) = (test.expect.outcome(), test.clause.clone());
                Due { code, expect, tolerate, rule }
            }
            Batch::Drawn(draw, codes) => {
                let Expectation { expect, tolerate, rule } = draw.expectation(codes[at]);
                Due { code: codes[at], expect, tolerate, rule: rule.to_string() }
            }
        }
    }
}

/// One wrong element.
struct Wrong {
    due: Due,
    got: u64,
}

impl Asking<'_> {
    /// Asks for the codes of the vectors; with `is_drawn` also for drawn ones, and with `is_arranged` for tensors of
    /// many kinds.
    fn numbers(
        &mut self,
        tests: &[&Test],
        is_drawn: bool,
        is_arranged: bool,
    ) -> (Arranged, Vec<Misplaced>) {
        let (mut tally, mut found) = (Arranged::default(), Vec::new());
        let batches = match self.batches(tests, is_drawn) {
            Ok(batches) => batches,
            Err(problem) => return (tally, vec![self.silent(&error(problem), 0)]),
        };
        for batch in batches {
            match self.batch(&batch, &mut tally) {
                Ok(more) => found.extend(more),
                Err((Verdict::Unsupported, _)) if tally.elements == 0 => {
                    tally.unsupported += 1;
                    return (tally, found);
                }
                Err((verdict, _)) if verdict <= Verdict::Error && self.failing.has_errors => {
                    return (tally, found); // as `Cast` does
                }
                Err((Verdict::Error, message)) if tally.elements == 0 => {
                    found.push(self.refused(&batch, &message));
                    return (tally, found); // of other tensors it would say the same
                }
                Err(said) => found.push(self.silent(&said, batch.codes().len())),
            }
        }
        if is_arranged {
            found.extend(self.arranged(tests, &mut tally));
        }
        (tally, found)
    }

    /// Returns the codes that are asked, each batch as one tensor; none if the request must be refused. The answers
    /// of `CastLike` are those of `Cast`, except that its `round_mode` may be ignored (CL-04).
    fn batches<'t>(&self, tests: &[&'t Test], is_drawn: bool) -> Result<Vec<Batch<'t>>, String> {
        let coded = tests.iter().filter_map(|test| Some((test.input.as_code()?, *test)));
        let coded: Vec<(u64, &Test)> = coded.collect();
        let has_answers = is_drawn || self.request.attributes.round_mode.is_some();
        if !has_answers {
            return Ok(vec![Batch::Tests(coded)]);
        }
        let draw = silent::draw(&self.request, self.how.judgement.silent_as)?;
        if draw.is_refused() {
            return Ok(Vec::new());
        }
        let drawn = is_drawn.then(|| drawn::codes(&draw, self.how.seed));
        let all = [coded.into_iter().map(|(code, _)| code).collect()].into_iter().chain(drawn);
        Ok(all.map(|codes| Batch::Drawn(Rc::clone(&draw), codes)).collect())
    }

    /// Asks for one tensor, and returns the findings: one for each rule and place.
    ///
    /// # Errors
    /// What was said instead of elements.
    fn batch(&mut self, batch: &Batch<'_>, tally: &mut Arranged) -> Result<Vec<Misplaced>, Said> {
        let codes = batch.codes();
        if codes.is_empty() {
            return Ok(Vec::new());
        }
        let strict = self.how.judgement.strict;
        let tensor = Tensor::plain(self.request, codes.clone());
        let answer = match batch {
            Batch::Drawn(draw, _) => ask(self.testee, draw, &tensor, strict)?,
            Batch::Tests(_) => {
                let to = self.request.to;
                let judge = Judge::new(to, strict);
                let judge = judge.ok_or_else(|| error(format!("{to} is not numeric")))?;
                let input = tensor.input().map_err(error)?;
                let way = (&Way::Plain, codes.len());
                let output = cast(self.testee, &self.request, way, &input)?;
                judge.output(codes.len(), &output, |at, got| {
                    let due = batch.due(at);
                    judge.element((&due.expect, due.tolerate.as_ref()), got)
                })?
            }
        };
        tally.tensors += 1;
        tally.elements += codes.len() as u64;
        let fails = |at: &usize| answer.verdicts[*at] == Verdict::Fail;
        let wrong: Vec<usize> = (0..codes.len()).filter(fails).collect();
        if wrong.is_empty() {
            return Ok(Vec::new());
        }
        let (at, wrong): (Vec<usize>, Vec<Wrong>) = wrong
            .into_iter()
            .map(|at| (at, Wrong { due: batch.due(at), got: answer.got[at] }))
            .unzip();
        let rules = wrong.iter().map(|it| it.due.rule.as_str());
        let places: Vec<(usize, &str)> = at.into_iter().zip(rules).collect();
        self.wrong.extend(wrong.iter().map(|it| it.due.code));
        let given: Vec<(usize, u64)> = places.iter().map(|&(at, _)| (at, answer.got[at])).collect();
        let as_cast = self.as_cast(&codes, &given);
        let is_known = self.failing.is_alike(&self.of_cast(), (&codes, &answer.got), &places);
        let mut groups: BTreeMap<(Place, &str), Vec<&Wrong>> = BTreeMap::new();
        for ((it, is_same), is_known) in wrong.iter().zip(as_cast).zip(is_known) {
            let place = match (is_same, is_known) {
                (true, true) => continue,
                (true, false) => Place::BeyondVectors,
                (false, _) => Place::CastLikeAlone,
            };
            tally.wrong += 1;
            groups.entry((place, it.due.rule.as_str())).or_default().push(it);
        }
        let found = groups.into_iter();
        Ok(found.map(|((place, _), wrong)| self.finding(place, &wrong, codes.len())).collect())
    }

    /// The request of `Cast` that must give the same.
    fn of_cast(&self) -> Request {
        Request { spec: Spec::cast(self.version), ..self.request }
    }

    /// Returns for each wrong element whether `Cast` gives it too, in the same tensor. A runtime may refuse attributes
    /// in `Cast` that it drops in `CastLike`; then `Cast` without them is meant.
    fn as_cast(&mut self, codes: &[u64], wrong: &[(usize, u64)]) -> Vec<bool> {
        let own = self.of_cast();
        for request in [own, own.with(Attributes::default())] {
            let got = pack(request.from, codes).map_err(error).and_then(|input| {
                let output = cast(self.testee, &request, (&Way::Plain, codes.len()), &input)?;
                unpack(request.to, &output, codes.len()).map_err(error)
            });
            if let Ok(all) = got {
                return wrong.iter().map(|&(at, got)| all[at] == got).collect();
            }
        }
        vec![false; wrong.len()]
    }

    fn finding(&self, place: Place, wrong: &[&Wrong], count: usize) -> Misplaced {
        let Request { from, to, .. } = self.request;
        let first = wrong[0];
        let sentence = format!(
            "CastLike: {} gave {}, expected {}; {} of {} codes{}",
            words::value(from, first.due.code),
            words::value(to, first.got),
            words::outcome(to, &first.due.expect),
            thousands(wrong.len() as u64),
            thousands(count as u64),
            if place == Place::CastLikeAlone {
                ", which Cast casts otherwise"
            } else {
                ", as Cast"
            },
        );
        let tensor = Arrangement::plain(count, Filling::Cycle(0));
        Misplaced {
            input: Some(Element::code(first.due.code, from)),
            got: Some(Element::code(first.got, to)),
            expect: Some(OutcomeRecord::new(&first.due.expect, to)),
            clause: Some(first.due.rule.clone()),
            codes: Misplaced::some_codes(wrong.iter().map(|it| it.due.code), from),
            ..misplaced(self.asked, place, &tensor, sentence)
        }
    }

    /// Returns the finding of a request that ends in an error at its first tensor, while `Cast` has none.
    fn refused(&self, batch: &Batch<'_>, message: &str) -> Misplaced {
        let due = batch.due(0);
        let Request { from, to, .. } = self.request;
        let sentence = format!(
            "CastLike: {} gave error: {message}, expected {}; Cast has no error",
            words::value(from, due.code),
            words::outcome(to, &due.expect),
        );
        let tensor = Arrangement::plain(batch.codes().len(), Filling::Cycle(0));
        Misplaced {
            input: Some(Element::code(due.code, from)),
            expect: Some(OutcomeRecord::new(&due.expect, to)),
            clause: Some(due.rule),
            codes: vec![Element::code(due.code, from)],
            ..misplaced(self.asked, Place::CastLikeAlone, &tensor, sentence)
        }
    }

    fn silent(&self, said: &Said, count: usize) -> Misplaced {
        unanswered(self.asked, said, &[Arrangement::plain(count, Filling::Cycle(0))])
    }

    /// Asks for tensors of many counts, shapes and layouts, of codes that it gets right.
    fn arranged(&mut self, tests: &[&Test], tally: &mut Arranged) -> Vec<Misplaced> {
        let strict = self.how.judgement.strict;
        let pair = (self.request.from, self.request.to);
        let Some(mut one) = One::new(self.request, strict, self.testee, None) else {
            return Vec::new();
        };
        let found = one.run_like(tests, seed_of(self.how.seed, pair, 0), self.asked, &self.wrong);
        *tally += one.tally;
        found
    }

    /// Asks for casts from or to strings, each text alone: a text whose meaning is open may be refused.
    fn texts(&mut self, tests: &[&Test]) -> (Arranged, Vec<Misplaced>) {
        let (mut tally, mut found) = (Arranged::default(), Vec::new());
        let strict = self.how.judgement.strict;
        let from = self.request.from;
        let batch = if from == DType::String { 1 } else { tests.len().max(1) };
        // `round_mode` may be ignored (CL-04).
        let has_mode = self.request.attributes.round_mode.is_some();
        let answers = Answering::chosen(&self.request).ok().filter(|_| has_mode);
        let mut wrong: BTreeMap<&str, (u64, &Test, String)> = BTreeMap::new();
        for tests in tests.chunks(batch) {
            let (verdict, got) = match self.elements(tests) {
                Ok(got) => (None, got),
                Err((Verdict::Unsupported, _)) if tally.elements == 0 => {
                    tally.unsupported += 1;
                    return (tally, found);
                }
                Err((verdict, _)) if verdict <= Verdict::Error && self.failing.has_errors => {
                    continue; // as `Cast` does
                }
                Err((verdict, message)) => (Some((verdict, message)), Vec::new()),
            };
            tally.tensors += 1;
            tally.elements += got.len() as u64;
            for (at, test) in tests.iter().enumerate() {
                let due = self.due_of_text(test, &answers);
                let (given, shown) = match (&verdict, got.get(at)) {
                    (None, Some(got)) => {
                        let got = Got::Element(got.clone());
                        (due.judge(&got, strict), due.shown(&got))
                    }
                    (Some((verdict, message)), _) => {
                        let said = format!("{}: {message}", verdict.name());
                        (due.without_answer(*verdict, strict), said)
                    }
                    _ => continue,
                };
                if given.is_bad() && !self.failing.shows(&test.input, &test.clause) {
                    tally.wrong += 1;
                    let entry = wrong.entry(&test.clause).or_insert((0, test, shown));
                    entry.0 += 1;
                }
            }
            if verdict.is_some_and(|(verdict, _)| verdict > Verdict::Error) {
                break; // a testee that died once is not asked for the rest
            }
        }
        found.extend(self.wrong_texts(wrong.into_values(), tests.len(), batch));
        (tally, found)
    }

    /// Returns the findings of wrong texts: of each so many, the first of them, and what came back.
    fn wrong_texts<'t>(
        &self,
        wrong: impl Iterator<Item = (u64, &'t Test, String)>,
        all: usize,
        batch: usize,
    ) -> Vec<Misplaced> {
        let Request { from, to, .. } = self.request;
        let finding = |(count, test, got): (u64, &Test, String)| {
            let sentence = format!(
                "CastLike: {} gave {got}, expected {}; {count} of {} elements, which Cast casts otherwise",
                words::element(from, &test.input),
                words::outcome(to, &test.expect.outcome()),
                thousands(all as u64),
            );
            let tensor = Arrangement::plain(batch, Filling::Cycle(0));
            Misplaced {
                input: Some(test.input.clone()),
                expect: Some(test.expect.clone()),
                clause: Some(test.clause.clone()),
                codes: vec![test.input.clone()],
                ..misplaced(self.asked, Place::CastLikeAlone, &tensor, sentence)
            }
        };
        wrong.map(finding).collect()
    }

    /// Returns what is due of a test: what its vector says, or these answers.
    fn due_of_text<'t>(&self, test: &'t Test, answers: &Option<Answering>) -> Expected<'t> {
        let pair = (self.request.from, self.request.to);
        match answers.as_ref().and_then(|answers| answers.element(&test.input).ok()) {
            Some(Expectation { expect, tolerate, .. }) => {
                Expected::Element { pair, input: &test.input, written: None, expect, tolerate }
            }
            None => Expected::of_test(pair, test),
        }
    }

    fn elements(&mut self, tests: &[&Test]) -> Result<Vec<Element>, Said> {
        let Request { from, to, .. } = self.request;
        let inputs: Vec<Element> = tests.iter().map(|test| test.input.clone()).collect();
        let input = pack_elements(from, &inputs).map_err(error)?;
        let output = cast(self.testee, &self.request, (&Way::Plain, inputs.len()), &input)?;
        unpack_elements(to, &output, inputs.len()).map_err(error)
    }
}
