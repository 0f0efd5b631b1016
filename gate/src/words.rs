//! Elements and outcomes as reports show them.

use castproof_oracle::describe;
use castproof_vectors::{DType, Element, Notation, TextOutcome};

/// `0x7e (448)`, or a text in quotes.
pub(crate) fn element(dtype: DType, element: &Element) -> String {
    match element.as_code() {
        Some(code) if dtype.is_numeric() => {
            format!("{} ({})", dtype.hex(code), describe(dtype, code))
        }
        _ => quoted(&element.text()),
    }
}

/// A text in quotes, without anything that breaks its line, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let count = text.chars().count();
    let start: String = text.chars().take(LONGEST).collect();
    let more = if count > LONGEST { format!("... ({count} characters)") } else { String::new() };
    format!("{start:?}{more}")
}

/// What a cast to string must write.
pub(crate) fn text_outcome(outcome: &TextOutcome) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_stay_on_one_line() {
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
        assert!(quoted(&"9".repeat(100_000)).ends_with("... (100000 characters)"));
    }
}
