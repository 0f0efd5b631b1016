//! Files that version 0.1.0 wrote, in `tests/before`: they are read as they were read then.
//!
//! `broken.py` is the testee that they are about. It still is.

use crate::common::{Run, castproof, program};
use castproof::read_results;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the path of a file of before.
pub(crate) fn before(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/before").join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// The results files, each with the options of its run.
const RESULTS: [(&str, [&str; 2]); 2] = [
    (
        "casts.json",
        [
            "--pair",
            "int64:bfloat16,float16:float8e5m2,int8:uint8,uint16:float32,uint8:int16,bool:int32",
        ],
    ),
    ("questions.json", ["--suite", "mindspore-promotion"]),
];

/// A finding of before of the last element of each tensor, as of a number. Today the finding of the place holds it.
const OF_PLACE: &str = "F-188af8";

/// Gates `broken.py`.
fn gate(options: &[&str]) -> Run {
    let testee = format!("python3 '{}' '{}'", before("broken.py").display(), program());
    castproof(&[&["gate", "--testee", &testee], options].concat(), "")
}

/// What a member of each finding says.
fn each<'a>(findings: &'a Value, member: &str) -> Vec<&'a str> {
    let findings = findings.as_array().expect("findings");
    findings.iter().map(|it| it[member].as_str().expect("text")).collect()
}

#[test]
fn results_are_read_and_their_findings_keep_their_ids() {
    let mut kinds = BTreeSet::new();
    for (name, _) in RESULTS {
        let written = fs::read_to_string(before(name)).expect("a file");
        let written: Value = serde_json::from_str(&written).expect("JSON");
        let file = read_results(&before(name)).expect("a results file");
        for id in each(&written["findings"], "id") {
            assert!(file.findings.iter().any(|it| it.is_called(id)), "{name}: no {id}");
            let shown = castproof(&["show", id, "--results", text(&before(name))], "");
            assert_eq!(shown.code, 0, "{}", shown.err);
            assert!(!shown.out.contains("Hex {"), "a code is written as in Rust: {}", shown.out);
        }
        let mut read = serde_json::to_value(file).expect("serialises");
        // What is one fault was several findings.
        read["findings"] = written["findings"].clone();
        assert_eq!(read, written, "{name}");
        kinds.extend(each(&written["findings"], "kind").into_iter().map(String::from));
    }
    let due = ["default", "error", "numeric", "place", "question", "refusal"];
    assert_eq!(kinds.iter().collect::<Vec<_>>(), due);
}

#[test]
fn a_run_of_today_gives_the_findings_of_before() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, options) in RESULTS {
        let json = folder.path().join(name);
        // The older run asked every version for all vectors.
        let more = ["--all-versions=vectors", "--json", text(&json)];
        let run = gate(&[&options[..], &more].concat());
        assert_eq!(run.code, 1, "{}", run.err);
        let made = fs::read_to_string(&json).expect("a file");
        let made: Value = serde_json::from_str(&made).expect("JSON");
        let file = read_results(&before(name)).expect("a results file");
        let today = file.findings.iter().map(|it| it.id.as_str()).filter(|id| *id != OF_PLACE);
        assert_eq!(each(&made["findings"], "id"), today.collect::<Vec<_>>(), "{name}");
        // Two runs differ in nothing else.
        let diff = castproof(&["diff", text(&before(name)), text(&json)], "");
        assert_eq!(diff.code, 0, "{}{}", diff.out, diff.err);
    }
}

#[test]
fn a_baseline_expects_what_it_expected() {
    let pairs = "int8:uint8,uint16:float32,uint8:int16,bool:int32";
    let run = gate(&["--pair", pairs, "--baseline", text(&before("known.toml"))]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn a_certificate_claims_what_it_claimed() {
    let certificate = before("certificate.json");
    let verify =
        |more: &[&str]| castproof(&[&["certify", "verify", text(&certificate)], more].concat(), "");
    let run = verify(&["--allow-failures"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    for said in [
        "0xff (-1) gave 0xfe (254), expected 0xff (255)  [II-02]",
        "claimed: FAIL  256 codes swept, 1 fail",
        "1 of 1 requests verified",
        "not claimed: which build was tested",
    ] {
        assert!(run.out.contains(said), "{said}: {}", run.out);
    }
    assert_eq!(verify(&[]).code, 1);
}

#[test]
fn vectors_ask_what_they_asked() {
    let vectors = before("vectors");
    let options = ["--vectors", text(&vectors), "--pair", "int8:uint8", "--no-baseline"];
    let run = gate(&options);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("0xff (-1) gave 0xfe (254), expected 0xff (255)"), "{}", run.out);
    let right = castproof(&[&["gate", "--testee", "builtin"], &options[..]].concat(), "");
    assert_eq!(right.code, 0, "{}{}", right.out, right.err);
}
