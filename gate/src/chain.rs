//! `castproof chain`: may a step between casts be dropped?

mod due;
mod long;

use crate::element;
use anyhow::{Result, anyhow, bail};
use castproof_book::{Book, ChainRecord, ComparedChain};
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_lookup::outcome::representative;
use castproof_oracle::concerning;
use castproof_vectors::{Attributes, DType, Expectation, Request, Spec, piece_of};
use due::{is_refused, said, title};
use std::fmt::Write as _;

/// Returns what may be dropped from casts in a row. Of two casts it is three lines: how many codes differ, and the
/// smallest code of either sign with its steps. Of more it is a line for each dtype between, and one with the fewest
/// casts that may stand for all. Each of the casts has those of the attributes that concern it in the specification.
///
/// # Errors
/// If there are fewer than three dtypes, one is not numeric, the specification does not cast it, or no cast takes an
/// attribute.
pub fn text(dtypes: &[DType], spec: Spec, attributes: Attributes) -> Result<String> {
    if let Some(odd) = dtypes.iter().find(|dtype| !dtype.is_numeric()) {
        return Err(anyhow!("chains are of numeric dtypes, and {odd} is not numeric"));
    }
    match *dtypes {
        [a, b, c] => of_two([a, b, c], spec, attributes),
        [_, _, _, _, ..] => long::text(dtypes, spec, attributes),
        _ => Err(anyhow!("a chain has at least two casts: name three dtypes or more")),
    }
}

/// Returns what becomes of the dtype between two casts.
fn of_two(dtypes: [DType; 3], spec: Spec, attributes: Attributes) -> Result<String> {
    let book = Book::carried();
    let [a, b, c] = dtypes;
    let requests = requests(dtypes, spec, attributes)?;
    let chain = ComparedChain::of(book, requests).map_err(|error| anyhow!(error))?;
    let record = ChainRecord::of(dtypes, |first, last| chain.difference(first, last));
    let all = u128::from(a.code_mask()) + 1;
    let title = title(spec)?;
    let mut text = format!("{title} {a} -> {b} -> {c}");
    if attributes != Attributes::default() {
        write!(text, ", {attributes}")?;
    }
    text += ": ";
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
            Some(code) => writeln!(text, "{sign}  {}", way(book, &requests, code.value())?)?,
            None => writeln!(text, "{sign}  no code differs")?,
        }
    }
    Ok(text)
}

/// Returns a line with the steps of each element, a number or a code. `nearest`: a number that the first dtype
/// does not hold is rounded.
///
/// # Errors
/// As those of [`text`], or if a text is not an element of the first dtype.
pub fn steps(
    dtypes: &[DType],
    spec: Spec,
    attributes: Attributes,
    (elements, nearest): (&[String], bool),
) -> Result<String> {
    let Ok(dtypes) = <[DType; 3]>::try_from(dtypes) else {
        return long::steps(dtypes, spec, attributes, (elements, nearest));
    };
    let requests = requests(dtypes, spec, attributes)?;
    let mut text = String::new();
    for element in elements {
        let code = element::element(dtypes[0], element, nearest)?.code;
        writeln!(text, "asked     {}", way(Book::carried(), &requests, code)?)?;
    }
    Ok(text)
}

/// Returns the two casts in a row, and the direct cast.
fn requests([a, b, c]: [DType; 3], spec: Spec, given: Attributes) -> Result<[Request; 3]> {
    let version = spec.version().map_err(|error| anyhow!(error))?;
    let cast = |from, to| {
        let taken = concerning(spec, (from, to), given);
        Request::new(spec, from, to).with(taken)
    };
    let casts = [cast(a, b), cast(b, c), cast(a, c)];
    let is_taken = |is: fn(&Attributes) -> bool| {
        !is(&given) || casts[..2].iter().any(|request| is(&request.attributes))
    };
    if !is_taken(|it| it.saturate.is_some()) || !is_taken(|it| it.round_mode.is_some()) {
        let name = version.map_or_else(|| spec.to_string(), |version| format!("Cast-{version}"));
        bail!("{name} to {b} and to {c} does not take {given}; leave the attribute out");
    }
    // A version of ONNX that lacks a dtype refuses every code, which the chain then says.
    let refused = casts.iter().find(|request| version.is_none() && is_refused(request));
    if let Some(Request { from, to, attributes, .. }) = refused {
        let with = if *attributes == Attributes::default() { "" } else { ", " };
        bail!("{spec} has no cast from {from} to {to}{with}{attributes}");
    }
    Ok(casts)
}

/// Returns the steps of one code, each with its rule, and the result of the direct cast.
fn way(book: &Book, [first, second, direct]: &[Request; 3], code: u64) -> Result<String> {
    let ask = |request: &Request, code| -> Result<Expectation> {
        let pieces = book.pieces(request).map_err(|error| anyhow!(error))?;
        Ok(piece_of(&pieces, code).expectation(request.from, request.to, code))
    };
    let (a, b, c) = (first.from, first.to, second.to);
    let step = ask(first, code)?;
    let mut text = format!("{} -> {b} {}", words::value(a, code), said(b, &step));
    if let Some(between) = representative(b, &step.expect) {
        write!(text, " -> {c} {}", said(c, &ask(second, between)?))?;
    }
    write!(text, "; directly {}", said(c, &ask(direct, code)?))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(dtypes: [DType; 3]) -> Result<String> {
        text(&dtypes, Spec::cast(castproof_vectors::NEWEST), Attributes::default())
    }

    #[test]
    fn a_chain_is_three_lines() {
        let text = plain([DType::Float32, DType::Int8, DType::Float32]).expect("numeric");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].contains("not the identity"), "{text}");
        assert!(lines[1].starts_with("positive  0x00000001"), "{text}");
        assert!(lines[1].contains("[FI-02]") && lines[1].contains("[FF-11]"), "{text}");
        assert!(lines[2].starts_with("negative  0x80000000 (-0)"), "{text}");
    }

    #[test]
    fn widening_and_back_is_the_identity() {
        let said = plain([DType::Float16, DType::Float32, DType::Float16]).expect("numeric");
        assert!(said.lines().next().is_some_and(|line| line.ends_with("the identity")), "{said}");
        assert!(plain([DType::String, DType::Int8, DType::Int8]).is_err());
        let short = text(&[DType::Int8; 2], Spec::cast(19), Attributes::default());
        assert!(short.is_err_and(|error| error.to_string().contains("at least two casts")));
    }

    /// 1000 is beyond float8e4m3fn: it becomes 448 with saturation and NaN without.
    #[test]
    fn attributes_and_versions_count() {
        let dtypes = [DType::Float32, DType::Float8E4M3FN, DType::Float32];
        let with = |saturate| Attributes { saturate: Some(saturate), ..Attributes::default() };
        let [on, off] =
            [true, false].map(|it| text(&dtypes, Spec::cast(19), with(it)).expect("a chain"));
        assert!(
            on.starts_with("Cast(19) float32 -> float8e4m3fn -> float32, saturate=1: "),
            "{on}"
        );
        assert_ne!(on, off);
        let refused = text(&dtypes, Spec::cast(13), Attributes::default());
        assert!(refused.is_err() || refused.is_ok_and(|text| text.contains("refus")), "Cast-13");
        let error =
            text(&[DType::Int8; 3], Spec::cast(19), with(true)).expect_err("nothing takes it");
        assert!(error.to_string().contains("does not take saturate=1"), "{error}");
    }

    /// Where a piece is open for single codes, no count of differences would be right.
    #[test]
    fn a_chain_that_is_open_code_by_code_is_not_compared() {
        let by = |dtypes: [DType; 3]| {
            let profile = castproof_vectors::Profile::StablehloConvert;
            text(&dtypes, Spec::Profile(profile), Attributes::default())
        };
        let error = by([DType::Int32, DType::Float32, DType::Float64]).expect_err("open in part");
        assert!(error.to_string().contains("open wherever it is not exact"), "{error}");
        let exact = by([DType::Int8, DType::Float32, DType::Float64]).expect("a chain");
        assert!(exact.contains("float32 can be dropped"), "{exact}");
    }

    #[test]
    fn a_chain_of_a_profile_has_its_rules() {
        let by = |dtypes: [DType; 3]| {
            let profile = castproof_vectors::Profile::RustAs;
            text(&dtypes, Spec::Profile(profile), Attributes::default())
        };
        let there_and_back = by([DType::Float32, DType::Int8, DType::Float32]).expect("a chain");
        let title = "rust-as float32 -> int8 -> float32: not the identity; ";
        assert!(there_and_back.starts_with(title), "{there_and_back}");
        assert!(there_and_back.contains("[RS-01]"), "{there_and_back}");
        assert!(!there_and_back.contains("leaves the result open"), "{there_and_back}");
        let droppable = by([DType::Int32, DType::Int64, DType::Int8]).expect("a chain");
        assert!(droppable.contains("int64 can be dropped"), "{droppable}");
        let error = by([DType::Float32, DType::Float16, DType::Int8]).expect_err("no float16");
        assert_eq!(error.to_string(), "rust-as has no cast from float32 to float16");
    }
}
