//! One value of a small file: an input, and which results are right.

use castproof_methods::MethodElement;
use castproof_vectors::{DType, Outcome, Request, landmarks, sha256_hex};
use std::collections::BTreeSet;

/// So many ranges of right codes a value has at most. The codes of NaN of both signs are two.
const RANGES: usize = 2;

/// An input with its right results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// Code of the input.
    pub(crate) input: u64,
    /// The code that is expected; of several NaN codes, the usual one.
    pub(crate) expected: u64,
    /// Two ranges of codes, both ends included: a result is right if one of them has it. A value with one
    /// range has it twice.
    pub(crate) right: [[u64; 2]; RANGES],
}

impl Value {
    /// Returns the value of an element. `Ok(None)`: whatever comes back is right.
    ///
    /// # Errors
    /// If its right results are more than two ranges.
    pub(crate) fn of(
        element: &MethodElement,
        input: u64,
        to: DType,
    ) -> Result<Option<Value>, TooMany> {
        let answer = element.answer();
        let outcomes = [Some(&answer.expect), answer.tolerate.as_ref()];
        if outcomes.into_iter().flatten().any(|it| *it == Outcome::Any) {
            return Ok(None);
        }
        let codes: BTreeSet<[u64; 2]> =
            outcomes.into_iter().flatten().flat_map(|it| ranges(it, to)).collect();
        let expected = match &answer.expect {
            Outcome::OneOf(codes) => codes.first().copied(),
            _ => element.right(),
        };
        let Some(expected) = expected else { return Ok(None) };
        let right = match merged(codes)[..] {
            [one] => [one, one],
            [one, other] => [one, other],
            _ => return Err(TooMany),
        };
        Ok(Some(Value { input, expected, right }))
    }

    /// Is one code right, and no other?
    pub(crate) fn is_single(&self) -> bool {
        self.right == [[self.expected; 2]; RANGES]
    }

    /// The six words of its row: input, expected code, first and last code of each range.
    pub(crate) fn words(&self, request: &Request) -> [String; 6] {
        let (from, to) = (request.from, request.to);
        let [[a, b], [c, d]] = self.right;
        let [expected, a, b, c, d] = [self.expected, a, b, c, d].map(|code| to.hex(code));
        [from.hex(self.input), expected, a, b, c, d]
    }
}

/// More ranges of right codes than a value holds.
pub(crate) struct TooMany;

fn ranges(outcome: &Outcome, to: DType) -> Vec<[u64; 2]> {
    match outcome {
        Outcome::Code(code) => vec![[*code; 2]],
        Outcome::OneOf(codes) => codes.iter().map(|code| [*code; 2]).collect(),
        Outcome::AnyNan | Outcome::QuietNan => {
            let nans = landmarks(to).and_then(|it| outcome.nans(it)).unwrap_or_default();
            nans.iter().map(|ends| ends.map(|code| code.value())).collect()
        }
        Outcome::Any | Outcome::Reject | Outcome::Text(_) => vec![],
    }
}

/// Joins ranges that touch: `5..=5` and `6..=9` are `5..=9`.
fn merged(ranges: BTreeSet<[u64; 2]>) -> Vec<[u64; 2]> {
    let mut all: Vec<[u64; 2]> = Vec::new();
    for [first, last] in ranges {
        match all.last_mut() {
            Some(before) if first <= before[1].saturating_add(1) => before[1] = before[1].max(last),
            _ => all.push([first, last]),
        }
    }
    all
}

/// Returns the values as lines of CSV, without the names of the columns. Their SHA-256 stands in every form.
pub(crate) fn lines(request: &Request, values: &[Value]) -> String {
    values.iter().map(|value| value.words(request).join(",") + "\n").collect()
}

/// Returns the SHA-256 of the values.
pub(crate) fn digest(request: &Request, values: &[Value]) -> String {
    sha256_hex(lines(request, values).as_bytes())
}
