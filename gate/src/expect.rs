//! What to expect of a cast: for people, or as one JSON object per element.

use crate::complex;
use crate::element::{self, ElementForm};
use anyhow::{Context, Result, anyhow, bail};
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_lookup::outcome::{compose_outcome, said};
use castproof_vectors::{DType, Element, Expectation, Request, Spec, resolve};
use std::fmt::{self, Write as _};
use std::io::{BufRead, Read, Write};

/// The longest line that can be a number: an exact decimal of a float64 has up to 1,100 characters.
const LONGEST_LINE: u64 = 4096;

/// The longest line that can be a string, in bytes.
const LONGEST_TEXT_LINE: u64 = 1 << 26;

/// Returns `opset 22: Cast-21 is the version in force` if the operator set brought no version of
/// its own, and `None` otherwise.
///
/// # Errors
/// If the operator set has no such operator, or is not known.
pub fn version_note(request: &Request) -> Result<Option<String>> {
    let Spec::Onnx { op, opset } = request.spec else { return Ok(None) };
    let version = resolve(op, opset).map_err(|error| anyhow!(error))?;
    let note = || format!("opset {opset}: {op}-{version} is the version in force");
    Ok((version != opset).then(note))
}

/// Reads one number or code per line, or one JSON string per line where the input dtype is string, and
/// writes what to expect of each as JSON. If a line is bad, the answers to the lines before it are still
/// written.
///
/// # Errors
/// If a line is not an element of the request's input dtype, or reading or writing fails.
pub fn stream(
    request: &Request,
    form: ElementForm,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<()> {
    let answered = answer_lines(request, form, input, out);
    out.flush().context("the answers cannot be written")?;
    answered
}

/// Returns what to expect of elements, each a number, a code, or a text where the input dtype is string: for
/// people the request and a line an element, or a JSON object an element.
///
/// # Errors
/// If a text is not an element of the request's input dtype.
pub fn texts(request: &Request, inputs: &[String], form: ElementForm) -> Result<String> {
    let mut text = if form.json { String::new() } else { format!("{request}\n") };
    if complex::is_asked(request) {
        for input in inputs {
            text += &complex::line(request, input, form)?;
        }
        return Ok(text);
    }
    let answering = Answering::chosen(request)?;
    for input in inputs {
        let (element, rounded) = element(request.from, input, form.nearest)?;
        let expectation = answering.element(&element)?;
        if form.json {
            compose(&mut text, request, &element, &expectation)?;
            text.push('\n');
        } else {
            text += &line(request, &element, &expectation, rounded.then_some(input.as_str()));
        }
    }
    Ok(text)
}

/// Reads an element. Was it rounded?
pub(crate) fn element(dtype: DType, text: &str, nearest: bool) -> Result<(Element, bool)> {
    if dtype == DType::String {
        return Ok((Element::from(text.to_string()), false));
    }
    let read = element::element(dtype, text, nearest)?;
    Ok((Element::code(read.code, dtype), read.rounded))
}

/// Returns `0x43e80000 (464) -> 0x7e (448) [F8-S10]`, with what is tolerated and what was rounded.
fn line(request: &Request, element: &Element, it: &Expectation, rounded: Option<&str>) -> String {
    let input = words::element(request.from, element);
    let near = rounded.map_or(String::new(), |text| format!(", the nearest to {}", text.trim()));
    format!("{input}{near} -> {} [{}]\n", said(request.to, it), it.rule)
}

fn answer_lines(
    request: &Request,
    form: ElementForm,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<()> {
    let answering = Answering::chosen(request)?;
    let mut line = Vec::new();
    let mut answer = String::new();
    let text = request.from == DType::String;
    let longest = if text { LONGEST_TEXT_LINE } else { LONGEST_LINE };
    for number in 1u64.. {
        line.clear();
        input
            .by_ref()
            .take(longest)
            .read_until(b'\n', &mut line)
            .with_context(|| format!("line {number} cannot be read"))?;
        if line.is_empty() {
            break;
        }
        let place = || format!("line {number}");
        let element = if text {
            parse_text(&line).with_context(place)?
        } else if line.len() as u64 == longest && !line.ends_with(b"\n") {
            let start = String::from_utf8_lossy(&line[..40]);
            bail!("line {number}: '{start}...' is longer than any number")
        } else {
            element(request.from, &String::from_utf8_lossy(&line), form.nearest)
                .with_context(place)?
                .0
        };
        let expectation = answering.element(&element).with_context(place)?;
        answer.clear();
        compose(&mut answer, request, &element, &expectation)?;
        answer.push('\n');
        out.write_all(answer.as_bytes()).context("the answers cannot be written")?;
    }
    Ok(())
}

/// Parses a JSON string.
fn parse_text(line: &[u8]) -> Result<Element> {
    serde_json::from_slice(line).map_err(|error| {
        let shown = String::from_utf8_lossy(line).trim().chars().take(40).collect::<String>();
        anyhow!("'{}' is not a JSON string; write one like \"3.14\": {error}", shown.escape_debug())
    })
}

/// Writes one answer. It is composed by hand because the shape is fixed, only texts need escaping,
/// and this is the inner loop of a stream.
pub(crate) fn compose(
    answer: &mut String,
    request: &Request,
    element: &Element,
    expectation: &Expectation,
) -> fmt::Result {
    let to_digits = request.to.hex_digits();
    match element {
        Element::Code(code) => write!(answer, "{{\"input\":\"{code}\"")?,
        Element::Text(text) => {
            let text = serde_json::to_string(text).map_err(|_| fmt::Error)?;
            write!(answer, "{{\"input\":{text}")?;
        }
    }
    answer.push_str(",\"expect\":");
    compose_outcome(answer, to_digits, &expectation.expect)?;
    if let Some(tolerate) = &expectation.tolerate {
        answer.push_str(",\"tolerate\":");
        compose_outcome(answer, to_digits, tolerate)?;
    }
    write!(answer, ",\"clause\":\"{}\"}}", expectation.rule)
}
