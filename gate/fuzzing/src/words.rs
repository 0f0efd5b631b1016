//! Words for findings of places that no arrangement shows.

use castproof_arrange::ask::{AnsweredTensor, Said};
use castproof_arrange::tensor::{Tensor, padding_rule};
use castproof_check::fuzz::Draw;
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_results::place::{Place, TensorCounts};
use castproof_vectors::{Element, OutcomeRecord, Request};
use std::collections::BTreeSet;

/// Makes a finding of a tensor without an element.
fn found_in(tensor: &Tensor, place: Place, sentence: String) -> Misplaced {
    Misplaced {
        asked: Asked::of_request(&tensor.request),
        place,
        sentence,
        count: tensor.codes.len() as u64,
        layout: tensor.way.layout(),
        index: None,
        input: None,
        got: None,
        expect: None,
        clause: None,
        codes: Misplaced::some_codes(tensor.codes.iter().copied(), tensor.request.from),
        done: None,
        known: None,
    }
}

pub(super) fn wrong_at(draw: &Draw, tensor: &Tensor, at: usize, got: u64) -> Misplaced {
    let Request { from, to, .. } = tensor.request;
    let code = tensor.codes[at];
    let due = draw.expectation(code);
    let sentence = format!(
        "right alone; wrong as element {at} of {}, where {} gave {}, expected {}, {}",
        tensor.codes.len(),
        words::value(from, code),
        words::value(to, got),
        words::outcome(to, &due.expect),
        tensor.way.layout(),
    );
    Misplaced {
        index: Some(at as u64),
        input: Some(Element::code(code, from)),
        got: Some(Element::code(got, to)),
        expect: Some(OutcomeRecord::new(&due.expect, to)),
        clause: Some(due.rule.to_string()),
        ..found_in(tensor, Place::NotExplained, sentence)
    }
}

/// Returns the first wrong element of a tensor that is not wrong each time: so many times of so many.
pub(super) fn wrong_once(
    draw: &Draw,
    tensor: &Tensor,
    came: &AnsweredTensor,
    right_alone: &BTreeSet<u64>,
    (failed, times): (usize, usize),
) -> Option<Misplaced> {
    let wrong = |at: &usize| {
        came.verdicts[*at] == Verdict::Fail && right_alone.contains(&tensor.codes[*at])
    };
    let at = (0..tensor.codes.len()).find(wrong)?;
    let found = wrong_at(draw, tensor, at, came.got[at]);
    let sentence = format!("{}; wrong {failed} of {times} times", found.sentence);
    Some(Misplaced { place: Place::NotEveryTime, sentence, ..found })
}

pub(super) fn padding(tensor: &Tensor) -> Misplaced {
    let count = tensor.codes.len();
    let sentence = format!("the padding bits of the output are not zero: at a count of {count}");
    let Request { from, to, .. } = tensor.request;
    Misplaced {
        index: Some(count as u64 - 1),
        input: tensor.codes.last().map(|&code| Element::code(code, from)),
        clause: padding_rule(to).map(|rule| rule.to_string()),
        ..found_in(tensor, Place::PaddingOut, sentence)
    }
}

pub(super) fn not_answered(tensor: &Tensor, (verdict, message): &Said) -> Misplaced {
    let counts = TensorCounts::One(tensor.codes.len());
    let sentence = format!("{}: {message}, {counts}, {}", verdict.name(), tensor.way.layout());
    found_in(tensor, Place::Unanswered(*verdict, counts), sentence)
}
