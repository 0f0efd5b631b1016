//! Finds the rule of places that separates wrong elements from right ones of the same codes.

use super::codes::Codes;
use super::plan::{Arrangement, Filling};
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

/// Returns all rules, the plainest first.
fn rules(samples: &[Sample<'_>]) -> Vec<Rule> {
    let mut rules = of_ways(samples);
    let mut rule = |place: Place, holds: Box<dyn Fn(&Sample<'_>) -> bool>| {
        rules.push(Rule { place, holds });
    };
    rule(Place::OnlyAlone, Box::new(|it| it.tensor.count == 1));
    // These rules exist with and without tensors of one element, which may be right or wrong.
    for least in [1, 2] {
        let many = move |it: &Sample<'_>| it.tensor.count >= least;
        rule(Place::FirstElement, Box::new(move |it| it.index == 0 && many(it)));
        rule(Place::LastElement, Box::new(move |it| it.index + 1 == it.tensor.count && many(it)));
    }
    rule(Place::EarlierCall, Box::new(|it| it.tensor.again));
    for size in VECTORS {
        rule(Place::Tail(size), Box::new(move |it| it.index >= it.tensor.count / size * size));
        // Short tensors may take another code path.
        rule(
            Place::Tail(size),
            Box::new(move |it| {
                it.tensor.count >= size && it.index >= it.tensor.count / size * size
            }),
        );
        rule(Place::Body(size), Box::new(move |it| it.index < it.tensor.count / size * size));
        for (kind, flags) in KINDS {
            let beside = move |it: &Sample<'_>| {
                beside(it, it.index / size * size, it.index / size * size + size, flags)
            };
            rule(Place::Beside(kind, size), Box::new(beside));
        }
    }
    for (kind, flags) in KINDS {
        let beside =
            move |it: &Sample<'_>| beside(it, it.index.saturating_sub(1), it.index + 2, flags);
        rule(Place::RightBeside(kind), Box::new(beside));
    }
    rule(
        Place::OneCode,
        Box::new(|it| it.tensor.count > 1 && matches!(it.tensor.filling, Filling::Constant(_))),
    );
    let wrong = || samples.iter().filter(|sample| sample.wrong);
    let counts = || wrong().map(|sample| sample.tensor.count);
    if let (Some(least), Some(most)) = (counts().min(), counts().max()) {
        rule(Place::Count(least), Box::new(move |it| it.tensor.count == least));
        rule(Place::CountFrom(least), Box::new(move |it| it.tensor.count >= least));
        rule(Place::CountUpTo(most), Box::new(move |it| it.tensor.count <= most));
    }
    if let Some(first) = wrong().map(|sample| sample.index).min() {
        rule(Place::ElementFrom(first), Box::new(move |it| it.index >= first));
        for size in [2].into_iter().chain(VECTORS) {
            let lane = first % size;
            rule(Place::Lane { lane, of: size }, Box::new(move |it| it.index % size == lane));
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
