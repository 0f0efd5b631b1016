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

/// As the oracle's function of this name, but the text is read by the implementation, which is held
/// against the oracle.
#[cfg(not(feature = "oracle"))]
fn admits_text(outcome: &Outcome, from: DType, code: Option<u64>, text: &str) -> Option<bool> {
    use castproof_vectors::Notation;
    outcome.admits_text(text, |notation| {
        let is_plain = !text.contains(['e', 'E']);
        (is_plain || notation == Notation::Any)
            && code.is_some_and(|code| reads_back(from, code, text))
    })
}

#[cfg(not(feature = "oracle"))]
fn reads_back(from: DType, code: u64, text: &str) -> bool {
    use castproof_impl::FromText;
    use castproof_vectors::RoundMode;
    let Ok(cast) = FromText::new(from) else { return false };
    let cast = cast.saturate(false).round_mode(RoundMode::Nearest);
    let is_float = from.name().contains("float");
    let read = if is_float { Some(text.to_string()) } else { as_integer(text) };
    read.is_some_and(|text| cast.code(&text) == Ok(code))
}

/// The digits of a numeral whose value is an integer, however it is spelled: `7.0`, `1e2`.
#[cfg(not(feature = "oracle"))]
fn as_integer(text: &str) -> Option<String> {
    const LONGEST: usize = 40; // more digits than any integer dtype has
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let zeros = exponent.parse::<i64>().ok()?.checked_sub(fraction.len() as i64)?;
    let digits = format!("{whole}{fraction}");
    match usize::try_from(zeros) {
        Ok(zeros) if zeros <= LONGEST => Some(digits + &"0".repeat(zeros)),
        Ok(_) => None,
        // A negative exponent may take zeros away again.
        Err(_) => {
            let kept = digits.len().checked_sub(usize::try_from(zeros.unsigned_abs()).ok()?)?;
            let (kept, cut) = digits.split_at_checked(kept)?;
            cut.bytes().all(|digit| digit == b'0').then(|| kept.to_string())
        }
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
        let (int8, minus_seven) = ((DType::Int8, DType::String), Element::code(0xf9, DType::Int8));
        for (text, verdict) in [
            ("-7", Verdict::Pass),
            ("-7.0", Verdict::Pass),
            ("-70e-1", Verdict::Pass),
            ("-0.7e1", Verdict::Pass),
            ("-7.5", Verdict::Fail),
            ("-7e30", Verdict::Fail),
            ("", Verdict::Fail),
        ] {
            let got = Element::Text(text.into());
            assert_eq!(judge_element(&any, None, int8, &minus_seven, &got), verdict, "{text}");
        }
        let got = Element::Text("?".into());
        assert_eq!(judge_element(&Outcome::Any, None, pair, &tenth, &got), Verdict::Undefined);
    }
}
