//! `castproof explain`: the cast of one element step by step, for people.

use crate::expect::{parse_code, version_note};
use anyhow::Result;
use castproof_check::words;
use castproof_judge::answers;
use castproof_methods::explain;
use castproof_oracle::{Neighbour, Value, number};
use castproof_vectors::{DType, Outcome, Request};
use std::fmt::Write as _;

/// Explains one code, as a text of several lines.
///
/// # Errors
/// If the text is not a code of the request's input dtype, or a dtype is not numeric.
pub fn text(request: &Request, code: &str) -> Result<String> {
    let code = parse_code(code)?;
    let way = explain(answers::chosen(), request, code)?;
    let (from, to) = (request.from, request.to);
    let mut text = format!("{request}\n\n");
    if let Some(note) = version_note(request)? {
        writeln!(text, "version   {note}")?;
    }
    writeln!(text, "input     {}", words::value(from, code))?;
    let finite = matches!(way.value, Some(Value::Finite { .. }));
    if finite && way.answer.expect != Outcome::Reject {
        text += &place(to, way.below.as_ref(), way.above.as_ref())?;
    }
    let rule = way.answer.rule.rule();
    writeln!(text, "rule      {}: {}", rule.name, rule.statement)?;
    writeln!(text, "basis     {}; {}", rule.basis.phrase(), rule.source)?;
    writeln!(text, "expected  {}", outcome(to, &way.answer.expect))?;
    if let Some(tolerate) = &way.answer.tolerate {
        writeln!(text, "tolerated {}", outcome(to, tolerate))?;
    }
    if !way.wrong.is_empty() {
        text += "\nWrong methods that give something else:\n";
    }
    let width = way.wrong.iter().map(|(method, _)| method.len()).max().unwrap_or(0);
    for (method, end) in &way.wrong {
        writeln!(text, "  {method:<width$}  {}", words::value(to, *end))?;
    }
    Ok(text)
}

/// Says where the value stands between two numbers of the target.
fn place(to: DType, below: Option<&Neighbour>, above: Option<&Neighbour>) -> Result<String> {
    let mut text = String::new();
    if let Some(exact) = below.filter(|below| below.distance == 0) {
        writeln!(text, "target    holds it exactly: {}", to.hex(exact.code))?;
        return Ok(text);
    }
    for (side, neighbour) in [("below", below), ("above", above)] {
        match neighbour {
            Some(Neighbour { code, distance }) => {
                let neighbour = words::value(to, *code);
                writeln!(text, "{side}     {neighbour}, at a distance of {}", number(distance))?;
            }
            None => writeln!(text, "{side}     no number of {to}")?,
        }
    }
    if let (Some(below), Some(above)) = (below, above) {
        let nearer = match below.distance.cmp(&above.distance) {
            std::cmp::Ordering::Less => "nearer to the one below",
            std::cmp::Ordering::Equal => "a tie",
            std::cmp::Ordering::Greater => "nearer to the one above",
        };
        writeln!(text, "position  {nearer}")?;
    }
    Ok(text)
}

/// Describes an outcome like the other reports do, but says more about an open or refused one.
fn outcome(to: DType, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Any => "anything: the specification leaves it open".into(),
        Outcome::Reject => "the request is refused".into(),
        outcome => words::outcome(to, outcome),
    }
}
