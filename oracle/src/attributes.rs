//! The attributes that requests are asked with.

use crate::cases::Chosen;
use crate::cast::Caster;
use crate::class::Class;
use crate::spec::record;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, NEWEST, Outcome, Request, RoundMode, Spec,
};
use std::collections::BTreeSet;

/// Returns every combination of the attributes that matter to a target and that `Cast` of this
/// version has. Each attribute is absent, so that its default holds, or has one of its values. In
/// ONNX the source does not count.
pub fn attribute_sets(to: DType, version: u32) -> Vec<Attributes> {
    attribute_sets_of(Spec::cast(version), (to, to))
}

/// Returns every combination of the attributes that matter to a pair in a specification; the first
/// gives none.
pub fn attribute_sets_of(spec: Spec, pair: (DType, DType)) -> Vec<Attributes> {
    let (mut saturates, mut modes) = (vec![None], vec![None]);
    if let Ok(record) = record(spec) {
        saturates.extend(record.saturate.values_for(pair).iter().copied().map(Some));
        modes.extend(record.round_mode.values_for(pair).iter().copied().map(Some));
    }
    let with =
        |round_mode| saturates.iter().map(move |&saturate| Attributes { saturate, round_mode });
    modes.into_iter().flat_map(with).collect()
}

/// Returns those of the attributes that matter to a pair in a specification.
pub fn concerning(spec: Spec, pair: (DType, DType), given: Attributes) -> Attributes {
    record(spec).map_or_else(|_| Attributes::default(), |record| record.concerning(pair, given))
}

/// Is an attribute that matters to the target absent?
pub(crate) fn leaves_out(attributes: Attributes, to: DType) -> bool {
    match Class::of(to) {
        Class::Float8 => attributes.saturate.is_none(),
        Class::Scale => attributes.saturate.is_none() || attributes.round_mode.is_none(),
        _ => false,
    }
}

/// Returns those versions of `Cast` that have the attributes.
pub(crate) fn having(attributes: Attributes, versions: &[u32]) -> Vec<u32> {
    let has = |version: &u32| {
        record(Spec::cast(*version)).is_ok_and(|record| {
            (record.saturate.is_known() || attributes.saturate.is_none())
                && (record.round_mode.is_known() || attributes.round_mode.is_none())
        })
    };
    versions.iter().copied().filter(has).collect()
}

/// Returns attributes that must change nothing (T-06, T-07). They are asked of one source only.
pub(crate) fn ignored_attributes(from: DType, to: DType) -> Vec<Attributes> {
    let saturate = Attributes { saturate: Some(false), round_mode: None };
    let round_mode = Attributes { saturate: None, round_mode: Some(RoundMode::Down) };
    match (from, Class::of(to)) {
        (DType::Float32, Class::Float8) => vec![round_mode],
        (DType::Float32, Class::Scale) => vec![],
        (DType::Float32, _) => vec![saturate, round_mode],
        _ => vec![],
    }
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
