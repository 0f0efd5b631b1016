//! What is done at a place where elements are wrong.
//!
//! A place says where a kernel is wrong, and not what it does there. Many codes of the vectors are put there, and the
//! wrong and the right results together tell the methods: a tail that rounds ties away from zero and makes zero of
//! subnormal results is wrong at these codes, and right at all others.

use super::cause::{Judged, holds_at};
use super::codes::{Coded, Codes, in_turn};
use super::plan::Arrangement;
use super::request::One;
use crate::tensor::Way;
use castproof_check::arrange::Filling;
use castproof_check::verdict::{Verdict, admits};
use castproof_judge::diagnosis::{Observation, diagnose};
use castproof_results::asked::Asked;
use castproof_results::diagnosis::{Cause, Done};
use castproof_results::place::Place;
use castproof_vectors::{Outcome, Test, landmarks};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most codes that are put at a place.
const MOST: usize = 1024;

/// Most elements of the tensors in which they stand, if the place is in any so short.
const LONG: usize = 140;

/// How many methods that cannot be told apart from a cause are said beside it.
const MOST_ALTERNATIVES: usize = 2;

impl One<'_> {
    /// Returns the wrong methods that together give nine of ten wrong results at a place, and contradict few right
    /// ones there; `None` if none do, or if the place is not one of indices or counts.
    pub(super) fn done(
        &mut self,
        place: &Place,
        all: &[Judged],
        tests: &[&Test],
        asked: &Asked,
    ) -> Option<Done> {
        let observed = self.at_place(place, all, tests)?;
        let explained = diagnose(asked, &[observed]).into_iter();
        let mut found = explained.map(|it| it.diagnosis).find(|it| it.verdict == Verdict::Fail)?;
        found.causes.sort_by_key(|cause| Reverse(cause.reproduced));
        let total = |count: fn(&Cause) -> u64| found.causes.iter().map(count).sum::<u64>();
        let done = Done {
            methods: found.causes.iter().map(said).collect(),
            reproduced: total(|cause| cause.reproduced),
            of: found.deviations,
            contradicted: total(|cause| cause.contradicted),
            passes: found.passes,
        };
        let is_most = done.reproduced * 10 >= done.of * 9;
        (is_most && done.contradicted * 10 <= done.reproduced).then_some(done)
    }

    /// Puts codes of the tests at a place, and returns what came of them there.
    fn at_place(&mut self, place: &Place, all: &[Judged], tests: &[&Test]) -> Option<Observation> {
        let target = landmarks(self.request.to)?;
        let count = count_for(place, all)?;
        let tests = in_turn(tests).into_iter();
        let coded = tests.filter_map(|test| Some(Coded::of(test, test.input.as_code()?)));
        // Codes that are wrong everywhere are another fault.
        let chosen = coded.filter(|it| it.expect != Outcome::Any && !self.is_shown(it)).take(MOST);
        let codes = Codes::new(self.request.from, chosen.collect())?;
        let tensors = covering(place, count, &codes);
        let got = self.codes_of_each(&tensors, &codes).ok()?;
        let mut came: BTreeMap<(u64, u64), Verdict> = BTreeMap::new();
        for (tensor, (got, _)) in tensors.iter().zip(got) {
            for index in (0..count).filter(|&index| holds_at(place, index, count)) {
                let coded = &codes.all[tensor.place(&codes, index)];
                let verdict = match self.is_wrong(coded.due(), got[index]) {
                    true => Verdict::Fail,
                    false if admits(&coded.expect, got[index], target) => Verdict::Pass,
                    false => Verdict::Tolerated,
                };
                came.insert((coded.code, got[index]), verdict);
            }
        }
        let (inputs, got) = came.keys().copied().unzip();
        let verdicts = came.into_values().collect();
        Some(Observation { request: self.request, inputs, got, verdicts })
    }
}

/// `rounded toward zero`, or `rounded toward zero, or low half of the source dropped`.
fn said(cause: &Cause) -> String {
    let others = cause.alternatives.iter().take(MOST_ALTERNATIVES);
    others.fold(cause.method.clone(), |text, other| format!("{text}, or {other}"))
}

/// Returns the count of the wrong contiguous tensors in which most elements stand at a place: of the short ones, else
/// of the shortest one.
fn count_for(place: &Place, all: &[Judged]) -> Option<usize> {
    let is_plain = |it: &&Judged| matches!(it.tensor.way, Way::Plain | Way::Placed { .. });
    let standing = |count: usize| (0..count).filter(|&at| holds_at(place, at, count)).count();
    let wrong = all.iter().filter(|it| !it.wrong.is_empty()).filter(is_plain);
    let counts: Vec<usize> =
        wrong.map(|it| it.tensor.count).filter(|it| standing(*it) > 0).collect();
    let short = counts.iter().copied().filter(|count| *count <= LONG);
    short.max_by_key(|count| standing(*count)).or_else(|| counts.iter().copied().min())
}

/// Returns tensors of all codes in turn, begun so that each code stands at the place in one of them.
fn covering(place: &Place, count: usize, codes: &Codes) -> Vec<Arrangement> {
    let mut is_covered = vec![false; codes.len()];
    let tensors = (0..codes.len()).map(|first| Arrangement::plain(count, Filling::Cycle(first)));
    let mut adds = |tensor: &Arrangement| {
        let standing = (0..count).filter(|&index| holds_at(place, index, count));
        let places = standing.map(|index| tensor.place(codes, index));
        places.filter(|&at| !std::mem::replace(&mut is_covered[at], true)).count() > 0
    };
    tensors.filter(|it| adds(it)).collect()
}
