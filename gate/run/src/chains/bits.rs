//! Chains with a bitcast. An optimiser may take it for a cast, or drop it as it drops a cast that changes nothing:
//! `float32 -> int32 by BitCast -> float64` of 1.0 is 1065353216, without the bitcast it is 1, and with a cast instead too.

use crate::graph::{ExpectedElement, Graph};
use castproof_book::{ChainPieces, Composer};
use castproof_check::fuzz::Random;
use castproof_check::verdict::{Verdict, judge};
use castproof_methods::Step;
use castproof_oracle::{BitcastTensor, bitcast, bitcast_dtypes};
use castproof_vectors::{
    Attributes, DType, Expectation, Outcome, Request, StepOperator, System, landmarks, pack,
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
    let right = Parts::of(graph, composer)?;
    let (mut seen, mut chosen, mut pool) = (BTreeSet::new(), Vec::new(), Vec::new());
    for &code in codes.iter().filter(|code| seen.insert(**code)) {
        let due = right.expected(code)?.filter(|it| it.expect != Outcome::Any);
        let all = if chosen.len() < CODES { &mut chosen } else { &mut pool };
        all.extend(due.map(|due| (code, due, "bitcast")));
    }
    for (_, wrong) in wrong_readings(graph) {
        let wrong = Parts::of(&wrong, composer)?;
        let mut telling = None;
        for (number, (code, due, _)) in chosen.iter().chain(&pool).enumerate() {
            if let Some(Outcome::Code(other)) = wrong.expected(*code)?.map(|it| it.expect) {
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

/// The bitcast of a graph, with the casts before it and after it; `None` where there are none.
struct Parts {
    before: Option<ChainPieces>,
    bitcast: Option<Step>,
    after: Option<ChainPieces>,
}

impl Parts {
    /// Returns the parts of a graph with one bitcast or without.
    ///
    /// # Errors
    /// If the book contradicts itself.
    fn of(graph: &Graph, composer: &mut Composer<'_>) -> Result<Parts, String> {
        let requests = graph.requests();
        let at = graph.bitcast();
        let (before, after) = match at {
            Some(at) => (&requests[..at], &requests[at + 1..]),
            None => (&requests[..], &requests[..0]),
        };
        let mut pieces = |casts: &[Request]| match casts {
            [] => Ok(None),
            casts => composer.chain(casts).map(Some),
        };
        let (before, after) = (pieces(before)?, pieces(after)?);
        Ok(Parts { before, bitcast: at.map(|at| graph.steps[at]), after })
    }

    /// Returns what the graph gives of a code; `None` if the casts before the bitcast have no single result.
    ///
    /// # Errors
    /// If a code is none of its dtype.
    fn expected(&self, code: u64) -> Result<Option<Expectation>, String> {
        let came = self.before.as_ref().map(|before| before.expected(code));
        let Some(Step { from, to, .. }) = self.bitcast else { return Ok(came.flatten()) };
        let held = match came {
            None => code,
            Some(Some(Expectation { expect: Outcome::Code(held), tolerate: None, .. })) => held,
            Some(_) => return Ok(None),
        };
        let tensor = BitcastTensor { shape: vec![1], bytes: pack(from, &[held])? };
        let (read, rule) = bitcast(System::Onnx, from, to, &tensor)?;
        // The widths are equal, so the bytes of the one element are those of the code.
        let is_read = read.is_some_and(|read| read.bytes == tensor.bytes);
        Ok(match &self.after {
            _ if !is_read => None,
            None => Some(Expectation { expect: Outcome::Code(held), tolerate: None, rule }),
            Some(after) => after.expected(held),
        })
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

/// Returns the names of wrong readings that explain everything that a chain with a bitcast gave, each with its rank among them;
/// and whether each of them leaves all these results open. `pairs` has codes and results.
pub(super) fn explaining(
    graph: &Graph,
    pairs: &[(u64, u64)],
    composer: &mut Composer<'_>,
) -> (BTreeSet<(usize, String)>, bool) {
    let (mut shown, mut open) = (BTreeSet::new(), BTreeSet::new());
    let Some(target) = landmarks(graph.ends().1) else { return (open, true) };
    for (rank, (name, wrong)) in wrong_readings(graph).into_iter().enumerate() {
        let Ok(wrong) = Parts::of(&wrong, composer) else { continue };
        // What is left open contradicts no reading, and shows none.
        let (mut is_shown, mut is_contradicted) = (false, false);
        for &(code, got) in pairs {
            let Ok(Some(due)) = wrong.expected(code) else { continue };
            let verdict = judge(&due.expect, due.tolerate.as_ref(), got, target, false);
            is_contradicted |= verdict == Verdict::Fail;
            is_shown |= due.expect != Outcome::Any;
        }
        if !is_contradicted {
            let all = if is_shown { &mut shown } else { &mut open };
            all.insert((rank, name.to_string()));
        }
    }
    match shown.is_empty() {
        true => (open, true),
        false => (shown, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_book::Book;
    use castproof_vectors::NEWEST;

    /// float32 to int32 leaves open what it makes of 2^127. So no result there shows whether the bytes were read as int32.
    #[test]
    fn a_reading_that_leaves_results_open_is_not_shown_by_them() {
        use DType::{Float32, Int32, Int64};
        let operators = [StepOperator::Bitcast, StepOperator::Cast];
        let graph = Graph { opset: NEWEST, ..graph(&[Float32, Int32, Int64], &operators) };
        let mut composer = Composer::new(Book::carried());
        let mut names = |pairs: &[(u64, u64)]| {
            let (by, is_open) = explaining(&graph, pairs, &mut composer);
            (by.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), is_open)
        };
        let both = ["a bitcast computed as a cast", "a bitcast dropped"].map(String::from).to_vec();
        let (beyond, one) = ((0x7f00_0000, 5), (0x3f80_0000, 1));
        assert_eq!(names(&[beyond]), (both.clone(), true));
        assert_eq!(names(&[beyond, one]), (both, false));
        assert_eq!(names(&[beyond, (0x3f80_0000, 7)]), (vec![], true));
    }
}
