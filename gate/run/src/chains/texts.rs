//! Chains of two casts that begin or end with strings: `string > int32 > int8`, `float32 > int8 > string`. An optimiser that drops
//! the dtype in the middle writes another number there, or reads one that the middle does not hold.
//!
//! The elements of a chain are chosen while the gate runs. To a string they are codes at which the first cast changes its
//! result, and from a string the same codes of float64, written as decimals. Those come first by which the direct cast is told.

use crate::graph::Graph;
use castproof_book::Composer;
use castproof_check::fuzz::{Draw, Random};
use castproof_check::numeral::decimal;
use castproof_check::verdict::Verdict;
use castproof_judge::judge::{Expected, Got};
use castproof_methods::Step;
use castproof_oracle::{Caster, admits_text};
use castproof_testee::Testee;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, Outcome, QuestionTest, Request, landmarks,
};

/// Elements of a chain by which the direct cast is told, and other ones.
const TELLING: usize = 8;
const OTHERS: usize = 2;

/// Codes that are drawn for a chain, of which those are chosen.
const DRAWN: usize = 48;

/// Texts of chains from string beside what is drawn, and before it. Who reads 1e2 as an integer, which a cast to a float in the
/// middle would have read as 100, may stop at the e.
const TEXTS: [&str; 11] =
    ["1e2", "2.5e1", "-3e-2", "2.5", "300", "70000", "16777217", "1e10", "0", "1", "-1"];

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
    let chosen = match graph.ends() {
        (DType::String, _) => of_texts(graph, composer)?,
        _ => of_codes(graph)?,
    };
    let elements: Vec<Element> = chosen.iter().map(|it| it.element.clone()).collect();
    let tests = chosen.into_iter().zip(each_alone(graph, &elements, testee));
    let tests = tests.filter_map(|(Chosen { element, due, tells }, alone)| {
        let test = graph.test_of(element, &due, if tells { "shortcut" } else { "text" });
        // A result that is wrong without a graph is reported by `onnx-cast`.
        let verdict = Expected::of_question(&test).judge(&Got::Element(alone?), false);
        (verdict != Verdict::Fail).then_some(test)
    });
    Ok(tests.collect())
}

/// Casts elements step by step. One text may be an error that takes the results of the others with it, such as `5e-324` where
/// a number is read by `std::stod`: then each is asked alone. `None`: the testee gives nothing for this one.
fn each_alone(
    graph: &Graph,
    elements: &[Element],
    testee: &mut dyn Testee,
) -> Vec<Option<Element>> {
    match graph.each_step(elements, testee) {
        Ok(results) => results.into_iter().map(Some).collect(),
        Err(Verdict::Error) => {
            let mut alone = |it| graph.each_step(std::slice::from_ref(it), testee).ok()?.pop();
            elements.iter().map(&mut alone).collect()
        }
        Err(_) => vec![None; elements.len()],
    }
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
