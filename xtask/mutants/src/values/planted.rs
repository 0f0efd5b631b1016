//! The built-in testee with a fault of values.

use super::fault::{Does, Fault};
use crate::answers::Answers;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Request, pack, unpack};

/// The built-in testee with a fault of values.
pub(super) struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
    /// The request of the last call, with its answers.
    asked: Option<Answers>,
}

impl<'a> Planted<'a> {
    pub(super) fn new(fault: &'a Fault) -> Planted<'a> {
        Planted { inner: Builtin::new(), fault, asked: None }
    }

    /// Is the result of this code wrong?
    pub(super) fn is_wrong(&mut self, request: &Request, code: u64) -> bool {
        let got = self.spoiled(request, &[code]).and_then(|got| got.first().copied());
        let asked = self.asked.as_ref();
        got.is_some_and(|got| asked.is_some_and(|asked| asked.is_wrong(code, got)))
    }

    /// Casts codes wrongly; `None` if the request is refused.
    fn spoiled(&mut self, request: &Request, codes: &[u64]) -> Option<Vec<u64>> {
        if self.asked.as_ref().is_none_or(|asked| asked.request != *request) {
            self.asked = Some(Answers::of(request)?);
        }
        let asked = self.asked.as_mut()?;
        let taken: Vec<Option<u64>> = codes.iter().map(|&code| self.fault.taken(code)).collect();
        let input = codes.iter().zip(&taken).map(|(code, taken)| taken.unwrap_or(*code));
        let input = pack(request.from, &input.collect::<Vec<u64>>()).ok()?;
        let Reply::Output(output) = self.inner.cast(request, codes.len(), &input) else {
            return None;
        };
        let mut got = unpack(request.to, &output, codes.len()).ok()?;
        if matches!(self.fault.does, Does::Field { .. }) {
            for ((got, code), taken) in got.iter_mut().zip(codes).zip(taken) {
                if taken.is_some() {
                    *got = asked.wrong(*code, *got).unwrap_or(*got);
                }
            }
        }
        Some(got)
    }
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let spoiled = match unpack(request.from, input, count) {
            Ok(codes) if self.fault.concerns(request) => self.spoiled(request, &codes),
            _ => None,
        };
        match spoiled.and_then(|codes| pack(request.to, &codes).ok()) {
            Some(output) => Reply::Output(output),
            None => self.inner.cast(request, count, input),
        }
    }
}
