//! What one call leaves for the next one. A kernel that keeps attributes, a version or a table of the call before is
//! right as long as alike requests are asked together, as those of the vectors are. So some requests of a pair are
//! asked again, each after requests with other attributes, of other versions and of other pairs. One of
//! them is also asked for single codes in many calls in a row, see [`Calls`](super::editions::Calls).

use super::codes::{Coded, Codes};
use super::editions::Arranging;
use super::plan::Arrangement;
use super::sets::{Edition, note, of_version, seed_of};
use super::wording::misplaced;
use crate::ask::{Judge, Said, cast, cast_each, error};
use crate::tensor::Way;
use castproof_check::arrange::{Filling, shuffle};
use castproof_check::fuzz::Random;
use castproof_check::verdict::{Verdict, thousands};
use castproof_check::words;
use castproof_judge::finding::failing::Failing;
use castproof_oracle::attribute_sets;
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_results::place::Place;
use castproof_results::{Arranged, Misplaced, Results};
use castproof_testee::{Form, Testee};
use castproof_vectors::random::mixed;
use castproof_vectors::{
    Attributes, DType, Element, NEWEST, OutcomeRecord, Request, Spec, Test, VectorFile, landmarks,
    pack, unpack,
};
use std::collections::BTreeSet;

/// How many requests of a pair are asked after others.
const REQUESTS: usize = 3;

/// How many requests with other attributes, and how many of other versions, each is asked after.
const BEFORE: usize = 4;

/// How many requests of other pairs all of them together are asked after.
const OTHER_PAIRS: usize = 12;

/// Sources of which one is always among those of other pairs: they leave more bits than others.
const WIDEST: [DType; 3] = [DType::Float64, DType::Int64, DType::Uint64];

/// Targets whose casts have attributes, of which one is always among those of other pairs.
const WITH_ATTRIBUTES: [DType; 4] =
    [DType::Float8E4M3FN, DType::Float8E4M3FNUZ, DType::Float8E5M2, DType::Float8E5M2FNUZ];

/// How often two requests are asked once more if the second was wrong.
const AGAIN: usize = 3;

/// Calls in a row that are asked at once.
const BATCH: usize = 256;

/// Elements of a request of another pair.
const OTHERS: usize = 33;

/// Asks for requests of the version that is arranged, each after others. `older` are the other versions that the
/// testee has.
pub(super) fn run(
    file: &VectorFile,
    (arranged, older): (Edition, &[Edition]),
    how: &Arranging,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    let pair = (file.from, file.to);
    if !pair.0.is_numeric() || !pair.1.is_numeric() {
        return;
    }
    let (version, spec) = arranged;
    let is_executed = |version, attributes: Attributes, results: &Results| {
        let asked = Asked::of_cast(file.suite, pair, attributes).at(version);
        results.cells.get(&asked).is_some_and(|cell| cell.counts.executed > 0)
    };
    let mut sets = of_version(file, version);
    sets.retain(|attributes, _| is_executed(version, *attributes, results));
    let mut random = Random::new(mixed(!seed_of(how.seed, pair, 0)));
    let mut chosen: Vec<Attributes> = sets.keys().copied().collect();
    // What is left is seen best where attributes are absent.
    let given = usize::from(chosen.first() == Some(&Attributes::default()));
    shuffle(&mut chosen[given..], &mut random);
    for &attributes in chosen.iter().take(REQUESTS) {
        let asked = Asked::of_cast(file.suite, pair, attributes).at(version);
        if results.misplaced.iter().any(|it| it.asked == asked) {
            continue; // a fault of place would be seen here once more
        }
        let request = Request::new(spec, pair.0, pair.1).with(attributes);
        let mut before: Vec<Request> =
            chosen.iter().filter(|it| **it != attributes).map(|it| request.with(*it)).collect();
        shuffle(&mut before, &mut random);
        before.truncate(BEFORE);
        before.extend(of_versions(file, older, &mut random, |version, attributes| {
            is_executed(version, attributes, results)
        }));
        if !how.kernel {
            let each = OTHER_PAIRS / chosen.len().min(REQUESTS);
            before.extend(of_pairs(spec, pair, each, &mut random));
        }
        let failing = Failing::of(&asked, &sets, results, how.judgement.silent_as);
        let Some(judge) = Judge::new(pair.1, how.judgement.strict) else { continue };
        let mut after =
            After { request, asked, judge, failing, testee, tally: Arranged::default() };
        let mut found = after.run(&sets[&attributes], &before, &mut random);
        if found.is_none() && attributes == chosen[0] {
            let before = results.arranged.iter().filter(|(asked, _)| asked.pair() == pair);
            let before = before.map(|(_, arranged)| arranged.tensors).sum();
            found = after.in_a_row(&sets[&attributes], how.calls.after(before));
        }
        let tally = after.tally;
        note(asked, tally, found.into_iter().collect(), baseline, results);
    }
}

/// Draws requests of the pair in other versions.
fn of_versions(
    file: &VectorFile,
    older: &[Edition],
    random: &mut Random,
    is_executed: impl Fn(Option<u32>, Attributes) -> bool,
) -> Vec<Request> {
    let mut all = Vec::new();
    for &(version, spec) in older {
        let sets = of_version(file, version).into_keys();
        let executed = sets.filter(|attributes| is_executed(version, *attributes));
        all.extend(executed.map(|it| Request::new(spec, file.from, file.to).with(it)));
    }
    shuffle(&mut all, random);
    all.truncate(BEFORE);
    all
}

/// Draws requests of other pairs: with the same source, with the same target, and any.
fn of_pairs(
    spec: Spec,
    (from, to): (DType, DType),
    number: usize,
    random: &mut Random,
) -> Vec<Request> {
    if !matches!(spec, Spec::Onnx { .. }) {
        return Vec::new(); // a profile may trap
    }
    let opset = spec.opset().unwrap_or(NEWEST);
    let mut all = Vec::new();
    for turn in (0..4).cycle().take(number) {
        let [one, other] = [(); 2].map(|()| *random.one_of(DType::NUMERIC));
        let pair = match turn {
            0 => (from, one),
            1 => (one, to),
            2 => (*random.one_of(&WIDEST), other),
            _ => (one, *random.one_of(&WITH_ATTRIBUTES)),
        };
        let sets = attribute_sets(pair.1, opset);
        // The first set gives none.
        let given = if sets.len() > 1 { &sets[1..] } else { &sets[..] };
        let attributes = *random.one_of(if turn == 3 { given } else { &sets[..] });
        all.push(Request::new(spec, pair.0, pair.1).with(attributes));
    }
    all.retain(|it| (it.from, it.to) != (from, to));
    all
}

/// One request that is asked after others.
struct After<'a> {
    request: Request,
    asked: Asked,
    judge: Judge,
    failing: Failing,
    testee: &'a mut dyn Testee,
    tally: Arranged,
}

impl After<'_> {
    /// Asks for the codes of the vectors after each of the other requests. Returns the first finding.
    fn run(
        &mut self,
        tests: &[&Test],
        before: &[Request],
        random: &mut Random,
    ) -> Option<Misplaced> {
        let coded = self.right_codes(tests);
        if coded.is_empty() {
            return None;
        }
        let codes: Vec<u64> = coded.iter().map(|it| it.code).collect();
        for other in before {
            let drawn = if (other.from, other.to) == (self.request.from, self.request.to) {
                codes.clone()
            } else {
                drawn(other.from, random)
            };
            match self.cast(other, &drawn) {
                Ok(_) => {}
                Err((verdict, _)) if verdict > Verdict::Error => return None, // its own pair says so
                Err(_) => continue,
            }
            let got = match self.cast(&self.request.clone(), &codes) {
                Ok(got) => got,
                Err((Verdict::Unsupported, _)) => continue,
                Err(said) => return Some(self.silent(other, &said, &coded)),
            };
            let wrong = self.wrong(&coded, &got);
            if !wrong.is_empty() {
                self.tally.wrong += wrong.len() as u64;
                let place = if self.is_right_again((other, &drawn), (&coded, &codes)) {
                    Place::NotEveryTime
                } else {
                    Place::EarlierCall
                };
                return Some(self.finding((other, place), &wrong, (&coded, &got)));
            }
        }
        None
    }

    /// Returns the codes of these tests that are right alone.
    fn right_codes(&self, tests: &[&Test]) -> Vec<Coded> {
        let is_right = |coded: &Coded| {
            let input = Element::code(coded.code, self.request.from);
            !self.failing.has_errors && !self.failing.shows(&input, &coded.clause)
        };
        Codes::choose(tests).into_iter().filter(is_right).collect()
    }

    /// Asks for the codes of the vectors one by one, in so many calls. Returns the finding if some are wrong.
    fn in_a_row(&mut self, tests: &[&Test], calls: usize) -> Option<Misplaced> {
        let coded = self.right_codes(tests);
        let form = Form::flat(1);
        let inputs: Option<Vec<Vec<u8>>> =
            coded.iter().map(|it| pack(self.request.from, &[it.code]).ok()).collect();
        let inputs = inputs.filter(|it| !it.is_empty())?;
        let mut wrong: Vec<(usize, u64)> = Vec::new();
        let mut first = 0;
        while first < calls {
            let batch: Vec<(Form, Vec<u8>)> = (first..calls.min(first + BATCH))
                .map(|call| (form.clone(), inputs[call % inputs.len()].clone()))
                .collect();
            let replies = cast_each(self.testee, &self.request, &batch);
            for (call, reply) in (first..).zip(replies) {
                let got = match reply.and_then(|it| unpack(self.request.to, &it, 1).map_err(error))
                {
                    Ok(got) => got[0],
                    Err((Verdict::Unsupported, _)) => return None,
                    Err(said) => return Some(self.silent_in(call, &said)),
                };
                let due = coded[call % coded.len()].due();
                if self.judge.element(due, got) == Verdict::Fail {
                    wrong.push((call, got));
                }
            }
            first += batch.len();
            self.tally.tensors += batch.len() as u64;
            self.tally.elements += batch.len() as u64;
        }
        self.tally.wrong += wrong.len() as u64;
        let (call, got) = *wrong.first()?;
        // NaN with another low bit is still NaN: some codes may never be wrong.
        let ever: BTreeSet<usize> = wrong.iter().map(|(call, _)| call % coded.len()).collect();
        let later = (call..calls).filter(|call| ever.contains(&(call % coded.len()))).count();
        let place =
            if wrong.len() == later { Place::CallFrom(call + 1) } else { Place::NotEveryTime };
        let Request { from, to, .. } = self.request;
        let at = &coded[call % coded.len()];
        let sentence = format!(
            "right before; wrong in {} of {} calls in a row with one element each, first in call {}: {} gave {}, expected {}",
            thousands(wrong.len() as u64),
            thousands(calls as u64),
            thousands(call as u64 + 1),
            words::value(from, at.code),
            words::value(to, got),
            words::outcome(to, &at.expect),
        );
        Some(self.of_code((place, sentence), at, got))
    }

    /// Returns the finding of a call in a row that is not answered.
    fn silent_in(&self, call: usize, (verdict, message): &Said) -> Misplaced {
        let call = thousands(call as u64 + 1);
        let sentence =
            format!("right before; {} in call {call} in a row: {message}", verdict.name());
        misplaced(self.asked, Place::NotEveryTime, &alone(), sentence)
    }

    /// Returns the finding of a code that is alone in its tensor.
    fn of_code(&self, (place, sentence): (Place, String), coded: &Coded, got: u64) -> Misplaced {
        let Request { from, to, .. } = self.request;
        Misplaced {
            index: Some(0),
            input: Some(Element::code(coded.code, from)),
            got: Some(Element::code(got, to)),
            expect: Some(OutcomeRecord::new(&coded.expect, to)),
            clause: Some(coded.clause.clone()),
            codes: Misplaced::some_codes([coded.code].into_iter(), from),
            ..misplaced(self.asked, place, &alone(), sentence)
        }
    }

    /// Returns the places of wrong results.
    fn wrong(&mut self, coded: &[Coded], got: &[u64]) -> Vec<usize> {
        self.tally.elements += got.len() as u64;
        let is_wrong = |at: &usize| self.judge.element(coded[*at].due(), got[*at]) == Verdict::Fail;
        (0..got.len()).filter(is_wrong).collect()
    }

    /// Is the request right each time that both are asked once more? Then the fault is not of the call before.
    fn is_right_again(
        &mut self,
        (other, drawn): (&Request, &[u64]),
        (coded, codes): (&[Coded], &[u64]),
    ) -> bool {
        (0..AGAIN).all(|_| {
            let before = self.cast(other, drawn);
            let got = self.cast(&self.request.clone(), codes);
            before.is_ok() && got.is_ok_and(|got| self.wrong(coded, &got).is_empty())
        })
    }

    /// Returns the finding of a request that is answered alone, and not after another one.
    fn silent(&self, before: &Request, (verdict, message): &Said, coded: &[Coded]) -> Misplaced {
        let sentence = format!("right before; {} after {before}: {message}", verdict.name());
        let tensor = Arrangement::plain(coded.len(), Filling::Cycle(0));
        misplaced(self.asked, Place::EarlierCall, &tensor, sentence)
    }

    /// Casts a tensor of codes.
    ///
    /// # Errors
    /// What was said instead of elements.
    fn cast(&mut self, request: &Request, codes: &[u64]) -> Result<Vec<u64>, Said> {
        self.tally.tensors += 1;
        let input = pack(request.from, codes).map_err(error)?;
        let output = cast(self.testee, request, (&Way::Plain, codes.len()), &input)?;
        unpack(request.to, &output, codes.len()).map_err(error)
    }

    fn finding(
        &self,
        (before, place): (&Request, Place),
        wrong: &[usize],
        (coded, got): (&[Coded], &[u64]),
    ) -> Misplaced {
        let Request { from, to, .. } = self.request;
        let first = wrong[0];
        let once = if place == Place::NotEveryTime { "once " } else { "" };
        let Coded { code, expect, clause, .. } = &coded[first];
        let sentence = format!(
            "right before; wrong {once}after {before}: {} gave {}, expected {}; {} of {} codes",
            words::value(from, *code),
            words::value(to, got[first]),
            words::outcome(to, expect),
            thousands(wrong.len() as u64),
            thousands(coded.len() as u64),
        );
        let tensor = Arrangement::plain(coded.len(), Filling::Cycle(0));
        Misplaced {
            index: Some(first as u64),
            input: Some(Element::code(*code, from)),
            got: Some(Element::code(got[first], to)),
            expect: Some(OutcomeRecord::new(expect, to)),
            clause: Some(clause.clone()),
            codes: Misplaced::some_codes(coded.iter().map(|it| it.code), from),
            ..misplaced(self.asked, place, &tensor, sentence)
        }
    }
}

/// A tensor of one element.
fn alone() -> Arrangement {
    Arrangement::plain(1, Filling::Constant(0))
}

/// Draws elements of a dtype.
fn drawn(from: DType, random: &mut Random) -> Vec<u64> {
    let is_valid = |code: &u64| landmarks(from).is_none_or(|it| it.is_valid(*code));
    let codes = (0..OTHERS).map(|_| random.number() & from.code_mask());
    codes.map(|code| if is_valid(&code) { code } else { 0 }).collect()
}
