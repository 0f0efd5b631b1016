//! The attributes that requests are asked with.

use crate::cases::Chosen;
use castproof_oracle::{Caster, attribute_sets, attribute_sets_of, concerning};
use castproof_vectors::{
    Attributes, DType, Element, Expectation, NEWEST, Outcome, Request, RoundMode, Spec,
};
use std::collections::BTreeSet;

/// Returns attributes that must change nothing (T-06, T-07). They are asked of one source only.
pub(crate) fn ignored_attributes(from: DType, to: DType) -> Vec<Attributes> {
    if from != DType::Float32 {
        return vec![];
    }
    let saturate = Attributes { saturate: Some(false), round_mode: None };
    let round_mode = Attributes { saturate: None, round_mode: Some(RoundMode::Down) };
    let newest = Spec::cast(NEWEST);
    let is_ignored = |given: &Attributes| concerning(newest, (from, to), *given) != *given;
    [saturate, round_mode].into_iter().filter(is_ignored).collect()
}

/// Returns every combination of attributes that the vectors of a pair use.
pub fn asked_attributes(from: DType, to: DType) -> Vec<Attributes> {
    let mut sets = attribute_sets(to, NEWEST);
    sets.extend(ignored_attributes(from, to));
    sets
}

/// Returns elements that tell the sets of attributes apart: for any two sets with different
/// answers, one where the answers differ. An implementation that takes one set for another, such as
/// an absent attribute for a value that is not its default, is wrong there.
pub(crate) fn telling_attributes(
    spec: Spec,
    (from, to): (DType, DType),
    chosen: &Chosen,
) -> Vec<Element> {
    let sets = attribute_sets_of(spec, (from, to));
    if sets.len() == 1 {
        return vec![];
    }
    let caster = |attributes: &Attributes| {
        let request = Request { spec, from, to, attributes: *attributes };
        Caster::new(&request).expect("attributes of the specification")
    };
    let casters: Vec<Caster> = sets.iter().map(caster).collect();
    let told = |element: &Element| {
        let answer = |caster: &Caster| caster.cast_element(element).expect("chosen for the source");
        let answers: Vec<Expectation> = casters.iter().map(answer).collect();
        let pairs = (0..sets.len()).flat_map(|one| (0..sets.len()).map(move |other| (one, other)));
        pairs
            .filter(|&(one, other)| is_wrong_for(&answers[one], &answers[other]))
            .collect::<BTreeSet<_>>()
    };
    let mut candidates: Vec<(&Element, BTreeSet<(usize, usize)>)> =
        chosen.iter().map(|(element, _)| (element, told(element))).collect();
    let mut elements = Vec::new();
    // The element that tells most of the pairs not yet told apart; of several, the first.
    while let Some((element, best)) = candidates
        .iter()
        .rev()
        .max_by_key(|(_, told)| told.len())
        .filter(|(_, told)| !told.is_empty())
        .cloned()
    {
        elements.push(element.clone());
        for (_, told) in &mut candidates {
            told.retain(|pair| !best.contains(pair));
        }
    }
    elements
}

/// Does `one` not admit the single code that `other` expects?
fn is_wrong_for(one: &Expectation, other: &Expectation) -> bool {
    let admits = |outcome: &Outcome| match outcome {
        Outcome::OneOf(_) | Outcome::Any => true,
        outcome => *outcome == other.expect,
    };
    !matches!(other.expect, Outcome::OneOf(_) | Outcome::Any)
        && !admits(&one.expect)
        && !one.tolerate.as_ref().is_some_and(admits)
}
