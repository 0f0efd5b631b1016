//! The testee's end: it answers.

use super::frame::{
    FrameError, excerpt, is_object, malformed, parse, read_line, read_payload, write_line,
};
use super::message::{Hello, Incoming, MAX_PAYLOAD, PROTOCOL, TesteeAnswer};
use super::project::{PROJECT, parse_project};
use super::wire::{
    AnswerHeader, CHAIN, ChainHeader, Envelope, Farewell, Greeting, RequestHeader, Status,
};
use crate::form::{Chain, Codes, Form};
use crate::question::{QuestionHeader, is_question};
use crate::testee::Returned;
use castproof_vectors::{
    Attributes, DType, Operator, Request, Spec, check_operators, element_count, one_line,
    packed_len,
};
use std::io::{self, BufRead, Read, Write};

/// Reads the gate's hello.
///
/// # Errors
/// If the connection ends, or the message is not a hello of this protocol.
pub fn read_greeting(reader: &mut impl BufRead) -> Result<(), FrameError> {
    let greeting: Greeting = parse(&read_line(reader)?, "hello")?;
    if greeting.hello != PROTOCOL {
        return Err(malformed(format!(
            "the gate speaks '{}'; this program speaks {PROTOCOL}",
            excerpt(&greeting.hello)
        )));
    }
    Ok(())
}

/// Answers the gate's hello.
///
/// # Errors
/// If writing fails.
pub fn write_hello_answer(writer: &mut impl Write, hello: &Hello) -> Result<(), FrameError> {
    write_line(writer, hello)
}

/// Reads the next message from the gate. An invalid request after which reading can go on is
/// [`Incoming::Bad`], not an error.
///
/// # Errors
/// If the connection ends, or reading cannot go on after an invalid message.
pub fn read_incoming(reader: &mut impl BufRead) -> Result<Incoming, FrameError> {
    let line = read_line(reader)?;
    if is_object(&line)
        && let Ok(Farewell { bye: true }) = serde_json::from_str(&line)
    {
        return Ok(Incoming::Bye);
    }
    let Envelope { seq, bytes, op } = parse(&line, "request")?;
    let payload = match usize::try_from(bytes) {
        Ok(length) if length <= MAX_PAYLOAD => length,
        _ => return Err(malformed(format!("{bytes} bytes are more than {MAX_PAYLOAD} allowed"))),
    };
    if op.as_str().is_some_and(is_question) {
        let read = QuestionHeader::parse(&line).map_err(|problem| one_line(&problem));
        return match read {
            Ok(header) => match header.question(read_payload(reader, payload)?) {
                Ok(question) => Ok(Incoming::Question { seq, question }),
                Err(problem) => {
                    let problem = one_line(&problem);
                    Ok(Incoming::Bad { seq, problem, is_unknown: false })
                }
            },
            Err(problem) => skip(reader, seq, bytes, problem),
        };
    }
    if op.as_str() == Some(CHAIN) {
        return match parse_chain(&line, payload) {
            Ok((chain, count)) => {
                let input = read_payload(reader, payload)?;
                Ok(Incoming::Chain { seq, chain, count, input })
            }
            Err(problem) => skip(reader, seq, bytes, problem),
        };
    }
    if op.as_str() == Some(PROJECT) {
        return match parse_project(&line, payload) {
            Ok((conversion, count, random)) => {
                let mut given = read_payload(reader, payload)?;
                let random = given.split_off(payload - random);
                let codes = Codes { count, given, random };
                Ok(Incoming::Project { seq, conversion, codes })
            }
            Err(problem) => skip(reader, seq, bytes, problem),
        };
    }
    match parse_request(&line, payload) {
        Ok((request, form, count)) => {
            let input = read_payload(reader, payload)?;
            Ok(Incoming::Cast { seq, request, form, count, input })
        }
        Err(problem) => skip(reader, seq, bytes, problem),
    }
}

/// Skips the payload of an invalid request.
fn skip(
    reader: &mut impl BufRead,
    seq: u64,
    bytes: u64,
    problem: String,
) -> Result<Incoming, FrameError> {
    let skipped = io::copy(&mut reader.take(bytes), &mut io::sink())?;
    // As serde and `Named` write it.
    let unknown = ["unknown variant `", "unknown field `", "unknown profile `"];
    let is_unknown = unknown.iter().any(|words| problem.contains(words));
    match skipped == bytes {
        true => Ok(Incoming::Bad { seq, problem, is_unknown }),
        false => Err(FrameError::Closed),
    }
}

/// Answers request `seq`.
///
/// # Errors
/// If writing fails.
pub fn write_answer(
    writer: &mut impl Write,
    seq: u64,
    answer: &TesteeAnswer,
) -> Result<(), FrameError> {
    let bytes = |bytes| Returned { bytes, ..Returned::default() };
    write_question_answer(writer, seq, answer.clone().map(bytes))
}

/// Answers question `seq`.
///
/// # Errors
/// If writing fails.
pub fn write_question_answer(
    writer: &mut impl Write,
    seq: u64,
    answer: TesteeAnswer<Returned>,
) -> Result<(), FrameError> {
    let (status, message, output) = match answer {
        TesteeAnswer::Output(returned) => (Status::Ok, None, returned),
        TesteeAnswer::Unsupported(message) => {
            (Status::Unsupported, Some(message), Returned::default())
        }
        TesteeAnswer::Error(message) => (Status::Error, Some(message), Returned::default()),
    };
    let Returned { dtype, shape, bytes: output } = output;
    let bytes = message.is_none().then_some(output.len() as u64);
    write_line(&mut *writer, &AnswerHeader { seq, status, message, dtype, shape, bytes })?;
    writer.write_all(&output)?;
    Ok(writer.flush()?)
}

/// Parses a request, its form and its number of elements, and checks them against the length of its
/// payload.
fn parse_request(line: &str, payload: usize) -> Result<(Request, Form, usize), String> {
    let header: RequestHeader = serde_json::from_str(line)
        .map_err(|error| one_line(&format!("it is not a request: {error}")))?;
    let count = element_count(&header.shape)?;
    check_payload((header.from, header.to), count, payload)?;
    let saturate = match header.saturate {
        None => None,
        Some(flag @ (0 | 1)) => Some(flag == 1),
        Some(flag) => return Err(format!("saturate is {flag}; it must be 0 or 1")),
    };
    let attributes = Attributes { saturate, round_mode: header.round_mode };
    #[cfg(castproof_plant)]
    let attributes = match header.op == Operator::CastLike
        && castproof_vectors::plant::is_planted("mode-of-castlike")
    {
        true => Attributes { round_mode: None, ..attributes },
        false => attributes,
    };
    let spec = match (header.op, header.opset, header.profile) {
        (op, Some(opset), None) => Spec::Onnx { op, opset },
        (Operator::Cast, None, Some(profile)) => Spec::Profile(profile),
        (Operator::Cast, ..) => return Err("a cast has either an opset or a profile".into()),
        (Operator::CastLike, ..) => return Err("a castlike has an opset and no profile".into()),
    };
    let RequestHeader { from, to, shape, layout, input, in_place, .. } = header;
    let form = Form {
        shape,
        layout: layout.unwrap_or_default(),
        constant: input.is_some(),
        in_place: in_place.unwrap_or_default(),
    };
    Ok((Request { spec, from, to, attributes }, form, count))
}

/// Parses a chain and its number of elements, and checks them like those of a cast.
fn parse_chain(line: &str, payload: usize) -> Result<(Chain, usize), String> {
    let header: ChainHeader = serde_json::from_str(line)
        .map_err(|error| one_line(&format!("it is not a chain: {error}")))?;
    let ChainHeader { dtypes, attributes, operators, opset, input, shape, .. } = header;
    if dtypes.len() < 2 || attributes.len() != dtypes.len() - 1 {
        let (dtypes, sets) = (dtypes.len(), attributes.len());
        return Err(format!(
            "{dtypes} dtypes and {sets} sets of attributes do not make a chain: give one set for each cast"
        ));
    }
    check_operators(&dtypes, &attributes, &operators)?;
    let count = element_count(&shape)?;
    let shape = (shape.len() != 1).then_some(shape);
    let constant = input.is_some();
    let chain = Chain { dtypes, attributes, operators, opset, constant, shape };
    check_payload(chain.ends(), count, payload)?;
    Ok((chain, count))
}

/// Does the payload have the length of `count` elements, and does the answer fit in one message?
fn check_payload((from, to): (DType, DType), count: usize, payload: usize) -> Result<(), String> {
    if from == DType::String {
        // The cast parses the payload as JSON later; a string takes its quotes and a comma.
        if count > payload.max(1) / 2 + 1 {
            return Err(format!("{count} strings do not fit in {payload} bytes"));
        }
    } else {
        let due = packed_len(from, count)?;
        #[cfg(castproof_plant)]
        let due = match castproof_vectors::plant::is_planted("payload-too-short") {
            true => due.min(payload.max(due.saturating_sub(1))),
            false => due,
        };
        if payload != due {
            return Err(format!("{count} elements of {from} take {due} bytes, not {payload}"));
        }
    }
    if to != DType::String && packed_len(to, count)? > MAX_PAYLOAD {
        return Err(format!("{count} elements of {to} are too many for one answer"));
    }
    Ok(())
}
