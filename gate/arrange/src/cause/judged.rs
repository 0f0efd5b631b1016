//! Tensors whose elements were judged, what was asked before each, and which of them are alike.

use crate::plan::Arrangement;
use crate::tensor::Way;
use castproof_results::place::Place;
use castproof_testee::{Form, Layout};

/// All elements of tensors up to this count are examined; of longer ones some.
const SHORT: usize = 1100;

/// How many elements are examined at each end of a long tensor.
const ENDS: usize = 130;

/// A tensor, and which of its elements were wrong.
pub(crate) struct Judged {
    /// The tensor.
    pub(crate) tensor: Arrangement,
    /// What was asked before; `None` if it was not asked in turn.
    pub(crate) history: Option<History>,
    /// Indices of wrong elements, ascending, each with the code that the testee gave.
    pub(crate) wrong: Vec<(usize, u64)>,
}

/// What was asked before a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// The number of the tensor, in the order in which they were asked.
    pub(crate) number: usize,
    /// The count of the tensor before.
    pub(crate) before: usize,
    /// The largest count of all before.
    pub(crate) largest: usize,
    /// Was the tensor before asked in the same buffer?
    pub(crate) is_same_buffer: bool,
}

/// Tensors that a testee may cast by code of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Contiguous ones of rank 1.
    Flat,
    /// Those with ones in the padding bits.
    Dirty,
    Constant,
    InPlace,
    View(Layout),
    /// Contiguous ones of another rank than 1.
    Shape,
}

impl Class {
    pub(super) fn of(way: &Way) -> Class {
        match way {
            Way::Plain | Way::Placed { .. } => Class::Flat,
            Way::DirtyPadding => Class::Dirty,
            Way::Formed(Form { in_place: true, .. }) => Class::InPlace,
            Way::Formed(Form { constant: true, .. }) => Class::Constant,
            Way::Formed(Form { layout: Layout::Contiguous, .. }) => Class::Shape,
            Way::Formed(Form { layout, .. }) => Class::View(*layout),
        }
    }

    /// The place of all tensors of the class; `None` if there is no word for it.
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Class::Constant => Some(Place::Constant),
            Class::InPlace => Some(Place::InPlace),
            Class::View(layout) => Some(Place::Layout(layout)),
            Class::Flat | Class::Dirty | Class::Shape => None,
        }
    }
}

/// Returns the indices of the elements that are examined: all elements of a short tensor; of a long
/// one both ends, some between, and those near the first and the last wrong element.
pub(super) fn sampled(it: &Judged) -> Vec<usize> {
    let count = it.tensor.count;
    if count <= SHORT {
        return (0..count).collect();
    }
    let mut indices: Vec<usize> = (0..ENDS).chain(count - ENDS..count).collect();
    indices.extend((0..count).step_by(count / ENDS));
    for &(index, _) in it.wrong.first().into_iter().chain(it.wrong.last()) {
        indices.extend(index.saturating_sub(ENDS)..count.min(index + ENDS));
    }
    indices.sort_unstable();
    indices.dedup();
    indices
}
