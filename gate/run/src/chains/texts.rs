//! Chains of two casts that begin or end with strings: `string > int32 > int8`, `float32 > int8 > string`. An optimiser that drops
//! the dtype in the middle writes another number there, or reads one that the middle does not hold.
//!
//! The elements of a chain are chosen while the gate runs. To a string they are codes at which the first cast changes its
//! result, and from a string the same codes of float64, written as decimals. Those come first by which the direct cast is told.

use crate::graph::Graph;
use castproof_check::fuzz::{Draw, Random};
use castproof_check::numeral::decimal;
use castproof_check::verdict::Verdict;
use castproof_judge::judge::{Expected, Got};
use castproof_methods::Step;
use castproof_oracle::{Caster, admits_text};
use castproof_testee::Testee;
use castproof_vectors::book::Composer;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, Outcome, QuestionTest, Request, landmarks,
};

/// Elements of a chain by which the direct cast is told, and other ones.
const TELLING: usize = 6;
const OTHERS: usize = 2;

/// Codes that are drawn for a chain, of which those are chosen.
const DRAWN: usize = 48;

/// Texts of chains from string beside what is drawn.
const TEXTS: [&str; 8] = ["0", "1", "-1", "2.5", "300", "70000", "16777217", "1e10"];

/// An element, what is due of it, and whether the direct cast is told by it.
struct Chosen {
    element: Element,
    due: Expectation,
    tells: bool,
}

/// Returns the casts of the chains of two between these ends, of which one is string.
pub(super) fn between((first, last): (DType, DType)) -> Vec<Vec<Step>> {
    let numeric = if first == DType::String { last } else { first };
    let middles = DType::NUMERIC.iter().filter(|&&middle| middle != numeric);
    let steps = middles.map(|&middle| {
        let step = |(from, to)| Step { from, to, attributes: Attributes::default() };
        [(first, middle), (middle, last)].map(step).to_vec()
    });
    steps.collect()
}

/// Returns the tests of a chain, of those elements that the testee gets right step by step.
///
/// # Errors
/// If the book contradicts itself.
pub(super) fn tests(
    graph: &Graph,
    composer: &mut Composer<'_>,
    testee: &mut dyn Testee,
) -> Result<Vec<QuestionTest>, String> {
    let (from, to) = graph.ends();
    let chosen = if from == DType::String {
        of_texts(graph, composer)?
    } else {
        debug_assert_eq!(to, DType::String);
        of_codes(graph)?
    };
    let elements: Vec<Element> = chosen.iter().map(|it| it.element.clone()).collect();
    let Some(alone) = graph.each_step(&elements, testee) else { return Ok(Vec::new()) };
    let tests = chosen.iter().map(|Chosen { element, due, tells }| {
        let flag = if *tells { "shortcut" } else { "text" };
        graph.test_of(element.clone(), due, flag)
    });
    // A result that is wrong without a graph is reported by `onnx-cast`.
    let is_right = |test: &QuestionTest, alone: &Element| {
        let got = Got::Element(alone.clone());
        Expected::of_question(test).judge(&got, false) != Verdict::Fail
    };
    let right = tests.zip(&alone).filter(|(test, alone)| is_right(test, alone));
    Ok(right.map(|(test, _)| test).collect())
}

/// Leaves the elements that tell the direct cast, and some others.
fn chosen(all: Vec<Chosen>) -> Vec<Chosen> {
    let (mut telling, mut others): (Vec<Chosen>, Vec<Chosen>) =
        all.into_iter().partition(|it| it.tells);
    telling.truncate(TELLING);
    others.truncate(OTHERS);
    telling.append(&mut others);
    telling
}

/// `float32 > int8 > string`: codes of the first dtype. The direct cast is told where its text is not one of the number in
/// the middle.
fn of_codes(graph: &Graph) -> Result<Vec<Chosen>, String> {
    let [first, second] = graph.requests()[..] else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for code in candidates(&first)? {
        let Some(Outcome::Code(between)) = expected(&first, &Element::code(code, first.from))
        else {
            continue;
        };
        let due = cast(&second, &Element::code(between, second.from));
        let Some(due) = due.filter(|it| matches!(it.expect, Outcome::Text(_))) else { continue };
        let direct = decimal(first.from, code);
        let admits = admits_text(&due.expect, second.from, Some(between), &direct);
        let tells = admits != Some(true) && direct.bytes().any(|byte| byte.is_ascii_digit());
        all.push(Chosen { element: Element::code(code, first.from), due, tells });
    }
    Ok(chosen(all))
}

/// `string > int32 > int8`: texts of numbers. The direct cast is told where it gives something else, or leaves the result open.
fn of_texts(graph: &Graph, composer: &mut Composer<'_>) -> Result<Vec<Chosen>, String> {
    let [first, second] = graph.requests()[..] else { return Ok(Vec::new()) };
    let direct = Request { to: second.to, ..first };
    let drawn = candidates(&Request { from: DType::Float64, ..first })?;
    let drawn = drawn.into_iter().map(|code| decimal(DType::Float64, code));
    let mut all: Vec<Chosen> = Vec::new();
    for text in TEXTS.into_iter().map(String::from).chain(drawn) {
        let element = Element::from(text);
        let Some(Outcome::Code(between)) = expected(&first, &element) else { continue };
        let due = composer.in_turn(&[second], between)?;
        let is_decided = |it: &Expectation| !matches!(it.expect, Outcome::Any | Outcome::Reject);
        let Some(due) = due.filter(is_decided) else { continue };
        let tells = expected(&direct, &element).is_none_or(|it| it != due.expect);
        if all.iter().all(|it| it.element != element) {
            all.push(Chosen { element, due, tells });
        }
    }
    Ok(chosen(all))
}

/// Returns what one cast gives if nothing else is tolerated.
fn expected(request: &Request, element: &Element) -> Option<Outcome> {
    cast(request, element).filter(|it| it.tolerate.is_none()).map(|it| it.expect)
}

fn cast(request: &Request, element: &Element) -> Option<Expectation> {
    Caster::new(request).ok()?.cast_element(element).ok()
}

/// Returns codes at which a cast changes its result, and those with names; no infinity and no NaN, whose texts are open.
fn candidates(request: &Request) -> Result<Vec<u64>, String> {
    let Some(known) = landmarks(request.from) else { return Ok(Vec::new()) };
    let named = known.values.values().map(|(code, _)| code.value());
    let is_number =
        |code: &u64| !known.is_nan(*code) && !known.infinity.iter().any(|it| it.value() == *code);
    let drawn = Draw::of(request)?.batch(&mut Random::new(0), DRAWN);
    Ok(drawn.into_iter().chain(named).filter(is_number).collect())
}
