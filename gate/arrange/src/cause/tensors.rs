//! Rules of whole tensors: their counts, forms and addresses, and the calls before.

use super::judged::{Class, History, Judged, sampled};
use crate::codes::Codes;
use crate::tensor::Way;
use castproof_check::arrange::Filling;
use castproof_results::place::Place;
use castproof_testee::{Form, Layout};

/// A tensor, how many of its examined elements have codes that are wrong somewhere, and how many of
/// these are wrong here.
pub(super) struct Weighed<'a> {
    pub(super) judged: &'a Judged,
    pub(super) of: usize,
    pub(super) wrong: usize,
}

/// Weighs tensors; those without such codes are left out.
pub(super) fn weighed<'a>(
    looked_at: &[&'a Judged],
    codes: &Codes,
    is_wrong: &[bool],
) -> Vec<Weighed<'a>> {
    let weigh = |&judged: &&'a Judged| {
        let indices = sampled(judged);
        let of_codes = |index: &&usize| is_wrong[judged.tensor.place(codes, **index)];
        let wrong =
            |index: &usize| judged.wrong.binary_search_by_key(index, |(index, _)| *index).is_ok();
        let of = indices.iter().filter(of_codes).count();
        let wrong = if judged.wrong.is_empty() {
            0
        } else {
            indices.iter().filter(|index| wrong(index)).count()
        };
        Weighed { judged, of, wrong }
    };
    looked_at.iter().map(weigh).filter(|it| it.of > 0).collect()
}

/// Whether a rule holds for a tensor of this count after these calls.
type AfterHistory = Box<dyn Fn(&History, usize) -> bool>;

/// A rule of places, and whether it holds for a tensor.
type Rule = (Place, Box<dyn Fn(&Judged) -> bool>);

/// Returns the place whose rule best separates the tensors, with the number of elements that it does
/// not explain. There is none if no rule explains nine of ten.
pub(super) fn best(all: &[Weighed<'_>]) -> Option<(usize, Place)> {
    let wrong: usize = all.iter().map(|it| it.wrong).sum();
    let errors = |holds: &dyn Fn(&Judged) -> bool| -> usize {
        let error = |it: &Weighed<'_>| if holds(it.judged) { it.of - it.wrong } else { it.wrong };
        all.iter().map(error).sum()
    };
    let scored = rules(all).into_iter().map(|(place, holds)| (errors(&holds), place));
    scored.min_by_key(|(errors, _)| *errors).filter(|(errors, _)| errors * 10 <= wrong)
}

/// Is every element of a contiguous tensor of this count at this place?
pub(super) fn holds_at(place: &Place, count: usize) -> bool {
    match *place {
        Place::OnlyAlone => count == 1,
        Place::Count(only) => count == only,
        Place::CountFrom(least) => count >= least,
        Place::CountUpTo(most) => count <= most,
        Place::CountBetween { first, last } => (first..=last).contains(&count),
        Place::CountModulo { rest, of } => count > 0 && count % of == rest,
        Place::BesidePower(distance) => {
            let power = count.checked_add_signed(-isize::from(distance));
            power.is_some_and(usize::is_power_of_two)
        }
        _ => false,
    }
}

/// Returns all rules, the plainest first.
fn rules(all: &[Weighed<'_>]) -> Vec<Rule> {
    let wrong: Vec<&Judged> = all.iter().filter(|it| it.wrong > 0).map(|it| it.judged).collect();
    let mut rules = of_ways(&wrong);
    rules.extend(of_counts(&wrong, all.iter().map(|it| it.judged.tensor.count).max()));
    rules.extend(of_codes());
    rules.extend(of_addresses(&wrong));
    rules.extend(of_history(&wrong));
    rules
}

fn form(judged: &Judged) -> Option<&Form> {
    match &judged.tensor.way {
        Way::Formed(form) => Some(form),
        _ => None,
    }
}

fn rank(judged: &Judged) -> usize {
    form(judged).map_or(1, |form| form.shape.len())
}

/// Returns the last side of a shape of rank 2 and more.
fn inner(judged: &Judged) -> Option<usize> {
    let shape = &form(judged)?.shape;
    shape.last().filter(|_| shape.len() > 1).map(|side| *side as usize)
}

fn of_ways(wrong: &[&Judged]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let of = |judged: &Judged| Class::of(&judged.tensor.way);
    for layout in Layout::VIEWS {
        rules.push((Place::Layout(layout), Box::new(move |it| of(it) == Class::View(layout))));
    }
    rules.push((Place::Constant, Box::new(move |it| of(it) == Class::Constant)));
    rules.push((Place::InPlace, Box::new(move |it| of(it) == Class::InPlace)));
    let shape = move |it: &Judged| of(it) == Class::Shape;
    rules.push((Place::Scalar, Box::new(move |it| shape(it) && rank(it) == 0)));
    rules.push((Place::HighRank, Box::new(move |it| shape(it) && rank(it) > 1)));
    if let Some(&first) = wrong.first() {
        let only = rank(first);
        if only != 1 {
            rules.push((Place::Rank(only), Box::new(move |it| rank(it) == only)));
        }
    }
    let sides = wrong.iter().filter_map(|it| inner(it));
    if let Some(least) = sides.clone().min() {
        let holds = move |it: &Judged| inner(it).is_some_and(|side| side >= least);
        rules.push((Place::LastSideFrom(least), Box::new(holds)));
    }
    if let Some((rest, of)) = modulo(sides) {
        let holds = move |it: &Judged| inner(it).is_some_and(|side| side % of == rest);
        rules.push((Place::LastSideModulo { rest, of }, Box::new(holds)));
    }
    rules
}

/// Returns the rest and the largest divisor of which all numbers have that rest; `None` if there are
/// fewer than three numbers, or the divisor is 1.
fn modulo(mut numbers: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
    let first = numbers.next()?;
    let (mut of, mut distinct) = (0usize, std::collections::BTreeSet::from([first]));
    for number in numbers {
        distinct.insert(number);
        of = gcd(of, number.abs_diff(first));
    }
    (of > 1 && distinct.len() > 2).then(|| (first % of, of))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `largest` is the largest count of all tensors.
fn of_counts(wrong: &[&Judged], largest: Option<usize>) -> Vec<Rule> {
    let counts = || wrong.iter().map(|it| it.tensor.count);
    let (Some(first), Some(last)) = (counts().min(), counts().max()) else { return Vec::new() };
    let mut places = vec![Place::OnlyAlone];
    // The largest count of all says nothing of those above it.
    if Some(first) != largest {
        places.push(Place::Count(first));
    }
    places.extend([
        Place::CountFrom(first),
        Place::CountUpTo(last),
        Place::BesidePower(0),
        Place::BesidePower(-1),
        Place::BesidePower(1),
    ]);
    places.extend(modulo(counts()).map(|(rest, of)| Place::CountModulo { rest, of }));
    places.push(Place::CountBetween { first, last });
    let rule = |place: Place| -> Rule {
        let its = place.clone();
        (place, Box::new(move |it| holds_at(&its, it.tensor.count)))
    };
    places.into_iter().map(rule).collect()
}

fn of_codes() -> Vec<Rule> {
    let is = |it: &Judged, is: fn(Filling) -> bool| it.tensor.count > 1 && is(it.tensor.filling);
    vec![
        (
            Place::OneCode,
            Box::new(move |it| is(it, |filling| matches!(filling, Filling::Constant(_)))),
        ),
        (Place::Ascending, Box::new(move |it| is(it, |filling| filling == Filling::Sorted))),
    ]
}

/// Returns the addresses of input and output in their lines.
fn addresses(judged: &Judged) -> Option<[usize; 2]> {
    match judged.tensor.way {
        Way::Placed { input, output } => Some([input, output]),
        _ => None,
    }
}

/// Of rules that explain equally well the first wins, so the smallest alignment is reported.
fn of_addresses(wrong: &[&Judged]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let Some(first) = wrong.first().and_then(|it| addresses(it)) else { return rules };
    let mut rule = |place: Place, holds: Box<dyn Fn([usize; 2]) -> bool>| {
        rules.push((place, Box::new(move |it| addresses(it).is_some_and(&holds))));
    };
    for of in [2, 4, 8, 16, 32, 64] {
        rule(Place::InputNotAligned(of), Box::new(move |[input, _]| input % of != 0));
        rule(Place::OutputNotAligned(of), Box::new(move |[_, output]| output % of != 0));
    }
    for of in [2, 4, 8, 16, 32, 64] {
        let [input_at, output_at] = first.map(|at| at % of);
        let place = Place::InputAt { rest: input_at, of };
        rule(place, Box::new(move |[input, _]| input % of == input_at));
        let place = Place::OutputAt { rest: output_at, of };
        rule(place, Box::new(move |[_, output]| output % of == output_at));
        rule(Place::Apart(of), Box::new(move |[input, output]| input % of != output % of));
    }
    rule(Place::BufferNotAligned, Box::new(|[input, output]| input + output > 0));
    rules
}

fn of_history(wrong: &[&Judged]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut rule = |place: Place, holds: AfterHistory| {
        let holds = move |it: &Judged| {
            it.history.as_ref().is_some_and(|history| holds(history, it.tensor.count))
        };
        rules.push((place, Box::new(holds)));
    };
    rule(Place::SameBuffer, Box::new(|history, _| history.is_same_buffer));
    rule(Place::AfterEmpty, Box::new(|history, _| history.number > 0 && history.before == 0));
    let histories = || wrong.iter().filter_map(|it| Some((it.history?, it.tensor.count)));
    let times = |one: usize, other: usize| one / other.max(1);
    if let Some(least) = histories().map(|(it, count)| times(it.before, count)).min()
        && least > 1
    {
        let holds = move |it: &History, count: usize| times(it.before, count) >= least;
        rule(Place::AfterLonger(least), Box::new(holds));
    }
    let shorter = |it: &History, count: usize| count.checked_div(it.before).unwrap_or(0);
    if let Some(least) = histories().map(|(it, count)| shorter(&it, count)).min()
        && least > 1
    {
        let holds = move |it: &History, count: usize| shorter(it, count) >= least;
        rule(Place::AfterShorter(least), Box::new(holds));
    }
    if let Some(least) = histories().map(|(it, _)| it.largest).min()
        && let Some(most) = histories().map(|(_, count)| count).max()
        && least > 0
    {
        let holds = move |it: &History, count: usize| it.largest >= least && count <= most;
        rule(Place::EarlierCall, Box::new(holds));
    }
    if let Some((rest, of)) = modulo(histories().map(|(it, _)| it.number)) {
        rule(Place::EveryCall(of), Box::new(move |it, _| it.number % of == rest));
    }
    if let Some(first) = histories().map(|(it, _)| it.number).min() {
        rule(Place::CallFrom(first), Box::new(move |it, _| it.number >= first));
    }
    rules
}
