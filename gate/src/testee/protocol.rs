//! Framing of `castproof-testee/1`: one JSON line a message, then `bytes` bytes of payload where
//! the header says so.
//!
//! Both ends live here. Whatever the other side sends, reading it never panics, never holds more
//! than [`MAX_LINE`] bytes of a line, and never makes room for a payload before its length has
//! been compared with what was asked.

use super::question::{QuestionHeader, is_question};
use super::{Chain, Feature, Form, Layout, Returned};
use crate::sink;
use castproof_vectors::{
    Attributes, DType, Operator, Profile, Question, Request, RoundMode, Spec, element_count,
    packed_len,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt;
use std::io::{self, BufRead, Read, Write};

/// Name and version of the protocol, as the hello message carries it.
pub const PROTOCOL: &str = "castproof-testee/1";

/// The longest line that is read, in bytes.
pub const MAX_LINE: usize = 1 << 20;

/// The largest payload that a request may ask for in either direction, in bytes.
pub const MAX_PAYLOAD: usize = 1 << 30;

/// What ends a conversation.
#[derive(Debug)]
pub enum FrameError {
    /// The other side closed its end.
    Closed,
    /// Reading or writing failed.
    Io(io::Error),
    /// What came is not what the protocol says; the stream cannot be trusted further.
    Malformed(String),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Closed => f.write_str("the other side closed the connection"),
            FrameError::Io(error) => write!(f, "the connection failed: {error}"),
            FrameError::Malformed(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for FrameError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FrameError::Io(error) => Some(error),
            FrameError::Closed | FrameError::Malformed(_) => None,
        }
    }
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> FrameError {
        FrameError::Io(error)
    }
}

/// What a testee says of itself. Members that are not known here are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub hello: String,
    /// Name of the implementation.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language that it is called from.
    #[serde(default)]
    pub language: String,
    /// The casts that it has; absent: everything is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub casts: Option<Vec<Supported>>,
    /// What it can be asked beside contiguous tensors of rank 1, by [`Feature::name`]; names that
    /// are not known here are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}

impl Hello {
    /// The features that are known here.
    pub fn known_features(&self) -> Vec<Feature> {
        let listed = |feature: &Feature| self.features.iter().any(|name| name == feature.name());
        Feature::ALL.into_iter().filter(listed).collect()
    }
}

/// Casts that a testee has: from one dtype to some, in some operator sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supported {
    /// Name of the input dtype.
    pub from: String,
    /// Names of the output dtypes.
    pub to: Vec<String>,
    /// Operator sets or operator versions; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opsets: Option<Vec<u32>>,
}

/// A testee's answer to one request; its output is elements, packed and little-endian, or the answer
/// to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T = Vec<u8>> {
    /// The output.
    Output(T),
    /// The testee has no such cast, and why.
    Unsupported(String),
    /// The testee failed, and how.
    Error(String),
}

impl<T> Answer<T> {
    /// The same answer, its output made into something else.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Output(output) => Answer::Output(change(output)),
            Answer::Unsupported(message) => Answer::Unsupported(message),
            Answer::Error(message) => Answer::Error(message),
        }
    }
}

/// What a testee can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A cast to carry out.
    Cast {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What to do.
        request: Request,
        /// What the tensor is beside its elements.
        form: Form,
        /// Number of elements.
        count: usize,
        /// The elements, packed and little-endian.
        input: Vec<u8>,
    },
    /// Casts in a row, as one graph.
    Chain {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What to do.
        chain: Chain,
        /// Number of elements.
        count: usize,
        /// The elements, packed and little-endian.
        input: Vec<u8>,
    },
    /// A question beside casts.
    Question {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// The question.
        question: Question,
    },
    /// A request that makes no sense; its payload has been read past.
    Bad {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// The conversation is over.
    Bye,
}

// The gate's end.

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
/// If the connection ends, or what comes is no hello of this protocol.
pub fn read_hello(reader: &mut impl BufRead) -> Result<Hello, FrameError> {
    let mut hello: Hello = parse(&read_line(reader)?, "hello")?;
    for said in [&mut hello.name, &mut hello.version, &mut hello.language] {
        *said = excerpt(said);
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
        opset: chain.opset,
        input: chain.constant.then_some(Input::Constant),
        shape: vec![count as u64],
        bytes: input.len() as u64,
    };
    write_with_payload(writer, &header, input)
}

fn write_with_payload(
    writer: &mut impl Write,
    header: &impl Serialize,
    payload: &[u8],
) -> Result<(), FrameError> {
    serde_json::to_writer(&mut *writer, header).map_err(io::Error::from)?;
    writer.write_all(b"\n")?;
    writer.write_all(payload)?;
    Ok(writer.flush()?)
}

/// How many bytes an answer may hold: what was asked says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many.
    Exactly(usize),
    /// As many as the texts take, or a tensor whose shape is the answer, but no more than this.
    AtMost(usize),
}

impl From<usize> for Length {
    fn from(bytes: usize) -> Length {
        Length::Exactly(bytes)
    }
}

impl Length {
    /// Of strings.
    pub fn of_strings(count: usize) -> Length {
        /// No text of a number has so many bytes.
        const LONGEST: usize = 1 << 16;
        Length::AtMost(count.saturating_mul(LONGEST).min(MAX_PAYLOAD))
    }

    /// Of the answer to a question.
    pub fn of_answer(question: &Question) -> Length {
        match question {
            Question::CastLike(_) | Question::Chain(_) | Question::Promote(_) => Length::Exactly(0),
            Question::Operands(_) => Length::AtMost(2 * LARGEST_ELEMENT),
            Question::ComplexCast(_) => Length::AtMost(LARGEST_ELEMENT),
            // The same bits, in a wrong answer perhaps with an element too many.
            Question::Bitcast(bitcast) => Length::AtMost(bitcast.input.0.len() + LARGEST_ELEMENT),
        }
    }

    fn admits(self, bytes: usize) -> bool {
        match self {
            Length::Exactly(due) => bytes == due,
            Length::AtMost(most) => bytes <= most,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Exactly(due) => write!(f, "{due}"),
            Length::AtMost(most) => write!(f, "at most {most}"),
        }
    }
}

/// Bytes of the largest element, a complex one.
const LARGEST_ELEMENT: usize = 16;

/// Reads the answer to request `seq`, of which an output of `expected` bytes is due.
///
/// # Errors
/// If the connection ends, the answer is to another request, or it has another length.
pub fn read_answer(
    reader: &mut impl BufRead,
    seq: u64,
    expected: impl Into<Length>,
) -> Result<Answer, FrameError> {
    Ok(read_answer_header(reader, seq, expected.into())?.1)
}

fn read_answer_header(
    reader: &mut impl BufRead,
    seq: u64,
    expected: Length,
) -> Result<(AnswerHeader, Answer), FrameError> {
    let header: AnswerHeader = parse(&read_line(reader)?, "answer")?;
    if header.seq != seq {
        return Err(malformed(format!("answered request {} while {seq} was asked", header.seq)));
    }
    let bytes = header.bytes.unwrap_or(0);
    let message = header.message.as_deref().map_or("no message given".into(), excerpt);
    let answer = match header.status {
        Status::Ok => match usize::try_from(bytes) {
            Ok(length) if expected.admits(length) => {
                Ok(Answer::Output(read_payload(reader, length)?))
            }
            _ => Err(malformed(format!("answered {bytes} bytes where {expected} are due"))),
        },
        _ if bytes != 0 => Err(malformed(format!("refused and yet announced {bytes} bytes"))),
        Status::Unsupported => Ok(Answer::Unsupported(message)),
        Status::Error => Ok(Answer::Error(message)),
    };
    Ok((header, answer?))
}

/// Sends a question beside casts.
///
/// # Errors
/// If writing fails, or the question is one that is asked as a cast.
pub fn write_question(
    writer: &mut impl Write,
    seq: u64,
    question: &Question,
) -> Result<(), FrameError> {
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
) -> Result<Answer<Returned>, FrameError> {
    let due = Length::of_answer(question);
    let (header, answer) = read_answer_header(reader, seq, due)?;
    let AnswerHeader { dtype, shape, .. } = header;
    Ok(answer.map(|bytes| Returned { dtype, shape, bytes }))
}

/// What to say of bytes that follow an answer at once: the gate has asked nothing more.
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

// The testee's end.

/// Reads the gate's hello.
///
/// # Errors
/// If the connection ends, or what comes is no hello of this protocol.
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

/// Reads what comes next from the gate. A request that makes no sense but leaves the stream in
/// step is [`Incoming::Bad`], not an error.
///
/// # Errors
/// If the connection ends, or the stream has lost its step.
pub fn read_incoming(reader: &mut impl BufRead) -> Result<Incoming, FrameError> {
    let line = read_line(reader)?;
    if let Ok(Farewell { bye: true }) = serde_json::from_str(&line) {
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
                Err(problem) => Ok(Incoming::Bad { seq, problem: one_line(&problem) }),
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
    match parse_request(&line, payload) {
        Ok((request, form, count)) => {
            let input = read_payload(reader, payload)?;
            Ok(Incoming::Cast { seq, request, form, count, input })
        }
        Err(problem) => skip(reader, seq, bytes, problem),
    }
}

/// Reads past the payload of a request that makes no sense.
fn skip(
    reader: &mut impl BufRead,
    seq: u64,
    bytes: u64,
    problem: String,
) -> Result<Incoming, FrameError> {
    let skipped = io::copy(&mut reader.take(bytes), &mut io::sink())?;
    if skipped == bytes { Ok(Incoming::Bad { seq, problem }) } else { Err(FrameError::Closed) }
}

/// Answers request `seq`.
///
/// # Errors
/// If writing fails.
pub fn write_answer(writer: &mut impl Write, seq: u64, answer: &Answer) -> Result<(), FrameError> {
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
    answer: Answer<Returned>,
) -> Result<(), FrameError> {
    let (status, message, output) = match answer {
        Answer::Output(returned) => (Status::Ok, None, returned),
        Answer::Unsupported(message) => (Status::Unsupported, Some(message), Returned::default()),
        Answer::Error(message) => (Status::Error, Some(message), Returned::default()),
    };
    let Returned { dtype, shape, bytes: output } = output;
    let bytes = message.is_none().then_some(output.len() as u64);
    write_line(&mut *writer, &AnswerHeader { seq, status, message, dtype, shape, bytes })?;
    writer.write_all(&output)?;
    Ok(writer.flush()?)
}

/// The gate's hello.
#[derive(Serialize, Deserialize)]
struct Greeting {
    hello: String,
}

#[derive(Serialize, Deserialize)]
struct Farewell {
    bye: bool,
}

/// What of a request must be readable for the stream to stay in step.
#[derive(Deserialize)]
struct Envelope {
    seq: u64,
    bytes: u64,
    /// Of any type, for a wrong one must not break the stream.
    #[serde(default)]
    op: serde_json::Value,
}

/// An unknown member is refused: it may be an attribute that changes the result.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RequestHeader {
    seq: u64,
    op: Operator,
    from: DType,
    to: DType,
    /// Of an operator of ONNX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opset: Option<u32>,
    /// The specification beside ONNX's, instead of an operator set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    saturate: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round_mode: Option<RoundMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layout: Option<Layout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<Input>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_place: Option<bool>,
    shape: Vec<u64>,
    bytes: u64,
}

/// The operation of a chain.
const CHAIN: &str = "chain";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChainHeader {
    seq: u64,
    op: String,
    dtypes: Vec<DType>,
    attributes: Vec<Attributes>,
    opset: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<Input>,
    shape: Vec<u64>,
    bytes: u64,
}

/// What the input is, where it is no input at run time.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Input {
    Constant,
}

#[derive(Serialize, Deserialize)]
struct AnswerHeader {
    seq: u64,
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dtype: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Unsupported,
    Error,
}

/// The request, its form and its number of elements, checked against the length of its payload.
fn parse_request(line: &str, payload: usize) -> Result<(Request, Form, usize), String> {
    let header: RequestHeader =
        serde_json::from_str(line).map_err(|error| one_line(&format!("no request: {error}")))?;
    let count = element_count(&header.shape)?;
    check_payload((header.from, header.to), count, payload)?;
    let saturate = match header.saturate {
        None => None,
        Some(flag @ (0 | 1)) => Some(flag == 1),
        Some(flag) => return Err(format!("saturate is {flag}; it must be 0 or 1")),
    };
    let attributes = Attributes { saturate, round_mode: header.round_mode };
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

/// The chain and its number of elements, checked as those of a cast.
fn parse_chain(line: &str, payload: usize) -> Result<(Chain, usize), String> {
    let header: ChainHeader =
        serde_json::from_str(line).map_err(|error| one_line(&format!("no chain: {error}")))?;
    let ChainHeader { dtypes, attributes, opset, input, shape, .. } = header;
    if dtypes.len() < 2 || attributes.len() != dtypes.len() - 1 {
        let (dtypes, sets) = (dtypes.len(), attributes.len());
        return Err(format!("{dtypes} dtypes and {sets} sets of attributes are no chain"));
    }
    let count = element_count(&shape)?;
    let chain = Chain { dtypes, attributes, opset, constant: input.is_some() };
    check_payload(chain.ends(), count, payload)?;
    Ok((chain, count))
}

/// Has the payload the length of `count` elements, and fits the answer in one message?
fn check_payload((from, to): (DType, DType), count: usize, payload: usize) -> Result<(), String> {
    if from == DType::String {
        // The payload is read as JSON by who casts it; a string takes its quotes and a comma.
        if count > payload.max(1) / 2 + 1 {
            return Err(format!("{count} strings do not fit in {payload} bytes"));
        }
    } else {
        let due = packed_len(from, count)?;
        if payload != due {
            return Err(format!("{count} elements of {from} take {due} bytes, not {payload}"));
        }
    }
    if to != DType::String && packed_len(to, count)? > MAX_PAYLOAD {
        return Err(format!("{count} elements of {to} are too many for one answer"));
    }
    Ok(())
}

fn parse<T: DeserializeOwned>(line: &str, what: &str) -> Result<T, FrameError> {
    serde_json::from_str(line).map_err(|error| {
        let error = one_line(&error.to_string());
        malformed(format!("'{}' is no {what} of {PROTOCOL}: {error}", excerpt(line)))
    })
}

/// One line without its end. A line that breaks off is a closed connection.
fn read_line(reader: &mut impl BufRead) -> Result<String, FrameError> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)?;
    if line.pop_if(|last| *last == b'\n').is_none() {
        return Err(if line.len() > MAX_LINE {
            malformed(format!("a line is longer than {MAX_LINE} bytes"))
        } else {
            FrameError::Closed
        });
    }
    String::from_utf8(line).map_err(|error| {
        malformed(format!("'{}' is not UTF-8", excerpt(&String::from_utf8_lossy(error.as_bytes()))))
    })
}

/// Exactly `length` bytes. Memory grows with what arrives, not with what was announced.
fn read_payload(reader: &mut impl BufRead, length: usize) -> Result<Vec<u8>, FrameError> {
    let mut payload = Vec::new();
    reader.take(length as u64).read_to_end(&mut payload)?;
    if payload.len() == length { Ok(payload) } else { Err(FrameError::Closed) }
}

fn write_line(writer: &mut impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    serde_json::to_writer(&mut *writer, message).map_err(io::Error::from)?;
    writer.write_all(b"\n")?;
    Ok(writer.flush()?)
}

fn malformed(problem: String) -> FrameError {
    FrameError::Malformed(problem)
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 160;
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push_str("...");
    }
    one_line(&line)
}

/// A text that may quote the other side, without anything that breaks its line.
fn one_line(text: &str) -> String {
    sink::line(text)
}

#[cfg(test)]
mod tests;
