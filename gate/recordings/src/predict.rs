//! What a runtime is expected to answer: what Castproof's own implementation answers, as the
//! specification of the request or as a profile, corrected by what the runtime gave for the same codes
//! before.

use super::asked::Asked;
use super::learnt::Learnt;
use castproof_testee::builtin::Builtin;
use castproof_testee::{Chain, Reply, Returned, Testee};
use castproof_vectors::{
    Attributes, DType, NEWEST, Profile, Request, Spec, element_count, pack, unpack,
};
use std::collections::HashMap;
use std::sync::Arc;

/// A cast, whatever the version.
pub(super) type Cast = (DType, DType, Attributes);

/// The specifications by which casts are predicted, by number; the first, which is `None`, is the one
/// that is asked.
pub(super) type Methods = Arc<Vec<Option<Profile>>>;

/// The methods with which a part begins.
pub(super) type Initial = Arc<HashMap<Cast, usize>>;

/// What is expected of one question.
pub(super) struct Guess {
    /// Is a refusal expected?
    pub(super) is_refused: bool,
    /// The output that is expected, or that would be if nothing were refused.
    pub(super) output: Option<Returned>,
}

/// Expects answers, and learns.
pub(super) struct Predictor {
    due: Builtin,
    /// For casts by other specifications, so that each of both keeps its last cast.
    other: Builtin,
    methods: Methods,
    initial: Initial,
    learnt: HashMap<Cast, Learnt>,
    refused: HashMap<Request, bool>,
}

impl Predictor {
    pub(super) fn new(methods: Methods, initial: Initial) -> Predictor {
        let (due, other) = (Builtin::new(), Builtin::new());
        let (learnt, refused) = (HashMap::new(), HashMap::new());
        Predictor { due, other, methods, initial, learnt, refused }
    }

    /// Returns the methods that were learnt.
    pub(super) fn learnt_methods(&self) -> impl Iterator<Item = (Cast, usize)> {
        self.learnt.iter().map(|(cast, learnt)| (*cast, learnt.method))
    }

    pub(super) fn methods(&self) -> &Methods {
        &self.methods
    }

    /// Returns what is known of a cast.
    pub(super) fn learnt(&mut self, request: &Request) -> &mut Learnt {
        let cast = (request.from, request.to, request.attributes);
        self.learnt.entry(cast).or_insert_with(|| {
            let method = self.initial.get(&cast).copied().unwrap_or(0);
            Learnt::of(method)
        })
    }

    /// Returns what is expected of a question. What is known of single elements is left to the caller
    /// if the question is a cast.
    pub(super) fn guess(&mut self, asked: Asked<'_>) -> Guess {
        match asked {
            Asked::Cast(request, form, input) => {
                let Ok(count) = element_count(&form.shape) else {
                    return Guess { is_refused: true, output: None };
                };
                let is_refused = self.is_refused(request);
                let bytes = self.cast(request, count, input);
                Guess { is_refused, output: bytes.map(elements) }
            }
            Asked::Chain(chain, count, input) => {
                let output = self.chain(chain, count, input).map(elements);
                Guess { is_refused: output.is_none(), output }
            }
            Asked::Question(question) => match self.due.ask(question) {
                Reply::Output(returned) => Guess { is_refused: false, output: Some(returned) },
                _ => Guess { is_refused: true, output: None },
            },
        }
    }

    /// Does Castproof refuse a request?
    fn is_refused(&mut self, request: &Request) -> bool {
        if request.from == DType::String {
            return false; // which depends on the text
        }
        let due = &mut self.due;
        let is_refused = || !matches!(due.cast(request, 0, &[]), Reply::Output(_));
        *self.refused.entry(*request).or_insert_with(is_refused)
    }

    /// Casts elements as the runtime is known to; `None` if nothing does.
    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Option<Vec<u8>> {
        let method = self.learnt(request).method;
        let by_method = if method == 0 { None } else { self.by(method, request, count, input) };
        by_method.or_else(|| self.by_due(request, count, input))
    }

    /// Casts as the request asks; what its version lacks, as the newest does.
    pub(super) fn by_due(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
    ) -> Option<Vec<u8>> {
        let newest = Request::cast(request.from, request.to, NEWEST);
        [*request, newest.with(request.attributes), newest].into_iter().find_map(|request| {
            match self.due.cast(&request, count, input) {
                Reply::Output(output) => Some(output),
                _ => None,
            }
        })
    }

    /// Casts by another specification; `None` if it has no such cast.
    pub(super) fn by(
        &mut self,
        method: usize,
        request: &Request,
        count: usize,
        input: &[u8],
    ) -> Option<Vec<u8>> {
        let profile = (*self.methods.get(method)?)?;
        let request = Request { spec: Spec::Profile(profile), ..*request };
        let plain = request.with(Attributes::default());
        [request, plain].into_iter().find_map(|request| {
            match self.other.cast(&request, count, input) {
                Reply::Output(output) => Some(output),
                _ => None,
            }
        })
    }

    /// Carries out the casts of a chain one after the other, as the runtime is known to.
    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Option<Vec<u8>> {
        let mut elements = input.to_vec();
        for request in (0..chain.attributes.len()).filter_map(|step| chain.request(step)) {
            let output = self.cast(&request, count, &elements)?;
            elements = self.corrected(&request, count, &elements, output)?;
        }
        Some(elements)
    }

    /// Replaces the results of codes that the runtime casts otherwise.
    fn corrected(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: Vec<u8>,
    ) -> Option<Vec<u8>> {
        let learnt = self.learnt(request);
        if learnt.is_empty() {
            return Some(output);
        }
        let codes = unpack(request.from, input, count).ok()?;
        let mut got = unpack(request.to, &output, count).ok()?;
        for (got, code) in got.iter_mut().zip(codes) {
            *got = learnt.get(code).unwrap_or(*got);
        }
        pack(request.to, &got).ok()
    }
}

fn elements(bytes: Vec<u8>) -> Returned {
    Returned { bytes, ..Returned::default() }
}
