//! Finds the rule of places that separates wrong elements from right ones of the same codes.

mod elements;
mod judged;
mod tensors;

use super::codes::Codes;
use castproof_results::place::Place;
use judged::Class;

pub(super) use judged::{History, Judged};

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

/// Is element `index` of a contiguous tensor of `count` elements at this place? `false` also for
/// places that need more to be known, such as the codes beside the element.
pub(super) fn holds_at(place: &Place, index: usize, count: usize) -> bool {
    elements::holds_at(place, index, count) || tensors::holds_at(place, count)
}
