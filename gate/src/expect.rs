//! What to expect of a cast, as one JSON object per element.

use anyhow::{Context, Result, anyhow, bail};
use castproof_judge::answers::Answering;
use castproof_vectors::{
    DType, Element, Expectation, Outcome, OutcomeRecord, Request, Spec, resolve,
};
use std::fmt::{self, Write as _};
use std::io::{BufRead, Read, Write};

/// The longest line that can be a code, with room for blanks.
const LONGEST_LINE: u64 = 256;

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

/// Reads one code per line, or one JSON string per line where the input dtype is string, and writes
/// what to expect of each. If a line is bad, the answers to the lines before it are still written.
///
/// # Errors
/// If a line is not an element of the request's input dtype, or reading or writing fails.
pub fn stream(request: &Request, input: &mut impl BufRead, out: &mut impl Write) -> Result<()> {
    let answered = answer_lines(request, input, out);
    out.flush().context("the answers cannot be written")?;
    answered
}

/// Returns what to expect of one code, or of one text where the input dtype is string, as one JSON
/// object without a line end.
///
/// # Errors
/// If the text is not a code of the request's input dtype.
pub fn one(request: &Request, input: &str) -> Result<String> {
    let mut answer = String::new();
    let element = match request.from {
        DType::String => Element::from(input.to_string()),
        from => Element::code(parse_code(input)?, from),
    };
    let expectation = Answering::chosen(request)?.element(&element)?;
    compose(&mut answer, request, &element, &expectation)?;
    Ok(answer)
}

fn answer_lines(request: &Request, input: &mut impl BufRead, out: &mut impl Write) -> Result<()> {
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
        } else {
            Element::code(
                parse_code(&String::from_utf8_lossy(&line)).with_context(place)?,
                request.from,
            )
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

/// Parses a code: `0x` and hex digits of either case, leading zeros optional.
pub(crate) fn parse_code(text: &str) -> Result<u64> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or("");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        let shown: String = text.chars().take(40).collect();
        bail!("'{shown}' is not a code; write 0x and hex digits, like 0x3c01");
    }
    u64::from_str_radix(digits, 16)
        .map_err(|_| anyhow!("'{text}' is too wide; a code has at most 64 bits"))
}

/// Writes one answer. It is composed by hand because the shape is fixed, only texts need escaping,
/// and this is the inner loop of a stream.
fn compose(
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

fn compose_outcome(answer: &mut String, digits: usize, outcome: &Outcome) -> fmt::Result {
    match outcome {
        Outcome::Code(code) => write!(answer, "{{\"code\":\"0x{code:0digits$x}\"}}"),
        Outcome::AnyNan => answer.write_str("{\"anyNaN\":true}"),
        Outcome::OneOf(codes) => {
            answer.push_str("{\"oneOf\":[");
            for (index, code) in codes.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                write!(answer, "{comma}\"0x{code:0digits$x}\"")?;
            }
            answer.write_str("]}")
        }
        Outcome::Any => answer.write_str("{\"any\":true}"),
        Outcome::Reject => answer.write_str("{\"reject\":true}"),
        Outcome::Text(_) => {
            let record = OutcomeRecord::new(outcome, DType::String);
            answer.write_str(&serde_json::to_string(&record).map_err(|_| fmt::Error)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_written_as_vector_files_write_them() {
        let to = DType::Float8E4M3FN;
        for outcome in [
            Outcome::Code(0x7e),
            Outcome::AnyNan,
            Outcome::OneOf(vec![0, 0x80]),
            Outcome::Any,
            Outcome::Reject,
        ] {
            let mut text = String::new();
            compose_outcome(&mut text, to.hex_digits(), &outcome).expect("writes to memory");
            let record = serde_json::to_string(&OutcomeRecord::new(&outcome, to));
            assert_eq!(text, record.expect("serialises"));
        }
    }

    #[test]
    fn codes_are_read_with_or_without_leading_zeros() {
        for text in ["0x1f", "0x001F", " 0X1f\r\n"] {
            assert_eq!(parse_code(text).expect(text), 0x1f);
        }
        for text in ["", "1f", "0x", "0x1g", "0x+1", "-0x1", "0x10000000000000000"] {
            assert!(parse_code(text).is_err(), "{text}");
        }
    }
}
