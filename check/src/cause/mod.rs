//! Which wrong method gives the results of a kernel, where one does.
//!
//! A method is named only if it gives every wrong result that was seen, and contradicts no right one; methods that cannot be
//! told apart are all named. What becomes of NaN is said apart. The names are those of the findings of `castproof gate`, which
//! knows more methods.

mod methods;
mod pair;
mod place;
#[cfg(test)]
mod tests;

use crate::draw::Draw;
use crate::numeral::{decimal, ordinal};
use crate::verdict::admits;
use castproof_vectors::{DType, Landmarks, Outcome, landmarks};
use methods::{NANS, NUMBERS, TRUTHS};
use pair::Pair;

pub(crate) use place::Place;

/// One element that was asked.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) input: u64,
    pub(crate) got: u64,
    pub(crate) due: Outcome,
    pub(crate) is_wrong: bool,
}

/// Returns what is known of the wrong results: the methods that give all of them, which inputs are wrong; nothing if
/// nothing is wrong.
pub(crate) fn cause(draw: &Draw, seen: &[Seen]) -> Option<String> {
    let (from, to) = (draw.request().from, draw.request().to);
    let wrong: Vec<&Seen> = seen.iter().filter(|it| it.is_wrong).collect();
    let first = wrong.first()?;
    if seen.len() > 1 && seen.iter().all(|it| it.got == first.got) {
        return Some(format!("always the same result, {}", decimal(to, first.got)));
    }
    let source = landmarks(from)?;
    let is_nan = |it: &&Seen| source.is_nan(it.input);
    let range = range(from, wrong.iter().filter(|it| !is_nan(it)).map(|it| it.input));
    let nan = wrong.iter().any(is_nan).then(|| nan_methods(draw, seen).join(", or "));
    let Some(range) = range else {
        return nan.map(|it| if it.is_empty() { "NaN".into() } else { it });
    };
    let names = methods(draw, seen).join(", or ");
    let numbers = if names.is_empty() { range } else { format!("{names}: {range}") };
    Some(match nan {
        None => numbers,
        Some(nan) if !nan.is_empty() => format!("{numbers}; {nan}"),
        Some(_) if names.is_empty() => format!("{numbers}, and NaN"),
        Some(_) => format!("{numbers}; NaN is wrong too"),
    })
}

/// Returns the names of the methods that give every wrong result of a number and contradict no right one.
fn methods(draw: &Draw, seen: &[Seen]) -> Vec<&'static str> {
    let Some((pair, source, target)) = facts(draw) else { return vec![] };
    // Wrong results come first, because most methods give another one.
    let mut numbers: Vec<&Seen> = seen.iter().filter(|it| !source.is_nan(it.input)).collect();
    numbers.sort_by_key(|it| !it.is_wrong);
    let holds = |method: &methods::Method| {
        numbers.iter().all(|it| {
            // No method says what it gives where several results are right.
            let Outcome::Code(due) = it.due else { return !it.is_wrong };
            let Some(place) = ordinal(pair.to, due) else { return !it.is_wrong };
            let given = method(&pair, it.input, place).unwrap_or(due);
            it.got == given || !it.is_wrong && admits(&it.due, given, target)
        })
    };
    if numbers.first().is_none_or(|it| !it.is_wrong) {
        return vec![];
    }
    let all: &[(&str, methods::Method)] = if pair.to == DType::Bool { &TRUTHS } else { &NUMBERS };
    all.iter().filter(|(_, method)| holds(method)).map(|(name, _)| *name).collect()
}

/// Returns the names of what becomes of NaN that gives every wrong result of a NaN and contradicts no right one.
fn nan_methods(draw: &Draw, seen: &[Seen]) -> Vec<&'static str> {
    let Some((pair, source, target)) = facts(draw) else { return vec![] };
    let magnitude = if pair.to.is_signed() { pair.to.code_mask() >> 1 } else { u64::MAX };
    let all = NANS.iter().filter(|(_, method, with_sign)| {
        let mask = if *with_sign { u64::MAX } else { magnitude };
        seen.iter().filter(|it| source.is_nan(it.input)).all(|it| match method(&pair, it.input) {
            None => !it.is_wrong,
            Some(given) => {
                it.got & mask == given & mask || !it.is_wrong && admits(&it.due, given, target)
            }
        })
    });
    all.map(|(name, ..)| *name).collect()
}

fn facts(draw: &Draw) -> Option<(Pair<'_>, &'static Landmarks, &'static Landmarks)> {
    let request = draw.request();
    Some((Pair::of(draw)?, landmarks(request.from)?, landmarks(request.to)?))
}

/// Returns `inputs from -3.4e38 to 3.4e38`, or `the input 1`; `None` without inputs.
fn range(from: DType, inputs: impl Iterator<Item = u64>) -> Option<String> {
    let mut places: Vec<(i128, u64)> =
        inputs.filter_map(|code| ordinal(from, code).map(|place| (place, code))).collect();
    places.sort_unstable();
    let (first, last) = (places.first()?.1, places.last()?.1);
    Some(match first == last {
        true => format!("the input {}", decimal(from, first)),
        false => format!("inputs from {} to {}", decimal(from, first), decimal(from, last)),
    })
}
