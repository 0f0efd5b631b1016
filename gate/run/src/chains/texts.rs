//! Chains with strings: at an end, `string > int32 > int8` and `float32 > int8 > string`; between, `int64 > string > int64`; and chains of
//! three. An optimiser that drops the dtype in the middle writes another number there, or reads one that the middle does not hold;
//! one that takes a string between two numbers through a float loses digits.
//!
//! The elements of a chain are chosen while the gate runs: codes at which the casts change their results, and from a string the same
//! codes of float64, written as decimals. Those come first by which chains with fewer casts, or with another dtype for one of them,
//! are told.

mod row;

use self::row::Rows;
use super::instead::instead;
use crate::graph::Graph;
use castproof_book::Composer;
use castproof_check::fuzz::{Draw, Random};
use castproof_check::numeral::decimal;
use castproof_check::verdict::Verdict;
use castproof_judge::judge::{Expected, Got};
use castproof_methods::{Rewrite, Step};
use castproof_oracle::Caster;
use castproof_testee::Testee;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, NEWEST, Outcome, QuestionTest, Request, landmarks,
};

/// The most elements of a chain, and those of them by which others are told.
const ELEMENTS: usize = 10;
const TELLING: usize = 8;

/// Codes that are drawn for a chain, of which those are chosen.
const DRAWN: usize = 48;

/// One of so many ends has a chain of three with a string between.
const SHARE: usize = 5;

/// Dtypes that stand for others in the chains that are told.
const STAND_INS: [DType; 5] =
    [DType::Float64, DType::Float32, DType::Float16, DType::Int64, DType::Int32];

/// Ordinary numbers, which are asked before what is drawn. Who reads 1e2 as an integer, which a cast to a float in the
/// middle would have read as 100, may stop at the e.
const TEXTS: [&str; 11] =
    ["1e2", "2.5e1", "-3e-2", "2.5", "300", "70000", "16777217", "1e10", "0", "1", "-1"];

/// Returns the casts of the chains with strings between these ends.
pub(super) fn between((first, last): (DType, DType)) -> Vec<Vec<Step>> {
    let numeric = if first == DType::String { last } else { first };
    let mut chains = Vec::new();
    if [first, last].contains(&DType::String) {
        let middles = DType::NUMERIC.iter().filter(|&&middle| middle != numeric);
        chains.extend(middles.map(|&middle| vec![first, middle, last]));
    } else {
        chains.push(vec![first, DType::String, last]);
    }
    chains.extend(of_three((first, last)));
    let step = |&[from, to]: &[DType; 2]| Step { from, to, attributes: Attributes::default() };
    chains.iter().map(|dtypes| dtypes.array_windows().map(step).collect()).collect()
}

/// Returns the dtypes of a chain of three casts between these ends: one for each end that is string, and for one in five of others.
fn of_three((first, last): (DType, DType)) -> Option<Vec<DType>> {
    let mut random = Random::new((first as u64) << 8 | last as u64);
    let has_text = [first, last].contains(&DType::String);
    if !has_text && random.below(SHARE) > 0 {
        return None;
    }
    let other = *random.one_of(DType::NUMERIC);
    let dtypes = match (first, last) {
        (DType::String, last) => vec![first, last, other, last],
        (first, DType::String) => vec![first, other, first, last],
        _ if random.below(2) == 0 => vec![first, DType::String, other, last],
        _ => vec![first, other, DType::String, last],
    };
    // A cast to the dtype that is there already is none.
    dtypes.array_windows().all(|[from, to]| from != to).then_some(dtypes)
}

/// An element and what is due of it.
type Due = (Element, Expectation);

/// Returns the tests of a chain, of those elements that the testee gets right step by step.
///
/// # Errors
/// If the book contradicts itself.
pub(super) fn tests(
    graph: &Graph,
    composer: &mut Composer<'_>,
    testee: &mut dyn Testee,
) -> Result<Vec<QuestionTest>, String> {
    let chosen = chosen(graph, &mut Rows::new(composer))?;
    let elements: Vec<Element> = chosen.iter().map(|((element, _), _)| element.clone()).collect();
    let tests = chosen.into_iter().zip(each_alone(graph, &elements, testee));
    let tests = tests.filter_map(|(((element, due), flag), alone)| {
        let test = graph.test_of(element, &due, flag);
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

/// Returns the elements that a chain is asked for, each with its flag.
fn chosen(graph: &Graph, rows: &mut Rows<'_, '_>) -> Result<Vec<(Due, &'static str)>, String> {
    let requests = graph.requests();
    let mut pool: Vec<Due> = Vec::new();
    for element in candidates(&graph.dtypes())? {
        if pool.iter().any(|(known, _)| *known == element) {
            continue;
        }
        if let Some(due) = rows.due(&requests, &element)? {
            pool.push((element, due));
        }
    }
    let mut telling: Vec<Due> = Vec::new();
    for steps in instead(&graph.steps, is_asked) {
        let instead: Vec<Request> = steps.iter().map(|step| step.request(graph.opset)).collect();
        for sign in [Sign::Wrong, Sign::Open] {
            if position((graph, &instead), sign, &telling, rows)?.is_some() {
                break;
            }
            let at = position((graph, &instead), sign, &pool, rows)?;
            if let Some(at) = at.filter(|_| telling.len() < TELLING) {
                telling.push(pool.remove(at));
                break;
            }
        }
    }
    let telling = telling.into_iter().map(|due| (due, "shortcut"));
    Ok(telling.chain(pool.into_iter().map(|due| (due, "text"))).take(ELEMENTS).collect())
}

/// How other casts are told by an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Their result is wrong.
    Wrong,
    /// They leave it open: `2.5` is read as 2 by a float32 before an int8, and a reader of int8 may stop at the point, refuse it or
    /// make anything of it.
    Open,
}

/// Returns the place of the first element by which other casts are told.
fn position(
    (graph, instead): (&Graph, &[Request]),
    sign: Sign,
    all: &[Due],
    rows: &mut Rows<'_, '_>,
) -> Result<Option<usize>, String> {
    for (at, (element, due)) in all.iter().enumerate() {
        let given = rows.given(instead, element)?;
        let is_told = match given {
            None => sign == Sign::Open && graph.ends().0 == DType::String,
            Some(given) => {
                let test = graph.test_of(element.clone(), due, "");
                let verdict = Expected::of_question(&test).judge(&Got::Element(given), false);
                sign == Sign::Wrong && verdict == Verdict::Fail
            }
        };
        if is_told {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Is it asked whether elements tell this rewrite: fewer casts, or another dtype for one?
fn is_asked(rewrite: Rewrite) -> bool {
    match rewrite {
        Rewrite::MiddleDropped | Rewrite::BothDropped => true,
        Rewrite::Middle(dtype) => STAND_INS.contains(&dtype),
        _ => false,
    }
}

/// Returns elements of the first dtype at which a cast changes its result, and those with names; no infinity and no NaN, whose texts
/// are open. Those of string are such numbers of float64.
fn candidates(dtypes: &[DType]) -> Result<Vec<Element>, String> {
    let from = match dtypes[0] {
        DType::String => DType::Float64,
        from => from,
    };
    let Some(known) = landmarks(from) else { return Ok(Vec::new()) };
    let is_number =
        |code: &u64| !known.is_nan(*code) && !known.infinity.iter().any(|it| it.value() == *code);
    let is_other = |to: &DType| ![from, DType::String].contains(to);
    let mut targets: Vec<DType> = dtypes.iter().copied().filter(is_other).collect();
    if targets.is_empty() {
        targets = STAND_INS.into_iter().filter(is_other).collect();
    }
    let (mut random, mut codes) = (Random::new(0), ordinary(from));
    for to in &targets {
        let draw = Draw::of(&Request::cast(from, *to, NEWEST))?;
        codes.extend(draw.batch(&mut random, DRAWN / targets.len()));
    }
    codes.extend(known.values.values().map(|(code, _)| code.value()));
    let numbers = codes.into_iter().filter(is_number);
    Ok(match dtypes[0] {
        DType::String => {
            let drawn = numbers.map(|code| decimal(from, code));
            TEXTS.into_iter().map(String::from).chain(drawn).map(Element::from).collect()
        }
        _ => numbers.map(|code| Element::code(code, from)).collect(),
    })
}

/// Returns what ordinary numbers are as elements of a dtype, where it has them.
fn ordinary(dtype: DType) -> Vec<u64> {
    let Ok(caster) = Caster::new(&Request::cast(DType::String, dtype, NEWEST)) else {
        return Vec::new();
    };
    let read =
        TEXTS.into_iter().filter_map(|text| caster.cast_element(&text.to_string().into()).ok());
    let codes = read.filter_map(|it| match it {
        Expectation { expect: Outcome::Code(code), tolerate: None, .. } => Some(code),
        _ => None,
    });
    codes.collect()
}
