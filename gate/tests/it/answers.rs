//! The book and the oracle give the same answers, and every command prints the same with either.

use crate::common::{castproof, testee};
use castproof::answers::{Answering, Author};
use castproof_book::Book;
use castproof_vectors::{
    Attributes, DType, Element, Operator, Request, RoundMode, Spec, piece_of, random, versions,
};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The number of drawn codes, over all requests.
const DRAWN: u64 = 100_000;

/// Picks one of these by the draw, and replaces the draw by a new one.
fn draw<T: Copy>(draw: &mut u64, of: &[T]) -> T {
    let count = of.len() as u64;
    let drawn = of[(*draw % count) as usize];
    *draw = random::at(*draw / count);
    drawn
}

fn any_request(seed: &mut u64) -> Request {
    let op = draw(seed, &[Operator::Cast, Operator::CastLike]);
    let spec = Spec::Onnx { op, opset: draw(seed, versions(op)) };
    let attributes = Attributes {
        saturate: draw(seed, &[None, None, Some(false), Some(true)]),
        round_mode: draw(seed, &[None, Some(RoundMode::Up), Some(RoundMode::Nearest)]),
    };
    let (from, to) = (draw(seed, DType::NUMERIC), draw(seed, DType::NUMERIC));
    Request { spec, from, to, attributes }
}

/// The book was written by an oracle that computes with GMP. In a build without GMP, this test also
/// compares the other number library with GMP.
#[test]
fn drawn_codes_have_the_same_answer() {
    let mut refused = 0;
    for number in 0..DRAWN {
        let mut seed = random::at(number);
        let request = any_request(&mut seed);
        let code = if seed & 1 == 0 { draw(&mut seed, &ends(&request)) } else { random::at(seed) };
        let code = code & request.from.code_mask();
        let [book, oracle] =
            [Author::Book, Author::Oracle].map(|author| (author.answers().cast)(&request, code));
        assert_eq!(book, oracle, "{request} {code:#x}");
        refused +=
            u64::from(matches!(book.expect("a code").expect, castproof_vectors::Outcome::Reject));
    }
    assert!(refused < DRAWN * 3 / 4, "{refused} of {DRAWN} are refused, so little is compared");
}

/// Returns the ends of some pieces and the codes after them, where faults are most likely.
fn ends(request: &Request) -> Vec<u64> {
    let pieces = Book::carried().pieces(request).expect("a numeric request");
    let step = pieces.len().div_ceil(16);
    let some = pieces.iter().step_by(step);
    some.flat_map(|piece| [piece.first, piece.last, piece.last.wrapping_add(1)]).collect()
}

#[test]
fn what_is_no_code_or_no_version_is_refused_alike() {
    for (request, code) in [
        (Request::cast(DType::Int8, DType::Float16, 28), 0x100),
        (Request::cast(DType::Int8, DType::Float16, 99), 0),
        (Request::cast_like(DType::Int8, DType::Float16, 3), 0),
        (Request::cast(DType::Int8, DType::Complex64, 28), 0),
        (Request::cast(DType::String, DType::Int8, 28), 0),
    ] {
        let [book, oracle] =
            [Author::Book, Author::Oracle].map(|author| (author.answers().cast)(&request, code));
        assert_eq!(book, oracle, "{request} {code:#x}");
    }
    // A prepared request gives the same answers as the pieces.
    let request = Request::cast(DType::Float32, DType::Bfloat16, 23);
    let answering = Answering::new(Author::Book, &request).expect("a request");
    let pieces = (Author::Book.answers().pieces)(&request).expect("a request");
    for code in [0, 0x3f80_8000, 0x7fc0_0001, 0xffff_ffff] {
        let said = answering.element(&Element::code(code, DType::Float32)).expect("a code");
        assert_eq!(said, piece_of(&pieces, code).expectation(request.from, request.to, code));
    }
    let wide = Element::code(1 << 32, DType::Float64);
    assert!(
        answering.element(&wide).is_err() && answering.element(&"x".to_string().into()).is_err()
    );
}

/// Runs a command with the book and with the oracle.
fn both(arguments: &[&str], input: &str) -> [crate::common::Run; 2] {
    ["book", "oracle"].map(|author| castproof(&[&["--answers", author], arguments].concat(), input))
}

#[test]
fn commands_print_the_same() {
    let codes: String = (0..2000).map(|seed| format!("{:#x}\n", random::at(seed))).collect();
    let texts = "\"0.1\"\n\"1e400\"\n\"NaN\"\n\"x\"\n";
    for (arguments, input) in [
        ("expect --from float64 --to float16 --opset 23", &codes[..]),
        ("expect --from uint64 --to bfloat16 --op castlike --opset 25", &codes),
        ("expect --from float64 --to float8e8m0 --round_mode down --saturate 0", &codes),
        ("expect --from string --to bfloat16", texts),
        ("expect --profile rust-as --from float64 --to int8", &codes),
        ("expect --from float64 --to int3", ""),
        ("expect --from float64 --to float16 --opset 29", ""),
        ("explain float64 0x3ff0020000000001 float16 --opset 13", ""),
        ("explain float32 0x7f800000 float8e4m3fnuz --opset 23", ""),
        ("explain float32 0x0 float8e8m0 --opset 22", ""),
        ("rules --spec onnx-cast-24 --from float64 --to float8e5m2", ""),
        ("diff-spec 23 24", ""),
        ("diff-spec onnx-cast-25 x86-sse2", ""),
        ("diff-spec rust-as arm-a64", ""),
        ("diff-spec 25 tf-cast", ""),
        ("diff-spec rust-as rust-as", ""),
        ("expect --profile js-typed-array --from float64 --to int32", &codes),
        ("expect --profile arm-a64 --from float64 --to float32", &codes),
        ("explain float32 0x7fc00001 float64 --profile riscv-fcvt", ""),
        ("rules --profile wasm-sat", ""),
        ("promote int8 number:float 0x7f 0x3ff0000000000001", ""),
        ("bitcast --from float32 --shape 2,3 --to uint8", ""),
    ] {
        let arguments: Vec<String> =
            arguments.replace("round_mode", "round-mode").split(' ').map(str::to_string).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let [book, oracle] = both(&arguments, input);
        assert_eq!((book.code, &book.err), (oracle.code, &oracle.err), "{arguments:?}");
        assert_eq!(book.out, oracle.out, "{arguments:?}");
        assert!(!book.out.is_empty() || book.code == 2, "{arguments:?} printed nothing");
    }
    let unknown = castproof(&["--answers", "guess", "rules"], "");
    assert!(unknown.error_line().contains("[possible values: book, oracle]"), "{}", unknown.err);
}

/// Reads a results file or a certificate, without the members that depend on time and machine.
fn without_time(path: &Path) -> Value {
    let mut file: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    let members = file.as_object_mut().expect("an object");
    for volatile in ["date", "machine", "seal", "seconds", "time"] {
        members.remove(volatile);
    }
    if let Some(requests) = file["requests"].as_array_mut() {
        for request in requests {
            request["whole"].as_object_mut().map(|whole| whole.remove("milliseconds"));
        }
    }
    file
}

#[test]
fn a_gate_finds_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let truncates = testee("spoils.py", &format!("'{}' truncates", crate::common::program()));
    let place = |author: &str| folder.path().join(author);
    let runs = ["book", "oracle"].map(|author| {
        let json = place(author);
        let words = ["--answers", author, "gate", "--testee", &truncates, "--level", "standard"];
        let pair = ["--from", "float32", "--to", "bfloat16", "--arrangements", "none"];
        castproof(&[&words[..], &pair, &["--json", json.to_str().expect("text")]].concat(), "")
    });
    assert_eq!((runs[0].code, runs[1].code), (1, 1), "{}", runs[0].err);
    let file = without_time(&place("book"));
    assert_eq!(file, without_time(&place("oracle")));
    assert!(file.to_string().contains("rounded toward zero"), "{}", runs[0].out);
    let [book, oracle] = ["book", "oracle"].map(|author| place(author).display().to_string());
    assert_eq!(runs[0].out.replace(&book, "FILE"), runs[1].out.replace(&oracle, "FILE"));
}

#[test]
fn a_sweep_finds_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let truncates = testee("spoils.py", &format!("'{}' truncates", crate::common::program()));
    let certificates = ["book", "oracle"].map(|author| {
        let place = folder.path().join(format!("{author}.json"));
        let words = ["--answers", author, "sweep", "--testee", &truncates, "--threads", "1"];
        let pair = ["--from", "float16", "--to", "float8e4m3fn", "--certificate"];
        let run = castproof(&[&words[..], &pair, &[place.to_str().expect("text")]].concat(), "");
        assert_eq!(run.code, 0, "{}", run.err);
        place
    });
    let [book, oracle] = certificates.each_ref().map(|path| without_time(path));
    assert_eq!(book, oracle);
    let path = certificates[0].to_str().expect("text");
    for author in ["book", "oracle"] {
        let verified = castproof(&["--answers", author, "certify", "verify", path], "");
        assert_eq!(verified.code, 0, "{}", verified.err);
    }
}
