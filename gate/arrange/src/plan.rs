//! The plan of tensors: which codes stand where, in tensors of which counts, shapes and layouts.

use super::codes::Codes;
use crate::forms::forms;
use crate::tensor::Way;
use castproof_check::arrange::{
    EVERY, Filling, Kinds, Share, flats, scale, shuffle, tails as tails_of,
};
use castproof_check::fuzz::Random;
use castproof_check::memory::Stand;
use castproof_testee::{Feature, Form, Layout};
use castproof_vectors::{DType, element_count};
use std::collections::BTreeMap;

/// Of so many tensors, one is given to a testee without the gate's own buffers, even if it takes them.
/// A long one never is, because few others have counts like it.
const WITHOUT_BUFFERS: usize = 8;

/// Most elements of a form that is not the first request's.
const LONGEST_FORM: usize = 1100;

/// All counts up to this one are tried for a smaller tensor.
const SHRUNK: usize = 140;

/// One tensor of the plan: how the codes of a request are put into it. Codes are named by their
/// place in [`Codes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrangement {
    /// Elements.
    pub(super) count: usize,
    /// Which codes the elements are.
    pub(super) filling: Filling,
    /// How it reaches the testee.
    pub(super) way: Way,
    /// Where its buffers stand, if the testee takes buffers of the gate.
    pub(super) stands: Option<[Stand; 2]>,
    /// Does it stand in the buffers of the tensor before?
    pub(super) is_repeat: bool,
}

impl Arrangement {
    /// Makes a contiguous tensor of rank 1.
    pub(super) fn plain(count: usize, filling: Filling) -> Arrangement {
        Arrangement { count, filling, way: Way::Plain, stands: None, is_repeat: false }
    }

    /// Returns the places of the codes of all elements.
    pub(super) fn places(&self, codes: &Codes) -> Vec<usize> {
        let row = self.filling.places(&codes.kinds, self.row());
        if row.len() == self.count {
            row
        } else {
            row.into_iter().cycle().take(self.count).collect()
        }
    }

    /// Returns the place of the code of one element.
    pub(super) fn place(&self, codes: &Codes, index: usize) -> usize {
        let row = self.row();
        self.filling.place(&codes.kinds, index % row, row)
    }

    /// Returns smaller arrangements in which the code of this element may fail as it does here, the
    /// smallest first: of one code instead of many, then of two, then of fewer elements. One that is
    /// not plain has none.
    pub(super) fn smaller(&self, codes: &Codes, wrong: usize) -> Vec<Arrangement> {
        if !matches!(self.way, Way::Plain | Way::Placed { .. }) {
            return Vec::new();
        }
        let code = self.place(codes, wrong);
        let mut fillings = vec![Filling::Constant(code)];
        let kinds = &codes.kinds;
        let others = kinds.ordinary.iter().chain(&kinds.special).filter(|&&other| other != code);
        for &other in others {
            fillings.push(Filling::OneIn { one: code, others: other, period: 35, at: 5 });
            fillings.push(Filling::OneIn { one: other, others: code, period: 35, at: 5 });
        }
        fillings.push(self.filling);
        let counts = || (1..=SHRUNK.min(self.count)).chain([self.count]);
        let smaller = |filling| counts().map(move |count| Arrangement::plain(count, filling));
        fillings.into_iter().flat_map(smaller).collect()
    }

    /// Returns the number of elements after which the codes begin anew: rows of a broadcast tensor
    /// are equal.
    pub(super) fn row(&self) -> usize {
        match &self.way {
            Way::Formed(Form { layout: Layout::Broadcast, shape, .. }) => {
                element_count(&shape[1..]).unwrap_or(1).max(1)
            }
            _ => self.count.max(1),
        }
    }
}

/// Returns the tensors of a request, except those that need a feature of the testee. See [`flats`].
pub(super) fn tensors(codes: &Codes, seed: u64, share: Share, most: usize) -> Vec<Arrangement> {
    let alone = (0..codes.len()).map(|code| Arrangement::plain(1, Filling::Constant(code)));
    let mut plan: Vec<Arrangement> = alone.collect();
    let flats = flats(&codes.kinds, seed, share, most);
    let is_followed = |number: usize| flats.get(number + 1).is_some_and(|next| next.is_repeat);
    for (number, flat) in flats.iter().enumerate() {
        let is_repeated = flat.is_repeat || is_followed(number);
        let is_long = flat.count > EVERY;
        let has_stands = is_repeated || is_long || !number.is_multiple_of(WITHOUT_BUFFERS);
        let stands = has_stands.then_some(flat.stands);
        let is_repeat = flat.is_repeat;
        plan.push(Arrangement {
            stands,
            is_repeat,
            ..Arrangement::plain(flat.count, flat.filling)
        });
    }
    plan
}

/// Returns a few tensors: each short count, and some longer ones.
pub(super) fn tails(codes: &Codes, seed: u64) -> Vec<Arrangement> {
    let flats = tails_of(&codes.kinds, seed).into_iter();
    flats.map(|flat| Arrangement::plain(flat.count, flat.filling)).collect()
}

/// Most elements of a tensor that is asked again.
const AGAIN: usize = 700;

/// How often the same tensor is asked in a row. Kernels that count calls, or keep answers, begin at the second or the
/// third.
const IN_A_ROW: usize = 5;

/// Returns tensors that are asked again in the same buffers: the same one some times in a row, and then one that has
/// the same count and differs in its last element alone. A kernel that knows a call again by its first bytes is wrong
/// there.
pub(super) fn again(codes: &Codes, random: &mut Random) -> Vec<Arrangement> {
    let kinds = &codes.kinds;
    let mut all: Vec<Arrangement> = Vec::new();
    for least in [2, 70] {
        let count = scale(random, least, AGAIN);
        let mut push = |filling| {
            let stands = Some([Stand::First; 2]);
            let is_repeat = all.last().is_some_and(|before| before.count == count);
            all.push(Arrangement { stands, is_repeat, ..Arrangement::plain(count, filling) });
        };
        let seed = random.number();
        (0..IN_A_ROW).for_each(|_| push(Filling::Drawn(seed)));
        let others = kinds.zero.unwrap_or(0);
        let marks = kinds.ties.iter().rev().chain(kinds.ascending.last()).chain(&kinds.ordinary);
        // A tensor of one code is another kind.
        for &one in marks.filter(|one| **one != others).take(IN_A_ROW) {
            push(Filling::OneIn { one, others, period: count, at: count - 1 });
        }
    }
    all
}

/// Returns a long tensor that is asked in this many calls, in the same buffers. A kernel whose threads share a buffer is wrong in
/// some of them.
pub(super) fn long(count: usize, calls: usize) -> impl Iterator<Item = Arrangement> {
    let stands = Some([Stand::First; 2]);
    (0..calls).map(move |number| Arrangement {
        stands,
        is_repeat: number > 0,
        ..Arrangement::plain(count, Filling::Cycle(0))
    })
}

/// Returns the tensors with ones in the padding bits of the input; none for dtypes of whole bytes.
pub(super) fn dirty(from: DType, random: &mut Random) -> Vec<Arrangement> {
    let bits = from.bits() as usize;
    let longer = [64, 1024, 4096].map(|most| scale(random, 18, most));
    let counts = (1..=17).chain(longer.into_iter().flat_map(|count| count..count + 4));
    let padded = counts.filter(|count| !(count * bits).is_multiple_of(8));
    let dirty = |count| Arrangement {
        way: Way::DirtyPadding,
        ..Arrangement::plain(count, Filling::Cycle(0))
    };
    padded.map(dirty).collect()
}

/// Returns the tensors in forms that the testee's hello lists; for the first request of a pair all of
/// them, for the others a few.
pub(super) fn formed(
    pair: (DType, DType),
    kinds: &Kinds,
    features: &[Feature],
    (random, is_first): (&mut Random, bool),
) -> Vec<Arrangement> {
    let mut forms = forms(pair, features, random);
    if !is_first {
        shuffle(&mut forms, random);
        forms.retain(|form| element_count(&form.shape).is_ok_and(|count| count <= LONGEST_FORM));
        forms.truncate(forms.len() / 4);
    }
    filled(forms, kinds, random)
}

/// Returns the tensors of `CastLike` in forms that the testee's hello lists: every form that is not long.
pub(super) fn formed_like(
    pair: (DType, DType),
    kinds: &Kinds,
    features: &[Feature],
    random: &mut Random,
) -> Vec<Arrangement> {
    let mut forms = forms(pair, features, random);
    forms.retain(|form| element_count(&form.shape).is_ok_and(|count| count <= LONGEST_FORM));
    filled(forms, kinds, random)
}

/// Puts codes into forms.
fn filled(forms: Vec<Form>, kinds: &Kinds, random: &mut Random) -> Vec<Arrangement> {
    let mut turn = random.below(3);
    let mut alike: BTreeMap<_, usize> = BTreeMap::new();
    let tensor = |form: Form| {
        let count = element_count(&form.shape).unwrap_or(0);
        turn += 1;
        let rank = form.shape.len();
        let kind = (form.layout.name(), form.constant, form.in_place, rank);
        let number = *alike.entry(kind).and_modify(|number| *number += 1).or_insert(0);
        let filling = match turn % 3 {
            // The first of each kind ends with zero, which is the first special code and the only one
            // with a defined result in some casts. A scalar is each of some codes.
            _ if number == 0 || rank == 0 => Filling::Marked(number),
            0 => Filling::Cycle(random.below(kinds.number)),
            1 => Filling::Marked(random.below(kinds.special.len().max(1))),
            _ => Filling::Marked(kinds.special.len() + random.below(kinds.ties.len().max(1))),
        };
        Arrangement { way: Way::Formed(form), ..Arrangement::plain(count, filling) }
    };
    forms.into_iter().map(tensor).collect()
}
