//! `castproof chain`: may the step between two casts be dropped?

use anyhow::{Result, anyhow};
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_vectors::book::{Book, ChainRecord};
use castproof_vectors::{DType, Expectation, NEWEST, Outcome, Request, landmarks, piece_of};
use std::fmt::Write as _;

/// Returns three lines: how many codes differ, and the smallest code of either sign with its steps.
///
/// # Errors
/// If a dtype is not numeric.
pub fn text(dtypes: [DType; 3]) -> Result<String> {
    if let Some(odd) = dtypes.iter().find(|dtype| !dtype.is_numeric()) {
        return Err(anyhow!("chains are of numeric dtypes, and {odd} is none"));
    }
    let book = Book::carried();
    let record = ChainRecord::new(book, dtypes).map_err(|error| anyhow!(error))?;
    let [a, b, c] = dtypes;
    let all = u128::from(a.code_mask()) + 1;
    let mut text = format!("Cast({NEWEST}) {a} -> {b} -> {c}: ");
    let (differ, open) = (thousands(record.differ), thousands(record.open));
    match (record.differ, a == c) {
        (0, true) => text += "the identity",
        (0, false) => write!(text, "the same as {a} -> {c}; {b} can be dropped")?,
        (_, true) => write!(text, "not the identity; {differ} of {} codes differ", thousands(all))?,
        (_, false) => {
            write!(
                text,
                "not the same as {a} -> {c}; {differ} of {} codes differ",
                thousands(all)
            )?;
        }
    }
    if record.open > 0 {
        write!(text, "; of {open} the chain leaves the result open")?;
    }
    text.push('\n');
    for (sign, witness) in [("positive", record.positive), ("negative", record.negative)] {
        match witness {
            Some(code) => writeln!(text, "{sign}  {}", way(book, dtypes, code.value())?)?,
            None => writeln!(text, "{sign}  no code differs")?,
        }
    }
    Ok(text)
}

/// Returns the steps of one code, each with its rule, and the result of the direct cast.
fn way(book: &Book, [a, b, c]: [DType; 3], code: u64) -> Result<String> {
    let ask = |from, to, code| -> Result<Expectation> {
        let pieces = book.pieces(&Request::cast(from, to, NEWEST));
        let pieces = pieces.map_err(|error| anyhow!(error))?;
        Ok(piece_of(&pieces, code).expectation(from, to, code))
    };
    let said = |to, it: &Expectation| format!("{} [{}]", words::outcome(to, &it.expect), it.rule);
    let first = ask(a, b, code)?;
    let mut text = format!("{} -> {b} {}", words::value(a, code), said(b, &first));
    if let Some(between) = representative(b, &first.expect) {
        write!(text, " -> {c} {}", said(c, &ask(b, c, between)?))?;
    }
    write!(text, "; directly {}", said(c, &ask(a, c, code)?))?;
    Ok(text)
}

/// Returns a code that stands for an outcome; `None` if the outcome is not one of codes.
fn representative(dtype: DType, outcome: &Outcome) -> Option<u64> {
    match outcome {
        Outcome::Code(code) => Some(*code),
        Outcome::OneOf(codes) => codes.first().copied(),
        Outcome::AnyNan => Some(landmarks(dtype)?.nan.first()?[0].value()),
        Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_three_lines() {
        let text = text([DType::Float32, DType::Int8, DType::Float32]).expect("numeric");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].contains("not the identity"), "{text}");
        assert!(lines[1].starts_with("positive  0x00000001"), "{text}");
        assert!(lines[1].contains("[FI-02]") && lines[1].contains("[FF-11]"), "{text}");
        assert!(lines[2].starts_with("negative  0x80000000 (-0)"), "{text}");
    }

    #[test]
    fn widening_and_back_is_the_identity() {
        let text = text([DType::Float16, DType::Float32, DType::Float16]).expect("numeric");
        assert!(text.lines().next().is_some_and(|line| line.ends_with("the identity")), "{text}");
        assert!(super::text([DType::String, DType::Int8, DType::Int8]).is_err());
    }
}
