//! The classes of inputs for which two specifications differ: those that one rule decides in the
//! first and another one in the second.

use super::asked::{Asked, Pieces};
use super::count::{Run, differing};
use castproof_vectors::{DType, Expectation, Piece, RuleId, piece_of};
use std::collections::BTreeMap;

/// Codes of a run that are tried for an example, besides its ends and its middle.
const TRIED: u64 = 1 << 16;

/// Two specifications.
pub(super) struct Section {
    pub(super) names: [String; 2],
    /// Pairs of dtypes that both cast.
    pub(super) pairs: usize,
    pub(super) classes: BTreeMap<[RuleId; 2], Class>,
}

/// Inputs that one rule decides in the first specification and another one in the second.
pub(super) struct Class {
    pub(super) pairs: Vec<(DType, DType)>,
    pub(super) codes: u128,
    pub(super) example: Example,
}

/// An input of the first pair, and what the two specifications expect.
pub(super) struct Example {
    pub(super) code: u64,
    pub(super) answers: [Expectation; 2],
}

/// Compares two specifications, pair by pair.
pub(super) fn between(asked: [&Asked; 2], pieces: [&Pieces; 2]) -> Result<Section, String> {
    let names = asked.map(Asked::name);
    let mut section = Section { names, pairs: 0, classes: BTreeMap::new() };
    for (&pair, one) in pieces[0] {
        let Some(other) = pieces[1].get(&pair) else { continue };
        section.pairs += 1;
        add(&mut section.classes, pair, [one, other])?;
    }
    Ok(section)
}

fn add(
    classes: &mut BTreeMap<[RuleId; 2], Class>,
    pair: (DType, DType),
    both: [&Vec<Piece>; 2],
) -> Result<(), String> {
    let mut first = 0;
    loop {
        let pieces = both.map(|pieces| piece_of(pieces, first));
        let last = pieces[0].last.min(pieces[1].last);
        let codes = differing(pieces, pair, (first, last))?;
        if codes > 0 {
            let example = example(pieces, pair, (first, last))?;
            let rules = example.answers.each_ref().map(|answer| answer.rule);
            let class = classes.entry(rules).or_insert(Class { pairs: vec![], codes: 0, example });
            class.codes += codes;
            if class.pairs.last() != Some(&pair) {
                class.pairs.push(pair);
            }
        }
        match last.checked_add(1).filter(|next| *next <= pair.0.code_mask()) {
            Some(next) => first = next,
            None => return Ok(()),
        }
    }
}

/// A code of the run for which the results exclude each other.
fn example(
    pieces: [&Piece; 2],
    (from, to): (DType, DType),
    (first, last): Run,
) -> Result<Example, String> {
    let ends = [first, last, first + (last - first) / 2];
    let more = (first..=last).take(TRIED as usize);
    for code in ends.into_iter().chain(more) {
        if differing(pieces, (from, to), (code, code))? > 0 {
            let answers = pieces.map(|piece| piece.expectation(from, to, code));
            return Ok(Example { code, answers });
        }
    }
    Err(format!("{from} to {to}: no example among {first:#x} to {last:#x}"))
}
