//! Framing of the testee protocol: any bytes to every reader, and messages that were written.

use crate::input::{Choice, RequestInput, count_in};
use crate::judge::{assert_one_line, is_refused};
use crate::memory::largest_allocation;
use arbitrary::{Arbitrary, Unstructured};
use castproof_check::fuzz::Random;
use castproof_testee::builtin::Builtin;
use castproof_testee::protocol::{
    self, FrameError, Hello, Incoming, PROTOCOL, Supported, TesteeAnswer,
};
use castproof_testee::serve::serve;
use castproof_testee::{Chain, Form, Limits};
use castproof_vectors::{Conversion, DType, Request, one_line, packed_len, unpack_elements};

/// The bytes on the wire. The first four bytes choose: if the last of them is below 0x80 (`raw` and
/// a line end), the rest are bytes for every reader.
#[derive(Debug, Arbitrary)]
pub enum ProtocolInput<'a> {
    /// Bytes that the other side may send; request 1 is open and 4 bytes are due.
    Raw(&'a [u8]),
    /// Messages that both sides write.
    Conversation(Conversation<'a>),
}

/// One hello, one request, one answer.
#[derive(Debug, Arbitrary)]
pub struct Conversation<'a> {
    name: &'a str,
    version: &'a str,
    casts: Option<Vec<SupportedInput<'a>>>,
    seq: u64,
    request: RequestInput,
    answer: AnswerInput<'a>,
    fewer: Choice<4>,
    elements: &'a [u8],
}

/// A line of a testee's casts.
#[derive(Debug, Arbitrary)]
pub struct SupportedInput<'a> {
    from: &'a str,
    to: Vec<&'a str>,
    opsets: Option<Vec<u32>>,
}

/// An answer.
#[derive(Debug, Arbitrary)]
pub enum AnswerInput<'a> {
    /// The elements of the request, as they came.
    Output,
    /// [`TesteeAnswer::Unsupported`].
    Unsupported(&'a str),
    /// [`TesteeAnswer::Error`].
    Error(&'a str),
}

/// Checks the protocol. Readers never panic, their errors are one line, and no reader allocates
/// memory for bytes that were announced and did not come. Messages arrive as they were written. The
/// built-in testee answers every request that makes sense, and refuses those that the oracle
/// rejects.
///
/// # Panics
/// If one of these does not hold.
pub fn check_protocol(input: &ProtocolInput<'_>) {
    match input {
        ProtocolInput::Raw(bytes) => assert_readers_hold(bytes),
        ProtocolInput::Conversation(conversation) => {
            assert_hello_arrives(conversation);
            assert_request_arrives(conversation);
            assert_answer_arrives(conversation);
            assert_served(conversation);
        }
    }
}

const SEQ: u64 = 1;
const DUE: usize = 4;

/// Returns the largest allocation that `length` bytes justify: every 2-bit element may become one
/// of 64 bits, and a growing buffer doubles.
fn excused(length: usize) -> usize {
    64 * length + (64 << 10)
}

fn assert_readers_hold(bytes: &[u8]) {
    let ((), largest) = largest_allocation(|| {
        assert_named(protocol::read_hello(&mut &*bytes));
        assert_named(protocol::read_greeting(&mut &*bytes));
        let answer = protocol::read_answer(&mut &*bytes, SEQ, DUE);
        if let Ok(TesteeAnswer::Output(output)) = &answer {
            assert_eq!(output.len(), DUE, "an answer of a length that is not due");
        }
        assert_named(answer);
        let mut reader = bytes;
        while let Some(incoming) = assert_named(protocol::read_incoming(&mut reader)) {
            assert_sensible(&incoming);
        }
        let mut wire = greeting();
        wire.extend_from_slice(bytes);
        assert_named(serve(&mut Builtin::new(), &mut &wire[..], &mut Vec::new()));
    });
    let allowed = excused(bytes.len());
    assert!(largest <= allowed, "{} bytes on the wire take {largest} in memory", bytes.len());
}

fn assert_named<T>(result: Result<T, FrameError>) -> Option<T> {
    result.map_err(|error| assert_one_line(&error.to_string())).ok()
}

fn assert_sensible(incoming: &Incoming) {
    match incoming {
        Incoming::Cast { request, count, input, .. } if request.from == DType::String => {
            assert!(*count <= input.len() / 2 + 1, "{request}: {count} strings are announced");
        }
        Incoming::Chain { chain, count, input, .. } => {
            let from = chain.ends().0;
            if from != DType::String {
                assert_eq!(packed_len(from, *count), Ok(input.len()), "{chain:?}");
            }
        }
        Incoming::Project { conversion, codes, .. } => {
            let random = if conversion.random_bits == 0 {
                0
            } else {
                Conversion::width(conversion.random_bits)
            };
            assert_eq!(codes.random.len(), random * codes.count);
        }
        Incoming::Question { question, .. } => assert_one_line(&question.to_string()),
        Incoming::Cast { request, count, input, .. } => {
            assert_eq!(packed_len(request.from, *count), Ok(input.len()), "{request}");
        }
        Incoming::Bad { problem, .. } => assert_one_line(problem),
        Incoming::Bye => (),
    }
}

fn assert_hello_arrives(conversation: &Conversation<'_>) {
    let supported = |input: &SupportedInput<'_>| Supported {
        from: input.from.into(),
        to: input.to.iter().map(ToString::to_string).collect(),
        opsets: input.opsets.clone(),
    };
    let casts = conversation.casts.as_ref();
    let hello = Hello {
        hello: PROTOCOL.into(),
        name: conversation.name.into(),
        version: conversation.version.into(),
        language: "rust".into(),
        digest: casts.map(|_| conversation.name.into()),
        casts: casts.map(|casts| casts.iter().map(supported).collect()),
        features: vec![],
        profiles: vec![],
        conversions: vec![],
        limits: casts.map(|_| Limits { multiple_of: Some(8), ..Limits::default() }),
        ahead: casts.is_some(),
    };
    let mut wire = Vec::new();
    protocol::write_hello_answer(&mut wire, &hello).expect("writes to memory");
    let arrived = protocol::read_hello(&mut &wire[..]).expect("arrives");
    // The name that a testee gives is quoted.
    assert_quoted(&hello.name, &arrived.name);
    assert_quoted(&hello.version, &arrived.version);
    let Hello { name, version, .. } = arrived.clone();
    assert_eq!(arrived, Hello { name, version, ..hello });
    protocol::read_greeting(&mut &greeting()[..]).expect("arrives");
}

fn assert_request_arrives(conversation: &Conversation<'_>) {
    let (count, elements) = elements(conversation);
    let request = conversation.request.request();
    let mut wire = request_on_wire(conversation);
    protocol::write_bye(&mut wire).expect("writes to memory");

    let reader = &mut &wire[..];
    let seq = conversation.seq;
    let arrived = protocol::read_incoming(reader).expect("arrives");
    if request.from == DType::String && count > elements.len().max(1) / 2 + 1 {
        assert!(matches!(arrived, Incoming::Bad { seq: s, .. } if s == seq), "{arrived:?}");
    } else {
        let (form, input) = (Form::flat(count), elements.to_vec());
        assert_eq!(arrived, Incoming::Cast { seq, request, form, count, input });
    }
    assert_eq!(protocol::read_incoming(reader).expect("in step"), Incoming::Bye);
    assert!(matches!(protocol::read_incoming(reader), Err(FrameError::Closed)));
}

fn assert_answer_arrives(conversation: &Conversation<'_>) {
    let (_, elements) = elements(conversation);
    let answer = match conversation.answer {
        AnswerInput::Output => TesteeAnswer::Output(elements.to_vec()),
        AnswerInput::Unsupported(message) => TesteeAnswer::Unsupported(message.into()),
        AnswerInput::Error(message) => TesteeAnswer::Error(message.into()),
    };
    let mut wire = Vec::new();
    protocol::write_answer(&mut wire, conversation.seq, &answer).expect("writes to memory");
    let reader = &mut &wire[..];
    let arrived = protocol::read_answer(reader, conversation.seq, elements.len());
    let arrived = arrived.expect("arrives");
    assert!(reader.is_empty(), "{} bytes of an answer are left over", reader.len());
    match (&answer, &arrived) {
        (TesteeAnswer::Output(_), _) => assert_eq!(arrived, answer),
        (TesteeAnswer::Unsupported(sent), TesteeAnswer::Unsupported(said))
        | (TesteeAnswer::Error(sent), TesteeAnswer::Error(said)) => assert_quoted(sent, said),
        _ => panic!("{answer:?} arrives as {arrived:?}"),
    }
}

/// Asserts that a testee's text is quoted on one line, from its beginning, and cut if it is long.
fn assert_quoted(sent: &str, said: &str) {
    // 160 characters, each possibly an escape of ten.
    assert!(said.chars().count() <= 1610, "{} characters are quoted", said.len());
    assert_eq!(one_line(said), said, "a control sequence or a command is quoted");
    assert!(!said.contains(char::is_control), "{said:?} is quoted");
    let plain = sent.split_whitespace().collect::<Vec<_>>().join(" ") == sent
        && one_line(sent) == sent
        && sent.chars().count() <= 160;
    assert!(!plain || said == sent, "{sent:?} is quoted as {said:?}");
}

fn assert_served(conversation: &Conversation<'_>) {
    let request = conversation.request.request();
    let (count, _) = elements(conversation);
    let mut wire = greeting();
    wire.extend(request_on_wire(conversation));
    protocol::write_bye(&mut wire).expect("writes to memory");
    let mut output = Vec::new();
    serve(&mut Builtin::new(), &mut &wire[..], &mut output).expect("in step");

    let reader = &mut &output[..];
    protocol::read_hello(reader).expect("says hello");
    let due = packed_len(request.to, count)
        .map_or(protocol::Length::of_strings(count), protocol::Length::Exactly);
    match protocol::read_answer(reader, conversation.seq, due).expect("answers") {
        TesteeAnswer::Output(output) => {
            assert!(!is_refused(&request), "{request}: served, but to be refused");
            unpack_elements(request.to, &output, count).expect("as many elements");
        }
        TesteeAnswer::Unsupported(_) => assert!(is_refused(&request), "{request}: refused"),
        // The bytes may not be a JSON array, and its texts may not be numerals.
        TesteeAnswer::Error(problem) => {
            assert!(request.from == DType::String, "{request}: {problem}");
        }
    }
    assert!(reader.is_empty(), "{} bytes more than one answer", reader.len());
}

/// Returns a message of one of the sides. It is good, except that its payload may be shorter than
/// announced.
pub(crate) fn drawn_messages(random: &mut Random) -> Vec<u8> {
    let bytes: Vec<u8> = (0..32).flat_map(|_| random.number().to_le_bytes()).collect();
    let conversation = Conversation::arbitrary(&mut Unstructured::new(&bytes));
    let Ok(conversation) = conversation else { return vec![] };
    let request = conversation.request.numeric_request();
    let mut wire = Vec::new();
    let written = match random.below(6) {
        0 => {
            wire = greeting();
            Ok(())
        }
        1 => {
            let due = bytes[..DUE].to_vec();
            protocol::write_answer(&mut wire, SEQ, &TesteeAnswer::Output(due))
        }
        2 => protocol::write_answer(&mut wire, SEQ, &TesteeAnswer::Error("\u{7f}".into())),
        3 => {
            let chain = Chain {
                dtypes: vec![request.from, request.to, request.from],
                attributes: vec![request.attributes; 2],
                operators: Vec::new(),
                opset: request.spec.opset().unwrap_or_default(),
                constant: false,
                shape: None,
            };
            let elements = &bytes[..packed_len(request.from, 5).expect("numeric")];
            protocol::write_chain(&mut wire, conversation.seq, &chain, 5, elements)
        }
        4 => announced(&request, random, &mut wire),
        _ => {
            wire = request_on_wire(&conversation);
            protocol::write_bye(&mut wire)
        }
    };
    written.expect("writes to memory");
    wire
}

/// Writes a request that may announce very many elements, of which few come.
fn announced(request: &Request, random: &mut Random, wire: &mut Vec<u8>) -> Result<(), FrameError> {
    let most = 2 << random.below(18);
    let count = random.below(most);
    let elements = vec![0; packed_len(request.from, count).expect("in memory")];
    protocol::write_request(wire, SEQ, request, &Form::flat(count), &elements)?;
    let payload = elements.len();
    wire.truncate(wire.len() - payload + payload.min(random.below(64)));
    Ok(())
}

fn greeting() -> Vec<u8> {
    let mut wire = Vec::new();
    protocol::write_hello(&mut wire).expect("writes to memory");
    wire
}

fn request_on_wire(conversation: &Conversation<'_>) -> Vec<u8> {
    let (count, elements) = elements(conversation);
    let request = conversation.request.request();
    let mut wire = Vec::new();
    let form = Form::flat(count);
    protocol::write_request(&mut wire, conversation.seq, &request, &form, elements)
        .expect("writes to memory");
    wire
}

/// Returns the number of elements and their bytes; a string counts one byte per element.
fn elements<'a>(conversation: &Conversation<'a>) -> (usize, &'a [u8]) {
    let (from, bytes) = (conversation.request.request().from, conversation.elements);
    if from.bits() == 0 {
        return (bytes.len(), bytes);
    }
    let count = count_in(from, bytes, conversation.fewer.0);
    (count, &bytes[..packed_len(from, count).expect("the bytes are in memory")])
}
