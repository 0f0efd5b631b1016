//! Elements and outcomes, as people read them.

use castproof_oracle::describe;
use castproof_vectors::{DType, Element, Notation, Outcome, TextOutcome};

/// `0x7e (448)`
pub(crate) fn value(dtype: DType, code: u64) -> String {
    format!("{} ({})", dtype.hex(code), describe(dtype, code))
}

/// `0x7e (448)`, or a text in quotes.
pub(crate) fn element(dtype: DType, element: &Element) -> String {
    match element.as_code() {
        Some(code) if dtype.is_numeric() => value(dtype, code),
        _ => quoted(&element.text()),
    }
}

/// What an outcome asks for.
pub(crate) fn outcome(to: DType, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Code(code) => value(to, *code),
        Outcome::AnyNan => "any NaN".into(),
        Outcome::OneOf(codes) => {
            let codes: Vec<String> = codes.iter().map(|&code| value(to, code)).collect();
            format!("one of {}", codes.join(", "))
        }
        Outcome::Any => format!("any valid {to}"),
        Outcome::Reject => "a refusal".into(),
        Outcome::Text(outcome) => text_outcome(outcome),
    }
}

/// What a cast to string must write.
fn text_outcome(outcome: &TextOutcome) -> String {
    match outcome {
        TextOutcome::Exactly(text) => quoted(text),
        TextOutcome::OneOf(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            format!("one of {}", texts.join(", "))
        }
        TextOutcome::RoundTrips(Notation::Plain) => {
            "plain notation that reads back as the same element".into()
        }
        TextOutcome::RoundTrips(Notation::Any) => {
            "a numeral that reads back as the same element".into()
        }
    }
}

/// A text in quotes, without anything that breaks its line, cut where it is long.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let count = text.chars().count();
    let start: String = text.chars().take(LONGEST).collect();
    let more = if count > LONGEST { format!("... ({count} characters)") } else { String::new() };
    format!("{start:?}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_stay_on_one_line() {
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
        assert!(quoted(&"9".repeat(100_000)).ends_with("... (100000 characters)"));
    }
}
