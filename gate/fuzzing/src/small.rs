//! Makes what a thread finds small: simpler codes, fewer attributes, fewer elements.

use super::deviations::Wrong;
use super::words::{wrong_at, wrong_once};
use super::worker::Worker;
use anyhow::{Result, anyhow};
use castproof_arrange::arrange_request;
use castproof_arrange::ask::{AnsweredTensor, Said};
use castproof_arrange::shrink::{self, fewest};
use castproof_arrange::tensor::{Tensor, Way};
use castproof_check::fuzz::Draw;
use castproof_check::verdict::Verdict;
use castproof_judge::answers;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_run::made::{self, is_answered};
use castproof_vectors::{Attributes, Element, Request};
use std::collections::BTreeSet;

/// How often a testee is asked while a tensor that is wrong, or that ends it, is made small.
const TRIES: usize = 200;

/// The same if each try may crash the testee, and if each may take the longest wait.
const DEADLY_TRIES: usize = 24;
const SLOW_TRIES: usize = 16;

/// How often a tensor is asked again that was wrong once, for its rate.
const AGAIN: usize = 8;

/// Codes beside the wrong one that are arranged.
const NEIGHBOURS: usize = 24;

impl Worker<'_> {
    /// Finds the simplest code that fails alone with the same result by the same rule. All codes on
    /// the way to it fail in the same way.
    pub(super) fn simplest(&mut self, draw: &Draw, wrong: Wrong) -> Wrong {
        let (code, _) = shrink::simplest(wrong.code, |codes| {
            let is_alike = |code: &u64| draw.expectation(*code).rule == wrong.rule;
            let codes = codes.iter().copied().filter(is_alike).collect();
            let tensor = Tensor::plain(*draw.request(), codes);
            let answer = self.ask(draw, &tensor)?;
            let elements = answer.got.iter().zip(&answer.verdicts);
            let fails = |it: &(&u64, &Verdict)| *it.0 == wrong.got && *it.1 == Verdict::Fail;
            let failing = elements.take_while(fails).count();
            Ok::<_, Said>(tensor.codes[..failing].to_vec())
        });
        Wrong { code, ..wrong }
    }

    /// Returns the request with the fewest attributes in which the code fails in the same way.
    pub(super) fn plainest(&mut self, draw: &Draw, wrong: &Wrong) -> Result<Request> {
        let given = draw.request().attributes;
        let saturate = Attributes { round_mode: None, ..given };
        let round_mode = Attributes { saturate: None, ..given };
        let expect = draw.expectation(wrong.code).expect;
        for attributes in [Attributes::default(), saturate, round_mode] {
            let request = draw.request().with(attributes);
            if attributes == given || !is_answered(&request) {
                continue;
            }
            let plainer = answers::draw(&request).map_err(|problem| anyhow!(problem))?;
            if plainer.expectation(wrong.code).expect != expect {
                continue;
            }
            if self.alone(&plainer, wrong).is_some_and(|alone| alone.got == wrong.got) {
                return Ok(request);
            }
        }
        Ok(*draw.request())
    }

    /// Returns the findings of places. First the gate arranges these codes, because its finding
    /// names the place. If it finds nothing, the finding is the fewest elements of the tensor that
    /// still fail, or the tensor itself if it was wrong only once.
    pub(super) fn misplaced(
        &mut self,
        draw: &Draw,
        tensor: &Tensor,
        came: &AnsweredTensor,
        right_alone: &BTreeSet<u64>,
    ) -> Result<Vec<Misplaced>> {
        let request = &tensor.request;
        let asked = Asked::of_request(request);
        let mut codes = right_alone.clone();
        codes.extend(draw.named());
        codes.extend(tensor.codes.iter().take(NEIGHBOURS));
        let input = |&code: &u64| (request.attributes, Element::code(code, request.from));
        let inputs = codes.iter().map(input).collect();
        let file = made::file(asked.suite, (request.from, request.to), &inputs);
        let file = file.map_err(|problem| anyhow!(problem))?;
        let groups = file.groups.iter().filter(|group| {
            group.attributes == request.attributes
                && asked.opset.is_none_or(|version| group.opsets.contains(&version))
        });
        let tests: Vec<_> = groups.flat_map(|group| &group.tests).collect();
        let strict = self.shared.strict;
        let arranged = arrange_request(*request, &tests, strict, self.testee.as_mut());
        if !arranged.is_empty() && !self.shared.is_interrupted() {
            return Ok(arranged);
        }
        let smallest = self.smallest(draw, tensor, right_alone);
        if smallest.is_some() {
            return Ok(smallest.into_iter().collect());
        }
        let wrong =
            1 + (0..AGAIN).filter(|_| self.is_wrong_again(draw, tensor, right_alone)).count();
        Ok(wrong_once(draw, tensor, came, right_alone, (wrong, 1 + AGAIN)).into_iter().collect())
    }

    /// Is an element wrong again in the same tensor?
    fn is_wrong_again(
        &mut self,
        draw: &Draw,
        tensor: &Tensor,
        right_alone: &BTreeSet<u64>,
    ) -> bool {
        let Ok(came) = self.ask(draw, tensor) else { return false };
        let mut elements = tensor.codes.iter().zip(&came.verdicts);
        elements.any(|(code, verdict)| *verdict == Verdict::Fail && right_alone.contains(code))
    }

    /// Finds the fewest elements of a tensor with a wrong element whose code is right alone.
    pub(super) fn smallest(
        &mut self,
        draw: &Draw,
        tensor: &Tensor,
        right_alone: &BTreeSet<u64>,
    ) -> Option<Misplaced> {
        let mut last = None;
        let mut is_wrong = |codes: &[u64]| {
            let is_whole = codes.len() == tensor.codes.len();
            let way = if is_whole || !tensor.way.is_formed() { &tensor.way } else { &Way::Plain };
            let tried = Tensor { codes: codes.to_vec(), way: way.clone(), ..*tensor };
            let Ok(came) = self.ask(draw, &tried) else { return false };
            let fails = |at: &usize| {
                came.verdicts[*at] == Verdict::Fail && right_alone.contains(&codes[*at])
            };
            let Some(at) = (0..codes.len()).find(fails) else { return false };
            last = Some((tried, at, came.got[at]));
            true
        };
        is_wrong(&tensor.codes);
        fewest(tensor.codes.clone(), TRIES, is_wrong);
        last.map(|(tensor, at, got)| wrong_at(draw, &tensor, at, got))
    }

    /// Finds the smallest tensor that gets the same verdict without elements.
    pub(super) fn deadly(&mut self, draw: &Draw, tensor: &Tensor, verdict: Verdict) -> Tensor {
        let budget = match verdict {
            Verdict::Crash => DEADLY_TRIES,
            Verdict::Timeout => SLOW_TRIES,
            _ => TRIES,
        };
        let mut still = |codes: &[u64]| {
            let tried = Tensor::plain(tensor.request, codes.to_vec());
            self.ask(draw, &tried).is_err_and(|(said, _)| said == verdict)
        };
        if tensor.way != Way::Plain && !still(&tensor.codes) {
            return tensor.clone();
        }
        Tensor::plain(tensor.request, fewest(tensor.codes.clone(), budget, still))
    }
}
