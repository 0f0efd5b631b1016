//! A run that is judged by ONNX, and where ONNX leaves the result open, by a profile.

use crate::common::castproof;
use crate::recognise::{PAIRS, PLANTED, Planted};
use castproof::arrange::Arrangements;
use castproof::finding::Kind;
use castproof::gate::{self, Options};
use castproof::place::Place;
use castproof::results::{Filters, ResultsFile};
use castproof::{Verdict, report};
use castproof_vectors::DType::{self, Float16, Float32, Int2, Int8, Int32};
use castproof_vectors::{Profile, Suite};

/// Runs Cast-25, and the profile where it is silent.
fn judged(
    testee: &mut Planted,
    profile: Profile,
    pairs: &[(DType, DType)],
    arrangements: Arrangements,
) -> ResultsFile {
    let options = Options {
        suites: vec![Suite::OnnxCast],
        filters: Filters { opset: Some(25), ..Filters::default() },
        pairs: pairs.to_vec(),
        silent_as: Some(profile),
        arrangements,
        ..Options::default()
    };
    gate::results(&options, testee).expect("the gate runs").1
}

/// A testee that follows a profile where ONNX is silent passes by that profile alone; by another one the
/// first input in which they differ is named.
#[test]
fn a_testee_passes_by_its_profile_and_fails_by_another() {
    for (name, open) in PLANTED.into_iter().filter(|(name, _)| !name.is_empty()) {
        let own: Profile = name.parse().expect("a profile");
        let by =
            |profile| judged(&mut Planted::new(open), profile, &PAIRS[2..5], Arrangements::None);
        let file = by(own);
        assert!(file.passed, "{name}: {:?}", file.reasons);
        assert_eq!(file.silent_as, Some(own));
        let other = if own == Profile::X86Sse2 { Profile::RiscvFcvt } else { Profile::X86Sse2 };
        let file = by(other);
        let failures = &file.results.failures;
        assert!(!file.passed && !failures.is_empty(), "{name}");
        let rules = ["X8-", "RV-"];
        assert!(failures.iter().all(|it| rules.iter().any(|rule| it.clause.starts_with(rule))));
        assert!(file.findings.iter().all(|finding| finding.kind == Kind::Numeric));
        let example = &file.findings[0].example;
        assert!(example.input.is_some() && example.expect.is_some(), "{example:?}");
    }
}

/// Nothing is left open that the profile says, with attributes too, and the fault has a name and a range.
#[test]
fn a_fault_where_onnx_is_silent_is_explained() {
    let pair = [(Float32, Int32)];
    let x86 = || Planted::new(PLANTED[1].1);
    let right = judged(&mut x86(), Profile::X86Sse2, &pair, Arrangements::Newest);
    assert!(right.passed, "{:?}", right.findings);
    assert_eq!(right.totals.of(Verdict::Undefined), 0);
    let wrong = judged(&mut x86(), Profile::RustAs, &pair, Arrangements::Newest);
    let causes: Vec<&str> = wrong.findings.iter().filter_map(|it| it.cause.as_deref()).collect();
    for class in ["NaN: ", "out of range: "] {
        assert!(causes.iter().any(|cause| cause.starts_with(class)), "{class}: {causes:?}");
    }
    let all = wrong.findings.iter().all(|it| it.kind == Kind::Numeric && it.range.is_some());
    assert!(all, "{:?}", wrong.findings);
    let numbers = wrong.findings.iter().find(|it| it.cause.as_deref() != Some("NaN: the minimum"));
    let shown = report::show::one(&wrong, &numbers.expect("one").id).expect("a finding");
    assert!(shown.contains("every value "), "{shown}");
}

/// What ONNX defines stays ONNX's: it rounds to int2, where LLVM truncates.
#[test]
fn a_profile_does_not_change_what_onnx_defines() {
    let llvm = Profile::LlvmFptoSat;
    let mut planted = Planted::new(|it| it.by(Profile::LlvmFptoSat));
    let file = judged(&mut planted, llvm, &[(Float32, Int2)], Arrangements::Newest);
    assert!(file.passed, "{:?}", file.findings);
}

/// What a profile lacks or leaves open too stays open.
#[test]
fn what_a_profile_leaves_out_stays_open() {
    for (profile, pair) in
        [(Profile::RustAs, (Float16, Int8)), (Profile::MlDtypes, (Float32, Int8))]
    {
        let mut any = Planted::new(|_| 7);
        let file = judged(&mut any, profile, &[pair], Arrangements::Newest);
        assert!(file.passed && file.totals.of(Verdict::Undefined) > 0, "{profile:?}");
    }
}

/// Codes beyond the vectors are judged by the profile, too.
#[test]
fn one_code_beyond_the_vectors_is_found() {
    let pair = [(Float16, Int8)];
    let right = |it: &crate::recognise::Element| it.by(Profile::CudaCvt);
    let by = |open| judged(&mut Planted::new(open), Profile::CudaCvt, &pair, Arrangements::Newest);
    assert!(by(right).passed);
    let file = by(|it| if it.code == 0x7777 { 3 } else { it.by(Profile::CudaCvt) });
    let places: Vec<_> = file.findings.iter().map(|it| it.example.place.clone()).collect();
    assert_eq!(places, [Some(Place::BeyondVectors)], "{:?}", file.findings);
}

/// The commands of a run by a profile where ONNX is silent, and its baseline.
#[test]
fn the_command_line_names_the_version_and_the_profile() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let (known, json, markdown) = (path("known.toml"), path("r.json"), path("r.md"));
    let pair = ["gate", "--testee", "builtin", "--pair", "float32:int32", "--arrangements", "none"];
    let gate = |more: &[&str]| castproof(&[&pair, more].concat(), "");
    let silent = |profile, more: &[&str]| {
        gate(&[&["--spec", "onnx-cast-25", "--profile", profile], more].concat())
    };
    let right = silent("rust-as", &[]);
    assert_eq!(right.code, 0, "{}{}", right.out, right.err);
    let said =
        "; where ONNX is silent: as rust-as; REDUCED: --spec onnx-cast-25, --pair float32:int32";
    assert_eq!(right.out.matches(said).count(), 3, "{}", right.out);

    let wrong = silent("x86-sse2", &["--json", &json]);
    assert_eq!(wrong.code, 1, "{}{}", wrong.out, wrong.err);
    let input = "(Inf) gave 0x7fffffff (2147483647), expected 0x80000000 (-2147483648)";
    assert!(wrong.out.contains(input) && wrong.out.contains("; X8-01]"), "{}", wrong.out);
    let report = castproof(&["report", &json, "--markdown", &markdown], "");
    assert_eq!(report.code, 0, "{}", report.err);
    let text = std::fs::read_to_string(&markdown).expect("a report");
    assert!(text.contains("Level core, where ONNX is silent: as x86-sse2, REDUCED: "), "{text}");

    let written = silent("x86-sse2", &["--baseline", &known, "--update-baseline"]);
    assert!(written.out.contains(" entries added"), "{}{}", written.out, written.err);
    let text = std::fs::read_to_string(&known).expect("a baseline");
    assert!(text.contains("\nprofile = \"x86-sse2\"\n") && text.contains("X8-01"), "{text}");
    let again = silent("x86-sse2", &["--baseline", &known]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    let needs = "is of runs with --profile x86-sse2 where ONNX is silent";
    for other in [gate(&["--baseline", &known]), silent("rust-as", &["--baseline", &known])] {
        assert!(other.error_line().contains(needs), "{}", other.err);
    }
    std::fs::write(&known, "# nothing\n").expect("a file");
    let plain = silent("x86-sse2", &["--baseline", &known, "--update-baseline"]);
    assert!(plain.error_line().contains("is of runs without --profile"), "{}", plain.err);
}

#[test]
fn what_names_no_run_is_said_in_one_line() {
    for (arguments, said) in [
        (&["--spec", "x86-sse2", "--profile", "rust-as"][..], "--spec x86-sse2 is a profile too"),
        (&["--spec", "onnx-castlike-25"], "CastLike has --suite onnx-castlike"),
        (&["--spec", "onnx-cast-14"], "Cast has no version 14"),
        (&["--spec", "tf-cast"], "--suite complex-cast"),
        (&["--spec", "onnx-cast-25", "--profile", "tf-cast"], "--suite complex-cast"),
        (&["--spec", "onnx-cast-25", "--opset", "25"], "cannot be used with"),
    ] {
        let run = castproof(&[&["gate", "--testee", "builtin"], arguments].concat(), "");
        assert!(run.error_line().contains(said), "{arguments:?}: {}", run.err);
    }
    let one = ["gate", "--testee", "builtin", "--spec", "rust-as", "--pair", "float32:int8"];
    let run = castproof(&one, "");
    assert!(run.code == 0 && run.out.contains("profile rust-as, level core"), "{}", run.out);
}
