//! Texts beyond those of the vectors: numerals that are drawn, and numbers that are drawn to be written. The gate asks
//! for one tensor of them in each request, fuzzing for any number.

use super::numerals;
use super::plan::Arrangement;
use super::wording::{misplaced, unanswered};
use crate::ask::{Said, cast, error};
use crate::tensor::Way;
use castproof_check::arrange::Filling;
use castproof_check::fuzz::Random;
use castproof_check::verdict::{Verdict, thousands};
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_judge::finding::failing::Failing;
use castproof_judge::judge::judge_element;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_results::{Arranged, Misplaced};
use castproof_testee::Testee;
use castproof_vectors::random::mixed;
use castproof_vectors::{
    DType, Element, Expectation, Outcome, OutcomeRecord, Request, pack_elements, unpack_elements,
};
use std::collections::{BTreeMap, HashSet};

/// The tensor of drawn elements is a multiple of so many.
const BLOCK: usize = 64;

/// One element that is drawn, and what is due of it.
pub type Due = (Element, Expectation);

/// An element that is wrong, and what came.
pub struct Wrong<'a> {
    /// What is due.
    pub due: &'a Due,
    /// The element that came, or why none did.
    pub got: Result<Element, String>,
}

/// Asks for elements that are drawn. Those whose result is open, or that may be refused, are not asked. A wrong one is
/// a finding unless the vectors show that the testee breaks the same rule.
pub(super) fn run(
    request: &Request,
    asked: Asked,
    (failing, strict, seed): (&Failing, bool, u64),
    (testee, tally): (&mut dyn Testee, &mut Arranged),
) -> Vec<Misplaced> {
    let due = drawn(request, &mut Random::new(mixed(seed ^ 1)));
    if due.is_empty() {
        return Vec::new();
    }
    let wrong = match ask_all(request, &due, strict, testee) {
        Ok(wrong) => wrong,
        Err(((Verdict::Unsupported, _), _)) => return Vec::new(),
        Err((said, count)) => return vec![not_answered(asked, &said, count)],
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

/// Draws elements whose result is decided, and that may not be refused; none from strings to strings.
pub fn drawn(request: &Request, random: &mut Random) -> Vec<Due> {
    let drawn = match (request.from, request.to) {
        (DType::String, DType::String) => Vec::new(),
        (DType::String, to) => numerals::texts(to, random),
        (from, _) => numerals::codes(from, random),
    };
    let Ok(answers) = Answering::chosen(request) else { return Vec::new() };
    drawn.into_iter().filter_map(|element| due(&answers, element)).collect()
}

/// Returns what is due of an element; `None` if that is open or may be a refusal.
pub fn due(answers: &Answering, element: Element) -> Option<Due> {
    let due = answers.element(&element).ok()?;
    Some((element, due)).filter(is_decided)
}

/// Asks for all of these elements, and returns the wrong ones. If the tensor is refused, each is asked alone, because
/// one of them may be refused and the others right.
///
/// # Errors
/// What was said instead of elements, and of how many.
pub fn ask_all<'a>(
    request: &Request,
    due: &'a [Due],
    strict: bool,
    testee: &mut dyn Testee,
) -> Result<Vec<Wrong<'a>>, (Said, usize)> {
    // No element stands in the tail of a block, where one that is wrong would be wrong alone too.
    let all: Vec<&Due> = due.iter().cycle().take(due.len().next_multiple_of(BLOCK)).collect();
    let came = match ask(request, &all, strict, testee) {
        Err((Verdict::Error, _)) => {
            one_by_one(request, &all, strict, testee).map_err(|said| (said, 1))
        }
        came => came.map_err(|said| (said, due.len())),
    };
    // The elements that fill the last block stand in the tensor twice, and are wrong once.
    let mut seen = HashSet::new();
    came.map(|mut wrong| {
        wrong.retain(|it| seen.insert(std::ptr::from_ref(it.due)));
        wrong
    })
}

fn is_decided((_, due): &Due) -> bool {
    let is_open = matches!(due.expect, Outcome::Any | Outcome::Reject);
    !is_open && !matches!(due.tolerate, Some(Outcome::Any | Outcome::Reject))
}

/// Returns the finding of a tensor of so many elements that is not answered.
pub fn not_answered(asked: Asked, said: &Said, count: usize) -> Misplaced {
    unanswered(asked, said, &[arrangement(count)])
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
pub fn finding(
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
