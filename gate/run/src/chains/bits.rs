//! Chains with a bitcast. An optimiser may take it for a cast, or drop it as it drops a cast that changes nothing:
//! `float32 -> int32 by BitCast -> float64` of 1.0 is 1065353216, without the bitcast it is 1, and with a cast instead too.

use crate::graph::{ExpectedElement, Graph};
use castproof_book::Composer;
use castproof_check::fuzz::Random;
use castproof_check::verdict::{Verdict, judge};
use castproof_methods::Step;
use castproof_oracle::{BitcastTensor, bitcast, bitcast_dtypes};
use castproof_vectors::{
    Attributes, DType, Expectation, Outcome, StepOperator, System, landmarks, pack,
};
use std::collections::BTreeSet;

/// The first operator set with `BitCast`.
const FIRST_OPSET: u32 = 26;

/// The most codes of a chain, beside those that tell it from wrong ones.
const CODES: usize = 16;

/// Returns graphs with a bitcast between these ends, each without a version: at the beginning, at the end, and between two
/// casts, as far as a dtype has another one of its width. None if an end is string.
pub(super) fn between((from, to): (DType, DType)) -> Vec<Graph> {
    const CAST: StepOperator = StepOperator::Cast;
    const BITCAST: StepOperator = StepOperator::Bitcast;
    let mut random = Random::new(!((from as u64) << 8 | to as u64));
    let mut graphs = Vec::new();
    if !from.is_numeric() || !to.is_numeric() {
        return graphs;
    }
    if let Some(read) = as_wide(from, &[to], &mut random) {
        graphs.push(graph(&[from, read, to], &[BITCAST, CAST]));
    }
    if let Some(held) = as_wide(to, &[from], &mut random) {
        graphs.push(graph(&[from, held, to], &[CAST, BITCAST]));
    }
    let holders: Vec<DType> = readable().filter(|it| *it != from).collect();
    let held = *random.one_of(&holders);
    if let Some(read) = as_wide(held, &[to], &mut random) {
        graphs.push(graph(&[from, held, read, to], &[CAST, BITCAST, CAST]));
    }
    graphs
}

/// Returns the dtypes of which an optimiser may read the bytes: those of ONNX with a byte or more for each element, but for bool,
/// which has two codes alone.
fn readable() -> impl Iterator<Item = DType> {
    let all = bitcast_dtypes(System::Onnx).iter().copied();
    all.filter(|it| it.is_numeric() && *it != DType::Bool && it.bits() >= 8)
}

/// Draws another dtype of the same width, none of `others`.
fn as_wide(dtype: DType, others: &[DType], random: &mut Random) -> Option<DType> {
    let is_other = |it: &DType| *it != dtype && it.bits() == dtype.bits() && !others.contains(it);
    let all: Vec<DType> = readable().filter(is_other).collect();
    (readable().any(|it| it == dtype) && !all.is_empty()).then(|| *random.one_of(&all))
}

fn graph(dtypes: &[DType], operators: &[StepOperator]) -> Graph {
    let step = |&[from, to]: &[DType; 2]| Step { from, to, attributes: Attributes::default() };
    let steps = dtypes.array_windows().map(step).collect();
    Graph { steps, operators: operators.into(), opset: 0 }
}

/// Has this version a `BitCast`?
pub(super) fn is_in(opset: u32) -> bool {
    opset >= FIRST_OPSET
}

/// Returns the elements that a chain with a bitcast is asked for: of these codes some, and those by which wrong readings are told.
///
/// # Errors
/// If the book contradicts itself.
pub(super) fn due(
    graph: &Graph,
    codes: &[u64],
    composer: &mut Composer<'_>,
) -> Result<Vec<ExpectedElement>, String> {
    let Some(target) = landmarks(graph.ends().1) else { return Ok(Vec::new()) };
    let (mut seen, mut chosen, mut pool) = (BTreeSet::new(), Vec::new(), Vec::new());
    for &code in codes.iter().filter(|code| seen.insert(**code)) {
        let due = given(graph, code, composer)?.filter(|it| it.expect != Outcome::Any);
        let all = if chosen.len() < CODES { &mut chosen } else { &mut pool };
        all.extend(due.map(|due| (code, due, "bitcast")));
    }
    for (_, wrong) in wrong_readings(graph) {
        let mut telling = None;
        for (number, (code, due, _)) in chosen.iter().chain(&pool).enumerate() {
            if let Some(Outcome::Code(other)) = given(&wrong, *code, composer)?.map(|it| it.expect)
            {
                let verdict = judge(&due.expect, due.tolerate.as_ref(), other, target, false);
                if verdict == Verdict::Fail {
                    telling = Some(number);
                    break;
                }
            }
        }
        if let Some(at) = telling.and_then(|number| number.checked_sub(chosen.len())) {
            chosen.push(pool.remove(at));
        }
    }
    Ok(chosen)
}

/// Returns what a graph gives of a code, with one bitcast or without; `None` if the casts before the bitcast have no single result.
///
/// # Errors
/// If the book contradicts itself.
fn given(
    graph: &Graph,
    code: u64,
    composer: &mut Composer<'_>,
) -> Result<Option<Expectation>, String> {
    let requests = graph.requests();
    let Some(at) = graph.bitcast() else { return composer.in_turn(&requests, code) };
    let (before, after) = (&requests[..at], &requests[at + 1..]);
    let held = match before {
        [] => code,
        _ => match composer.in_turn(before, code)? {
            Some(Expectation { expect: Outcome::Code(held), tolerate: None, .. }) => held,
            _ => return Ok(None),
        },
    };
    let Step { from, to, .. } = graph.steps[at];
    let tensor = BitcastTensor { shape: vec![1], bytes: pack(from, &[held])? };
    let (read, rule) = bitcast(System::Onnx, from, to, &tensor)?;
    // The widths are equal, so the bytes of the one element are those of the code.
    let is_read = read.is_some_and(|read| read.bytes == tensor.bytes);
    match after {
        _ if !is_read => Ok(None),
        [] => Ok(Some(Expectation { expect: Outcome::Code(held), tolerate: None, rule })),
        after => composer.in_turn(after, held),
    }
}

/// Returns what an optimiser may make of a graph with a bitcast, each with its name.
fn wrong_readings(right: &Graph) -> Vec<(&'static str, Graph)> {
    let Some(at) = right.bitcast() else { return Vec::new() };
    let (Step { from: held, to: read, .. }, last) = (right.steps[at], right.steps.len() - 1);
    let (from, to) = right.ends();
    let are_alike = |one: DType, other: DType| one.bits() == other.bits();
    let left = |steps: Vec<Step>, operators: &[StepOperator]| Graph {
        steps,
        operators: operators.into(),
        opset: right.opset,
    };
    let mut all = vec![("a bitcast computed as a cast", left(right.steps.clone(), &[]))];
    let mut without = right.steps.clone();
    without.remove(at);
    // The cast after it takes what the bitcast took; at the end, the cast before it gives what the bitcast gave.
    match without.get_mut(at) {
        Some(after) => after.from = held,
        None => without[at - 1].to = to,
    }
    all.push(("a bitcast dropped", left(without, &[])));
    if at > 0 && are_alike(from, read) {
        let mut steps = right.steps[at..].to_vec();
        steps[0].from = from;
        all.push(("the cast before a bitcast dropped", left(steps, &right.operators[at..])));
    }
    if at < last && are_alike(held, to) {
        let mut steps = right.steps[..=at].to_vec();
        steps[at].to = to;
        all.push(("the cast after a bitcast dropped", left(steps, &right.operators[..=at])));
    }
    if (at > 0 && at < last) && are_alike(from, to) {
        let step = Step { from, to, attributes: Attributes::default() };
        all.push((
            "the casts beside a bitcast dropped",
            left(vec![step], &[StepOperator::Bitcast]),
        ));
    }
    all
}

/// Returns the names of wrong readings that give everything that a chain with a bitcast gave, each with its rank among them.
/// `pairs` has codes and results.
pub(super) fn explaining(
    graph: &Graph,
    pairs: &[(u64, u64)],
    composer: &mut Composer<'_>,
) -> Vec<(usize, String)> {
    let Some(target) = landmarks(graph.ends().1) else { return Vec::new() };
    let mut is_given = |wrong: &Graph| {
        pairs.iter().all(|&(code, got)| match given(wrong, code, composer) {
            Ok(Some(due)) => {
                judge(&due.expect, due.tolerate.as_ref(), got, target, false) != Verdict::Fail
            }
            _ => true,
        })
    };
    let all = wrong_readings(graph).into_iter().enumerate();
    let named = all.filter(|(_, (_, wrong))| is_given(wrong));
    named.map(|(rank, (name, _))| (rank, name.to_string())).collect()
}
