//! Every wrong method is planted as the bug of a testee, and the gate names it first.

use crate::common::right::right;
use castproof::Verdict;
use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::read_results;
use castproof::results::{Filters, ResultsFile};
use castproof::testee::{Identity, Reply, Testee};
use castproof_methods::{METHODS, MethodTensor};
use castproof_vectors::DType::{self, *};
use castproof_vectors::{Level, Profile, Request, Suite, pack, unpack};

/// The pair in which the bug of each method is planted. No other method has the same results there.
const PLACES: [(&str, DType, DType); 91] = [
    ("the request was not refused", Float32, Int4),
    ("subnormal input flushed to zero", Float16, Float32),
    ("subnormal result flushed to zero", Float32, Float16),
    ("subnormal input read with a leading bit of one", Bfloat16, Float32),
    ("subnormal input rounded with a leading bit of one", Bfloat16, Float8E8M0),
    ("rounded through float32", Float64, Float16),
    ("rounded through float16", Float32, Float8E4M3FN),
    ("rounded through bfloat16", Float32, Float16),
    ("rounded through float64", Int64, Float32),
    ("overflow on the way through float32", Float64, Float8E4M3FNUZ),
    ("ties rounded away from zero", Float32, Float16),
    ("ties rounded toward zero", Float32, Float16),
    ("ties rounded up", Int8, Float8E4M3FN),
    ("bits beyond the guard bit ignored", Float32, Float16),
    ("subnormal results rounded twice", Float32, Float16),
    ("subnormal results truncated", Float32, Float16),
    ("rounded toward zero", Float32, Float16),
    ("rounded away from zero", Float32, Float16),
    ("rounded toward minus infinity", Float32, Float16),
    ("rounded toward plus infinity", Float32, Float16),
    ("rounded to the nearest integer, ties to even", Float32, Int8),
    ("rounded to the nearest integer, ties away from zero", Float32, Int8),
    ("ties away from zero, beyond the range wrapped", Float32, Uint2),
    ("round_mode ignored", Float32, Float8E8M0),
    ("round_mode up and down exchanged", Float32, Float8E8M0),
    ("saturate ignored: always on", Float32, Float8E4M3FN),
    ("saturate ignored: always off", Float32, Float8E4M3FN),
    ("saturate taken for its opposite", Float32, Float8E4M3FN),
    ("overflow decided before rounding", Float32, Float8E4M3FN),
    ("the tie beyond the largest taken for an overflow", Float32, Float8E4M3FN),
    ("rounded up to one step beyond the largest: clamped", Float32, Float8E4M3FN),
    ("one step beyond the largest, or rounded down to it: clamped", Float32, Float8E4M3FN),
    ("rounded up to one step beyond the largest: NaN", Float32, Float8E5M2),
    ("overflow becomes infinity", Float32, Float8E5M2),
    ("overflow becomes NaN", Int32, Float8E5M2),
    ("overflow becomes zero", Float32, Float4E2M1),
    ("out of range clamped", Int32, Float16),
    ("out of range wrapped", Float32, Float4E2M1),
    ("infinity becomes the largest", Float32, Float16),
    ("infinity becomes NaN", Float32, Float16),
    ("infinity kept", Float32, Float8E5M2),
    ("infinity becomes zero", Float32, Float16),
    ("a code of all ones read as infinity", Float4E2M1, Int32),
    ("negative numbers become zero", Float32, Float16),
    ("zero below the smallest subnormal, before rounding", Float32, Float16),
    ("underflow becomes NaN", Float32, Float16),
    ("the carry of the significand lost", Float32, Float16),
    ("the carry from subnormal to normal lost", Float32, Float16),
    ("through the signed integer of the same width, which saturates", Float32, Uint8),
    (
        "through the signed integer of the same width, beyond which only the highest bit is set",
        Float32,
        Uint32,
    ),
    ("a shift modulo 64", Float32, Float16),
    ("a shift modulo 32", Float64, Bfloat16),
    ("the rules before Cast-24", Float32, Float8E4M3FNUZ),
    ("the rules since Cast-24", Float32, Float8E4M3FNUZ),
    ("NaN becomes infinity", Float32, Float16),
    ("NaN becomes the largest", Float32, Float8E4M3FN),
    ("NaN becomes zero", Float32, Float8E4M3FN),
    ("NaN cut off to infinity", Float32, Bfloat16),
    ("NaN rounded as if it were a number", Float32, Bfloat16),
    ("a signalling NaN stays signalling", Float64, Float32),
    ("sign of zero lost", Float32, Float16),
    ("negative zero written as the code of NaN", Float32, Float8E4M3FNUZ),
    ("smallest float8e8m0 taken for zero", Float8E8M0, Bool),
    ("truth taken from the code", Float32, Bool),
    ("truth taken from the integral part", Float32, Bool),
    ("truth taken from the lowest byte", Int16, Bool),
    ("truth taken from the lowest bit", Int8, Bool),
    ("truth taken from the lowest bit of the integral part", Float32, Bool),
    ("NaN taken for false", Float32, Bool),
    ("NaN read as a number", Float8E4M3FN, Float32),
    ("NaN read as -0", Float8E4M3FNUZ, Float32),
    ("truth inverted", Int8, Bool),
    ("true becomes all ones", Bool, Int8),
    ("every bit of the result inverted", Int8, Int16),
    ("low half of the source dropped", Int32, Float64),
    ("summed from two rounded parts", Int64, Float32),
    ("the other half of the code", Int16, Int8),
    ("sign not extended", Int8, Int16),
    ("sign extended where there is none", Uint8, Int16),
    ("source read as its sibling format", Float8E4M3FN, Float32),
    ("target written as its sibling format", Float32, Float8E4M3FN),
    ("exponent bias one too large", Float32, Float8E4M3FN),
    ("exponent bias one too small", Float32, Float8E4M3FN),
    ("sign lost", Float32, Float16),
    ("code copied", Uint8, Float8E4M3FN),
    ("bytes of the input swapped", Int16, Float32),
    ("bytes of the output swapped", Float32, Float16),
    ("packed elements of the input in the wrong order", Int4, Int8),
    ("packed elements of the output in the wrong order", Int8, Int4),
    ("elements shifted by one", Float32, Float16),
    ("last element left out", Int8, Int16),
];

#[test]
fn every_method_is_told_by_its_results() {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    assert_eq!(PLACES.map(|(name, ..)| name).as_slice(), names);
    let mut missed = Vec::new();
    for (method, (name, from, to)) in METHODS.iter().zip(PLACES) {
        let wrong = move |request: &Request, codes: &[u64]| {
            let tensor = MethodTensor::new(request, codes).expect("a numeric request");
            method.results(&tensor, &(0..codes.len()).collect::<Vec<_>>())
        };
        // A testee that refuses nothing in any version is a bare kernel, of which no refusal is due.
        let opset = (name == "the request was not refused").then_some(13);
        // ONNX admits any NaN.
        let suite = match name {
            "a signalling NaN stays signalling" => Some(Suite::Profile(Profile::WasmSat)),
            _ => None,
        };
        let file = diagnose_at((suite, opset), Box::new(wrong), from, to);
        let first = file.results.diagnoses.first();
        let told = first.is_some_and(|diagnosis| {
            let cause = &diagnosis.causes[0];
            let whole = cause.reproduced == diagnosis.deviations && cause.contradicted == 0;
            cause.method == name && whole
        });
        if !told {
            missed.push(format!("{name}: {}", first.map_or("none".into(), ToString::to_string)));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A pair, a kernel with a bug, and the methods that the gate must name.
type Plant = (DType, DType, fn(u64) -> u64, &'static [&'static str]);

/// These bugs use the machine's arithmetic, not the functions of the table of methods.
#[test]
fn bugs_of_the_field_are_told() {
    let plants: [Plant; 6] = [
        (
            Float64,
            Float16,
            |code| half::f16::from_f32(f64::from_bits(code) as f32).to_bits().into(),
            &["rounded through float32"],
        ),
        (
            Float64,
            Int16,
            |code| (f64::from_bits(code) as f32).round() as i16 as u16 as u64,
            &["rounded through float32, then: rounded to the nearest integer, ties away from zero"],
        ),
        (
            Int64,
            Float32,
            |code| (code as i64 as f64 as f32).to_bits().into(),
            &["rounded through float64"],
        ),
        // That it rounds toward zero and cuts NaN off to infinity is one cause.
        (Float32, Bfloat16, |code| code >> 16, &["low half of the source dropped"]),
        (
            Float32,
            Int8,
            |code| (f32::from_bits(code as u32).round_ties_even() as i8 as u8).into(),
            &["rounded to the nearest integer, ties to even"],
        ),
        (
            Float32,
            Bfloat16,
            |code| ((code + 0x7fff + ((code >> 16) & 1)) >> 16) & 0xffff,
            &["NaN rounded as if it were a number"],
        ),
    ];
    for (from, to, kernel, causes) in plants {
        let wrong = move |request: &Request, codes: &[u64]| {
            let refused = |&code: &u64| right(request, code).is_some();
            codes.iter().map(|code| refused(code).then(|| kernel(*code))).collect()
        };
        let file = diagnose(Box::new(wrong), from, to);
        let told = file.results.diagnoses.iter().flat_map(|diagnosis| &diagnosis.causes);
        let told: Vec<&str> = told
            .flat_map(|cause| std::iter::once(&cause.method).chain(&cause.alternatives))
            .map(std::string::String::as_str)
            .collect();
        assert!(causes.iter().all(|cause| told.contains(cause)), "{from} -> {to}: {told:?}");
    }
}

/// The results of a bug for the elements of a tensor; `None` where it follows the rules.
type Bug = dyn Fn(&Request, &[u64]) -> Vec<Option<u64>>;

/// A testee that follows the rules except for its bug.
struct Planted {
    identity: Identity,
    bug: Box<Bug>,
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn profiles(&self) -> Vec<Profile> {
        Profile::numeric().collect()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let codes = unpack(request.from, input, count).expect("the gate packs right");
        let wrong = (self.bug)(request, &codes);
        let mut output = Vec::new();
        for (&code, wrong) in codes.iter().zip(wrong) {
            match wrong.or_else(|| right(request, code)) {
                Some(code) => output.push(code),
                None => return Reply::Unsupported("refused".into()),
            }
        }
        Reply::Output(pack(request.to, &output).expect("numeric"))
    }
}

/// Gates one pair of a testee with this bug. Returns the results file.
fn diagnose(bug: Box<Bug>, from: DType, to: DType) -> ResultsFile {
    diagnose_at((None, None), bug, from, to)
}

/// Does the same in this suite or this operator set only.
fn diagnose_at(
    (suite, opset): (Option<Suite>, Option<u32>),
    bug: Box<Bug>,
    from: DType,
    to: DType,
) -> ResultsFile {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("results.json");
    let options = Options {
        level: Level::Core,
        filters: Filters { from: Some(from), to: Some(to), opset },
        json: Some(json.clone()),
        arrangements: Arrangements::None,
        suites: suite.map_or_else(|| Options::default().suites, |suite| vec![suite]),
        ..Options::default()
    };
    let identity = Identity { name: "planted".into(), version: "0".into(), language: "".into() };
    let mut testee = Planted { identity, bug };
    gate::run(&options, &mut testee, &mut std::io::sink()).expect("the gate runs");
    read_results(&json).expect("a results file")
}

/// A fault: the pair, what the kernel makes of a code (`None`: what is right), and the causes that must be named,
/// each with what cannot be told apart from it.
type Named = (DType, DType, fn(u64) -> Option<u64>, &'static [&'static str]);

/// The float16 of a float32, by this machine's arithmetic.
fn half(code: u64) -> u64 {
    half::f16::from_f32(f32::from_bits(code as u32)).to_bits().into()
}

fn float32(code: u64) -> f32 {
    f32::from_bits(code as u32)
}

/// A significand shifted to a subnormal float16 by a processor that takes the distance modulo 32.
fn shifted(code: u64) -> Option<u64> {
    let field = code >> 23 & 0xff;
    let significand = code & 0x7f_ffff | if field == 0 { 0 } else { 1 << 23 };
    let distance = (126 - field.clamp(1, 126)) % 32;
    if field >= 127 - 14 || 126 - field.max(1) < 32 || significand == 0 {
        return None;
    }
    let (kept, dropped) = (significand >> distance, significand & ((1 << distance) - 1));
    let half = 1_u64 << distance >> 1;
    let up = dropped > half || dropped == half && half != 0 && kept & 1 == 1;
    Some((kept + u64::from(up)) & 0x7fff | code >> 16 & 0x8000)
}

/// Loses the carry of float32 to float16 where it leaves the significand of a normal number.
fn without_carry(code: u64) -> Option<u64> {
    let (result, magnitude) = (half(code), float32(code).abs());
    let carries = result & 0x3ff == 0
        && (0x0800..0x7c00).contains(&(result & 0x7fff))
        && half::f16::from_bits(result as u16 & 0x7fff).to_f32() > magnitude;
    carries.then(|| result - 0x400)
}

/// Faults that the table of methods did not have, or that another method was named for. These bugs use the
/// machine's arithmetic, not the functions of the table.
const NAMED: [Named; 20] = [
    (
        Int32,
        Int8,
        |code| Some((code as i32).clamp(-128, 127) as u8 as u64),
        &["out of range clamped"],
    ),
    (Uint16, Int8, |code| Some(code.min(127)), &["out of range clamped"]),
    (Float32, Bool, |code| Some((float32(code) == 0.0).into()), &["truth inverted"]),
    (Int16, Bool, |code| Some((code == 0).into()), &["truth inverted"]),
    (Float32, Float16, |_| Some(0x3c00), &["always the same result"]),
    (Float32, Bool, |_| Some(1), &["always the same result"]),
    (Int16, Bool, |code| Some(code & 1), &["truth taken from the lowest bit"]),
    (
        Int8,
        Int16,
        |code| Some(!(code as i8 as i16) as u16 as u64),
        &["every bit of the result inverted"],
    ),
    (
        Float8E4M3FN,
        Float32,
        |code| (code & 0x7f == 0x7f).then(|| u64::from(480_f32.to_bits()) | (code & 0x80) << 24),
        &["NaN read as a number"],
    ),
    (Float8E4M3FNUZ, Float32, |code| (code == 0x80).then_some(0x8000_0000), &["NaN read as -0"]),
    (
        Float32,
        Uint8,
        |code| (float32(code) >= 128.0).then(|| (float32(code) as i8) as u64),
        &["through the signed integer of the same width, which saturates"],
    ),
    (
        Float32,
        Uint32,
        |code| (float32(code) >= 2147483648.0).then_some(0x8000_0000),
        &["through the signed integer of the same width, beyond which only the highest bit is set"],
    ),
    (
        Int64,
        Float32,
        |code| Some((((code >> 32 << 32) as i64) as f32).to_bits().into()),
        &["low half of the source dropped"],
    ),
    (
        Uint64,
        Float32,
        |code| {
            let high = (code >> 32) as u32 as f32 * 4_294_967_296.0;
            Some((high + (code as u32 as f32)).to_bits().into())
        },
        &["summed from two rounded parts"],
    ),
    (
        Float32,
        Float16,
        |code| (float32(code).abs() < 5.960_464_5e-8).then_some(code >> 16 & 0x8000),
        &["zero below the smallest subnormal, before rounding"],
    ),
    (Float32, Float16, without_carry, &["the carry of the significand lost"]),
    (
        Float32,
        Float16,
        |code| (half(code) & 0x7fff == 0 && float32(code) != 0.0).then_some(0x7e00),
        &["underflow becomes NaN"],
    ),
    (Float32, Float16, shifted, &["a shift modulo 32"]),
    (Int32, Int16, |code| Some(code >> 16), &["the other half of the code"]),
    // Two faults at once: each explains its own elements.
    (
        Float32,
        Bfloat16,
        |code| Some(if float32(code).is_nan() { 0 } else { code >> 16 }),
        &["rounded toward zero", "NaN becomes zero"],
    ),
];

/// The causes of a pair's diagnosis that are certain: no element contradicts them.
fn certain(file: &ResultsFile) -> Vec<std::string::String> {
    let diagnoses = file.results.diagnoses.iter().filter(|it| it.verdict == Verdict::Fail);
    let causes = diagnoses.flat_map(|diagnosis| &diagnosis.causes);
    causes
        .filter(|cause| cause.contradicted + cause.otherwise == 0)
        .map(|cause| match &cause.alternatives[..] {
            [] => cause.method.clone(),
            others => format!("{} or {}", cause.method, others.join(" or ")),
        })
        .collect()
}

fn planted(kernel: fn(u64) -> Option<u64>, from: DType, to: DType) -> ResultsFile {
    let wrong = move |request: &Request, codes: &[u64]| -> Vec<Option<u64>> {
        let refused = |&code: &u64| right(request, code).is_some();
        codes.iter().map(|code| refused(code).then(|| kernel(*code))?).collect()
    };
    diagnose(Box::new(wrong), from, to)
}

#[test]
fn faults_are_named_for_what_they_are() {
    let mut wrong = Vec::new();
    for (from, to, kernel, causes) in NAMED {
        let told = certain(&planted(kernel, from, to));
        let is_told = |cause: &&str| told.iter().any(|it| it.split(" or ").any(|it| it == *cause));
        if told.len() != causes.len() || !causes.iter().all(is_told) {
            wrong.push(format!("{from} -> {to}: {causes:?} is called {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Noise has no method, and a method that only part of the wrong elements follow is not what was done.
#[test]
fn what_no_method_does_is_not_named() {
    let noise = |code: u64| {
        let drawn = code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
        let number = float32(code);
        (number.is_finite() && drawn == 0).then(|| half(code) ^ 1)
    };
    // Truncates, but for every fourth element, which it rounds up.
    let mixed = |code: u64| {
        let right = half(code);
        let is_above = half::f16::from_bits(right as u16).to_f32().abs() > float32(code).abs();
        let is_finite = float32(code).abs() < 60_000.0;
        let is_taken = code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 != 0;
        (is_finite && is_above).then(|| if is_taken { right - 1 } else { right + 1 })
    };
    for kernel in [noise as fn(u64) -> Option<u64>, mixed] {
        let file = planted(kernel, Float32, Float16);
        assert_eq!(certain(&file), [""; 0], "{:?}", file.results.diagnoses);
        let named = file.findings.iter().find(|finding| finding.is_explained());
        assert_eq!(named.map(castproof::finding::Finding::headline), None);
    }
}
