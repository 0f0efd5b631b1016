//! Arrangements: a code that is cast right alone must be cast right at every place of a tensor.
//!
//! The expected answers are those of the vectors. Some codes of a request are put into tensors of
//! many counts, shapes and layouts, beside one another in many ways, and each output is compared
//! with what the testee returned for each code alone. This crate does not report codes that are
//! wrong everywhere if the vectors report them.
#![deny(unsafe_code)]

pub mod ask;
mod at_place;
mod buffer;
mod cause;
mod codes;
mod drawn;
mod editions;
mod fickle;
pub mod forms;
mod history;
mod like;
mod numerals;
mod older;
mod open_results;
mod placed;
mod plan;
mod refused;
mod request;
mod sets;
pub mod shrink;
pub mod tensor;
pub mod text_drawn;
mod texts;
mod wording;

use castproof_check::arrange::{CORE, Filling, Share};
use castproof_check::fuzz::Random;
use castproof_check::words;
use castproof_judge::finding::failing::Failing;
use castproof_judge::scope::Judgement;
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_results::place::Place;
use castproof_results::{Misplaced, Results};
use castproof_testee::Testee;
use castproof_vectors::random::mixed;
use castproof_vectors::{Attributes, Element, Level, OutcomeRecord, Request, Test, VectorFile};
use cause::{Judged, cause};
use codes::{Coded, Codes};
use drawn::OnlyHere;
pub use editions::{Arrangements, Arranging, Calls, Like};
use fickle::Known;
pub use open_results::varying;
use placed::Placed;
use plan::Arrangement;
use request::{One, TensorReply};
pub use sets::note;
use sets::{Edition, of_version, seed_of, shares, takes};
use std::collections::{BTreeSet, VecDeque};
use tensor::{Way, padding_rule};
use wording::{Silent, counts_of, described, misplaced, runs, unanswered};

/// The power of two to which the tensors of the levels above core go.
const STANDARD: usize = 1 << 24;

/// Arranges the codes of a pair in the versions that are asked, ascending; each comes with the
/// specification that its requests name.
pub fn arrange(
    file: &VectorFile,
    editions: &[Edition],
    how: &Arranging,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    let pair = (file.from, file.to);
    // Versions that the testee lacks are skipped: the newest one that it has is arranged.
    let executed = |version: Option<u32>| {
        let mut cells = results.cells.iter();
        cells.any(|(asked, cell)| asked.opset == version && cell.counts.executed > 0)
    };
    let wanted = editions.iter().copied().rev().filter(|&(version, _)| {
        let mut groups = file.groups.iter();
        executed(version) && groups.any(|group| group.holds_in(version) && takes(&group.tests))
    });
    let most = match how.versions {
        Arrangements::None => 0,
        Arrangements::Newest => 1,
        Arrangements::All => usize::MAX,
    };
    let mut wanted: Vec<Edition> = wanted.collect();
    let older = wanted.split_off(most.min(wanted.len()));
    for (number, &(version, spec)) in wanted.iter().enumerate() {
        let is_executed = |attributes: &Attributes| {
            let asked = Asked::of_cast(file.suite, pair, *attributes).at(version);
            results.cells.get(&asked).is_some_and(|cell| cell.counts.executed > 0)
        };
        // A testee may lack attributes; the vectors tell.
        let mut sets = of_version(file, version);
        sets.retain(|attributes, _| is_executed(attributes));
        for (attributes, tests, share) in shares(&sets) {
            let index = share.index;
            let request = Request::new(spec, pair.0, pair.1).with(attributes);
            let asked = Asked::of_cast(file.suite, pair, attributes).at(version);
            let seed = seed_of(how.seed, pair, number);
            let Judgement { strict, silent_as } = how.judgement;
            let failing = Failing::of(&asked, &sets, results, silent_as);
            let (tally, misplaced) = if pair.0.is_numeric() && pair.1.is_numeric() {
                let Some(mut one) = One::new(request, strict, testee, Some(failing)) else {
                    continue;
                };
                one.silent_as = silent_as;
                let is_first = (number, index) == (0, 0);
                let most = match number {
                    0 if how.level > Level::Core => STANDARD,
                    0 => CORE,
                    _ => SHORT,
                };
                let more = if is_first { long_tensors(how) } else { Vec::new() };
                let drawn = (seed, share, most);
                let mut misplaced = one.run(tests, drawn, more, asked);
                let due = refused::tests(file, version, attributes);
                misplaced.extend(refused::run(&mut one, &due, asked));
                (one.tally, misplaced)
            } else {
                texts::run(request, asked, tests, (&failing, strict, seed), testee)
            };
            note(asked, tally, misplaced, baseline, results);
        }
    }
    if how.versions != Arrangements::None {
        beyond(file, (&wanted, &older), how, baseline, testee, results);
    }
}

/// Asks for drawn codes in older versions, for requests after others, and for `CastLike`.
fn beyond(
    file: &VectorFile,
    (arranged, older): (&[Edition], &[Edition]),
    how: &Arranging,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    if let Some((newest, others)) = arranged.split_first() {
        older::run(file, (*newest, older), how, baseline, testee, results);
        let others: Vec<Edition> = others.iter().chain(older).copied().collect();
        history::run(file, (*newest, &others), how, baseline, testee, results);
    }
    testee.may_end();
    like::run(file, how, baseline, testee, results);
}

/// The largest power of two to which the tensors of a single request go.
const SHORT: usize = 1 << 16;

/// Asks one request for tensors that are made of the codes of these tests.
pub fn arrange_request(
    request: Request,
    tests: &[&Test],
    strict: bool,
    testee: &mut dyn Testee,
) -> Vec<Misplaced> {
    let Some(mut one) = One::new(request, strict, testee, None) else { return Vec::new() };
    let seed = seed_of(0, (request.from, request.to), 0);
    one.run(tests, (seed, Share::WHOLE, SHORT), Vec::new(), Asked::of_request(&request))
}

/// Returns the long tensors that the first request of a pair is asked for beside those of its plan: the one that the caller
/// asks for, and the longest of level core in several calls. At the levels above, 16 calls of the longest would be 268 million
/// elements a pair.
fn long_tensors(how: &Arranging) -> Vec<Arrangement> {
    let large = how.large.map(|count| Arrangement::plain(count, Filling::Cycle(0)));
    large.into_iter().chain(plan::long(CORE, how.long_calls)).collect()
}

/// Of so few wrong tensors it is doubted that their places are the cause.
const FEW: usize = 3;

/// How many wrong tensors are asked again, twice each.
const AGAIN: usize = 8;

/// Returns the long tensor that was asked last in several calls, if it was wrong in some of them alone, and in how many of how
/// many, as words. Two threads that share a buffer differ from call to call.
fn wrong_in_some_calls<'j>(place: &Place, all: &'j [Judged]) -> Option<(&'j Judged, String)> {
    // Tensors in forms may have the same codes too, and are others.
    let last = all.last().map(|it| &it.tensor).filter(|it| it.is_repeat)?;
    let is_same = |it: &&Judged| (it.tensor.count, it.tensor.filling) == (last.count, last.filling);
    let calls: Vec<&Judged> = all.iter().rev().take_while(is_same).collect();
    let wrong = calls.iter().filter(|it| !it.wrong.is_empty()).count();
    let first = calls.iter().rev().find(|it| !it.wrong.is_empty())?;
    let is_told = wrong < calls.len() && !place.is_of_calls();
    let told = format!("wrong in {wrong} of {} calls with the same tensor", calls.len());
    is_told.then_some((*first, told))
}

/// Returns the counts of right tensors of rank 1.
fn right_counts(all: &[Judged]) -> impl Iterator<Item = usize> {
    let is_flat = |it: &&Judged| !matches!(it.tensor.way, Way::Formed(_) | Way::DirtyPadding);
    all.iter().filter(is_flat).filter(|it| it.wrong.is_empty()).map(|it| it.tensor.count)
}

impl One<'_> {
    /// Asks for every tensor, those of `more` last, and returns the findings.
    fn run(
        &mut self,
        tests: &[&Test],
        (seed, share, most): (u64, Share, usize),
        more: Vec<Arrangement>,
        asked: Asked,
    ) -> Vec<Misplaced> {
        let Known { codes, wrong, fickle } = match self.known_codes(Codes::choose(tests)) {
            Ok(known) => known,
            Err(silent) => return vec![unanswered(asked, &silent.1, &[silent.0])],
        };
        let shown: Vec<bool> = wrong.iter().map(|coded| self.is_shown(coded)).collect();
        let mut shown = shown.into_iter();
        let wrong: Vec<Coded> = wrong.into_iter().filter(|_| shown.next() == Some(false)).collect();
        let mut found: Vec<Misplaced> = self.only_here(asked, &wrong).into_iter().collect();
        found.extend(self.fickle_ones(asked, &fickle));
        let drawn = drawn::run(self, seed, asked);
        found.extend(drawn.found);
        let Some(codes) = codes else {
            found.extend(drawn.only_here.map(|codes| codes.finding));
            return found;
        };
        self.right = codes.all.iter().map(|it| it.code).collect();
        let mut plan = plan::tensors(&codes, seed, share, most);
        let mut random = Random::new(mixed(seed ^ share.index as u64));
        plan.extend(plan::again(&codes, &mut random));
        plan.extend(plan::dirty(self.request.from, &mut random));
        let (pair, features) = ((self.request.from, self.request.to), self.testee.features());
        let random = (&mut random, share.index == 0);
        plan.extend(plan::formed(pair, &codes.kinds, &features, random));
        plan.extend(more);
        let (all, told) = self.ask_all(plan.into(), &codes, asked);
        found.extend(told);
        let wrong = self.wrong(&all, (&codes, tests), asked);
        // Codes that are wrong at the same place are the same fault.
        let is_told = |codes: &OnlyHere| wrong.as_ref().is_some_and(|it| codes.is_of(&it.place));
        found.extend(drawn.only_here.filter(|codes| !is_told(codes)).map(|codes| codes.finding));
        found.extend(wrong);
        found
    }

    /// Asks `CastLike` for tensors of these tests, and returns the findings. `shown` are the codes that are wrong
    /// in a tensor of all of them, which is a finding already.
    fn run_like(
        &mut self,
        tests: &[&Test],
        seed: u64,
        asked: Asked,
        shown: &BTreeSet<u64>,
    ) -> Vec<Misplaced> {
        let Known { codes, mut wrong, fickle } = match self.known_codes(Codes::choose(tests)) {
            Ok(known) => known,
            Err(silent) => return vec![unanswered(asked, &silent.1, &[silent.0])],
        };
        wrong.retain(|coded| !shown.contains(&coded.code));
        let mut found: Vec<Misplaced> = self.only_here(asked, &wrong).into_iter().collect();
        found.extend(self.fickle_ones(asked, &fickle));
        let Some(codes) = codes else { return found };
        let mut plan = plan::tails(&codes, seed);
        let mut random = Random::new(mixed(seed));
        plan.extend(plan::dirty(self.request.from, &mut random));
        let (pair, features) = ((self.request.from, self.request.to), self.testee.features());
        plan.extend(plan::formed_like(pair, &codes.kinds, &features, &mut random));
        let (all, told) = self.ask_all(plan.into(), &codes, asked);
        found.extend(told);
        found.extend(self.wrong(&all, (&codes, tests), asked));
        found
    }

    /// Asks for all tensors of a plan. Returns those with elements, and the findings of the others.
    fn ask_all(
        &mut self,
        mut plan: VecDeque<Arrangement>,
        codes: &Codes,
        asked: Asked,
    ) -> (Vec<Judged>, Vec<Misplaced>) {
        let mut all: Vec<Judged> = Vec::new();
        let mut padding: Vec<Arrangement> = Vec::new();
        let mut silent = Silent::default();
        // What a testee does not take is no place at which it could be wrong.
        let limits = self.testee.limits();
        plan.retain(|tensor| limits.take(&tensor.way.form(tensor.count).shape));
        self.placed = Placed::open(&self.request, self.testee);
        request::clear_buffers();
        while !silent.is_given_up() && !plan.is_empty() {
            let mut batch = self.batch(&mut plan, codes);
            let replies = self.ask_each(&mut batch, codes);
            for tensor in batch[replies.len()..].iter().rev() {
                plan.push_front(tensor.clone()); // the testee died before its turn
            }
            for (tensor, came) in batch.into_iter().zip(replies) {
                let history = self.noted(&tensor, codes);
                match came {
                    TensorReply::Elements(wrong) => all.push(Judged { tensor, history, wrong }),
                    TensorReply::Padding => padding.push(tensor),
                    TensorReply::Told => {}
                    TensorReply::Nothing(verdict, message) => {
                        silent.note(tensor, (verdict, message), &mut self.tally);
                    }
                }
            }
        }
        request::shrink_buffers();
        let mut found = self.placed.take().map_or(Vec::new(), |placed| placed.findings(asked));
        found.extend(self.soiled(&padding, codes, asked));
        found.extend(silent.findings(asked));
        (all, found)
    }

    /// Do the vectors show that this code is cast wrong? In fuzzing, which has none, every code counts as shown.
    fn is_shown(&self, coded: &Coded) -> bool {
        let input = Element::code(coded.code, self.request.from);
        self.failing.as_ref().is_none_or(|failing| failing.shows(&input, &coded.clause))
    }

    /// Returns the finding of codes that are right in the tensors of the vectors but wrong in every
    /// tensor of this module. The result of such a testee depends on the count of a tensor or on
    /// earlier requests.
    fn only_here(&self, asked: Asked, wrong: &[Coded]) -> Option<Misplaced> {
        let first = wrong.first()?;
        let distinct: BTreeSet<u64> = wrong.iter().map(|coded| coded.code).collect();
        let (from, to) = (self.request.from, self.request.to);
        let sentence = format!(
            "right in the tensors of the vectors; wrong alone, where {} gave {}, expected {}, and in \
             a longer tensor{}",
            words::value(from, first.code),
            words::value(to, first.usual),
            words::outcome(to, &first.expect),
            if distinct.len() > 1 { format!("; {} codes", distinct.len()) } else { String::new() },
        );
        let alone = Arrangement::plain(1, Filling::Constant(0));
        let place = Place::OtherTensors;
        Some(self.of_code(misplaced(asked, place, &alone, sentence), 0, first, first.usual))
    }

    /// Returns the finding of wrong elements, if there are any, with their cause and the shortest
    /// tensor.
    fn wrong(
        &mut self,
        all: &[Judged],
        (codes, tests): (&Codes, &[&Test]),
        asked: Asked,
    ) -> Option<Misplaced> {
        let failing = all.iter().filter(|it| !it.wrong.is_empty());
        let first = failing
            .clone()
            .min_by_key(|it| (matches!(it.tensor.way, Way::Formed(_)), it.tensor.count))?;
        let mut place = self.exact(cause(all, codes), all, codes);
        let tensors = failing.clone().count();
        let (first, again) = match wrong_in_some_calls(&place, all) {
            Some((first, told)) => (first, Some(told)),
            None => (first, self.right_again(&place, failing, codes)),
        };
        let shrunk = if again.is_none() { self.smallest(first, codes) } else { None };
        let shrunk = shrunk.as_ref().unwrap_or(first);
        let (index, got) = shrunk.wrong[0];
        let (from, to) = (self.request.from, self.request.to);
        let coded = &codes.all[shrunk.tensor.place(codes, index)];
        let count = shrunk.tensor.count;
        let indices: Vec<usize> = shrunk.wrong.iter().map(|(index, _)| *index).collect();
        let alone = all.iter().any(|it| it.tensor.count == 1 && !it.wrong.is_empty());
        let how = match again {
            Some(told) => {
                place = Place::NotEveryTime;
                told
            }
            None if alone => format!("right elsewhere; wrong in {place}"),
            None => format!("right alone; wrong in {place}"),
        };
        let sentence = format!(
            "{how}: {} of {count}, where {} gave {}, expected {}; {tensors} tensors{}",
            runs(&indices),
            words::value(from, coded.code),
            words::value(to, got),
            words::outcome(to, &coded.expect),
            described(&shrunk.tensor.way),
        );
        let of_tensor = shrunk.tensor.places(codes).into_iter().map(|place| codes.all[place].code);
        let done = self.done(&place, all, tests, &asked);
        let found = misplaced(asked, place, &shrunk.tensor, sentence);
        Some(Misplaced {
            done,
            codes: Misplaced::some_codes(of_tensor, from),
            ..self.of_code(found, index, coded, got)
        })
    }

    /// Asks for wrong tensors again, if no rule describes their places or they are few. Returns how often they were right, of
    /// how many times, as words, if they mostly are: then the fault is of calls and not of places. Where the place is one of
    /// calls, or of addresses, it is the finding.
    fn right_again<'j>(
        &mut self,
        place: &Place,
        failing: impl Iterator<Item = &'j Judged>,
        codes: &Codes,
    ) -> Option<String> {
        let failing: Vec<&Arrangement> = failing.map(|it| &it.tensor).collect();
        let is_doubted = *place == Place::NotExplained || failing.len() <= FEW;
        let is_placed = |it: &&Arrangement| matches!(it.way, Way::Placed { .. });
        if !is_doubted || place.is_of_calls() || failing.iter().any(is_placed) {
            return None;
        }
        let (mut right, mut asked) = (0, 0);
        for tensor in failing.iter().take(AGAIN).flat_map(|it| [it; 2]) {
            let TensorReply::Elements(wrong) = self.ask(tensor, codes) else { return None };
            asked += 1;
            right += usize::from(wrong.is_empty());
        }
        let told = || {
            format!(
                "wrong once, and right {right} of {asked} times that such tensors were asked again"
            )
        };
        (right * 4 >= asked * 3).then(told)
    }

    /// Returns a place of counts with its exact ends, which the drawn tensors only come near. Otherwise
    /// one fault would have another name in each request.
    fn exact(&mut self, place: Place, all: &[Judged], codes: &Codes) -> Place {
        match place {
            Place::CountFrom(first) => Place::CountFrom(self.first_wrong(first, all, codes)),
            Place::CountUpTo(last) => Place::CountUpTo(self.last_wrong(last, all, codes)),
            Place::CountBetween { first, last } => Place::CountBetween {
                first: self.first_wrong(first, all, codes),
                last: self.last_wrong(last, all, codes),
            },
            place => place,
        }
    }

    /// Returns the smallest wrong count between a wrong one and the largest right one below it.
    fn first_wrong(&mut self, wrong: usize, all: &[Judged], codes: &Codes) -> usize {
        let right = right_counts(all).filter(|count| *count < wrong).max();
        right.map_or(wrong, |right| self.end_of_wrong((right, wrong), all, codes))
    }

    /// Returns the largest wrong count between a wrong one and the smallest right one above it.
    fn last_wrong(&mut self, wrong: usize, all: &[Judged], codes: &Codes) -> usize {
        let right = right_counts(all).filter(|count| *count > wrong).min();
        right.map_or(wrong, |right| self.end_of_wrong((right, wrong), all, codes))
    }

    /// Returns the wrong count that is next to a right one, by halving.
    fn end_of_wrong(
        &mut self,
        (mut right, mut wrong): (usize, usize),
        all: &[Judged],
        codes: &Codes,
    ) -> usize {
        let shown = all.iter().find(|it| it.tensor.count == wrong && !it.wrong.is_empty());
        let Some(shown) = shown else { return wrong };
        let first = shown.tensor.place(codes, shown.wrong[0].0);
        while right.abs_diff(wrong) > 1 {
            let middle = right.min(wrong) + right.abs_diff(wrong) / 2;
            let tensor = Arrangement::plain(middle, Filling::Cycle(first));
            match self.ask(&tensor, codes) {
                TensorReply::Elements(found) if !found.is_empty() => wrong = middle,
                TensorReply::Elements(_) => right = middle,
                _ => break,
            }
        }
        wrong
    }

    /// Returns the first of the smaller tensors that fails too, if one does.
    fn smallest(&mut self, failing: &Judged, codes: &Codes) -> Option<Judged> {
        let smaller = failing.tensor.smaller(codes, failing.wrong[0].0);
        smaller.into_iter().find_map(|tensor| match self.ask(&tensor, codes) {
            TensorReply::Elements(wrong) if !wrong.is_empty() => {
                Some(Judged { tensor, history: None, wrong })
            }
            _ => None,
        })
    }

    /// Returns the finding of tensors whose padding bits are wrong, shown in one of equal elements if
    /// there is one.
    fn soiled(&self, all: &[Arrangement], codes: &Codes, asked: Asked) -> Option<Misplaced> {
        let is_equal =
            |it: &&Arrangement| it.way == Way::Plain && matches!(it.filling, Filling::Constant(_));
        let tensor = all.iter().find(is_equal).or(all.first())?;
        let Request { from, to, .. } = self.request;
        let sentence = format!("the padding bits of the output are not zero: {}", counts_of(all));
        let of_tensor: Vec<u64> =
            tensor.places(codes).into_iter().map(|place| codes.all[place].code).collect();
        Some(Misplaced {
            index: Some(tensor.count as u64 - 1),
            input: of_tensor.last().map(|&code| Element::code(code, from)),
            clause: padding_rule(to).map(|rule| rule.to_string()),
            codes: Misplaced::some_codes(of_tensor.into_iter(), from),
            ..misplaced(asked, Place::PaddingOut, tensor, sentence)
        })
    }

    /// Completes a finding with the wrong element that shows it.
    fn of_code(&self, found: Misplaced, index: usize, coded: &Coded, got: u64) -> Misplaced {
        let Request { from, to, .. } = self.request;
        Misplaced {
            index: Some(index as u64),
            input: Some(Element::code(coded.code, from)),
            got: Some(Element::code(got, to)),
            expect: Some(OutcomeRecord::new(&coded.expect, to)),
            clause: Some(coded.clause.clone()),
            codes: vec![Element::code(coded.code, from)],
            ..found
        }
    }
}
