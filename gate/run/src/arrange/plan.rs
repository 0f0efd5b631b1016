//! The plan of tensors: which codes stand where, in tensors of which counts, shapes and layouts.

use super::codes::Codes;
use crate::tensor::{Way, forms};
use castproof_check::arrange::{Filling, Share, flat};
use castproof_testee::{Feature, Form, Layout};
use castproof_vectors::{DType, element_count};

/// Every count up to this one is asked beside guard pages: enough for two vectors of 64 elements and
/// a tail.
pub(super) const COUNTS: usize = 130;

/// A count with a body and a tail for every vector of 4 to 64 elements: 67 = 64 + 3.
pub(super) const BODY_AND_TAIL: usize = 67;

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
        (0..count).map(move |index| filling.place(&codes.kinds, index % row, row))
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
        if self.way != Way::Plain {
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
/// the gate. See [`flat`].
pub(super) fn tensors(codes: &Codes, seed: u64, share: Share, most: usize) -> Vec<Arrangement> {
    let flats = flat(&codes.kinds, seed, share, most).into_iter();
    let mut largest = 0;
    let mut plan: Vec<Arrangement> = Vec::new();
    for flat in flats {
        let again = flat.count < largest;
        largest = largest.max(flat.count);
        plan.push(Arrangement { again, ..Arrangement::plain(flat.count, flat.filling) });
    }
    plan
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
