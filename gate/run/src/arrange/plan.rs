//! The plan of tensors: which codes stand where, in tensors of which counts, shapes and layouts.

use super::codes::Codes;
use crate::tensor::{Way, forms};
use castproof_testee::{Feature, Form, Layout};
use castproof_vectors::{DType, Level, element_count};

/// Every count up to this one is asked: enough for two vectors of 64 elements and a tail.
pub(super) const COUNTS: usize = 130;

/// A count with a body and a tail for every vector of 4 to 64 elements: 67 = 64 + 3.
pub(super) const BODY_AND_TAIL: usize = 67;

/// Counts whose neighbours are asked too: sizes of tables, blocks, pages and the share of a thread.
const BLOCKS: [usize; 6] = [256, 512, 1024, 4096, 32_768, 65_536];

/// The largest count of level core, and of the levels above.
const LARGE: [usize; 2] = [1 << 20, 1 << 24];

/// Counts that are asked again after the larger ones.
const AGAIN: [usize; 7] = [BODY_AND_TAIL, 1, 19, 0, COUNTS, 7, 33];

/// All counts up to this one are tried for a smaller tensor.
const SHRUNK: usize = 140;

/// How the codes of a tensor follow one another. Codes are named by their place in [`Codes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// All codes in turn, from this one on.
    Cycle(usize),
    /// One code everywhere.
    Constant(usize),
    /// One code at three places, one of them the last, and another everywhere else.
    Among {
        /// The code at three places.
        one: usize,
        /// The code everywhere else.
        others: usize,
    },
    /// Ascending codes, each as often as the others.
    Sorted,
    /// Descending codes, each as often as the others.
    Descending,
    /// Codes without and with the topmost bit in turn.
    Alternating,
}

impl Filling {
    /// Returns the place of the code of element `index` in a tensor of `count` elements.
    pub(super) fn place(self, codes: &Codes, index: usize, count: usize) -> usize {
        let number = codes.len();
        let rank = || index * number / count.max(1);
        match self {
            Filling::Cycle(first) => (first + index) % number,
            Filling::Constant(code) => code,
            Filling::Among { one, others } => {
                if [5, 40].contains(&index) || index + 1 == count {
                    one
                } else {
                    others
                }
            }
            Filling::Sorted => codes.ascending[rank()],
            Filling::Descending => codes.ascending[number - 1 - rank()],
            Filling::Alternating => codes.alternating[index % number],
        }
    }
}

/// One tensor of the plan: how the codes of a request are put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrangement {
    /// Elements.
    pub(super) count: usize,
    /// Which codes the elements are.
    pub(super) filling: Filling,
    /// How it reaches the testee.
    pub(super) way: Way,
    /// Were larger ones asked before?
    pub(super) again: bool,
}

impl Arrangement {
    /// Makes a contiguous tensor of rank 1.
    pub(super) fn plain(count: usize, filling: Filling) -> Arrangement {
        Arrangement { count, filling, way: Way::Plain, again: false }
    }

    /// Returns the places of the codes of all elements.
    pub(super) fn places<'a>(&self, codes: &'a Codes) -> impl Iterator<Item = usize> + 'a {
        let (count, filling, row) = (self.count, self.filling, self.row());
        (0..count).map(move |index| filling.place(codes, index % row, row))
    }

    /// Returns the place of the code of one element.
    pub(super) fn place(&self, codes: &Codes, index: usize) -> usize {
        let row = self.row();
        self.filling.place(codes, index % row, row)
    }

    /// Returns smaller arrangements in which the code of this element may fail as it does here, the
    /// smallest first: of one code instead of many, then of two, then of fewer elements. One that is
    /// not plain has none.
    pub(super) fn smaller(&self, codes: &Codes, wrong: usize) -> Vec<Arrangement> {
        if self.way != Way::Plain {
            return Vec::new();
        }
        let code = self.place(codes, wrong);
        let mut fillings = vec![Filling::Constant(code)];
        let others = codes.ordinary.iter().chain(&codes.special).filter(|&&other| other != code);
        for &other in others {
            fillings.push(Filling::Among { one: code, others: other });
            fillings.push(Filling::Among { one: other, others: code });
        }
        fillings.push(self.filling);
        let counts = || (1..=SHRUNK.min(self.count)).chain([self.count]);
        let smaller = |filling| counts().map(move |count| Arrangement::plain(count, filling));
        fillings.into_iter().flat_map(smaller).collect()
    }

    /// Returns the number of elements after which the codes begin anew: rows of a broadcast tensor
    /// are equal.
    fn row(&self) -> usize {
        match &self.way {
            Way::Formed(Form { layout: Layout::Broadcast, shape, .. }) => {
                element_count(&shape[1..]).unwrap_or(1).max(1)
            }
            _ => self.count.max(1),
        }
    }
}

/// Returns the tensors of a request, except those that need a feature of the testee or buffers of
/// the gate. Short ones come first.
pub(super) fn tensors(codes: &Codes, level: Level, first_of_pair: bool) -> Vec<Arrangement> {
    let number = codes.len();
    let mut plan: Vec<Arrangement> = Vec::new();
    for code in 0..number {
        plan.push(Arrangement::plain(1, Filling::Constant(code)));
    }
    // The last element of the odd counts is each code in turn, in the tail of every vector.
    for count in 0..=COUNTS {
        plan.push(Arrangement::plain(count, ending(count, (count / 2) % number, number)));
    }
    for code in 0..number {
        plan.push(Arrangement::plain(BODY_AND_TAIL, Filling::Constant(code)));
    }
    for &special in &codes.special {
        for &ordinary in &codes.ordinary {
            for (one, others) in [(special, ordinary), (ordinary, special)] {
                plan.push(Arrangement::plain(BODY_AND_TAIL, Filling::Among { one, others }));
            }
        }
    }
    for filling in [Filling::Sorted, Filling::Descending, Filling::Alternating] {
        plan.push(Arrangement::plain(COUNTS + 1, filling));
    }
    let large = LARGE[usize::from(level > Level::Core)];
    let blocks = BLOCKS.iter().flat_map(|block| [block - 1, *block, block + 1]);
    // A tensor of a million elements takes as long as all others together, so only one request has
    // it.
    let large = first_of_pair.then_some([large - 1, large + 1]);
    for count in blocks.chain(large.into_iter().flatten()) {
        plan.push(Arrangement::plain(count, Filling::Cycle(0)));
    }
    for count in AGAIN {
        let filling = ending(count, (count / 2) % number, number);
        plan.push(Arrangement { again: true, ..Arrangement::plain(count, filling) });
    }
    plan
}

/// Returns all codes in turn, shifted so that the last element is `last`.
fn ending(count: usize, last: usize, number: usize) -> Filling {
    Filling::Cycle((last + number - count.saturating_sub(1) % number) % number)
}

/// Returns the tensors with ones in the padding bits of the input; none for dtypes of whole bytes.
pub(super) fn dirty(from: DType) -> Vec<Arrangement> {
    let bits = from.bits() as usize;
    let padded = (1..=17).filter(|count| !(count * bits).is_multiple_of(8));
    let dirty = |count| Arrangement {
        way: Way::DirtyPadding,
        again: true,
        ..Arrangement::plain(count, Filling::Cycle(0))
    };
    padded.map(dirty).collect()
}

/// Returns the tensors in forms that the testee's hello lists.
pub(super) fn formed(pair: (DType, DType), features: &[Feature]) -> Vec<Arrangement> {
    let tensor = |form: Form| {
        let count = element_count(&form.shape).unwrap_or(0);
        let filling = Filling::Cycle(count % 5);
        Arrangement { way: Way::Formed(form), again: true, ..Arrangement::plain(count, filling) }
    };
    forms(pair, features).into_iter().map(tensor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_at_every_position_and_in_every_tail() {
        for number in [3, 5, 25, 61] {
            let codes = Codes::numbered(number);
            let plan = tensors(&codes, Level::Core, false);
            let mut body = vec![[false; 64]; number];
            let mut tails = vec![[false; 7]; number];
            for tensor in &plan {
                for (index, code) in tensor.places(&codes).enumerate() {
                    body[code][index % 64] = true;
                    for (log, seen) in tails[code].iter_mut().enumerate().skip(1) {
                        *seen |= index >= tensor.count >> log << log;
                    }
                }
            }
            assert!(body.iter().flatten().all(|seen| *seen), "{number} codes");
            assert!(tails.iter().all(|seen| seen[1..].iter().all(|seen| *seen)), "{number} codes");
            let counts: Vec<usize> = plan.iter().map(|tensor| tensor.count).collect();
            assert!((0..=COUNTS).chain([65_535, 65_537]).all(|count| counts.contains(&count)));
        }
    }
}
