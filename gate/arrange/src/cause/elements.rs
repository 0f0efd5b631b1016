//! Rules of single elements: where they stand, and beside which others.

use super::judged::{Judged, sampled};
use super::tensors::Weighed;
use crate::codes::Codes;
use crate::tensor::Way;
use castproof_results::place::{Place, Special};

/// Sizes of vectors whose neighbours are distinguished.
const VECTORS: [usize; 5] = [4, 8, 16, 32, 64];

/// Kinds of special codes, by their flags.
const KINDS: [(Special, &[&str]); 4] = [
    (Special::Nan, &["nan", "signalling-nan"]),
    (Special::Infinity, &["infinity"]),
    (Special::Zero, &["zero", "negative-zero"]),
    (Special::LargestAndSmallest, &["range-end"]),
];

/// Most tensors with wrong elements, and most without, whose elements are examined.
const TENSORS: usize = 60;

/// Most elements of one tensor that are examined.
const MOST: usize = 400;

/// One element of a code that is wrong somewhere.
struct Sample<'a> {
    judged: &'a Judged,
    index: usize,
    place: usize,
    wrong: bool,
}

/// Whether a rule holds for a sample.
type Holds<'a> = Box<dyn Fn(&Sample<'_>) -> bool + 'a>;

/// Returns the place whose rule best separates the elements, with the number of elements that it
/// does not explain. There is none if no rule explains nine of ten.
pub(super) fn best(
    all: &[Weighed<'_>],
    codes: &Codes,
    is_wrong: &[bool],
) -> Option<(usize, Place)> {
    let samples = samples(all, codes, is_wrong);
    let wrong = samples.iter().filter(|sample| sample.wrong).count();
    let mut best: Option<(usize, Place)> = None;
    let mut limit = wrong / 10 + 1;
    for (place, holds) in rules(&samples, codes) {
        let mut errors = 0;
        for sample in &samples {
            errors += usize::from(holds(sample) != sample.wrong);
            if errors >= limit {
                break;
            }
        }
        if errors < limit {
            limit = errors;
            best = Some((errors, place));
        }
    }
    best
}

/// Returns elements of the shortest and the longest tensors, wrong ones and right ones.
fn samples<'a>(all: &[Weighed<'a>], codes: &Codes, is_wrong: &[bool]) -> Vec<Sample<'a>> {
    let mut samples = Vec::new();
    for has_wrong in [true, false] {
        let mut some: Vec<&Judged> =
            all.iter().filter(|it| (it.wrong > 0) == has_wrong).map(|it| it.judged).collect();
        some.sort_by_key(|it| it.tensor.count);
        let step = some.len().div_ceil(TENSORS).max(1);
        for judged in some.into_iter().step_by(step) {
            let indices = sampled(judged);
            let step = indices.len().div_ceil(MOST).max(1);
            let last = indices.len().saturating_sub(MOST / 4);
            for (number, &index) in indices.iter().enumerate() {
                let place = judged.tensor.place(codes, index);
                let is_kept = number < MOST / 4 || number >= last || number % step == 0;
                let wrong = judged.wrong.binary_search_by_key(&index, |(index, _)| *index).is_ok();
                if is_wrong[place] && (is_kept || wrong) {
                    samples.push(Sample { judged, index, place, wrong });
                }
            }
        }
    }
    samples
}

/// Is element `index` of a contiguous tensor of `count` elements at this place?
pub(super) fn holds_at(place: &Place, index: usize, count: usize) -> bool {
    match *place {
        Place::FirstElement => index == 0,
        Place::LastElement => index + 1 == count,
        Place::Element(only) => index == only,
        Place::LastBut(back) => index + 1 + back == count,
        Place::Tail(size) => index >= count / size * size,
        Place::Body(size) => index < count / size * size,
        Place::ElementFrom(first) => index >= first,
        Place::ElementBetween { first, last } => (first..=last).contains(&index),
        Place::Lane { lane, of } => index % of == lane,
        _ => false,
    }
}

/// Returns all rules, the plainest first.
fn rules<'a>(samples: &[Sample<'_>], codes: &'a Codes) -> Vec<(Place, Holds<'a>)> {
    let mut rules: Vec<(Place, Holds<'a>)> = Vec::new();
    let mut rule = |place: Place, holds: Holds<'a>| rules.push((place, holds));
    // A rule of indices, in tensors of at least so many elements.
    let by_index = |place: &Place, least: usize| -> Holds<'a> {
        let place = place.clone();
        Box::new(move |it| {
            let count = it.judged.tensor.count;
            count >= least && holds_at(&place, it.index, count)
        })
    };
    // These rules exist with and without tensors of one element, which may be right or wrong.
    for least in [1, 2] {
        for place in [Place::FirstElement, Place::LastElement] {
            rule(place.clone(), by_index(&place, least));
        }
    }
    let dirty = |it: &Sample<'_>| {
        let tensor = &it.judged.tensor;
        tensor.way == Way::DirtyPadding && it.index + 1 == tensor.count
    };
    rule(Place::PaddingIn, Box::new(dirty));
    for size in VECTORS.into_iter().chain(2..=130) {
        // Short tensors may take another code path.
        for (place, least) in
            [(Place::Tail(size), 1), (Place::Tail(size), size), (Place::Body(size), 1)]
        {
            rule(place.clone(), by_index(&place, least));
        }
    }
    for place in at_wrong(samples) {
        rule(place.clone(), by_index(&place, 1));
    }
    for size in VECTORS {
        for (kind, flags) in KINDS {
            let holds = move |it: &Sample<'_>| {
                let first = it.index / size * size;
                beside(it, codes, first, first + size, flags)
            };
            rule(Place::Beside(kind, size), Box::new(holds));
        }
    }
    for (kind, flags) in KINDS {
        let holds = move |it: &Sample<'_>| {
            beside(it, codes, it.index.saturating_sub(1), it.index + 2, flags)
        };
        rule(Place::RightBeside(kind), Box::new(holds));
    }
    for size in (2..=64).chain((72..=1024).step_by(8)) {
        rule(Place::EqualBlock(size), Box::new(move |it| is_equal_block(it, codes, size)));
    }
    rules
}

/// Returns the places that the wrong elements suggest: their range, their distance from the end, and
/// their lanes.
fn at_wrong(samples: &[Sample<'_>]) -> Vec<Place> {
    let wrong = || samples.iter().filter(|sample| sample.wrong);
    let indices = || wrong().map(|sample| sample.index);
    let (Some(first), Some(last)) = (indices().min(), indices().max()) else { return Vec::new() };
    let mut places = vec![Place::ElementFrom(first)];
    let back = wrong().map(|it| it.judged.tensor.count - 1 - it.index).min().unwrap_or(0);
    match first == last {
        true => places.push(Place::Element(first)),
        false => places.push(Place::ElementBetween { first, last }),
    }
    places.push(Place::LastBut(back));
    for of in [2].into_iter().chain(VECTORS) {
        places.push(Place::Lane { lane: first % of, of });
    }
    let of = indices().fold(0, |of, index| gcd(of, index.abs_diff(first)));
    if of > 1 {
        places.push(Place::Lane { lane: first % of, of });
    }
    places
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Is a code of this kind among these elements, while the sample's own code is not of this kind?
fn beside(sample: &Sample<'_>, codes: &Codes, first: usize, end: usize, flags: &[&str]) -> bool {
    let is = |place: usize| {
        let special = codes.all[place].special;
        special.is_some_and(|flag| flags.contains(&flag))
    };
    let tensor = &sample.judged.tensor;
    let mut places = first..end.min(tensor.count);
    !is(sample.place) && places.any(|index| is(tensor.place(codes, index)))
}

/// Are all elements of the block of `size` that holds this one equal?
fn is_equal_block(sample: &Sample<'_>, codes: &Codes, size: usize) -> bool {
    let tensor = &sample.judged.tensor;
    let first = sample.index / size * size;
    let mut block = first..first + size;
    block.end <= tensor.count && block.all(|index| tensor.place(codes, index) == sample.place)
}

/// Is each wrong element what the element with swapped indices of the last two axes gives?
pub(super) fn are_axes_swapped(looked_at: &[&Judged], codes: &Codes) -> bool {
    let is_swapped = |judged: &&Judged| {
        let Way::Formed(form) = &judged.tensor.way else { return false };
        let [.., rows, columns] = form.shape[..] else { return false };
        let (rows, columns) = (rows as usize, columns as usize);
        judged.wrong.iter().all(|&(index, got)| {
            let (matrix, at) = (index / (rows * columns), index % (rows * columns));
            let other = matrix * rows * columns + at % rows * columns + at / rows;
            codes.all[judged.tensor.place(codes, other)].usual == got
        })
    };
    let mut wrong = looked_at.iter().filter(|it| !it.wrong.is_empty()).peekable();
    wrong.peek().is_some() && wrong.all(is_swapped)
}
