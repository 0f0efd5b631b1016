//! The oracle's judgement of requests and elements.

use castproof_check::verdict::admits;
use castproof_impl::Cast;
use castproof_oracle::{Caster, NEWEST};
use castproof_testee::builtin::cast_of;
use castproof_vectors::{Attributes, Landmarks, Outcome, Request, RoundMode, Spec, landmarks};
use std::cell::RefCell;
use std::collections::HashMap;

/// Must the request be refused, because no operator version has it?
pub(crate) fn is_refused(request: &Request) -> bool {
    Caster::new(request).map_or(true, |caster| caster.is_refused())
}

thread_local! {
    /// The request in force for each request, as [`in_force`] returns it.
    static IN_FORCE: RefCell<HashMap<Request, Request>> = RefCell::default();
}

/// Returns the request if it is not refused, and otherwise the same cast by the newest version, without a round mode that no version
/// has.
/// Computed once per process.
pub(crate) fn in_force(request: Request) -> Request {
    IN_FORCE.with_borrow_mut(|known| {
        *known.entry(request).or_insert_with(|| match is_refused(&request) {
            true => {
                let Attributes { saturate, round_mode } = request.attributes;
                let round_mode = round_mode.filter(|mode| RoundMode::CAST.contains(mode));
                let attributes = Attributes { saturate, round_mode };
                Request { spec: Spec::cast(NEWEST), attributes, ..request }
            }
            false => request,
        })
    })
}

/// Returns the implementation's cast for a request between numeric dtypes.
pub(crate) fn implementation(request: &Request) -> Cast {
    cast_of(request).unwrap_or_else(|error| panic!("{request}: {error}"))
}

/// A request between numeric dtypes, ready for many elements.
pub(crate) struct Judge {
    request: Request,
    caster: Caster,
    target: &'static Landmarks,
}

impl Judge {
    /// Prepares a request that is not refused.
    pub(crate) fn new(request: Request) -> Judge {
        let caster = Caster::new(&request).unwrap_or_else(|error| panic!("{request}: {error}"));
        let target = landmarks(request.to).expect("numeric dtypes have landmarks");
        Judge { request, caster, target }
    }

    /// Does an outcome admit `got`?
    pub(crate) fn admits(&self, outcome: &Outcome, got: u64) -> bool {
        admits(outcome, got, self.target)
    }

    /// Panics unless `got` is what the oracle expects of `code`.
    pub(crate) fn assert_admitted(&self, code: u64, got: u64) {
        let Judge { request, caster, .. } = self;
        let answer = caster.cast(code).unwrap_or_else(|error| panic!("{request}: {error}"));
        let admitted = self.admits(&answer.expect, got);
        assert!(
            admitted,
            "{request}: {} gives {}, expected {:x?} by {}",
            request.from.hex(code),
            request.to.hex(got),
            answer.expect,
            answer.rule
        );
    }
}

/// Asserts that an error is one line, whatever it quotes.
pub(crate) fn assert_one_line(error: &str) {
    assert!(!error.is_empty(), "an error without a word");
    assert!(!error.contains(char::is_control), "an error of more than one line: {error:?}");
}
