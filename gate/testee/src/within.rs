//! A testee that is never asked for tensors beyond its limits.

use super::form::{Chain, Codes, Feature, Form};
use super::judged::Judged;
use super::limits::Limits;
use super::part::Part;
use super::protocol::Supported;
use super::testee::{Identity, Reply, Returned, Testee};
use castproof_vectors::{
    Conversion, DType, Element, OneLine, Profile, Question, Request, element_count, pack_elements,
    unpack_elements,
};

/// A testee that is asked within its limits. What is longer is asked in pieces, and what is too short is filled up with
/// its last element; an empty tensor that is not taken is not asked. The gate's own plans leave such tensors out
/// where their form is the point.
pub struct Within<T> {
    inner: T,
    limits: Limits,
}

impl<T: Testee> Within<T> {
    /// Wraps a testee.
    pub fn new(inner: T, limits: Limits) -> Within<T> {
        Within { inner, limits }
    }

    /// Returns the wrapped testee.
    pub fn into_inner(self) -> T {
        self.inner
    }

    /// Asks in pieces that are taken.
    fn in_pieces(
        &mut self,
        (from, to): (DType, DType),
        (count, input): (usize, &[u8]),
        mut ask: impl FnMut(&mut T, usize, &[u8]) -> Reply,
    ) -> Reply {
        let elements = match unpack_elements(from, input, count) {
            Ok(elements) => elements,
            Err(problem) => return Reply::Error(problem),
        };
        let mut all: Vec<Element> = Vec::new();
        while let Some(last) = elements.last().filter(|_| all.len() < count) {
            let rest = &elements[all.len()..];
            let (taken, filled) = self.limits.piece(rest.len());
            let mut piece = rest[..taken].to_vec();
            piece.resize(filled, rest.get(taken - 1).unwrap_or(last).clone());
            let reply = match pack_elements(from, &piece) {
                Ok(bytes) => ask(&mut self.inner, filled, &bytes),
                Err(problem) => Reply::Error(problem),
            };
            let output = match reply {
                Reply::Output(output) => output,
                other => return other,
            };
            match unpack_elements(to, &output, filled) {
                Ok(got) => all.extend(got.into_iter().take(taken)),
                Err(problem) => return Reply::Error(problem),
            }
        }
        pack_elements(to, &all).map_or_else(Reply::Error, Reply::Output)
    }
}

impl<T: Testee> Testee for Within<T> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn judged(&self) -> anyhow::Result<Judged> {
        self.inner.judged()
    }

    fn digest(&self) -> Option<OneLine> {
        self.inner.digest()
    }

    fn given_up(&self) -> Option<String> {
        self.inner.given_up()
    }

    fn begin(&mut self, part: &Part) {
        self.inner.begin(part);
    }

    fn may_end(&mut self) {
        self.inner.may_end();
    }

    fn end(&mut self) -> bool {
        self.inner.end()
    }

    fn lacking(&self) -> Option<String> {
        self.inner.lacking()
    }

    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        if self.limits.take_count(count) {
            return self.inner.cast(request, count, input);
        }
        let ask = |inner: &mut T, count: usize, input: &[u8]| inner.cast(request, count, input);
        self.in_pieces((request.from, request.to), (count, input), ask)
    }

    fn features(&self) -> Vec<Feature> {
        self.inner.features()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.inner.profiles()
    }

    fn listed(&self) -> Option<&[Supported]> {
        self.inner.listed()
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        if self.limits.take(&form.shape) {
            return self.inner.cast_formed(request, form, input);
        }
        match element_count(&form.shape) {
            Ok(count) => self.cast(request, count, input),
            Err(problem) => Reply::Error(problem),
        }
    }

    fn ahead(&self) -> usize {
        self.inner.ahead()
    }

    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        if tensors.iter().all(|(form, _)| self.limits.take(&form.shape)) {
            return self.inner.cast_each(request, tensors);
        }
        let mut replies = Vec::new();
        for (form, input) in tensors {
            replies.push(self.cast_formed(request, form, input));
            if !matches!(replies.last(), Some(Reply::Output(_))) {
                break;
            }
        }
        replies
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        if self.limits.take_count(count) {
            return self.inner.chain(chain, count, input);
        }
        // A piece is a row of its own.
        let chain = &Chain { shape: None, ..chain.clone() };
        let ask = |inner: &mut T, count: usize, input: &[u8]| inner.chain(chain, count, input);
        self.in_pieces(chain.ends(), (count, input), ask)
    }

    fn chain_each(&mut self, chains: &[(Chain, usize, Vec<u8>)]) -> Vec<Reply> {
        if chains.iter().all(|(_, count, _)| self.limits.take_count(*count)) {
            return self.inner.chain_each(chains);
        }
        chains.iter().map(|(chain, count, input)| self.chain(chain, *count, input)).collect()
    }

    fn conversions(&self) -> Vec<OneLine> {
        self.inner.conversions()
    }

    fn project(&mut self, conversion: &Conversion, codes: &Codes) -> Reply {
        self.inner.project(conversion, codes)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.inner.ask(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies bytes to int8, as far as it is asked as it wants to be.
    struct Copies(Identity, Vec<usize>);

    impl Testee for Copies {
        fn identity(&self) -> &Identity {
            &self.0
        }

        fn cast(&mut self, _: &Request, count: usize, input: &[u8]) -> Reply {
            self.1.push(count);
            Reply::Output(input.to_vec())
        }
    }

    fn within(limits: &str) -> Within<Copies> {
        let name = || OneLine::from("copies");
        let identity = Identity { name: name(), version: name(), language: name() };
        let limits: Limits = serde_json::from_str(limits).expect("limits");
        assert_eq!(limits.problem(), None);
        Within::new(Copies(identity, Vec::new()), limits)
    }

    #[test]
    fn what_is_not_taken_is_asked_in_pieces_or_filled_up() {
        let request = Request::cast(DType::Uint8, DType::Int8, 28);
        let most = r#"{"elements": 20, "multipleOf": 8, "empty": false}"#;
        for (limits, count, due) in [
            (most, 0, &[][..]),
            (most, 1, &[8]),
            (most, 8, &[8]),
            (most, 16, &[16]),
            (most, 20, &[16, 8]),
            (most, 35, &[16, 16, 8]),
            (r#"{"elements": 20}"#, 41, &[20, 20, 1]),
            (r#"{"multipleOf": 8}"#, 41, &[48]),
            (r#"{"multipleOf": 8}"#, 0, &[0]),
            (r#"{"ranks": [1, 2]}"#, 41, &[41]),
        ] {
            let mut testee = within(limits);
            let input: Vec<u8> = (0..count as u8).collect();
            let reply = testee.cast(&request, count, &input);
            assert_eq!(reply, Reply::Output(input.clone()), "{limits} {count}");
            assert_eq!(testee.inner.1, due, "{limits} {count}");
            let form = Form { shape: vec![1, count as u64, 1], ..Form::flat(count) };
            assert_eq!(testee.cast_formed(&request, &form, &input), Reply::Output(input));
        }
        assert!(!within(r#"{"ranks": [1, 2]}"#).limits.take(&[2, 2, 2]));
        assert!(within(r#"{"ranks": [1, 2]}"#).limits.take(&[2, 2]));
        assert!(!within(r#"{"elements": 7}"#).limits.take(&[2, 4]));
    }
}
