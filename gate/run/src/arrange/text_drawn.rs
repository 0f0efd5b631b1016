//! Texts beyond those of the vectors: numerals that are drawn, and numbers that are drawn to be written.

use super::numerals;
use super::plan::Arrangement;
use super::told::{misplaced, unanswered};
use crate::ask::{Said, cast, error};
use crate::tensor::Way;
use castproof_check::arrange::Filling;
use castproof_check::fuzz::Random;
use castproof_check::verdict::{Verdict, thousands};
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_judge::asked::Asked;
use castproof_judge::finding::failing::Failing;
use castproof_judge::judge::judge_element;
use castproof_judge::place::Place;
use castproof_judge::results::{Arranged, Misplaced};
use castproof_testee::Testee;
use castproof_vectors::random::mixed;
use castproof_vectors::{
    DType, Element, Expectation, Outcome, OutcomeRecord, Request, pack_elements, unpack_elements,
};
use std::collections::BTreeMap;

/// The tensor of drawn elements is a multiple of so many.
const BLOCK: usize = 64;

/// One element that is drawn, and what is due of it.
type Due = (Element, Expectation);

/// An element that is wrong, and what came.
struct Wrong<'a> {
    due: &'a Due,
    got: Result<Element, String>,
}

/// Asks for elements that are drawn. Those whose result is open, or that may be refused, are not asked. A wrong one is
/// a finding unless the vectors show that the testee breaks the same rule.
pub(super) fn run(
    request: &Request,
    asked: Asked,
    (failing, strict, seed): (&Failing, bool, u64),
    (testee, tally): (&mut dyn Testee, &mut Arranged),
) -> Vec<Misplaced> {
    let Ok(answers) = Answering::chosen(request) else { return Vec::new() };
    let mut random = Random::new(mixed(seed ^ 1));
    let drawn = match (request.from, request.to) {
        (DType::String, DType::String) => return Vec::new(),
        (DType::String, to) => numerals::texts(to, &mut random),
        (from, _) => numerals::codes(from, &mut random),
    };
    let due = |element: Element| answers.element(&element).ok().map(|due| (element, due));
    let due: Vec<Due> = drawn.into_iter().filter_map(due).filter(is_decided).collect();
    if due.is_empty() {
        return Vec::new();
    }
    // No element stands in the tail of a block, where one that is wrong would be wrong alone too.
    let all: Vec<&Due> = due.iter().cycle().take(due.len().next_multiple_of(BLOCK)).collect();
    let wrong = match ask(request, &all, strict, testee) {
        Ok(wrong) => wrong,
        Err((Verdict::Unsupported, _)) => return Vec::new(),
        Err(said) if said.0 > Verdict::Error => {
            return vec![unanswered(asked, &said, &[arrangement(due.len())])];
        }
        // One of them is refused; the others may be right.
        Err(_) => match one_by_one(request, &all, strict, testee) {
            Ok(wrong) => wrong,
            Err(said) => return vec![unanswered(asked, &said, &[arrangement(1)])],
        },
    };
    tally.tensors += 1;
    tally.elements += due.len() as u64;
    tally.wrong += wrong.len() as u64;
    let mut by_rule: BTreeMap<String, Vec<Wrong<'_>>> = BTreeMap::new();
    for wrong in wrong.into_iter().filter(|it| it.got.is_ok() || !failing.has_errors) {
        by_rule.entry(wrong.due.1.rule.to_string()).or_default().push(wrong);
    }
    by_rule.retain(|rule, _| !failing.breaks(rule));
    let mut found = Vec::new();
    for wrong in by_rule.into_values() {
        let alone = ask(request, &[wrong[0].due], strict, testee);
        let is_alone = !alone.is_ok_and(|wrong| wrong.is_empty());
        found.push(finding(request, asked, &wrong, (due.len(), is_alone)));
    }
    found
}

fn is_decided((_, due): &Due) -> bool {
    let is_open = matches!(due.expect, Outcome::Any | Outcome::Reject);
    !is_open && !matches!(due.tolerate, Some(Outcome::Any | Outcome::Reject))
}

fn arrangement(count: usize) -> Arrangement {
    Arrangement::plain(count, Filling::Cycle(0))
}

/// Asks for a tensor of these elements, and returns the wrong ones.
///
/// # Errors
/// What was said instead of elements.
fn ask<'a>(
    request: &Request,
    due: &[&'a Due],
    strict: bool,
    testee: &mut dyn Testee,
) -> Result<Vec<Wrong<'a>>, Said> {
    let Request { from, to, .. } = *request;
    let elements: Vec<Element> = due.iter().map(|(element, _)| element.clone()).collect();
    let input = pack_elements(from, &elements).map_err(error)?;
    let output = cast(testee, request, (&Way::Plain, due.len()), &input)?;
    let got = unpack_elements(to, &output, due.len()).map_err(error)?;
    let wrong = due.iter().zip(got).filter(|((input, due), got)| {
        let tolerate = due.tolerate.as_ref();
        judge_element(&due.expect, tolerate, (from, to), (input, got), strict) == Verdict::Fail
    });
    Ok(wrong.map(|(due, got)| Wrong { due, got: Ok(got) }).collect())
}

/// Asks for each element alone, and returns the wrong ones and those that are refused.
///
/// # Errors
/// What was said by a testee that died.
fn one_by_one<'a>(
    request: &Request,
    due: &[&'a Due],
    strict: bool,
    testee: &mut dyn Testee,
) -> Result<Vec<Wrong<'a>>, Said> {
    let mut all = Vec::new();
    for due in due {
        match ask(request, &[due], strict, testee) {
            Ok(wrong) => all.extend(wrong),
            Err(said) if said.0 > Verdict::Error => return Err(said),
            Err((verdict, message)) => {
                all.push(Wrong { due, got: Err(format!("{}: {message}", verdict.name())) });
            }
        }
    }
    Ok(all)
}

/// Returns the finding of elements that break one rule. `is_alone`: the first of them is wrong alone too.
fn finding(
    request: &Request,
    asked: Asked,
    wrong: &[Wrong<'_>],
    (count, is_alone): (usize, bool),
) -> Misplaced {
    let Request { from, to, .. } = *request;
    let Wrong { due: (input, due), got } = &wrong[0];
    let sentence = format!(
        "{}: {} gave {}, expected {}; {} of {} elements that were drawn",
        if is_alone { "wrong alone too" } else { "right alone" },
        words::element(from, input),
        match got {
            Ok(got) => words::element(to, got),
            Err(said) => said.clone(),
        },
        words::outcome(to, &due.expect),
        thousands(wrong.len() as u64),
        thousands(count as u64),
    );
    let place = if is_alone { Place::BeyondVectors } else { Place::ManyCodes };
    let tensor = arrangement(if is_alone { 1 } else { count });
    Misplaced {
        index: is_alone.then_some(0),
        input: Some(input.clone()),
        got: got.as_ref().ok().cloned(),
        expect: Some(OutcomeRecord::new(&due.expect, to)),
        clause: Some(due.rule.to_string()),
        codes: vec![input.clone()],
        ..misplaced(asked, place, &tensor, sentence)
    }
}
