//! The built-in testee with a fault of history.

use super::families::{Fault, Leaves, Other};
use crate::answers::Answers;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Attributes, DType, Request, Spec, pack, unpack};

/// The built-in testee with a fault of history.
pub(super) struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
    pair: (DType, DType),
    /// How many calls came, of the pair and of all pairs.
    calls: [u64; 2],
    /// The attributes that were given last.
    given: Attributes,
    before: Option<Before>,
    asked: Option<Answers>,
}

/// The call before.
struct Before {
    request: Request,
    count: usize,
    address: usize,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Calls in a row that were the same, before it.
    same: usize,
}

impl<'a> Planted<'a> {
    pub(super) fn new(fault: &'a Fault, pair: (DType, DType)) -> Planted<'a> {
        let given = Attributes::default();
        Planted {
            inner: Builtin::new(),
            fault,
            pair,
            calls: [0; 2],
            given,
            before: None,
            asked: None,
        }
    }

    fn answer(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let is_ours = (request.from, request.to) == self.pair;
        self.calls = [self.calls[0] + u64::from(is_ours), self.calls[1] + 1];
        let taken = self.taken(request);
        let mut reply = self.inner.cast(&taken, count, input);
        let before = self.before.take();
        let is_same = |it: &Before| (it.request, &it.input[..]) == (*request, input);
        let same = before.as_ref().filter(|it| is_same(it)).map_or(0, |it| it.same + 1);
        if let Reply::Output(output) = &mut reply {
            let is_wrong = match self.fault.leaves {
                Leaves::From { call, of_all: true } => self.calls[1] >= call,
                _ if !is_ours => false,
                Leaves::Same(times) => same == times,
                Leaves::From { call, .. } => self.calls[0] >= call,
                Leaves::Pair(other) => {
                    before.as_ref().is_some_and(|it| is_other(other, &it.request, request))
                }
                _ => false,
            };
            if is_wrong && let Some(wrong) = self.spoiled(request, count, input, output) {
                *output = wrong;
            }
            if let (Leaves::Prefix(bytes, by_address), Some(it)) = (self.fault.leaves, &before) {
                let starts = |it: &[u8]| it[..bytes.min(it.len())].to_vec();
                let is_known = (it.request, it.count) == (*request, count)
                    && starts(&it.input) == starts(input)
                    && (!by_address || it.address == input.as_ptr() as usize);
                if is_known && it.output.len() == output.len() {
                    output.clone_from(&it.output);
                }
            }
            self.before = Some(Before {
                request: *request,
                count,
                address: input.as_ptr() as usize,
                input: input.to_vec(),
                output: output.clone(),
                same,
            });
        }
        if request.attributes != Attributes::default() {
            self.given = request.attributes;
        }
        reply
    }

    /// Returns the request for which another one is taken.
    fn taken(&self, request: &Request) -> Request {
        let before = self.before.as_ref().map(|it| it.request);
        let is_absent = request.attributes == Attributes::default();
        let taken = match (self.fault.leaves, before) {
            (Leaves::Attributes { only_before: true }, Some(before)) if is_absent => {
                request.with(before.attributes)
            }
            (Leaves::Attributes { only_before: false }, _) if is_absent => request.with(self.given),
            (Leaves::Version, Some(before)) => match (before.spec, request.spec) {
                (Spec::Onnx { opset, .. }, Spec::Onnx { op, .. }) if before.to == request.to => {
                    Request { spec: Spec::Onnx { op, opset }, ..*request }
                }
                _ => *request,
            },
            _ => *request,
        };
        if taken == *request {
            return taken;
        }
        // What the other version or target does not take is taken as it is asked.
        match Answers::of(&taken) {
            Some(answers) if !answers.draw.is_refused() => taken,
            _ => *request,
        }
    }

    fn spoiled(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &[u8],
    ) -> Option<Vec<u8>> {
        if self.asked.as_ref().is_none_or(|asked| asked.request != *request) {
            self.asked = Some(Answers::of(request)?);
        }
        let asked = self.asked.as_mut()?;
        let codes = unpack(request.from, input, count).ok()?;
        let mut got = unpack(request.to, output, count).ok()?;
        for (code, got) in codes.into_iter().zip(&mut got) {
            *got = asked.wrong(code, *got).unwrap_or(*got);
        }
        pack(request.to, &got).ok()
    }
}

fn is_other(other: Other, before: &Request, request: &Request) -> bool {
    let is_pair = (before.from, before.to) != (request.from, request.to);
    is_pair
        && match other {
            Other::Source => before.from != request.from,
            Other::Target => before.to != request.to,
            Other::WiderSource => before.from.bits() > request.from.bits(),
            Other::AnotherClass => before.from.is_float() != before.to.is_float(),
            Other::WithAttributes => before.attributes != Attributes::default(),
        }
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        if !request.from.is_numeric() || !request.to.is_numeric() {
            return self.inner.cast(request, count, input);
        }
        self.answer(request, count, input)
    }

    fn cast_into(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Reply<()>> {
        Some(self.cast(request, count, input).map(|came| output.copy_from_slice(&came)))
    }
}
