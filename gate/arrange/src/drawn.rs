//! Codes beyond those of the vectors: every code of a narrow source, and codes drawn from the
//! answers of a wider source. They find kernels that are wrong in a range without vectors.

use super::cause::holds_at;
use super::plan::Arrangement;
use super::request::One;
use super::wording::{misplaced, unanswered};
use crate::ask::{Said, ask};
use crate::tensor::Tensor;
use castproof_check::arrange::Filling;
use castproof_check::fuzz::{Draw, Random};
use castproof_check::verdict::{Verdict, thousands};
use castproof_check::words;
use castproof_judge::silent;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_vectors::random::mixed;
use castproof_vectors::{Element, Expectation, OutcomeRecord, Request, landmarks};
use std::collections::BTreeMap;

/// All codes of sources up to this width are asked.
const WHOLE_BITS: u32 = 16;

/// How many codes of a wider source are drawn without the seed, the same in every run. An eighth of them are near
/// one or minus one, which makes about eight for each quarter of a binade there.
const DRAWN: usize = 1 << 13;

/// How many more are drawn from the seed, so that a testee that recorded a run is told from one that casts.
const SEEDED: usize = 1 << 12;

/// One wrong element.
struct Wrong {
    index: usize,
    code: u64,
    got: u64,
    due: Expectation,
}

/// What a tensor of drawn codes shows.
#[derive(Default)]
pub(super) struct Drawn {
    /// The findings of codes that are wrong alone too, or of a testee that did not answer.
    pub(super) found: Vec<Misplaced>,
    /// The codes that are wrong here and right alone.
    pub(super) only_here: Option<OnlyHere>,
}

/// Codes that are wrong in the tensor of drawn codes, and right alone.
pub(super) struct OnlyHere {
    /// Their finding.
    pub(super) finding: Misplaced,
    indices: Vec<usize>,
    count: usize,
}

impl OnlyHere {
    /// Is each of them where a fault of this place is? Then they are that fault once more.
    pub(super) fn is_of(&self, place: &Place) -> bool {
        self.indices.iter().all(|&index| holds_at(place, index, self.count))
    }
}

/// Asks for one tensor of these codes. A wrong code is not a finding if the vectors show the same
/// fault: see [`Failing::is_alike`]. The codes that are wrong alone too are one finding for each
/// rule, so that a known one hides no other.
///
/// [`Failing::is_alike`]: castproof_judge::finding::failing::Failing::is_alike
pub(super) fn run(one: &mut One<'_>, seed: u64, asked: Asked) -> Drawn {
    run_of(one, asked, |draw| codes(draw, seed))
}

/// Does the same with a few codes of every exponent field; of narrow sources with none.
pub(super) fn run_fields(one: &mut One<'_>, seed: u64, asked: Asked) -> Drawn {
    if one.request.from.bits() <= WHOLE_BITS {
        return Drawn::default();
    }
    run_of(one, asked, |draw| {
        let mut random = Random::new(mixed(seed));
        filled_up(draw, draw.fields(&mut random), &mut random)
    })
}

fn run_of(one: &mut One<'_>, asked: Asked, codes: impl FnOnce(&Draw) -> Vec<u64>) -> Drawn {
    if one.failing.is_none() {
        return Drawn::default(); // in fuzzing, which draws codes of its own
    }
    let silent = |said, count| {
        let found = vec![unanswered(asked, &said, &[arrangement(count)])];
        Drawn { found, only_here: None }
    };
    let draw = match silent::draw(&one.request, one.silent_as) {
        Ok(draw) => draw,
        Err(problem) => return silent((Verdict::Error, problem), 0),
    };
    let codes = codes(&draw);
    let (mut wrong, got) = match wrong(one, &draw, &codes) {
        Ok(came) => came,
        Err(said) => return silent(said, codes.len()),
    };
    if let (Some(failing), false) = (&one.failing, wrong.is_empty()) {
        let places: Vec<(usize, &str)> =
            wrong.iter().map(|it| (it.index, it.due.rule.as_str())).collect();
        let mut alike = failing.is_alike(&one.request, (&codes, &got), &places).into_iter();
        wrong.retain(|_| alike.next() == Some(false));
    }
    one.tally.tensors += 1;
    one.tally.elements += codes.len() as u64;
    one.tally.wrong += wrong.len() as u64;
    let mut by_rule: BTreeMap<_, Vec<Wrong>> = BTreeMap::new();
    for element in wrong {
        by_rule.entry(element.due.rule).or_default().push(element);
    }
    let mut only_here = Vec::new();
    let mut found = Vec::new();
    for wrong in by_rule.into_values() {
        let alone = self::wrong(one, &draw, &[wrong[0].code]);
        match alone.is_ok_and(|(wrong, _)| !wrong.is_empty()) {
            true => found.push(finding(&one.request, asked, &wrong, &codes, true)),
            false => only_here.extend(wrong),
        }
    }
    only_here.sort_by_key(|element: &Wrong| element.index);
    let only_here = (!only_here.is_empty()).then(|| OnlyHere {
        finding: finding(&one.request, asked, &only_here, &codes, false),
        indices: only_here.iter().map(|element| element.index).collect(),
        count: codes.len(),
    });
    Drawn { found, only_here }
}

fn arrangement(count: usize) -> Arrangement {
    Arrangement::plain(count, Filling::Cycle(0))
}

/// Returns the finding of elements that are wrong in the tensor of `codes`. `is_alone`: the first of
/// them is wrong alone too.
fn finding(
    request: &Request,
    asked: Asked,
    wrong: &[Wrong],
    codes: &[u64],
    is_alone: bool,
) -> Misplaced {
    let first = &wrong[0];
    let place = if is_alone { Place::BeyondVectors } else { Place::ManyCodes };
    let sentence = sentence(request, first, is_alone, (wrong.len(), codes.len()));
    let tensor = arrangement(if is_alone { 1 } else { codes.len() });
    let Request { from, to, .. } = *request;
    Misplaced {
        index: Some(if is_alone { 0 } else { first.index as u64 }),
        input: Some(Element::code(first.code, from)),
        got: Some(Element::code(first.got, to)),
        expect: Some(OutcomeRecord::new(&first.due.expect, to)),
        clause: Some(first.due.rule.to_string()),
        codes: match is_alone {
            true => vec![Element::code(first.code, from)],
            false => Misplaced::some_codes(codes.iter().copied(), from),
        },
        ..misplaced(asked, place, &tensor, sentence)
    }
}

/// Returns all codes of a narrow source; of a wider one those that are drawn, some of every exponent field.
pub(super) fn codes(draw: &Draw, seed: u64) -> Vec<u64> {
    let from = draw.request().from;
    if from.bits() <= WHOLE_BITS {
        // Bytes other than 0 and 1 are not codes of bool.
        let is_valid = |code: &u64| landmarks(from).is_none_or(|source| source.is_valid(*code));
        let codes = (0..=from.code_mask()).filter(is_valid);
        return codes.filter(|&code| !draw.is_refused_at(code)).collect();
    }
    let mut codes = draw.batch(&mut Random::new(0), DRAWN);
    let mut random = Random::new(mixed(seed));
    codes.extend(draw.batch(&mut random, SEEDED));
    codes.extend(draw.fields(&mut random));
    filled_up(draw, codes, &mut random)
}

/// Returns the codes with more that are drawn, so many that no element stands in the tail of a block. One that is wrong
/// there would be wrong alone too, and would not look like a fault of a place.
fn filled_up(draw: &Draw, mut codes: Vec<u64>, random: &mut Random) -> Vec<u64> {
    let more = codes.len().next_multiple_of(SEEDED) - codes.len();
    codes.extend(draw.batch(random, more));
    codes
}

/// Asks for a tensor of these codes. Returns its wrong elements, and all elements.
///
/// # Errors
/// What was said instead of elements.
fn wrong(one: &mut One<'_>, draw: &Draw, codes: &[u64]) -> Result<(Vec<Wrong>, Vec<u64>), Said> {
    let tensor = Tensor::plain(one.request, codes.to_vec());
    let answer = ask(one.testee, draw, &tensor, one.strict)?;
    let elements = codes.iter().zip(&answer.got).zip(&answer.verdicts).enumerate();
    let wrong = elements.filter(|(_, (_, verdict))| **verdict == Verdict::Fail);
    let wrong = wrong.map(|(index, ((&code, &got), _))| {
        let due = draw.expectation(code);
        Wrong { index, code, got, due }
    });
    Ok((wrong.collect(), answer.got))
}

fn sentence(
    request: &Request,
    first: &Wrong,
    is_alone: bool,
    (number, count): (usize, usize),
) -> String {
    let whole = request.from.bits() <= WHOLE_BITS;
    format!(
        "{}: {} gave {}, expected {}; {} of {} codes, {}",
        if is_alone { "wrong alone too" } else { "right alone" },
        words::value(request.from, first.code),
        words::value(request.to, first.got),
        words::outcome(request.to, &first.due.expect),
        thousands(number as u64),
        thousands(count as u64),
        if whole { "all there are" } else { "drawn from the answers" },
    )
}
