//! Finds the rule of places that separates wrong elements from right ones of the same codes.

use super::codes::Codes;
use super::plan::{Arrangement};
use castproof_check::arrange::Filling;
use crate::tensor::Way;
use castproof_judge::place::{Place, Special};
use castproof_testee::{Form, Layout};

/// Sizes of vectors whose body, tail and lanes are distinguished.
const VECTORS: [usize; 5] = [4, 8, 16, 32, 64];

/// Kinds of special codes, by their flags.
const KINDS: [(Special, &[&str]); 4] = [
    (Special::Nan, &["nan", "signalling-nan"]),
    (Special::Infinity, &["infinity"]),
    (Special::Zero, &["zero", "negative-zero"]),
    (Special::LargestAndSmallest, &["range-end"]),
];

/// Only tensors up to this count are examined, unless only longer ones are wrong.
const SHORT: usize = 1100;

/// How many elements are examined at each end of a long tensor.
const ENDS: usize = 130;

/// A tensor, and which of its elements were wrong.
pub(super) struct Judged {
    /// The tensor.
    pub(super) tensor: Arrangement,
    /// Indices of wrong elements, ascending, each with the code that the testee gave.
    pub(super) wrong: Vec<(usize, u64)>,
}

/// One element of a code that is wrong somewhere.
struct Sample<'a> {
    tensor: &'a Arrangement,
    codes: &'a Codes,
    index: usize,
    place: usize,
    wrong: bool,
}

/// A rule of places, and whether it holds for a sample.
struct Rule {
    place: Place,
    holds: Box<dyn Fn(&Sample<'_>) -> bool>,
}

/// Returns the place whose rule best separates wrong elements from right ones.
pub(super) fn cause(all: &[Judged], codes: &Codes) -> Place {
    let mut wrong = all.iter().filter(|it| !it.wrong.is_empty());
    let short = wrong.clone().any(|it| it.tensor.count <= SHORT);
    // Other ways may take other code paths: they count only if all plain tensors are right.
    let plain = wrong.any(|it| it.tensor.way == Way::Plain);
    let looked_at = |it: &&Judged| {
        (!short || it.tensor.count <= SHORT) && (!plain || it.tensor.way == Way::Plain)
    };
    let mut is_wrong = vec![false; codes.len()];
    for it in all.iter().filter(looked_at) {
        for (index, _) in &it.wrong {
            is_wrong[it.tensor.place(codes, *index)] = true;
        }
    }
    let mut samples = Vec::new();
    for it in all.iter().filter(looked_at) {
        for index in sampled(it) {
            let place = it.tensor.place(codes, index);
            let wrong = it.wrong.binary_search_by_key(&index, |(index, _)| *index).is_ok();
            if is_wrong[place] {
                samples.push(Sample { tensor: &it.tensor, codes, index, place, wrong });
            }
        }
    }
    best(&samples)
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

fn best(samples: &[Sample<'_>]) -> Place {
    let wrong = samples.iter().filter(|sample| sample.wrong).count();
    let errors = |rule: &Rule| samples.iter().filter(|it| (rule.holds)(it) != it.wrong).count();
    let scored = rules(samples).into_iter().map(|rule| (errors(&rule), rule.place));
    match scored.min_by_key(|(errors, _)| *errors) {
        // A rule may fail for a code that is right by chance, but not for more than a tenth as many
        // elements as are wrong.
        Some((errors, place)) if errors * 10 <= wrong => place,
        _ => Place::NotExplained,
    }
}

/// Is element `index` of a contiguous tensor of `count` elements at this place? `false` also for
/// places that need more to be known, such as the codes beside the element.
pub(super) fn holds_at(place: &Place, index: usize, count: usize) -> bool {
    match *place {
        Place::OnlyAlone => count == 1,
        Place::FirstElement => index == 0,
        Place::LastElement => index + 1 == count,
        Place::Tail(size) => index >= count / size * size,
        Place::Body(size) => index < count / size * size,
        Place::Count(only) => count == only,
        Place::CountFrom(least) => count >= least,
        Place::CountUpTo(most) => count <= most,
        Place::ElementFrom(first) => index >= first,
        Place::Lane { lane, of } => index % of == lane,
        _ => false,
    }
}

/// Returns the rule of a place that [`holds_at`] knows, in tensors of at least so many elements.
fn by_index(place: Place, least: usize) -> Rule {
    let its = place.clone();
    let holds = move |it: &Sample<'_>| {
        it.tensor.count >= least && holds_at(&its, it.index, it.tensor.count)
    };
    Rule { place, holds: Box::new(holds) }
}

/// Returns all rules, the plainest first.
fn rules(samples: &[Sample<'_>]) -> Vec<Rule> {
    let mut rules = of_ways(samples);
    rules.push(by_index(Place::OnlyAlone, 1));
    // These rules exist with and without tensors of one element, which may be right or wrong.
    for least in [1, 2] {
        rules.push(by_index(Place::FirstElement, least));
        rules.push(by_index(Place::LastElement, least));
    }
    rules.push(Rule { place: Place::EarlierCall, holds: Box::new(|it| it.tensor.again) });
    for size in VECTORS {
        rules.push(by_index(Place::Tail(size), 1));
        // Short tensors may take another code path.
        rules.push(by_index(Place::Tail(size), size));
        rules.push(by_index(Place::Body(size), 1));
        for (kind, flags) in KINDS {
            let beside = move |it: &Sample<'_>| {
                beside(it, it.index / size * size, it.index / size * size + size, flags)
            };
            rules.push(Rule { place: Place::Beside(kind, size), holds: Box::new(beside) });
        }
    }
    for (kind, flags) in KINDS {
        let beside =
            move |it: &Sample<'_>| beside(it, it.index.saturating_sub(1), it.index + 2, flags);
        rules.push(Rule { place: Place::RightBeside(kind), holds: Box::new(beside) });
    }
    let one_code =
        |it: &Sample<'_>| it.tensor.count > 1 && matches!(it.tensor.filling, Filling::Constant(_));
    rules.push(Rule { place: Place::OneCode, holds: Box::new(one_code) });
    let wrong = || samples.iter().filter(|sample| sample.wrong);
    let counts = || wrong().map(|sample| sample.tensor.count);
    if let (Some(least), Some(most)) = (counts().min(), counts().max()) {
        for place in [Place::Count(least), Place::CountFrom(least), Place::CountUpTo(most)] {
            rules.push(by_index(place, 1));
        }
    }
    if let Some(first) = wrong().map(|sample| sample.index).min() {
        rules.push(by_index(Place::ElementFrom(first), 1));
        for size in [2].into_iter().chain(VECTORS) {
            rules.push(by_index(Place::Lane { lane: first % size, of: size }, 1));
        }
    }
    rules
}

/// Is a code of this kind among these elements, while the sample's own code is not of this kind?
fn beside(sample: &Sample<'_>, first: usize, end: usize, flags: &[&str]) -> bool {
    let is = |place: usize| {
        let special = sample.codes.all[place].special;
        special.is_some_and(|flag| flags.contains(&flag))
    };
    let mut places = first..end.min(sample.tensor.count);
    !is(sample.place) && places.any(|index| is(sample.tensor.place(sample.codes, index)))
}

/// Rules of shapes, layouts, padding and alignment.
fn of_ways(samples: &[Sample<'_>]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut rule = |place: Place, holds: Box<dyn Fn(&Sample<'_>) -> bool>| {
        rules.push(Rule { place, holds });
    };
    for layout in Layout::VIEWS {
        rule(
            Place::Layout(layout),
            Box::new(
                move |it| matches!(&it.tensor.way, Way::Formed(form) if form.layout == layout),
            ),
        );
    }
    rule(
        Place::Constant,
        Box::new(|it| matches!(&it.tensor.way, Way::Formed(Form { constant: true, .. }))),
    );
    rule(
        Place::InPlace,
        Box::new(|it| matches!(&it.tensor.way, Way::Formed(Form { in_place: true, .. }))),
    );
    rule(
        Place::Scalar,
        Box::new(
            |it| matches!(&it.tensor.way, Way::Formed(form) if form.is_plain() && form.shape.is_empty()),
        ),
    );
    rule(
        Place::HighRank,
        Box::new(
            |it| matches!(&it.tensor.way, Way::Formed(form) if form.is_plain() && form.shape.len() > 1),
        ),
    );
    rule(
        Place::PaddingIn,
        Box::new(|it| it.tensor.way == Way::DirtyPadding && it.index + 1 == it.tensor.count),
    );
    // Of rules that explain equally well the first wins, so the smallest alignment is reported.
    for size in [2, 4, 8, 16, 32, 64] {
        rule(
            Place::InputNotAligned(size),
            Box::new(
                move |it| matches!(it.tensor.way, Way::Placed { input, .. } if input % size != 0),
            ),
        );
        rule(
            Place::OutputNotAligned(size),
            Box::new(
                move |it| matches!(it.tensor.way, Way::Placed { output, .. } if output % size != 0),
            ),
        );
    }
    let placed = samples.iter().any(|it| matches!(it.tensor.way, Way::Placed { .. }));
    if placed {
        rule(
            Place::BufferNotAligned,
            Box::new(
                |it| matches!(it.tensor.way, Way::Placed { input, output } if input + output > 0),
            ),
        );
    }
    rules
}
