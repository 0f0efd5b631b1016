//! What a request gives, and what it must not give.

use castproof::fuzz::Draw;
use castproof_check::verdict::admits;
use castproof_vectors::{Landmarks, Operator, Outcome, Request, Spec, landmarks};
use std::collections::HashMap;
use std::rc::Rc;

/// The answers of a request, and a wrong result for each code.
pub(crate) struct Answers {
    pub(crate) request: Request,
    pub(crate) draw: Rc<Draw>,
    to: &'static Landmarks,
    /// A wrong result for each code; `None` if every result is admitted.
    wrong: HashMap<u64, Option<u64>>,
}

impl Answers {
    /// Returns those of a request; of `CastLike` those of `Cast`. `None` if it is not numeric.
    pub(crate) fn of(request: &Request) -> Option<Answers> {
        let spec = match request.spec {
            Spec::Onnx { op: Operator::CastLike, opset } => Spec::cast(opset),
            spec => spec,
        };
        let draw = Draw::of(&Request { spec, ..*request }).ok()?;
        Some(Answers { request: *request, draw, to: landmarks(request.to)?, wrong: HashMap::new() })
    }

    /// Returns a wrong result of a code: mostly the right one with another lowest bit.
    pub(crate) fn wrong(&mut self, code: u64, right: u64) -> Option<u64> {
        if let Some(known) = self.wrong.get(&code) {
            return *known;
        }
        let mask = self.draw.request().to.code_mask();
        let others = [right ^ 1, right ^ 2, 0, 1].into_iter();
        let wrong = others.filter(|it| *it <= mask).find(|&it| self.is_wrong(code, it));
        self.wrong.insert(code, wrong);
        wrong
    }

    /// Is this result neither expected nor tolerated?
    pub(crate) fn is_wrong(&self, code: u64, result: u64) -> bool {
        let due = self.draw.expectation(code);
        let admits = |it| admits(it, result, self.to);
        due.expect != Outcome::Any
            && !admits(&due.expect)
            && !due.tolerate.as_ref().is_some_and(admits)
    }
}
