//! Codes and outcomes, as people read them.

#[cfg(feature = "oracle")]
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

/// A text in quotes, without anything that breaks its line, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let count = text.chars().count();
    let start: String = text.chars().take(LONGEST).collect();
    let more = if count > LONGEST { format!("... ({count} characters)") } else { String::new() };
    format!("{start:?}{more}")
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

/// The value of a code, from the widening casts of the implementation: exact, for they are. The
/// oracle writes numbers more readably, where it is built in.
#[cfg(not(feature = "oracle"))]
fn describe(dtype: DType, code: u64) -> String {
    use castproof_impl::Cast;
    let wide = |to: DType| Cast::new(dtype, to).and_then(|cast| cast.code(code)).unwrap_or(code);
    match dtype {
        DType::Bool if code > 1 => "invalid".into(),
        DType::Bool => (code == 1).to_string(),
        _ if dtype.name().contains("float") => f64::from_bits(wide(DType::Float64)).to_string(),
        _ if dtype.name().starts_with("uint") => code.to_string(),
        _ => wide(DType::Int64).cast_signed().to_string(),
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
