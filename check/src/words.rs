//! Elements and outcomes in words, for people.

use crate::numeral::decimal;
use castproof_vectors::versions as known_versions;
use castproof_vectors::{
    DType, Element, Notation, Operator, Outcome, Suite, TextOutcome, cast_version,
};

/// Returns `0x7e (448)`.
pub fn value(dtype: DType, code: u64) -> String {
    format!("{} ({})", dtype.hex(code), decimal(dtype, code))
}

/// Returns `0x7e (448)`, or a text in quotes.
pub fn element(dtype: DType, element: &Element) -> String {
    match element.as_code() {
        Some(code) if dtype.is_numeric() => value(dtype, code),
        _ => quoted(&element.text()),
    }
}

/// Says what an outcome asks for.
pub fn outcome(to: DType, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Code(code) => value(to, *code),
        Outcome::AnyNan => "any NaN".into(),
        Outcome::QuietNan => "any quiet NaN".into(),
        Outcome::OneOf(codes) => {
            let codes: Vec<String> = codes.iter().map(|&code| value(to, code)).collect();
            format!("one of {}", codes.join(", "))
        }
        Outcome::Any => format!("any valid {to}"),
        Outcome::Reject => "a refusal".into(),
        Outcome::Text(outcome) => text_outcome(outcome),
    }
}

/// Says what a cast to string must write.
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

/// Returns a text in quotes and on one line; a long text is cut.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let count = text.chars().count();
    let start: String = text.chars().take(LONGEST).collect();
    let more = if count > LONGEST { format!("... ({count} characters)") } else { String::new() };
    format!("{start:?}{more}")
}

/// Returns `Cast-19`; for a suite without versions, its name.
pub fn version(suite: Suite, version: Option<u32>) -> String {
    version.map_or(suite.name().into(), |version| format!("Cast-{version}"))
}

/// Returns `Cast-19 to Cast-28`, or `Cast-19, Cast-24`; for a profile its name; `None` if another
/// operator has no versions. `in_force` are versions of `Cast`, also for a suite of `CastLike`.
pub fn versions(suite: Suite, in_force: &[u32]) -> Option<String> {
    if let Suite::Profile(profile) = suite {
        return Some(profile.name().into());
    }
    let operator = match suite {
        Suite::OnnxCastlike => Operator::CastLike,
        _ => Operator::Cast,
    };
    let known = known_versions(operator).iter();
    let shows = |version: &&u32| in_force.contains(&cast_version(operator, **version));
    let shown: Vec<u32> = known.clone().filter(shows).copied().collect();
    let (first, last) = (*shown.first()?, *shown.last()?);
    let name = |version: &u32| format!("{operator}-{version}");
    let between = known.filter(|version| (first..=last).contains(*version)).count();
    Some(if shown.len() > 2 && between == shown.len() {
        format!("{} to {}", name(&first), name(&last))
    } else {
        shown.iter().map(name).collect::<Vec<_>>().join(", ")
    })
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
