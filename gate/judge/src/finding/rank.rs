//! Which example shows a finding best.

use castproof_check::numeral::decimal;
use castproof_results::Failure;
use castproof_results::asked::Asked;
use castproof_results::finding::Example;
use castproof_vectors::{Attributes, DType};
use std::cmp::Reverse;

/// The rank of an example, the smallest first: tests that the baseline does not expect, pairs with
/// float32, newer versions, no attributes, positive numbers, few characters, then the order of the
/// text.
pub(super) type Rank = (bool, bool, Reverse<u32>, bool, bool, usize, String);

/// Returns the rank of a failing test.
pub(super) fn rank(failure: &Failure, opset: u32) -> Rank {
    let text = match failure.input.as_code() {
        Some(code) if failure.from.is_numeric() => decimal(failure.from, code),
        _ => failure.input.text(),
    };
    let negative = text.starts_with('-') || text.ends_with("NaN") || text.ends_with("Inf");
    let given = failure.attributes != Attributes::default();
    let far = failure.from != DType::Float32 && failure.to != DType::Float32;
    let known = failure.known.is_some();
    (known, far, Reverse(opset), given, negative, text.chars().count(), text)
}

/// Returns the rank of an example that is no failing test of the vectors.
pub(super) fn plain_rank(known: bool, asked: &Asked, text: &str) -> Rank {
    let given = asked.attributes != Attributes::default();
    let opset = asked.opset.unwrap_or_default();
    (known, false, Reverse(opset), given, false, text.chars().count(), text.into())
}

/// Returns the example of a failing test.
pub(super) fn example_of(failure: &Failure, asked: Asked) -> Example {
    Example {
        asked,
        test: Some(failure.id.clone()),
        input: Some(failure.input.clone()),
        got: Some(failure.got.clone()),
        expect: Some(failure.expect.clone()),
        place: None,
        done: None,
        sentence: failure.sentence(),
    }
}
