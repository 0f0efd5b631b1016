//! Finds the rule of places that separates wrong elements from right ones of the same codes.

use super::codes::Codes;
use super::plan::{Filling, Tensor, Way};
use castproof_testee::{Form, Layout};

/// Sizes of vectors whose body, tail and lanes are distinguished.
const VECTORS: [usize; 5] = [4, 8, 16, 32, 64];

/// Kinds of special codes, by their flags.
const KINDS: [(&str, &[&str]); 4] = [
    ("nan", &["nan", "signalling-nan"]),
    ("infinity", &["infinity"]),
    ("zero", &["zero", "negative-zero"]),
    ("the largest and smallest", &["range-end"]),
];

/// The cause if no rule of places explains the wrong elements.
pub(super) const NOT_EXPLAINED: &str = "some places";

/// Only tensors up to this count are examined, unless only longer ones are wrong.
const SHORT: usize = 1100;

/// How many elements are examined at each end of a long tensor.
const ENDS: usize = 130;

/// A tensor, and which of its elements were wrong.
pub(super) struct Judged {
    /// The tensor.
    pub(super) tensor: Tensor,
    /// Indices of wrong elements, ascending, each with the code that the testee gave.
    pub(super) wrong: Vec<(usize, u64)>,
}

/// One element of a code that is wrong somewhere.
struct Sample<'a> {
    tensor: &'a Tensor,
    codes: &'a Codes,
    index: usize,
    place: usize,
    wrong: bool,
}

/// A rule of places, and whether it holds for a sample.
struct Rule {
    name: String,
    holds: Box<dyn Fn(&Sample<'_>) -> bool>,
}

/// Returns the name of the rule that best separates wrong elements from right ones.
pub(super) fn cause(all: &[Judged], codes: &Codes) -> String {
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

fn best(samples: &[Sample<'_>]) -> String {
    let wrong = samples.iter().filter(|sample| sample.wrong).count();
    let errors = |rule: &Rule| samples.iter().filter(|it| (rule.holds)(it) != it.wrong).count();
    let scored = rules(samples).into_iter().map(|rule| (errors(&rule), rule.name));
    match scored.min_by_key(|(errors, _)| *errors) {
        // A rule may fail for a code that is right by chance, but not for more than a tenth as many
        // elements as are wrong.
        Some((errors, name)) if errors * 10 <= wrong => name,
        _ => NOT_EXPLAINED.into(),
    }
}

/// Returns all rules, the plainest first.
fn rules(samples: &[Sample<'_>]) -> Vec<Rule> {
    let mut rules = of_ways(samples);
    let mut rule = |name: String, holds: Box<dyn Fn(&Sample<'_>) -> bool>| {
        rules.push(Rule { name, holds });
    };
    rule("only alone".into(), Box::new(|it| it.tensor.count == 1));
    // These rules exist with and without tensors of one element, which may be right or wrong.
    for least in [1, 2] {
        let many = move |it: &Sample<'_>| it.tensor.count >= least;
        rule("the first element".into(), Box::new(move |it| it.index == 0 && many(it)));
        rule(
            "the last element".into(),
            Box::new(move |it| it.index + 1 == it.tensor.count && many(it)),
        );
    }
    rule("an earlier call's state".into(), Box::new(|it| it.tensor.again));
    for size in VECTORS {
        rule(
            format!("the tail of {size}"),
            Box::new(move |it| it.index >= it.tensor.count / size * size),
        );
        // Short tensors may take another code path.
        rule(
            format!("the tail of {size}"),
            Box::new(move |it| {
                it.tensor.count >= size && it.index >= it.tensor.count / size * size
            }),
        );
        rule(
            format!("the body of {size}"),
            Box::new(move |it| it.index < it.tensor.count / size * size),
        );
        for (name, flags) in KINDS {
            let beside = move |it: &Sample<'_>| {
                beside(it, it.index / size * size, it.index / size * size + size, flags)
            };
            rule(format!("beside {name}, in a vector of {size}"), Box::new(beside));
        }
    }
    for (name, flags) in KINDS {
        let beside =
            move |it: &Sample<'_>| beside(it, it.index.saturating_sub(1), it.index + 2, flags);
        rule(format!("right beside {name}"), Box::new(beside));
    }
    rule(
        "one code in the whole tensor".into(),
        Box::new(|it| it.tensor.count > 1 && matches!(it.tensor.filling, Filling::Constant(_))),
    );
    let wrong = || samples.iter().filter(|sample| sample.wrong);
    let counts = || wrong().map(|sample| sample.tensor.count);
    if let (Some(least), Some(most)) = (counts().min(), counts().max()) {
        rule(format!("a count of {least}"), Box::new(move |it| it.tensor.count == least));
        rule(format!("from a count of {least} on"), Box::new(move |it| it.tensor.count >= least));
        rule(format!("up to a count of {most}"), Box::new(move |it| it.tensor.count <= most));
    }
    if let Some(first) = wrong().map(|sample| sample.index).min() {
        rule(format!("from element {first} on"), Box::new(move |it| it.index >= first));
        for size in [2].into_iter().chain(VECTORS) {
            let lane = first % size;
            rule(format!("lane {lane} of {size}"), Box::new(move |it| it.index % size == lane));
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
    let mut rule = |name: String, holds: Box<dyn Fn(&Sample<'_>) -> bool>| {
        rules.push(Rule { name, holds });
    };
    for layout in Layout::VIEWS {
        rule(
            format!("layout {}", layout.name()),
            Box::new(
                move |it| matches!(&it.tensor.way, Way::Formed(form) if form.layout == layout),
            ),
        );
    }
    rule(
        "a constant as input".into(),
        Box::new(|it| matches!(&it.tensor.way, Way::Formed(Form { constant: true, .. }))),
    );
    rule(
        "in place".into(),
        Box::new(|it| matches!(&it.tensor.way, Way::Formed(Form { in_place: true, .. }))),
    );
    rule(
        "a shape of rank 0".into(),
        Box::new(
            |it| matches!(&it.tensor.way, Way::Formed(form) if form.is_plain() && form.shape.is_empty()),
        ),
    );
    rule(
        "a shape of rank 2 and more".into(),
        Box::new(
            |it| matches!(&it.tensor.way, Way::Formed(form) if form.is_plain() && form.shape.len() > 1),
        ),
    );
    rule(
        "padding bits of the input".into(),
        Box::new(|it| it.tensor.way == Way::DirtyPadding && it.index + 1 == it.tensor.count),
    );
    // Of rules that explain equally well the first wins, so the smallest alignment is reported.
    for size in [2, 4, 8, 16, 32, 64] {
        rule(
            format!("an input not aligned to {size} bytes"),
            Box::new(
                move |it| matches!(it.tensor.way, Way::Placed { input, .. } if input % size != 0),
            ),
        );
        rule(
            format!("an output not aligned to {size} bytes"),
            Box::new(
                move |it| matches!(it.tensor.way, Way::Placed { output, .. } if output % size != 0),
            ),
        );
    }
    let placed = samples.iter().any(|it| matches!(it.tensor.way, Way::Placed { .. }));
    if placed {
        rule(
            "a buffer not aligned to 64 bytes".into(),
            Box::new(
                |it| matches!(it.tensor.way, Way::Placed { input, output } if input + output > 0),
            ),
        );
    }
    rules
}
