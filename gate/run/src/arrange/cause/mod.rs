//! Finds the rule of places that separates wrong elements from right ones of the same codes.

mod elements;
mod tensors;

use super::codes::Codes;
use super::plan::Arrangement;
use crate::tensor::Way;
use castproof_judge::place::Place;
use castproof_testee::{Form, Layout};

/// All elements of tensors up to this count are examined; of longer ones some.
const SHORT: usize = 1100;

/// How many elements are examined at each end of a long tensor.
const ENDS: usize = 130;

/// A tensor, and which of its elements were wrong.
pub(super) struct Judged {
    /// The tensor.
    pub(super) tensor: Arrangement,
    /// What was asked before; `None` if it was not asked in turn.
    pub(super) history: Option<History>,
    /// Indices of wrong elements, ascending, each with the code that the testee gave.
    pub(super) wrong: Vec<(usize, u64)>,
}

/// What was asked before a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// The number of the tensor, in the order in which they were asked.
    pub(super) number: usize,
    /// The count of the tensor before.
    pub(super) before: usize,
    /// The largest count of all before.
    pub(super) largest: usize,
    /// Was the tensor before asked in the same buffer?
    pub(super) is_same_buffer: bool,
}

/// Tensors that a testee may cast by code of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
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
    fn of(way: &Way) -> Class {
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
    fn place(self) -> Option<Place> {
        match self {
            Class::Constant => Some(Place::Constant),
            Class::InPlace => Some(Place::InPlace),
            Class::View(layout) => Some(Place::Layout(layout)),
            Class::Flat | Class::Dirty | Class::Shape => None,
        }
    }
}

/// Returns the place whose rule best separates wrong elements from right ones.
pub(super) fn cause(all: &[Judged], codes: &Codes) -> Place {
    let class = |it: &Judged| Class::of(&it.tensor.way);
    let wrong: Vec<&Judged> = all.iter().filter(|it| !it.wrong.is_empty()).collect();
    // Other ways may take other code paths: they count only if all plain tensors are right.
    let first = wrong.iter().map(|it| class(it)).find(|it| *it == Class::Flat);
    let first = first.or_else(|| wrong.first().map(|it| class(it))).unwrap_or(Class::Flat);
    let is_of_one = first == Class::Flat || wrong.iter().all(|it| class(it) == first);
    let looked_at: Vec<&Judged> =
        all.iter().filter(|it| !is_of_one || class(it) == first).collect();
    if first == Class::Dirty && is_of_one {
        return Place::PaddingIn;
    }
    let found = explain(&looked_at, codes);
    if !is_of_one {
        return found.unwrap_or(Place::NotExplained);
    }
    match (first.place(), found) {
        (Some(whole), _) if is_whole(&looked_at, codes) => whole,
        (Some(whole), Some(part)) => Place::Within(Box::new(whole), Box::new(part)),
        (Some(whole), None) => whole,
        (None, found) => found.unwrap_or(Place::NotExplained),
    }
}

/// Are all elements of the wrong codes wrong, or nearly all, wherever they can be seen to be?
fn is_whole(looked_at: &[&Judged], codes: &Codes) -> bool {
    let is_wrong = wrong_codes(looked_at, codes);
    let weighed = tensors::weighed(looked_at, codes, &is_wrong);
    // A layout of one element is as good as contiguous.
    let long = weighed.iter().filter(|it| it.judged.tensor.count > 1);
    let (right, wrong) =
        long.fold((0, 0), |(right, wrong), it| (right + it.of - it.wrong, wrong + it.wrong));
    right * 10 <= wrong
}

/// Returns which codes are wrong somewhere.
fn wrong_codes(looked_at: &[&Judged], codes: &Codes) -> Vec<bool> {
    let mut is_wrong = vec![false; codes.len()];
    for it in looked_at {
        for (index, _) in &it.wrong {
            is_wrong[it.tensor.place(codes, *index)] = true;
        }
    }
    is_wrong
}

/// Returns the place that explains the wrong elements of these tensors.
fn explain(looked_at: &[&Judged], codes: &Codes) -> Option<Place> {
    if elements::are_axes_swapped(looked_at, codes) {
        return Some(Place::AxesSwapped);
    }
    let is_wrong = wrong_codes(looked_at, codes);
    let weighed = tensors::weighed(looked_at, codes, &is_wrong);
    let whole = tensors::best(&weighed);
    if let Some((0, place)) = whole {
        return Some(place);
    }
    let part = elements::best(&weighed, codes, &is_wrong);
    // Both are shares of wrong elements; the first wins if they are equal.
    match (whole, part) {
        (Some((errors, place)), Some((others, part))) => {
            Some(if others < errors { part } else { place })
        }
        (whole, part) => whole.or(part).map(|(_, place)| place),
    }
}

/// Returns the indices of the elements that are examined: all elements of a short tensor; of a long
/// one both ends, some between, and those near the first and the last wrong element.
fn sampled(it: &Judged) -> Vec<usize> {
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

/// Is element `index` of a contiguous tensor of `count` elements at this place? `false` also for
/// places that need more to be known, such as the codes beside the element.
pub(super) fn holds_at(place: &Place, index: usize, count: usize) -> bool {
    elements::holds_at(place, index, count) || tensors::holds_at(place, count)
}
