//! Why chains fail: which rewrites give exactly what the testee returned, by its own single casts.

use super::{Chosen, bits};
use crate::graph::{Graph, Observed};
use castproof_check::verdict::Verdict;
use castproof_methods::{Folding, Rewrite, Rewritten, Step, rewritten};
use castproof_results::SuiteRun;
use castproof_testee::{Reply, Testee};
use castproof_vectors::{DType, Element, Landmarks, Outcome, Request, landmarks, pack, unpack};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The failing tests of a chain, and the rewrites and foldings that explain them: each gives every
/// wrong result, and every right one too.
#[derive(Clone, Debug)]
pub(crate) struct Explained {
    failing: Vec<String>,
    by: BTreeSet<(usize, String)>,
    /// Is everything that these would give left open? They are then named only where another chain shows one of them.
    is_open: bool,
}

impl Chosen {
    /// Finds the rewrites and foldings that explain the failing chains of a part of the run.
    pub(crate) fn explain(
        &mut self,
        observed: &[Observed],
        testee: &mut dyn Testee,
    ) -> Vec<Explained> {
        // What a part asks may not depend on the parts before it, which another testee may have, or a journal.
        self.casts.clear();
        observed.iter().filter_map(|chain| self.explain_one(chain, testee)).collect()
    }

    /// Finds the rewrites and foldings that explain a chain; `None` if no test of it fails.
    fn explain_one(&mut self, observed: &Observed, testee: &mut dyn Testee) -> Option<Explained> {
        let Observed { graph, is_shaped, ids, inputs, got, texts, verdicts } = observed;
        let fails = |(_, verdict): &(&String, &Verdict)| **verdict == Verdict::Fail;
        let failing: Vec<String> =
            ids.iter().zip(verdicts).filter(fails).map(|(id, _)| id.clone()).collect();
        if failing.is_empty() {
            return None;
        }
        if graph.has_text() {
            let judged = texts.iter().zip(verdicts).filter(|(_, it)| **it != Verdict::Undefined);
            let judged: Vec<(Element, Element)> = judged.map(|(pair, _)| pair.clone()).collect();
            let by = self.explain_texts(graph, &judged, testee);
            return Some(Explained { failing, by, is_open: false });
        }
        let (_, last) = graph.ends();
        let target = landmarks(last)?;
        // What is undefined may come out in any way.
        let is_judged = |at: &usize| verdicts[*at] != Verdict::Undefined;
        let judged: Vec<usize> = (0..inputs.len()).filter(is_judged).collect();
        let inputs: Vec<u64> = judged.iter().map(|&at| inputs[at]).collect();
        let got: Vec<u64> = judged.iter().map(|&at| got[at]).collect();
        let same = |(one, other): (&u64, &u64)| are_same(*one, *other, target);
        let pairs: Vec<(u64, u64)> = inputs.iter().copied().zip(got.iter().copied()).collect();
        if graph.bitcast().is_some() {
            let (by, is_open) = bits::explaining(graph, &pairs, &mut self.composer);
            return Some(Explained { failing, by, is_open });
        }
        let (mut by, mut possible) = (BTreeSet::new(), BTreeSet::new());
        for Rewritten { rewrite, name, steps } in rewritten(&graph.steps) {
            if self.is_ruled_out(&steps, graph.opset, &pairs, target, testee) {
                continue;
            }
            let given = self.given(&steps, graph.opset, &inputs, testee);
            let rank = Rewrite::all().position(|it| it == rewrite).unwrap_or_default();
            if given.is_some_and(|given| given.iter().zip(&got).all(same)) {
                by.insert((rank, name));
            } else {
                possible.insert((rank, name));
            }
        }
        if let Some(right) = self.given(&graph.steps, graph.opset, &inputs, testee) {
            by.extend(foldings(last, &right, &got, same));
        }
        // In another tensor other loops may run, which give something else where the result is undefined: of NaN to uint32 ONNX
        // Runtime makes 0 in a row of 7, and 0x80000000 among 65.
        if by.is_empty() && *is_shaped {
            by = possible;
        }
        Some(Explained { failing, by, is_open: false })
    }

    /// Returns the rewrites that give what a chain gave that has strings in it.
    fn explain_texts(
        &mut self,
        graph: &Graph,
        pairs: &[(Element, Element)],
        testee: &mut dyn Testee,
    ) -> BTreeSet<(usize, String)> {
        let (inputs, got): (Vec<Element>, Vec<Element>) = pairs.iter().cloned().unzip();
        let mut by = BTreeSet::new();
        for Rewritten { rewrite, name, steps } in rewritten(&graph.steps) {
            if !self.takes_all(&steps, graph.opset, testee) {
                continue;
            }
            let left = Graph { steps, operators: Vec::new(), opset: graph.opset };
            let is_given = match left.steps[..] {
                // Without a cast the input is what comes out.
                [] => inputs == got,
                _ => left.each_step(&inputs, testee).is_ok_and(|given| given == got),
            };
            if is_given {
                let rank = Rewrite::all().position(|it| it == rewrite).unwrap_or_default();
                by.insert((rank, name));
            }
        }
        let (_, last) = graph.ends();
        let codes =
            |all: &[Element]| all.iter().map(Element::as_code).collect::<Option<Vec<u64>>>();
        let right = graph.each_step(&inputs, testee).ok();
        if let Some((right, got)) = right.and_then(|right| codes(&right)).zip(codes(&got)) {
            by.extend(foldings(last, &right, &got, |(one, other)| one == other));
        }
        by
    }

    /// Does the testee take these casts in an operator set? One that it refuses or dies of is not asked again.
    fn takes_all(&mut self, steps: &[Step], opset: u32, testee: &mut dyn Testee) -> bool {
        steps.iter().all(|step| self.newest(*step, testee).is_some_and(|newest| newest >= opset))
    }

    /// Returns what these casts in a row, each asked alone, give.
    fn given(
        &mut self,
        steps: &[Step],
        opset: u32,
        inputs: &[u64],
        testee: &mut dyn Testee,
    ) -> Option<Vec<u64>> {
        if !self.takes_all(steps, opset, testee) {
            return None;
        }
        let codes = inputs.to_vec();
        steps.iter().try_fold(codes, |codes, step| cast(*step, opset, &codes, testee))
    }

    /// Does a chain surely give something else than these casts in a row? `pairs` has the inputs, each with what the chain
    /// gave.
    ///
    /// A code is asked of a cast once in a part, whose chains have their rewrites in common: the 2,188 wrong elements from
    /// float32 of an optimiser that drops a dtype ask for 67,000 tensors, and without this for 144,000. What is undefined
    /// may differ in another tensor, so it rules nothing out.
    fn is_ruled_out(
        &mut self,
        steps: &[Step],
        opset: u32,
        pairs: &[(u64, u64)],
        target: &Landmarks,
        testee: &mut dyn Testee,
    ) -> bool {
        let mut codes: Vec<u64> = pairs.iter().map(|(input, _)| *input).collect();
        for step in steps {
            let is_taken = self.newest(*step, testee).is_some_and(|newest| newest >= opset);
            let next = is_taken.then(|| self.known(*step, opset, &codes, testee)).flatten();
            let Some(next) = next else { return true };
            codes = next;
        }
        let requests: Vec<Request> = steps.iter().map(|step| step.request(opset)).collect();
        // Without a cast there are no pieces: the input is what comes out.
        let pieces = self.composer.chain(&requests).ok();
        for (code, (input, got)) in codes.into_iter().zip(pairs) {
            if are_same(code, *got, target) {
                continue;
            }
            if requests.is_empty() {
                return true;
            }
            let due = pieces.as_ref().and_then(|pieces| pieces.expected(*input));
            if due.is_some_and(|it| it.expect != Outcome::Any) {
                return true;
            }
        }
        false
    }

    /// Returns what a cast gives for each code, which it is asked for if it was not before.
    fn known(
        &mut self,
        step: Step,
        opset: u32,
        codes: &[u64],
        testee: &mut dyn Testee,
    ) -> Option<Vec<u64>> {
        let known = self.casts.entry((step, opset)).or_default();
        let is_open = |code: &u64| !known.contains_key(code);
        let open: BTreeSet<u64> = codes.iter().copied().filter(is_open).collect();
        if !open.is_empty() {
            let open: Vec<u64> = open.into_iter().collect();
            known.extend(open.iter().copied().zip(cast(step, opset, &open, testee)?));
        }
        codes.iter().map(|code| known.get(code).copied()).collect()
    }
}

fn cast(step: Step, opset: u32, codes: &[u64], testee: &mut dyn Testee) -> Option<Vec<u64>> {
    let input = pack(step.from, codes).ok()?;
    match testee.cast(&step.request(opset), codes.len(), &input) {
        Reply::Output(output) => unpack(step.to, &output, codes.len()).ok(),
        _ => None,
    }
}

/// Returns the foldings that make what came back of the right results, each with its rank behind those of rewrites.
fn foldings(
    last: DType,
    right: &[u64],
    got: &[u64],
    same: impl Fn((&u64, &u64)) -> bool,
) -> Vec<(usize, String)> {
    let ranked = (Rewrite::all().count()..).zip(Folding::ALL);
    let gives = |folding: Folding| {
        right.iter().zip(got).all(|(code, got)| same((&folding.of(last, *code), got)))
    };
    let explaining = ranked.filter(|(_, folding)| gives(*folding));
    explaining.map(|(rank, folding)| (rank, folding.name())).collect()
}

/// Are two results the same? One NaN is as good as another.
fn are_same(one: u64, other: u64, target: &Landmarks) -> bool {
    one == other || target.is_nan(one) && target.is_nan(other)
}

/// Names the cause of each failing test of the suite: of the rewrites that explain it, the one that
/// explains most tests, so that one fault has one name.
pub(crate) fn name_causes(explained: &[Explained], run: &mut SuiteRun) {
    let mut open: Vec<&Explained> = explained.iter().filter(|it| !it.by.is_empty()).collect();
    let mut causes: BTreeMap<&str, &str> = BTreeMap::new();
    while !open.is_empty() {
        // By name: how many tests it explains, and its place among the rewrites.
        let mut worth: BTreeMap<&str, (usize, Reverse<usize>)> = BTreeMap::new();
        for chain in &open {
            for (rank, name) in &chain.by {
                let (count, first) = worth.entry(name).or_insert((0, Reverse(*rank)));
                *count += if chain.is_open { 0 } else { chain.failing.len() };
                *first = (*first).max(Reverse(*rank));
            }
        }
        // Of equally good rewrites the first.
        let best = worth.into_iter().max_by_key(|(_, worth)| *worth);
        let Some((best, _)) = best.filter(|(_, (count, _))| *count > 0) else { break };
        let has_best = |chain: &mut &Explained| chain.by.iter().any(|(_, name)| name == best);
        for chain in open.extract_if(.., has_best) {
            causes.extend(chain.failing.iter().map(|id| (id.as_str(), best)));
        }
    }
    for deviation in &mut run.deviations {
        if deviation.verdict == Verdict::Fail {
            deviation.cause = causes.get(deviation.id.as_str()).map(|it| (*it).to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_results::Deviation;
    use castproof_vectors::Suite;

    fn explained(failing: &str, by: &str, is_open: bool) -> Explained {
        let by = BTreeSet::from([(0, by.to_string())]);
        Explained { failing: vec![failing.to_string()], by, is_open }
    }

    fn failing(id: &str) -> Deviation {
        Deviation {
            verdict: Verdict::Fail,
            asked: None,
            id: id.to_string(),
            clause: "CH-01".to_string(),
            question: String::new(),
            opset: None,
            got: String::new(),
            expected: String::new(),
            cause: None,
            known: None,
            test: None,
        }
    }

    /// Returns the causes of the failing tests `a`, `b` and `c`.
    fn causes(explained: &[Explained]) -> [Option<String>; 3] {
        let deviations = ["a", "b", "c"].map(failing).into();
        let mut run = SuiteRun::new(Suite::OnnxChain, 3, BTreeMap::new(), deviations);
        name_causes(explained, &mut run);
        std::array::from_fn(|at| run.deviations[at].cause.clone())
    }

    #[test]
    fn what_leaves_all_results_open_is_named_only_where_another_chain_shows_it() {
        let cast = || Some("a bitcast computed as a cast".to_string());
        let open = explained("a", "a bitcast computed as a cast", true);
        let another = explained("b", "a bitcast dropped", false);
        let dropped = Some("a bitcast dropped".to_string());
        assert_eq!(causes(&[open.clone(), another.clone()]), [None, dropped.clone(), None]);
        let shown = explained("c", "a bitcast computed as a cast", false);
        assert_eq!(causes(&[open, another, shown]), [cast(), dropped, cast()]);
    }
}
