//! Reading and writing of messages.

use super::*;
use crate::{Chain, Form, Layout};
use castproof_vectors::{
    Attributes, DType, Profile, Question, Request, RoundMode, Spec, StepOperator,
};
use std::io;

fn request() -> Request {
    let attributes = Attributes { saturate: Some(false), round_mode: Some(RoundMode::Down) };
    Request::cast(DType::Float16, DType::Int4, 24).with(attributes)
}

#[test]
fn a_request_arrives_as_it_was_sent() {
    let mut wire = Vec::new();
    write_request(&mut wire, 7, &request(), &Form::flat(2), &[1, 2, 3, 4])
        .expect("writes to memory");
    write_bye(&mut wire).expect("writes to memory");
    let reader = &mut &wire[..];
    let (form, input) = (Form::flat(2), vec![1, 2, 3, 4]);
    let sent = Incoming::Cast { seq: 7, request: request(), form, count: 2, input };
    assert_eq!(read_incoming(reader).expect("reads"), sent);
    assert_eq!(read_incoming(reader).expect("reads"), Incoming::Bye);
    assert!(matches!(read_incoming(reader), Err(FrameError::Closed)));
}

#[test]
fn forms_and_chains_arrive_as_they_were_sent() {
    let form =
        Form { shape: vec![2, 0, 3], layout: Layout::Strided, constant: true, in_place: true };
    let mut wire = Vec::new();
    write_request(&mut wire, 7, &request(), &form, &[]).expect("writes to memory");
    let line = String::from_utf8(wire.clone()).expect("text");
    let members = r#""layout":"strided","input":"constant","inPlace":true,"shape":[2,0,3],"#;
    assert!(line.contains(members), "{line}");
    let sent = Incoming::Cast { seq: 7, request: request(), form, count: 0, input: vec![] };
    assert_eq!(read_incoming(&mut &wire[..]).expect("reads"), sent);

    let attributes = vec![Attributes::default(), request().attributes];
    let dtypes = vec![DType::Float32, DType::Int8, DType::Float16];
    let operators = vec![StepOperator::CastLike, StepOperator::Cast];
    let chain = Chain { dtypes, attributes, operators, opset: 24, constant: true, shape: None };
    let mut wire = Vec::new();
    write_chain(&mut wire, 8, &chain, 1, &[1, 2, 3, 4]).expect("writes to memory");
    let sent = Incoming::Chain { seq: 8, chain, count: 1, input: vec![1, 2, 3, 4] };
    assert_eq!(read_incoming(&mut &wire[..]).expect("reads"), sent);
    let broken = String::from_utf8_lossy(&wire).replace("\"int8\",", "");
    let reader = &mut broken.as_bytes();
    assert!(matches!(read_incoming(reader), Ok(Incoming::Bad { seq: 8, .. })), "{broken}");
}

#[test]
fn an_answer_arrives_as_it_was_sent() {
    for answer in [
        TesteeAnswer::Output(vec![9, 8, 7]),
        TesteeAnswer::Unsupported("no kernel".into()),
        TesteeAnswer::Error("out of memory".into()),
    ] {
        let mut wire = Vec::new();
        write_answer(&mut wire, 3, &answer).expect("writes to memory");
        assert_eq!(read_answer(&mut &wire[..], 3, 3).expect("reads"), answer);
    }
}

#[test]
fn a_bad_request_leaves_the_stream_in_step() {
    let cast = |from: &str, more: &str| {
        format!(r#"{{"seq":1,"op":"cast","from":"{from}","to":"int8",{more},"bytes":2}}"#)
    };
    let block = |profile: &str| {
        let dtypes = r#""from":"float32","to":"float8e4m3fn""#;
        format!(r#"{{"seq":1,"op":"quantize-block","profile":"{profile}",{dtypes},"bytes":2}}"#)
    };
    for (header, problem, unknown) in [
        (cast("float31", r#""opset":19,"shape":[2]"#), "float31", true),
        (cast("int8", r#""opset":19,"shape":[3]"#), "take 3 bytes, not 2", false),
        (cast("int8", r#""opset":19,"saturate":2,"shape":[2]"#), "saturate is 2", false),
        (cast("int8", r#""opset":19,"speed":1,"shape":[2]"#), "speed", true),
        (cast("int8", r#""profile":"zzz","shape":[2]"#), "zzz", true),
        (
            cast("int8", r#""opset":19,"shape":[4294967296,4294967296]"#),
            "does not fit in memory",
            false,
        ),
        (cast("string", r#""opset":19,"shape":[9]"#), "9 strings do not fit in 2 bytes", false),
        (block("mx-foo"), "unknown profile `mx-foo`", true),
        (block("mx-rceil"), "missing", false),
    ] {
        let wire = format!("{header}\nab{{\"bye\":true}}\n");
        let reader = &mut wire.as_bytes();
        match read_incoming(reader).expect("in step") {
            Incoming::Bad { seq: 1, problem: said, is_unknown } => {
                assert!(said.contains(problem) && is_unknown == unknown, "{said}");
            }
            other => panic!("{header}: {other:?}"),
        }
        assert_eq!(read_incoming(reader).expect("in step"), Incoming::Bye);
    }
}

#[test]
fn broken_answers_are_told_apart() {
    for (wire, problem) in [
        ("{\"seq\":4,\"status\":\"ok\",\"bytes\":3}\nabc", "answered request 4 while 3"),
        ("{\"seq\":3,\"status\":\"ok\",\"bytes\":2}\nab", "answered 2 bytes where 3 are due"),
        ("{\"seq\":3,\"status\":\"ok\",\"bytes\":18446744073709551615}\n", "where 3 are due"),
        ("{\"seq\":3,\"status\":\"error\",\"bytes\":2}\nab", "refused and yet announced 2"),
        ("loading model\n", "'loading model' is not a valid answer"),
        ("{\"seq\":3,\"status\":\"fine\"}\n", "unknown variant `fine`"),
        ("{\"seq\":3,\"status\":\"ok\",\"bytes\":3}\nab", "closed"),
        ("{\"seq\":3", "closed"),
        ("", "closed"),
    ] {
        let error = read_answer(&mut wire.as_bytes(), 3, 3).expect_err(wire).to_string();
        assert!(error.contains(problem) && !error.contains('\n'), "{wire}: {error}");
    }
}

#[test]
fn a_line_without_end_is_given_up() {
    let endless = io::repeat(b'x');
    let error = read_answer(&mut io::BufReader::new(endless), 1, 1).expect_err("no line");
    assert!(error.to_string().contains("longer than"), "{error}");
}

#[test]
fn another_protocol_is_refused() {
    let line = "{\"hello\":\"castproof-testee/9\",\"name\":\"x\",\"version\":\"1\"}\n";
    let error = read_hello(&mut line.as_bytes()).expect_err("another version").to_string();
    assert!(error.contains("castproof-testee/9"), "{error}");
    assert!(read_greeting(&mut line.as_bytes()).is_err());
}

/// A reader that must not be read: an answer is refused by its first line.
struct Untouched;

impl io::Read for Untouched {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("read beyond the line")
    }
}

impl io::BufRead for Untouched {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        panic!("read beyond the line")
    }

    fn consume(&mut self, _: usize) {}
}

/// Formerly, the whole answer was read before its length was checked.
#[test]
fn an_answer_of_another_length_is_refused_before_its_payload_is_read() {
    use io::Read;
    for (due, bytes, said) in [
        (Length::Exactly(39), 38, "answered 38 bytes where 39 are due"),
        (Length::Exactly(39), 1 << 30, "answered 1073741824 bytes where 39 are due"),
        (Length::Exactly(0), 1, "answered 1 bytes where 0 are due"),
        (Length::of_strings(0), 3, "answered 3 bytes where at most 2 are due"),
        (Length::of_strings(1), 65_539, "answered 65539 bytes where at most 65538 are due"),
        (Length::of_strings(usize::MAX), u64::MAX, "bytes where at most 1073741824 are due"),
    ] {
        let line = format!("{{\"seq\":7,\"status\":\"ok\",\"bytes\":{bytes}}}\n");
        let answer = read_answer(&mut line.as_bytes().chain(Untouched), 7, due);
        let problem = answer.expect_err("of another length").to_string();
        assert!(problem.contains(said), "{problem}");
    }
}

/// Formerly, the brackets of an empty answer counted as two bytes too many.
#[test]
fn an_empty_tensor_of_strings_is_an_answer() {
    let mut wire = Vec::new();
    write_answer(&mut wire, 7, &TesteeAnswer::Output(b"[]".to_vec())).expect("writes to memory");
    let answer = read_answer(&mut &wire[..], 7, Length::of_strings(0)).expect("arrives");
    assert_eq!(answer, TesteeAnswer::Output(b"[]".to_vec()));
}

/// The length of an answer follows from the question.
#[test]
fn the_answer_to_a_question_is_bounded_by_it() {
    use castproof_vectors::{Bitcast, Bytes, Operand, Promote, System};
    let with = Operand::Tensor(DType::Int8);
    let promote = Question::Promote(Promote { tensor: DType::Int8, with });
    assert_eq!(Length::of_answer(&promote), Length::Exactly(0));
    let (from, to, shape) = (DType::Int8, DType::Uint8, vec![100]);
    let input = Bytes(vec![0; 100]);
    let bitcast = Question::Bitcast(Bitcast { system: System::Onnx, from, to, shape, input });
    assert_eq!(Length::of_answer(&bitcast), Length::AtMost(116));
}

/// Formerly, an array of the members in their order was read as a message.
#[test]
fn an_array_is_no_message() {
    let problem = |came: FrameError| came.to_string();
    let answer = br#"[7,"unsupported","no kernel",null,null,null]"#;
    let line = [&answer[..], b"\n"].concat();
    let came = read_answer(&mut &line[..], 7, 0).expect_err("an array");
    assert!(problem(came).contains("it is not a JSON object"));
    let came = read_incoming(&mut &b"[true]\n"[..]).expect_err("an array");
    assert!(problem(came).contains("it is not a JSON object"));
}

/// The member `profiles` of the hello is optional. Unknown names are ignored, and so are profiles
/// that cast only complex dtypes, which are asked as questions.
#[test]
fn a_hello_lists_profiles() {
    let hello = |members: &str| {
        let line =
            format!("{{\"hello\":\"{PROTOCOL}\",\"name\":\"n\",\"version\":\"1\"{members}}}\n");
        read_hello(&mut line.as_bytes()).expect("a hello").known_profiles()
    };
    assert_eq!(hello(""), []);
    let listed = hello(r#","profiles":["rust-as","move-of-cobol","tf-cast"]"#);
    assert_eq!(listed, [Profile::RustAs]);
}

/// A request of a profile names the profile instead of an operator set.
#[test]
fn a_request_of_a_profile_arrives_as_it_was_sent() {
    let spec = Spec::Profile(Profile::RustAs);
    let request = Request::new(spec, DType::Float32, DType::Int8);
    let mut wire = Vec::new();
    write_request(&mut wire, 7, &request, &Form::flat(1), &[0; 4]).expect("writes to memory");
    let line = String::from_utf8(wire.clone()).expect("text");
    assert!(line.contains(r#""profile":"rust-as""#) && !line.contains("opset"), "{line}");
    let sent = Incoming::Cast { seq: 7, request, form: Form::flat(1), count: 1, input: vec![0; 4] };
    assert_eq!(read_incoming(&mut &wire[..]).expect("reads"), sent);
}
