//! The built-in testee with a fault of numerals.

use super::Fault;
use castproof::answers::Answering;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_check::numeral;
use castproof_check::verdict::admits;
use castproof_vectors::{
    DType, Element, Outcome, Request, landmarks, pack_elements, unpack_elements,
};

/// The built-in testee with a fault of numerals.
pub(super) struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
}

impl<'a> Planted<'a> {
    pub(super) fn new(fault: &'a Fault) -> Planted<'a> {
        Planted { inner: Builtin::new(), fault }
    }

    /// Returns what a faulty reader makes of a text, if it is wrong.
    fn read(&self, request: &Request, input: &Element, right: u64) -> Option<u64> {
        if !(self.fault.on_text)(&input.text()) {
            return None;
        }
        let due = Answering::chosen(request).and_then(|answers| answers.element(input)).ok()?;
        let to = landmarks(request.to)?;
        let is_wrong = |code: u64| {
            let tolerate = due.tolerate.as_ref();
            due.expect != Outcome::Any
                && !admits(&due.expect, code, to)
                && !tolerate.is_some_and(|it| admits(it, code, to))
        };
        let mask = request.to.code_mask();
        [right ^ 1, right ^ 2, 0, 1].into_iter().find(|&code| code <= mask && is_wrong(code))
    }

    /// Returns the numeral of a code with the digits of a faulty writer.
    fn written(&self, from: DType, code: u64) -> Option<String> {
        let digits = self.fault.digits?;
        let number = numeral::value(from, code).filter(|it| it.is_finite())?;
        let rounded: f64 = format!("{number:.*e}", digits - 1).parse().ok()?;
        Some(format!("{rounded}"))
    }

    fn spoiled(
        &self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &[u8],
    ) -> Option<Vec<u8>> {
        let Request { from, to, .. } = *request;
        let inputs = unpack_elements(from, input, count).ok()?;
        let mut got = unpack_elements(to, output, count).ok()?;
        for (input, got) in inputs.iter().zip(&mut got) {
            let wrong = match (input.as_code(), got.as_code()) {
                (None, Some(right)) => {
                    self.read(request, input, right).map(|code| Element::code(code, to))
                }
                (Some(code), None) => self.written(from, code).map(Element::Text),
                _ => None,
            };
            if let Some(wrong) = wrong {
                *got = wrong;
            }
        }
        pack_elements(to, &got).ok()
    }
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        match self.inner.cast(request, count, input) {
            Reply::Output(output) if request.from != request.to => {
                let spoiled = self.spoiled(request, count, input, &output);
                Reply::Output(spoiled.unwrap_or(output))
            }
            reply => reply,
        }
    }
}
