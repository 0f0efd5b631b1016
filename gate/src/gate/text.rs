//! Judging one element, which may be a text.

use crate::verdict::{Verdict, judge};
#[cfg(feature = "oracle")]
use castproof_oracle::admits_text;
use castproof_vectors::{DType, Element, Outcome, landmarks};

/// Judges what a testee made of `input` in a cast of this pair.
pub(super) fn judge_element(
    expect: &Outcome,
    tolerate: Option<&Outcome>,
    (from, to): (DType, DType),
    input: &Element,
    got: &Element,
) -> Verdict {
    if let (Some(target), Some(code)) = (landmarks(to), got.as_code()) {
        return judge(expect, tolerate, code, target);
    }
    let text = got.text();
    let admits = |outcome: &Outcome| admits_text(outcome, from, input.as_code(), &text);
    match admits(expect) {
        Some(true) if *expect == Outcome::Any => Verdict::Undefined,
        Some(true) => Verdict::Pass,
        _ if tolerate.and_then(admits) == Some(true) => Verdict::Tolerated,
        _ => Verdict::Fail,
    }
}

/// Without the oracle, the implementation reads texts back: correctly rounded, but for numbers beyond
/// the largest of a clamping dtype.
#[cfg(not(feature = "oracle"))]
fn admits_text(outcome: &Outcome, from: DType, code: Option<u64>, text: &str) -> Option<bool> {
    use castproof_impl::FromText;
    use castproof_vectors::{Notation, TextOutcome};
    let read = || FromText::new(from).and_then(|cast| cast.saturate(false).code(text)).ok();
    match outcome {
        Outcome::Any => Some(true),
        Outcome::Text(TextOutcome::Exactly(expected)) => Some(expected == text),
        Outcome::Text(TextOutcome::OneOf(expected)) => Some(expected.iter().any(|one| one == text)),
        Outcome::Text(TextOutcome::RoundTrips(notation)) => {
            let plain = !text.contains(['e', 'E']);
            Some(code.is_some() && read() == code && (plain || *notation == Notation::Any))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{Notation, TextOutcome};

    #[test]
    fn texts_are_judged() {
        let pair = (DType::Float32, DType::String);
        let tenth = Element::code(0x3dcc_cccd, DType::Float32);
        let round_trips = |notation| Outcome::Text(TextOutcome::RoundTrips(notation));
        let (plain, any) = (round_trips(Notation::Plain), round_trips(Notation::Any));
        for (text, verdict) in
            [("0.1", Verdict::Pass), ("1e-1", Verdict::Tolerated), ("0.2", Verdict::Fail)]
        {
            let got = Element::Text(text.into());
            assert_eq!(judge_element(&plain, Some(&any), pair, &tenth, &got), verdict, "{text}");
        }
        let got = Element::Text("?".into());
        assert_eq!(judge_element(&Outcome::Any, None, pair, &tenth, &got), Verdict::Undefined);
    }
}
