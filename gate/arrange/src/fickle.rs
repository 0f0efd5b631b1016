//! Codes that are wrong once and right later: what a testee returns for each code alone, asked several times.

use super::codes::{Coded, Codes};
use super::plan::Arrangement;
use super::request::{NotAnswered, One};
use super::wording::misplaced;
use castproof_check::arrange::Filling;
use castproof_check::words;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_vectors::Request;
use std::collections::{BTreeMap, BTreeSet};

/// How often a code is asked again that was wrong alone and right among others.
const AGAIN: usize = 8;

/// What a testee returns for codes alone.
pub(super) struct Known {
    /// The codes that it gets right somewhere, each with what it usually returns; `None` if there are none.
    pub(super) codes: Option<Codes>,
    /// The codes that it gets wrong everywhere.
    pub(super) wrong: Vec<Coded>,
    /// The codes that it gets wrong alone, but not each time.
    pub(super) fickle: Vec<Fickle>,
}

/// A code that is not wrong each time that it is asked alone.
pub(super) struct Fickle {
    coded: Coded,
    /// What came the first time.
    got: u64,
    /// How often it was wrong.
    wrong: usize,
}

impl One<'_> {
    /// Asks for each code alone. Those that are wrong are asked again, among others and then alone.
    ///
    /// # Errors
    /// If it does not answer: the tensor, and what was said instead.
    pub(super) fn known_codes(&mut self, chosen: Vec<Coded>) -> Result<Known, NotAnswered> {
        let from = self.request.from;
        let Some(mut codes) = Codes::new(from, chosen) else {
            return Ok(Known { codes: None, wrong: Vec::new(), fickle: Vec::new() });
        };
        let mut wrong = BTreeSet::new();
        let alone = |place| Arrangement::plain(1, Filling::Constant(place));
        let all: Vec<Arrangement> = (0..codes.len()).map(alone).collect();
        for (place, (got, is_clean)) in self.codes_of_each(&all, &codes)?.into_iter().enumerate() {
            let is_wrong = self.is_wrong(codes.all[place].due(), got[0]);
            let coded = &mut codes.all[place];
            (coded.usual, coded.is_right_alone) = (got[0], is_clean && !is_wrong);
            if is_wrong {
                wrong.insert(place);
            }
        }
        let mut fickle = Vec::new();
        if !wrong.is_empty() {
            // These codes may be wrong only if they are alone.
            let together = Arrangement::plain(2 * codes.len() + 3, Filling::Cycle(0));
            let got = self.codes_of_each(std::slice::from_ref(&together), &codes)?;
            let got = got.into_iter().flat_map(|(got, _)| got);
            let places = together.places(&codes);
            let mut first: BTreeMap<usize, u64> = BTreeMap::new();
            for (place, got) in places.into_iter().zip(got) {
                if wrong.contains(&place) && !self.is_wrong(codes.all[place].due(), got) {
                    first.insert(place, codes.all[place].usual);
                    codes.all[place].usual = got;
                    wrong.remove(&place);
                }
            }
            fickle = self.asked_again(&first, &codes)?;
        }
        let (mut right, mut everywhere) = (Vec::new(), Vec::new());
        for (place, coded) in codes.all.into_iter().enumerate() {
            if wrong.contains(&place) { everywhere.push(coded) } else { right.push(coded) }
        }
        Ok(Known { codes: Codes::new(from, right), wrong: everywhere, fickle })
    }

    /// Asks again for codes that were wrong alone, and returned these codes. Returns those that are not wrong each
    /// time; one that is, is wrong only alone, which is a place.
    fn asked_again(
        &mut self,
        first: &BTreeMap<usize, u64>,
        codes: &Codes,
    ) -> Result<Vec<Fickle>, NotAnswered> {
        let alone = |&place: &usize| vec![Arrangement::plain(1, Filling::Constant(place)); AGAIN];
        let again: Vec<Arrangement> = first.keys().flat_map(alone).collect();
        let got = self.codes_of_each(&again, codes)?;
        let mut fickle = Vec::new();
        for ((&place, &first), got) in first.iter().zip(got.chunks(AGAIN)) {
            let coded = &codes.all[place];
            let wrong = got.iter().filter(|(got, _)| self.is_wrong(coded.due(), got[0])).count();
            if wrong < AGAIN {
                fickle.push(Fickle { coded: coded.clone(), got: first, wrong: 1 + wrong });
            }
        }
        Ok(fickle)
    }

    /// Returns the finding of codes that are wrong alone, but not each time, unless the vectors show that they are
    /// wrong.
    pub(super) fn fickle_ones(&self, asked: Asked, all: &[Fickle]) -> Option<Misplaced> {
        let is_new = |it: &&Fickle| self.failing.is_none() || !self.is_shown(&it.coded);
        let new: Vec<&Fickle> = all.iter().filter(is_new).collect();
        let first = new.first()?;
        let distinct: BTreeSet<u64> = new.iter().map(|it| it.coded.code).collect();
        let Request { from, to, .. } = self.request;
        let sentence = format!(
            "wrong {} of {} times that it was asked alone, where {} gave {}, expected {}{}",
            first.wrong,
            1 + AGAIN,
            words::value(from, first.coded.code),
            words::value(to, first.got),
            words::outcome(to, &first.coded.expect),
            if distinct.len() > 1 { format!("; {} codes", distinct.len()) } else { String::new() },
        );
        let alone = Arrangement::plain(1, Filling::Constant(0));
        let found = misplaced(asked, Place::NotEveryTime, &alone, sentence);
        Some(self.of_code(found, 0, &first.coded, first.got))
    }
}
