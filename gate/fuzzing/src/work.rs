//! The work of one thread: it asks for one tensor after the other, and keeps what is wrong.

use super::deviations::{Deviations, Wrong};
use super::like::is_like;
use super::texts::is_text;
use super::words::{not_answered, padding};
use super::worker::Worker;
use anyhow::{Result, anyhow};
use castproof_arrange::ask::{AnsweredTensor, Said};
use castproof_arrange::tensor::Tensor;
use castproof_check::fuzz::Draw;
use castproof_check::verdict::Verdict;
use castproof_io::pool::End;
use castproof_judge::answers;
use castproof_testee::Testee;
use castproof_vectors::Request;
use std::collections::BTreeSet;

impl Worker<'_> {
    /// Asks for tensors until the run is over or a thread has failed. Returns the testee.
    ///
    /// # Errors
    /// If a finding cannot be written.
    pub(super) fn work(mut self, end: &End) -> Result<Box<dyn Testee + Send>> {
        while !self.shared.is_over() && !end.is_set() {
            let number = self.shared.next();
            let (request, random) = self.shared.plan.request(number);
            if self.shared.is_closed(&request) {
                continue;
            }
            if !self.shared.count() {
                break;
            }
            if is_text(&request) {
                self.texts(&request, random)?;
                continue;
            }
            let draw = answers::draw(&request).map_err(|problem| anyhow!(problem))?;
            if is_like(&request) {
                self.like(&draw, random)?;
                continue;
            }
            if self.shared.plan.is_chain(number) {
                let drawn = self.shared.plan.chain(&draw, random);
                let came = self.chain(&draw, &drawn)?;
                if let Some(came) = came.filter(|_| !self.shared.is_interrupted()) {
                    self.shared.found().chained(came)?;
                }
                continue;
            }
            if let Some(tensor) = self.shared.without_deadly(self.shared.plan.tensor(&draw, random))
            {
                self.one(&draw, &tensor)?;
            }
        }
        Ok(self.testee)
    }

    /// Asks for a tensor and judges it. Returns what came; `None` if no elements did.
    pub(super) fn one(&mut self, draw: &Draw, tensor: &Tensor) -> Result<Option<AnsweredTensor>> {
        let reply = self.ask(draw, tensor);
        if self.shared.is_interrupted() {
            return Ok(None); // what came instead of an answer is no fault of the testee
        }
        match reply {
            Ok(came) => {
                self.answered(draw, tensor, &came)?;
                return Ok(Some(came));
            }
            Err((Verdict::Unsupported, _)) if tensor.way.is_formed() => {
                self.shared.found().not_formed(tensor);
            }
            Err(said) => {
                let is_new = said.0 == Verdict::Unsupported
                    && !self.shared.found().was_answered(&tensor.request);
                if !is_new {
                    self.unanswered(draw, tensor, said)?;
                    return Ok(None);
                }
                self.shared.uncount();
                self.shared.close(&tensor.request);
                self.shared.found().unsupported(&tensor.request);
            }
        }
        Ok(None)
    }

    fn answered(&mut self, draw: &Draw, tensor: &Tensor, came: &AnsweredTensor) -> Result<()> {
        let mut looked_at = BTreeSet::new();
        let mut right_alone = BTreeSet::new();
        for ((&code, &got), &verdict) in tensor.codes.iter().zip(&came.got).zip(&came.verdicts) {
            if verdict != Verdict::Fail || !looked_at.insert((code, got)) {
                continue;
            }
            let wrong = Wrong { code, got, rule: draw.expectation(code).rule };
            if self.shared.found().is_known(&tensor.request, &wrong) {
                continue;
            }
            match self.alone(draw, &wrong) {
                Some(alone) => {
                    let simplest = self.simplest(draw, alone);
                    let request = self.plainest(draw, &simplest)?;
                    let mut found = self.shared.found();
                    found.fails((&tensor.request, code), (&request, &simplest))?;
                }
                None => {
                    right_alone.insert(code);
                }
            }
            if self.shared.is_interrupted() {
                break;
            }
        }
        let mut found = self.shared.found();
        found.count(tensor, came, &right_alone);
        if !looked_at.is_empty() && right_alone.is_empty() {
            found.observe(tensor, came);
        }
        let is_new = |found: &mut Deviations| found.is_new_place(tensor);
        let misplaced = if !right_alone.is_empty() && is_new(&mut found) {
            drop(found);
            self.misplaced(draw, tensor, came, &right_alone)?
        } else if looked_at.is_empty() && !came.is_padded && is_new(&mut found) {
            drop(found);
            vec![padding(tensor)]
        } else {
            return Ok(());
        };
        self.shared.found().misplaced(&tensor.request, misplaced)
    }

    fn unanswered(&mut self, draw: &Draw, tensor: &Tensor, said: Said) -> Result<()> {
        let is_new = self.shared.found().unanswered(tensor, &said);
        if self.shared.found().is_given_up(&tensor.request) {
            self.shared.close(&tensor.request);
        }
        if !is_new {
            return Ok(());
        }
        let small = self.deadly(draw, tensor, said.0);
        let mut found = self.shared.found();
        match small.codes[..] {
            [code] if !small.way.is_formed() && said.0 != Verdict::Unsupported => {
                let Request { from, to, .. } = tensor.request;
                self.shared.add_deadly((from, to), code);
                found.says(tensor, said, code)
            }
            _ => found.misplaced(&tensor.request, vec![not_answered(&small, &said)]),
        }
    }
}
