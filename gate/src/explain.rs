//! `castproof explain`: the cast of one element step by step, for people.

use crate::expect::{element, version_note};
use anyhow::Result;
use castproof_check::words;
use castproof_judge::answers::{self, Answering};
use castproof_methods::explain;
use castproof_oracle::{Neighbour, Value, number};
use castproof_vectors::{DType, Expectation, Outcome, Request};
use std::fmt::Write as _;

/// Explains elements, each a number or a code, or a text where the input dtype is string, in several lines
/// each. `nearest`: a number that the input dtype does not hold is rounded.
///
/// # Errors
/// If a text is not an element of the request's input dtype, or a dtype is complex.
pub fn text(request: &Request, inputs: &[String], nearest: bool) -> Result<String> {
    let explained = inputs.iter().map(|input| one(request, input, nearest));
    Ok(explained.collect::<Result<Vec<_>>>()?.join("\n"))
}

fn one(request: &Request, input: &str, nearest: bool) -> Result<String> {
    let (element, rounded) = element(request.from, input, nearest)?;
    let near = if rounded { format!(", the nearest to {}", input.trim()) } else { String::new() };
    let title = match version_note(request)? {
        Some(note) => format!("{request}\n\nversion   {note}\n"),
        None => format!("{request}\n\n"),
    };
    let input = words::element(request.from, &element);
    let title = format!("{title}input     {input}{near}\n");
    match element.as_code().filter(|_| request.from.is_numeric() && request.to.is_numeric()) {
        Some(code) => Ok(title + &of_numbers(request, code)?),
        // What has no place between two numbers has its rule.
        None => {
            let answer = Answering::chosen(request)?.element(&element)?;
            Ok(title + &answered(request.to, &answer)?)
        }
    }
}

fn of_numbers(request: &Request, code: u64) -> Result<String> {
    let way = explain(answers::chosen(), request, code)?;
    let to = request.to;
    let mut text = String::new();
    let finite = matches!(way.value, Some(Value::Finite { .. }));
    if finite && way.answer.expect != Outcome::Reject {
        text += &place(to, way.below.as_ref(), way.above.as_ref())?;
    }
    text += &answered(to, &way.answer)?;
    if !way.wrong.is_empty() {
        text += "\nWrong methods that give something else:\n";
    }
    let width = way.wrong.iter().map(|(method, _)| method.len()).max().unwrap_or(0);
    for (method, end) in &way.wrong {
        writeln!(text, "  {method:<width$}  {}", words::value(to, *end))?;
    }
    Ok(text)
}

/// Says what is expected, and by which rule.
fn answered(to: DType, answer: &Expectation) -> Result<String> {
    let mut text = String::new();
    let rule = answer.rule.rule();
    writeln!(text, "rule      {}: {}", rule.name, rule.statement)?;
    writeln!(text, "basis     {}; {}", rule.basis.phrase(), rule.source)?;
    writeln!(text, "expected  {}", outcome(to, &answer.expect))?;
    if let Some(tolerate) = &answer.tolerate {
        writeln!(text, "tolerated {}", outcome(to, tolerate))?;
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
