//! Chains of three casts. An optimiser that looks at two casts at a time is right in a graph of two and may be wrong in
//! a longer one: what it makes of the first two is looked at again with the third, and `float32 > int8 > float32 > int8`
//! has two pairs of casts there and back. All chains of three would be 390,625, so they are drawn: every fifth chain of
//! two gets a third cast, and the codes are those by which the rewritten chains are told apart.

use super::instead::instead;
use crate::graph::{ExpectedElement, Graph};
use castproof_book::{ChainPieces, ChainRecord, Composer};
use castproof_check::fuzz::{Draw, Random};
use castproof_check::verdict::{Verdict, judge};
use castproof_methods::{Rewrite, Step};
use castproof_oracle::concerning;
use castproof_vectors::{
    Attributes, DType, Expectation, Landmarks, NEWEST, Outcome, Request, Spec, landmarks,
};
use std::collections::BTreeSet;

/// One of so many chains of two gets a third cast.
const SHARE: usize = 5;

/// Dtypes that stand for others in the chains that are told: an integer and two floats that hold few numbers. The codes that tell
/// these tell most of the others.
const STAND_INS: [DType; 3] = [DType::Float8E5M2, DType::Int4, DType::Float6E3M2];

/// Codes that are drawn from the answers of each cast of the source.
const DRAWN: usize = 64;

/// The most witnesses of the first two casts that a chain is asked for.
pub(super) const WITNESSES: usize = 6;

/// Returns the casts of a chain of three that has those of a chain of two in it; `None` for most of them. The new dtype
/// makes a way there and back, at the beginning or at the end, or is any.
pub(super) fn steps(record: &ChainRecord) -> Option<Vec<Step>> {
    let [a, b, c] = record.dtypes;
    let seed = record.dtypes.iter().fold(0, |seed, &dtype| seed << 8 | dtype as u64);
    let mut random = Random::new(seed);
    if random.below(SHARE) > 0 {
        return None;
    }
    let dtypes = match random.below(4) {
        0 => [a, b, a, c],
        1 => [a, c, b, c],
        2 => [a, b, *random.one_of(DType::NUMERIC), c],
        _ => [a, *random.one_of(DType::NUMERIC), b, c],
    };
    let saturate = (random.below(3) == 0).then_some(false);
    let given = Attributes { saturate, round_mode: None };
    let step = |&[from, to]: &[DType; 2]| {
        let attributes = concerning(Spec::cast(NEWEST), (from, to), given);
        Step { from, to, attributes }
    };
    Some(dtypes.array_windows().map(step).collect())
}

/// Returns the elements that a chain of three is asked for, each with what is due: those by which chains with fewer casts,
/// other attributes or other dtypes are told apart, and `always`.
///
/// # Errors
/// If the book contradicts itself.
pub(super) fn due(
    graph: &Graph,
    always: &[u64],
    composer: &mut Composer<'_>,
) -> Result<Vec<ExpectedElement>, String> {
    let (_, to) = graph.ends();
    let Some(target) = landmarks(to) else { return Ok(Vec::new()) };
    let pieces = composer.chain(&graph.requests())?;
    let (mut seen, mut pool, mut chosen) = (BTreeSet::new(), Vec::new(), Vec::new());
    for code in always.iter().copied().chain(drawn(&graph.steps, graph.opset)?) {
        let due = pieces.expected(code).filter(|it| it.expect != Outcome::Any);
        if let Some(due) = due.filter(|_| seen.insert(code)) {
            let all = if always.contains(&code) { &mut chosen } else { &mut pool };
            all.push((code, due, "three"));
        }
    }
    for instead in instead(&graph.steps, is_asked) {
        let instead: Vec<Request> = instead.iter().map(|step| step.request(graph.opset)).collect();
        // Without a cast the input is what comes out.
        let instead = if instead.is_empty() { None } else { Some(composer.chain(&instead)?) };
        let mut telling = None;
        for (number, (code, due, _)) in chosen.iter().chain(&pool).enumerate() {
            if is_told(due, (instead.as_ref(), *code), target) {
                telling = Some(number);
                break;
            }
        }
        if let Some(at) = telling.and_then(|number| number.checked_sub(chosen.len())) {
            chosen.push(pool.remove(at));
        }
    }
    Ok(chosen)
}

/// Is it asked whether codes tell this rewrite? Of other dtypes only some stand for all.
fn is_asked(rewrite: Rewrite) -> bool {
    match rewrite {
        Rewrite::Middle(dtype) | Rewrite::Through(dtype) | Rewrite::Onward(dtype) => {
            STAND_INS.contains(&dtype)
        }
        _ => true,
    }
}

/// Is some result of these casts wrong where this is due? A result that the specification leaves open is none.
fn is_told(
    due: &Expectation,
    (instead, code): (Option<&ChainPieces>, u64),
    target: &Landmarks,
) -> bool {
    let is_wrong =
        |code: u64| judge(&due.expect, due.tolerate.as_ref(), code, target, false) == Verdict::Fail;
    let Some(instead) = instead else { return is_wrong(code) };
    match instead.expected(code).map(|it| it.expect) {
        Some(Outcome::Code(code)) => is_wrong(code),
        Some(Outcome::OneOf(codes)) => codes.into_iter().all(is_wrong),
        Some(Outcome::AnyNan) => !matches!(due.expect, Outcome::AnyNan),
        _ => false,
    }
}

/// Returns codes beside which a cast from the first dtype to one of the others changes its result.
pub(super) fn drawn(steps: &[Step], opset: u32) -> Result<Vec<u64>, String> {
    let (from, mut random, mut codes) = (steps[0].from, Random::new(0), Vec::new());
    for step in steps {
        let draw = Draw::of(&Request::cast(from, step.to, opset))?;
        codes.extend(draw.batch(&mut random, DRAWN));
    }
    Ok(codes)
}
