//! The gate's end: it asks.

use super::frame::{
    FrameError, excerpt, malformed, parse, read_line, read_payload, write_line, write_with_payload,
};
use super::length::Length;
use super::message::{Hello, PROTOCOL, TesteeAnswer};
use super::project::write_project;
use super::wire::{
    AnswerHeader, CHAIN, ChainHeader, Farewell, Greeting, Input, RequestHeader, Status,
};
use crate::form::{Chain, Codes, Form, Layout};
use crate::question::QuestionHeader;
use crate::testee::Returned;
use castproof_vectors::{Operator, Question, Request, Spec};
use std::io::{BufRead, Write};

/// Opens the conversation.
///
/// # Errors
/// If writing fails.
pub fn write_hello(writer: &mut impl Write) -> Result<(), FrameError> {
    write_line(writer, &Greeting { hello: PROTOCOL.into() })
}

/// Reads the testee's side of the hello.
///
/// # Errors
/// If the connection ends, or the message is not a hello of this protocol.
pub fn read_hello(reader: &mut impl BufRead) -> Result<Hello, FrameError> {
    let mut hello: Hello = parse(&read_line(reader)?, "hello")?;
    for said in [&mut hello.name, &mut hello.version, &mut hello.language] {
        *said = excerpt(said).into();
    }
    if hello.hello != PROTOCOL {
        return Err(malformed(format!(
            "the testee speaks '{}'; this program speaks {PROTOCOL}",
            excerpt(&hello.hello)
        )));
    }
    Ok(hello)
}

/// Sends a request with its elements, packed and little-endian.
///
/// # Errors
/// If writing fails.
pub fn write_request(
    writer: &mut impl Write,
    seq: u64,
    request: &Request,
    form: &Form,
    input: &[u8],
) -> Result<(), FrameError> {
    #[cfg(castproof_plant)]
    let seq = match castproof_vectors::plant::is_planted("sequence-of-32-bits") {
        true => seq & u64::from(u32::MAX),
        false => seq,
    };
    let header = RequestHeader {
        seq,
        op: request.spec.op().unwrap_or(Operator::Cast),
        from: request.from,
        to: request.to,
        opset: request.spec.opset(),
        profile: match request.spec {
            Spec::Onnx { .. } => None,
            Spec::Profile(profile) => Some(profile),
        },
        saturate: request.attributes.saturate.map(u8::from),
        round_mode: request.attributes.round_mode,
        layout: (form.layout != Layout::Contiguous).then_some(form.layout),
        input: form.constant.then_some(Input::Constant),
        in_place: form.in_place.then_some(true),
        shape: form.shape.clone(),
        bytes: input.len() as u64,
    };
    write_with_payload(writer, &header, input)
}

/// Sends casts in a row with the elements of the first input.
///
/// # Errors
/// If writing fails.
pub fn write_chain(
    writer: &mut impl Write,
    seq: u64,
    chain: &Chain,
    count: usize,
    input: &[u8],
) -> Result<(), FrameError> {
    let header = ChainHeader {
        seq,
        op: CHAIN.into(),
        dtypes: chain.dtypes.clone(),
        attributes: chain.attributes.clone(),
        operators: chain.operators.clone(),
        opset: chain.opset,
        input: chain.constant.then_some(Input::Constant),
        shape: chain.shape.clone().unwrap_or_else(|| vec![count as u64]),
        bytes: input.len() as u64,
    };
    write_with_payload(writer, &header, input)
}

/// Reads the answer to request `seq`, whose output must have the length `expected`.
///
/// # Errors
/// If the connection ends, the answer is to another request, or it has another length.
pub fn read_answer(
    reader: &mut impl BufRead,
    seq: u64,
    expected: impl Into<Length>,
) -> Result<TesteeAnswer, FrameError> {
    Ok(read_answer_header(reader, seq, expected.into())?.1)
}

fn read_answer_header(
    reader: &mut impl BufRead,
    seq: u64,
    expected: Length,
) -> Result<(AnswerHeader, TesteeAnswer), FrameError> {
    let header: AnswerHeader = parse(&read_line(reader)?, "answer")?;
    if header.seq != seq {
        return Err(malformed(format!("answered request {} while {seq} was asked", header.seq)));
    }
    let bytes = header.bytes.unwrap_or(0);
    let message = header.message.as_deref().map_or("no message given".into(), excerpt);
    let answer = match header.status {
        Status::Ok => match usize::try_from(bytes) {
            Ok(length) if expected.admits(length) => {
                Ok(TesteeAnswer::Output(read_payload(reader, length)?))
            }
            _ => Err(malformed(format!("answered {bytes} bytes where {expected} are due"))),
        },
        _ if bytes != 0 => Err(malformed(format!("refused and yet announced {bytes} bytes"))),
        Status::Unsupported => Ok(TesteeAnswer::Unsupported(message)),
        Status::Error => Ok(TesteeAnswer::Error(message)),
    };
    Ok((header, answer?))
}

/// Sends a question beside casts.
///
/// # Errors
/// If writing fails, or the question is asked as a cast.
pub fn write_question(
    writer: &mut impl Write,
    seq: u64,
    question: &Question,
) -> Result<(), FrameError> {
    if let Question::Project(ask) = question {
        return write_project(writer, seq, &ask.conversion(), &Codes::of(ask));
    }
    let (header, payload) = QuestionHeader::new(seq, question).map_err(malformed)?;
    write_with_payload(writer, &header, &payload)
}

/// Reads the answer to question `seq`.
///
/// # Errors
/// As [`read_answer`].
pub fn read_question_answer(
    reader: &mut impl BufRead,
    seq: u64,
    question: &Question,
) -> Result<TesteeAnswer<Returned>, FrameError> {
    let due = Length::of_answer(question);
    let (header, answer) = read_answer_header(reader, seq, due)?;
    let AnswerHeader { dtype, shape, .. } = header;
    Ok(answer.map(|bytes| Returned { dtype, shape, bytes }))
}

/// Returns the error for bytes that follow an answer although the gate has asked nothing more.
pub fn went_on(bytes: &[u8]) -> FrameError {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
    malformed(format!("went on after its answer, with '{}'", excerpt(&text)))
}

/// Ends the conversation.
///
/// # Errors
/// If writing fails.
pub fn write_bye(writer: &mut impl Write) -> Result<(), FrameError> {
    write_line(writer, &Farewell { bye: true })
}
