//! The gate of a profile: a right testee passes, and each planted fault is found.

use crate::common::{castproof, program, testee};
use castproof::arrange::Arrangements;
use castproof::finding::Kind;
use castproof::gate::{self, Options};
use castproof::journal::JournalTerms;
use castproof::read_results;
use castproof::report;
use castproof::results::{Filters, ResultsFile};
use castproof::sweep::{self, Shard};
use castproof::testee::Subject;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof_oracle::{Caster, profile_pairs};
use castproof_vectors::{
    Attributes, DType, NEWEST, Profile, Request, RoundMode, Spec, Suite, pack, unpack,
};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The result of a faulty kernel for a float, given the target and the right result.
type Fault = fn(f64, DType, u64) -> u64;

/// NaN becomes the least integer, the only error value of some processors' instructions.
const NAN_IS_LEAST: Fault = |value, to, right| match value.is_nan() && !to.name().starts_with('u') {
    true => 1 << (to.bits() - 1),
    false => right,
};

/// A number within the range of a wide integer becomes the low bits of that integer.
const WRAPS: Fault = |value, to, right| match value.is_finite() && value.abs() < 1e30 {
    true => value as i128 as u64 & to.code_mask(),
    false => right,
};

/// The built-in casts, with another result for some codes: of the pair, the code and the right result.
pub(crate) struct Changed<F> {
    pub(crate) builtin: Builtin,
    pub(crate) change: F,
}

impl<F: FnMut((DType, DType), u64, u64) -> u64> Testee for Changed<F> {
    fn identity(&self) -> &Identity {
        self.builtin.identity()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.builtin.profiles()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let Request { from, to, .. } = *request;
        self.builtin.cast(request, count, input).map(|right| {
            let codes = unpack(from, input, count).expect("the gate packs right");
            let right = unpack(to, &right, count).expect("the kernel packs right");
            let changed = codes.iter().zip(right);
            let changed: Vec<u64> =
                changed.map(|(&code, right)| (self.change)((from, to), code, right)).collect();
            pack(to, &changed).expect("numeric")
        })
    }
}

/// The built-in casts with a fault in the casts of floats to integers.
fn faulty(fault: Fault) -> Changed<impl FnMut((DType, DType), u64, u64) -> u64 + Send> {
    let change = move |(from, to): (DType, DType), code, right| match (from, to.is_float()) {
        (DType::Float32, false) => fault(f64::from(f32::from_bits(code as u32)), to, right),
        (DType::Float64, false) => fault(f64::from_bits(code), to, right),
        _ => right,
    };
    Changed { builtin: Builtin::new(), change }
}

/// Gates the profile rust-as with these options. Returns the results file.
fn run(testee: &mut dyn Testee, options: Options) -> ResultsFile {
    run_of(Profile::RustAs, testee, options)
}

pub(crate) fn run_of(profile: Profile, testee: &mut dyn Testee, options: Options) -> ResultsFile {
    run_of_suite(Suite::Profile(profile), testee, options)
}

pub(crate) fn run_of_suite(suite: Suite, testee: &mut dyn Testee, options: Options) -> ResultsFile {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("results.json");
    let options = Options { suites: vec![suite], json: Some(json.clone()), ..options };
    let passed = gate::run(&options, testee, &mut std::io::sink()).expect("the gate runs");
    let file = read_results(&json).expect("a results file");
    assert_eq!(file.passed, passed);
    file
}

pub(crate) fn without_arrangements() -> Options {
    Options { arrangements: Arrangements::None, ..Options::default() }
}

/// Every pair that a profile casts runs and passes, and those of one profile also in tensors of every arrangement.
/// The step `gate-profiles` arranges tensors for all of them, with the program of a release.
#[test]
fn the_builtin_testee_passes_every_profile() {
    for profile in Profile::numeric() {
        let is_arranged = profile == Profile::RustAs;
        let kinds = if is_arranged { "all" } else { "none" };
        let gate = ["gate", "--testee", "builtin", "--profile", profile.name()];
        let run = castproof(&[&gate[..], &["--arrangements", kinds]].concat(), "");
        let request = |(from, to)| Request::new(Spec::Profile(profile), from, to);
        let casts = |request: &Request| !Caster::new(request).expect("known").is_refused();
        let pairs = profile_pairs(profile).into_iter().map(request).filter(casts).count();
        let name = profile.name();
        assert_eq!(run.code, 0, "{name}: {}{}", run.out, run.err);
        assert!(run.out.contains(&format!("profile {name}, level core")), "{}", run.out);
        assert!(run.out.contains(&format!(" {pairs} of {pairs} pairs ran")), "{}", run.out);
        assert_eq!(run.out.contains("; arranged "), is_arranged, "{}", run.out);
        assert_eq!(run.out.contains("REDUCED"), !is_arranged, "{}", run.out);
        assert!(!run.out.contains("Cast-"), "a profile has no versions: {}", run.out);
    }
}

/// A served testee lists the profile in its hello, and passes.
#[test]
fn a_served_testee_is_asked_for_the_profile() {
    let command = format!("'{}' testee", program());
    let pair = ["--pair", "float64:int16,bool:int8,int64:float32"];
    let gate = ["gate", "--testee", &command, "--profile", "rust-as"];
    let run = castproof(&[&gate[..], &pair].concat(), "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains(" 3 of 3 pairs ran"), "{}", run.out);
}

#[test]
fn planted_faults_are_found() {
    for (fault, rule, count, cause) in
        [(NAN_IS_LEAST, "RS-03", 4, "NaN: the minimum"), (WRAPS, "RS-02", 8, "out of range: wraps")]
    {
        let file = run(&mut faulty(fault), without_arrangements());
        assert!(!file.passed, "{rule}");
        let tests = file.results.failures.iter();
        assert!(tests.clone().all(|test| test.clause == rule), "{rule}: {:?}", file.findings);
        let mut targets: Vec<DType> = tests.map(|test| test.to).collect();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), count, "{rule}: {targets:?}");
        for finding in &file.findings {
            assert_eq!(finding.suite, Suite::Profile(Profile::RustAs));
            assert_eq!((finding.kind, finding.rule.as_deref()), (Kind::Numeric, Some(rule)));
            assert!(finding.versions.is_empty() && finding.range.is_some(), "{finding:?}");
            let shown = report::show::one(&file, &finding.id).expect("a finding");
            assert!(shown.contains("rust-as") && shown.contains("tests ("), "{shown}");
            assert_eq!(finding.cause.as_deref(), Some(cause), "{shown}");
        }
        let same = report::diff(&file, &file).expect("the same tests");
        assert!(same.is_no_worse() && same.findings.new.is_empty() && same.notes.is_empty());
    }
}

/// What is asked, what the testee follows, a pair, and the rules by which it fails.
type Following = (Profile, Profile, (DType, DType), &'static [&'static str]);

fn followings() -> Vec<Following> {
    use DType::*;
    use Profile::*;
    vec![
        (X86Sse2, RustAs, (Float32, Int32), &["X8-01"]),
        (X86Sse2, X86Avx512, (Float32, Uint32), &["X8-06"]),
        (X86Avx512, X86Sse2, (Float64, Uint64), &["X8-02"]),
        (X86Sse2, ArmA64, (Float64, Uint64), &["X8-12"]),
        (X86Sse2, JavaCast, (Float32, Int8), &["X8-05"]),
        (X86Sse2, RiscvFcvt, (Float64, Float32), &["X8-13"]),
        (RustAs, X86Sse2, (Float32, Int32), &["RS-02", "RS-03"]),
        (ArmA64, RiscvFcvt, (Float32, Int32), &["AR-03"]),
        (RiscvFcvt, ArmA64, (Float32, Int32), &["RV-03"]),
        (RiscvFcvt, X86Sse2, (Float32, Float64), &["RV-06"]),
        (JavaCast, RustAs, (Float64, Int8), &["JV-02"]),
        (JsTypedArray, RustAs, (Float64, Int32), &["JS-01", "JS-02"]),
        (WasmSat, X86Sse2, (Float32, Uint32), &["WA-01"]),
        (LlvmFptoSat, X86Avx512, (Float32, Int8), &["LL-02"]),
        (MlDtypes, LlvmFptoSat, (Float32, Int2), &["ML-04"]),
        (CudaCvt, X86Sse2, (Float32, Int8), &["CU-02"]),
        (CudaCvt, RiscvFcvt, (Float32, Uint32), &["CU-03"]),
        (CudaCvt, RustAs, (Float64, Int8), &["CU-04"]),
        (CudaCvt, RustAs, (Float32, Uint64), &["CU-04"]),
        (CudaCvt, MlDtypes, (Float32, Float8E5M2), &["CU-11", "CU-13"]),
        (CudaCvt, MlDtypes, (Float64, Float8E4M3FN), &["CU-11"]),
        (CudaCvt, MlDtypes, (Float64, Float4E2M1), &["CU-16"]),
        (CudaCvt, MlDtypes, (Float32, Float8E8M0), &["CU-17", "CU-18", "CU-19", "CU-20"]),
        (CudaCvt, MlDtypes, (Float32, Float16), &["CU-08"]),
        (StablehloInterpreter, MlDtypes, (Float32, Float4E2M1), &["SI-12"]),
        (StablehloInterpreter, CudaCvt, (Float32, Float8E4M3FN), &["SI-09", "SI-17"]),
        (StablehloInterpreter, CudaCvt, (Float32, Float6E2M3), &["SI-12", "SI-13"]),
        (StablehloInterpreter, CudaCvt, (Float16, Float8E5M2), &["SI-09", "SI-17"]),
        (StablehloInterpreter, MlDtypes, (Float32, Int4), &["SI-02"]),
        (OpenclSat, RustAs, (Int32, Uint8), &["OL-03"]),
        (OpenclSat, RustAs, (Int64, Uint64), &["OL-03"]),
        (OpenclSat, RustAs, (Uint16, Int16), &["OL-03"]),
        (RustAs, OpenclSat, (Int16, Int8), &["RS-04"]),
    ]
}

/// A kernel that follows one profile fails the gate of another one that differs, by the rule in which
/// they differ.
#[test]
fn profiles_are_told_apart() {
    struct Follows(Builtin, Profile);
    impl Testee for Follows {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn profiles(&self) -> Vec<Profile> {
            self.0.profiles()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            self.0.cast(&Request { spec: Spec::Profile(self.1), ..*request }, count, input)
        }
    }
    for (asked, follows, pair, rules) in followings() {
        let options = Options { pairs: vec![pair], ..without_arrangements() };
        let file = run_of(asked, &mut Follows(Builtin::new(), follows), options.clone());
        let name = asked.name();
        assert!(!file.passed, "{name} takes {}", follows.name());
        let broken: BTreeSet<&str> =
            file.results.failures.iter().map(|test| test.clause.as_str()).collect();
        assert_eq!(broken, rules.iter().copied().collect(), "{name} of {}", follows.name());
        assert!(run_of(asked, &mut Builtin::new(), options).passed, "{name}");
    }
    // ONNX rounds this cast to nearest; LLVM truncates.
    let narrow = Options { pairs: vec![(DType::Float32, DType::Int2)], ..without_arrangements() };
    assert!(run_of(Profile::LlvmFptoSat, &mut Builtin::new(), narrow).passed);
}

/// A kernel that casts as ONNX does, with the attributes that come near, fails the gate of profiles
/// with small floats by the rules in which they differ. One that differs only where the profile refuses attributes is a bare
/// kernel, and passes.
#[test]
fn small_floats_of_onnx_are_told_from_those_of_a_profile() {
    struct AsOnnx(Builtin, Attributes);
    impl Testee for AsOnnx {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn profiles(&self) -> Vec<Profile> {
            self.0.profiles()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let asked = request.attributes;
            let saturate = asked.saturate.or(self.1.saturate);
            let attributes = Attributes { saturate, ..self.1 };
            let spec = Spec::cast(NEWEST);
            self.0.cast(&Request { spec, attributes, ..*request }, count, input)
        }
    }
    use DType::{
        Bfloat16, Float4E2M1, Float6E3M2, Float8E4M3FN, Float8E5M2, Float8E8M0, Float16, Float32,
        Float64, Int64,
    };
    use Profile::{CudaCvt, MlDtypes};
    // The rules by which attributes are refused.
    const OF_ATTRIBUTES: [&str; 2] = ["ML-25", "CU-26"];
    const NEAREST: Attributes =
        Attributes { saturate: Some(false), round_mode: Some(RoundMode::Nearest) };
    const UP: Attributes = Attributes { saturate: Some(true), round_mode: Some(RoundMode::Up) };
    const DOWN: Attributes = Attributes { round_mode: Some(RoundMode::Down), ..UP };
    for (profile, attributes, pair, rules) in [
        (MlDtypes, NEAREST, (Float64, Float8E4M3FN), &["ML-14", "ML-25"][..]),
        (MlDtypes, NEAREST, (Float32, Float4E2M1), &["ML-16", "ML-25"]),
        (MlDtypes, NEAREST, (Float64, Float6E3M2), &["ML-14", "ML-16", "ML-25"]),
        (MlDtypes, NEAREST, (Float32, Float8E8M0), &["ML-18", "ML-19", "ML-25"]),
        (MlDtypes, NEAREST, (Float32, Float8E5M2), &["ML-25"]),
        (CudaCvt, NEAREST, (Float32, Float8E4M3FN), &["CU-11", "CU-13", "CU-26"]),
        (CudaCvt, NEAREST, (Float64, Float8E5M2), &["CU-11", "CU-26"]),
        (CudaCvt, UP, (Bfloat16, Float8E5M2), &["CU-13", "CU-26"]),
        (CudaCvt, UP, (Float8E5M2, Float8E5M2), &["CU-24", "CU-26"]),
        (CudaCvt, UP, (Float32, Float8E8M0), &["CU-18", "CU-19", "CU-20", "CU-29", "CU-31"]),
        (CudaCvt, DOWN, (Float32, Float8E8M0), &["CU-17", "CU-18", "CU-19", "CU-20", "CU-31"]),
        (CudaCvt, UP, (Float8E8M0, Int64), &["CU-04", "CU-26"]),
        (CudaCvt, UP, (Float8E8M0, Float16), &["CU-08", "CU-26"]),
        (CudaCvt, UP, (Float16, Bfloat16), &["CU-08", "CU-26"]),
    ] {
        let options = Options { pairs: vec![pair], ..without_arrangements() };
        let mut testee = AsOnnx(Builtin::new(), attributes);
        let file = run_of(profile, &mut testee, options.clone());
        let broken: BTreeSet<&str> =
            file.results.failures.iter().map(|test| test.clause.as_str()).collect();
        let others = rules.iter().copied().filter(|rule| !OF_ATTRIBUTES.contains(rule));
        assert_eq!(broken, others.collect(), "{profile:?} {pair:?}");
        assert_eq!(file.passed, broken.is_empty(), "{profile:?} {pair:?}");
        assert!(run_of(profile, &mut Builtin::new(), options).passed, "{profile:?} {pair:?}");
    }
}

/// A sweep counts what is open code by code, and its certificate verifies: of uint16 to bfloat16, the numbers
/// of more than 8 significant bits.
#[test]
fn a_sweep_counts_what_is_open_within_a_piece() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let certificate = folder.path().join("sweep.json");
    let certificate = certificate.to_str().expect("text");
    let what = ["sweep", "--testee", "builtin", "--profile", "stablehlo-convert"];
    let pair = ["--from", "uint16", "--to", "bfloat16", "--certificate", certificate];
    let run = castproof(&[&what[..], &pair].concat(), "");
    let bits = |number: &u16| 16 - number.leading_zeros() - number.trailing_zeros();
    let open = (1..=u16::MAX).filter(|number| bits(number) > 8).count();
    let said = format!("65,536 codes swept, {},{:03} undefined;", open / 1000, open % 1000);
    assert!(run.code == 0 && run.out.contains(&said), "{said}: {}{}", run.out, run.err);
    let verified = castproof(&["certify", "verify", certificate], "");
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

/// A kernel that rounds float64 to float32 first is told by codes that are drawn from the answers,
/// which no vector of level core has.
#[test]
fn a_rounding_through_float32_is_found() {
    struct Twice(Builtin);
    impl Testee for Twice {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn profiles(&self) -> Vec<Profile> {
            self.0.profiles()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let middle = DType::Float32;
            let asked = request.attributes != Attributes::default();
            if asked || request.from != DType::Float64 {
                return self.0.cast(request, count, input);
            }
            match self.0.cast(&Request { to: middle, ..*request }, count, input) {
                Reply::Output(first) => {
                    self.0.cast(&Request { from: middle, ..*request }, count, &first)
                }
                failed => failed,
            }
        }
    }
    for to in [DType::Float8E4M3FN, DType::Float6E2M3, DType::Bfloat16] {
        let options = Options { pairs: vec![(DType::Float64, to)], ..Options::default() };
        let file = run_of(Profile::CudaCvt, &mut Twice(Builtin::new()), options.clone());
        assert!(!file.passed && !file.findings.is_empty(), "{to}");
        assert!(run_of(Profile::CudaCvt, &mut Builtin::new(), options).passed, "{to}");
    }
}

/// A kernel that rounds positive numbers to the nearest power of two, not up, is told by the same codes.
#[test]
fn a_scale_to_nearest_is_found() {
    struct Nearest(Builtin);
    impl Testee for Nearest {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn profiles(&self) -> Vec<Profile> {
            self.0.profiles()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let Request { from, to, .. } = *request;
            let right = self.0.cast(request, count, input);
            let round_mode = Some(RoundMode::Nearest);
            let attributes = Attributes { saturate: Some(true), round_mode };
            let nearest = Request { spec: Spec::cast(NEWEST), attributes, ..*request };
            let (Reply::Output(nearest), true) =
                (self.0.cast(&nearest, count, input), request.attributes == Attributes::default())
            else {
                return right;
            };
            right.map(|right| {
                let codes = |dtype, bytes: &[u8]| unpack(dtype, bytes, count).expect("whole");
                let (right, nearest) = (codes(to, &right), codes(to, &nearest));
                let chosen = codes(from, input).into_iter().zip(right.into_iter().zip(nearest));
                let sign = 1 << (from.bits() - 1);
                let chosen: Vec<u64> = chosen
                    .map(|(code, (up, near))| if code & sign == 0 { near } else { up })
                    .collect();
                pack(to, &chosen).expect("numeric")
            })
        }
    }
    let pairs = vec![(DType::Float32, DType::Float8E8M0)];
    let options = Options { pairs, ..Options::default() };
    let file = run_of(Profile::CudaCvt, &mut Nearest(Builtin::new()), options.clone());
    assert!(!file.passed && !file.findings.is_empty());
    assert!(run_of(Profile::CudaCvt, &mut Builtin::new(), options).passed);
}

/// A profile is asked in arrangements, too. The kernel is right alone and wrong at the end of a
/// long tensor.
#[test]
fn a_fault_of_places_is_found() {
    struct Tail(Builtin);
    impl Testee for Tail {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn profiles(&self) -> Vec<Profile> {
            self.0.profiles()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let spoils = request.to == DType::Int16 && count > 8;
            self.0.cast(request, count, input).map(|mut output| {
                if let (true, Some(last)) = (spoils, output.last_mut()) {
                    *last ^= 0x40;
                }
                output
            })
        }
    }
    let file = run(
        &mut Tail(Builtin::new()),
        Options { pairs: vec![(DType::Float32, DType::Int16)], ..Options::default() },
    );
    let found: Vec<Kind> = file.findings.iter().map(|finding| finding.kind).collect();
    assert!(found.contains(&Kind::Place), "{:?}", file.findings);
}

/// The testee is in another language. Its hello lists the profile and an unknown one.
#[test]
fn a_testee_behind_a_pipe_is_judged_by_its_profile() {
    let gate = |mode: &str, more: &[&str]| {
        let command = testee("as_rust.py", mode);
        castproof(&[&["gate", "--testee", &command], more].concat(), "")
    };
    let profile = ["--profile", "rust-as"];
    let right = gate("honest", &profile);
    assert_eq!(right.code, 0, "{}{}", right.out, right.err);
    assert!(right.out.contains(" 1 of 108 pairs ran"), "{}", right.out);
    for (mode, rule) in [("nan-is-least", "RS-03"), ("wraps", "RS-02")] {
        let wrong = gate(mode, &profile);
        assert_eq!(wrong.code, 1, "{mode}: {}{}", wrong.out, wrong.err);
        assert!(wrong.out.contains("rust-as float32 -> int8: "), "{mode}: {}", wrong.out);
        assert!(wrong.out.contains(&format!("tests, rust-as; {rule}]")), "{mode}: {}", wrong.out);
        assert!(wrong.out.lines().any(|line| line.starts_with("float32 ") && line.contains(" X ")));
    }
    let onnx = gate("honest", &["--from", "float32", "--to", "int8"]);
    assert_eq!(onnx.code, 1, "nothing of ONNX is supported: {}", onnx.out);
}

#[test]
fn the_baseline_of_a_profile_is_written_and_held() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("known.toml");
    let file = path.to_str().expect("text");
    let command = testee("as_rust.py", "wraps");
    let gate = |testee: &str, more: &[&str]| {
        let gate = ["gate", "--testee", testee, "--profile", "rust-as", "--baseline", file];
        castproof(&[&gate[..], more].concat(), "")
    };
    let written = gate(&command, &["--update-baseline"]);
    assert!(written.out.contains("1 entry added"), "{}{}", written.out, written.err);
    let text = std::fs::read_to_string(&path).expect("the baseline");
    assert!(text.contains("suite = \"rust-as\"") && text.contains("RS-02"), "{text}");
    assert!(!text.contains("opsets") && !text.contains("attributes"), "{text}");
    let known = gate(&command, &[]);
    assert_eq!(known.code, 0, "{}{}", known.out, known.err);
    let repaired = gate(&testee("as_rust.py", "honest"), &[]);
    assert!(repaired.out.contains("stale: entry 1"), "{}{}", repaired.out, repaired.err);
    // A run of ONNX's casts does not use this baseline's entries.
    let onnx =
        ["gate", "--testee", "builtin", "--from", "int8", "--to", "int8", "--baseline", file];
    let onnx = castproof(&onnx, "");
    assert_eq!(onnx.code, 0, "{}{}", onnx.out, onnx.err);
}

#[test]
fn what_cannot_be_asked_is_said_in_one_line() {
    let echo = testee("echo.py", "");
    for (arguments, said) in [
        (vec!["--testee", &echo, "--profile", "rust-as"], "does not say that it has the profile"),
        (vec!["--testee", "builtin", "--profile", "tf-cast"], "--suite complex-cast"),
        (vec!["--testee", "builtin", "--profile", "rust"], "unknown profile 'rust'"),
        (vec!["--testee", "builtin", "--profile", "rust-as", "--opset", "19"], "cannot be used"),
        (vec!["--testee", "builtin", "--suite", "rust-as", "--opset", "19"], "has no versions"),
        (
            vec!["--testee", "builtin", "--suite", "onnx-cast", "--suite", "rust-as"],
            "rust-as is a run of its own",
        ),
        (
            vec!["--testee", "builtin", "--profile", "rust-as", "--from", "int4"],
            "int4 is not a dtype of rust-as",
        ),
        (
            vec!["--testee", "builtin", "--profile", "rust-as", "--pair", "int8:string"],
            "string is not a dtype of rust-as",
        ),
    ] {
        let run = castproof(&[&["gate"], &arguments[..]].concat(), "");
        assert!(run.error_line().contains(said), "{arguments:?}: {}", run.err);
    }
}

/// Every report can be made of a run of a profile, and names it.
#[test]
fn reports_are_made_of_a_profile() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let [json, html, junit, sarif, markdown] =
        ["r.json", "r.html", "r.xml", "r.sarif", "r.md"].map(path);
    let command = testee("as_rust.py", "wraps");
    castproof(&["gate", "--testee", &command, "--profile", "rust-as", "--json", &json], "");
    let files = [
        ("--html", &html, "\"versions\":[\"rust-as\"]"),
        ("--junit", &junit, "castproof.rust-as"),
        ("--sarif", &sarif, "vectors/data/rust-as/float32__int8.json"),
        ("--markdown", &markdown, "| rust-as | "),
    ];
    let mut arguments = vec!["report", &json];
    arguments.extend(files.iter().flat_map(|(flag, path, _)| [*flag, path.as_str()]));
    let report = castproof(&arguments, "");
    assert_eq!(report.code, 0, "{}", report.err);
    for (flag, path, said) in files {
        let text = std::fs::read_to_string(path).expect("a report");
        assert!(text.contains(said), "{flag} lacks {said}");
    }
    let file = read_results(json.as_ref()).expect("results");
    let finding = &file.findings[0].id;
    let out = path("out");
    let reproduce = |form| {
        let words = ["reproduce", finding, "--results", &json, "--out", &out, "--issue", "--as"];
        castproof(&[&words[..], &[form]].concat(), "")
    };
    for form in ["onnx", "numpy"] {
        let refused = reproduce(form);
        let said = "is of rust-as float32 -> int8; write it as a program, with --as c or rust";
        assert!(refused.error_line().contains(said), "{}", refused.err);
    }
    for (form, name) in [("c", "reproduce.c"), ("rust", "reproduce.rs"), ("c", "issue.md")] {
        let written = reproduce(form);
        assert_eq!(written.code, 0, "{}", written.err);
        let text = std::fs::read_to_string(folder.path().join("out").join(name)).expect("text");
        assert!(text.contains("rust-as float32 -> int8"), "{text}");
    }
}

/// A finding of a pair whose answers another profile has too points to the file that both share.
#[test]
fn a_shared_pair_is_located_in_the_file_of_its_owner() {
    let file = castproof_judge::source::committed_file;
    let pair = (DType::Int16, DType::Float32);
    let [arm, rust] = [Profile::ArmA64, Profile::RustAs].map(|it| file(Suite::Profile(it), pair));
    assert_eq!((&*arm, &*rust), ("rust-as/int16__float32.json", "rust-as/int16__float32.json"));
    let own = file(Suite::Profile(Profile::RiscvFcvt), (DType::Float32, DType::Int32));
    assert_eq!(own, "riscv-fcvt/float32__int32.json");
}

/// The casts of a profile are swept, and their certificate is checked and replayed.
#[test]
fn a_profile_is_swept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("certificate.json");
    let file = file.to_str().expect("text");
    let sweep = ["sweep", "--profile", "rust-as", "--testee", "builtin", "--certificate", file];
    let run = castproof(&[&sweep[..], &["--from", "int16"]].concat(), "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let verified = castproof(&["certify", "verify", file], "");
    let whole = verified.out.contains("(rust-as; ") && verified.out.contains("requests verified");
    assert!(verified.code == 0 && whole, "{}{}", verified.out, verified.err);
    let replayed = castproof(&["certify", "replay", file, "--testee", "builtin"], "");
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);

    // Requests name the profile. A testee without it is refused, and so are a version and a source
    // that the profile does not have.
    let text = std::fs::read_to_string(file).expect("text");
    assert!(text.contains(r#"{"from":"int16","profile":"rust-as","to":"int8"}"#), "{text}");
    let echo =
        ["sweep", "--profile", "rust-as", "--testee", &testee("echo.py", ""), "--from", "int8"];
    let run = castproof(&[&echo[..], &["--certificate", file]].concat(), "");
    assert!(run.code == 2 && run.error_line().contains("does not say that it has"), "{}", run.err);
    let versions = [&sweep[..], &["--opset", "13"]].concat();
    assert_eq!(castproof(&versions, "").code, 2);
    let nothing = castproof(&[&sweep[..], &["--from", "float16"]].concat(), "");
    assert!(nothing.error_line().contains("rust-as has no pair"), "{}", nothing.err);
}

/// The kernel casts NaN to the least integer. The sweep reports the NaN codes with their rule.
#[test]
fn a_sweep_of_a_profile_finds_a_fault() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (from, to) = (Some(DType::Float64), Some(DType::Int8));
    let options = sweep::SweepOptions {
        subject: Subject::Builtin,
        profile: Some(Profile::RustAs),
        filters: Filters { from, to, opset: None },
        shard: Shard::WHOLE,
        threads: 1,
        certificate: folder.path().join("certificate.json"),
        terms: JournalTerms::default(),
        timeout: Duration::from_secs(60),
        date: "2026-01-01T00:00:00Z".into(),
    };
    let (mut out, never) = (Vec::new(), AtomicBool::new(false));
    let clean = sweep::run_with(&options, vec![Box::new(faulty(NAN_IS_LEAST))], &never, &mut out);
    let out = String::from_utf8(out).expect("text");
    assert_eq!(clean.expect("a whole sweep"), sweep::Conclusion::Fails, "{out}");
    assert!(out.contains("rust-as float64 -> int8: "), "{out}");
    assert!(out.contains("0x7ff0000000000001") && out.contains("[RS-"), "{out}");
}
