//! Strings and the suites of questions, from the gate to its reports.

mod common;

use castproof::Verdict;
use castproof::results::ResultsFile;
use castproof_vectors::{DType, Suite};
use common::{castproof, testee};
use std::path::Path;
use tempfile::TempDir;

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn only_the_named_suite_is_asked() {
    let suite = ["gate", "--testee", "builtin", "--suite", "mindspore-promotion"];
    let run = castproof(&suite, "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nPASS  270 tests, 192 executed: pass 270"), "{}", run.out);
    assert!(run.out.contains("REDUCED: without onnx-cast, "), "{}", run.out);
    let run = castproof(&[&suite[..], &["--from", "int8"]].concat(), "");
    assert!(run.error_line().contains("filters of the suite onnx-cast"), "{}", run.err);
}

#[test]
fn wrong_answers_are_in_every_report() {
    let folder = folder();
    let results = folder.path().join("results.json");
    let command = testee("promotes.py", "");
    let run = castproof(&["gate", "--testee", &command, "--json", text(&results)], "");
    assert_eq!(run.code, 1, "{}", run.err);
    let line = "promote int8 uint8: gave float32, expected int16";
    assert!(run.out.contains(line), "{}", run.out);
    let file = ResultsFile::read(&results).expect("a results file");
    let runs = &file.results.suites;
    assert_eq!(runs.len(), Suite::QUESTIONS.len());
    // Every verdict is there: a question that is not listed passed.
    for run in runs {
        let passed = run.counts.judged() - run.deviations.len() as u64;
        assert_eq!(passed, run.counts.of(Verdict::Pass), "{}", run.suite.name());
    }
    let promotion = runs.iter().find(|run| run.suite == Suite::MindsporePromotion).expect("asked");
    let failing = promotion.surprises().count() as u64;
    assert!(failing > 100 && failing == promotion.counts.of(Verdict::Fail));
    for run in runs.iter().filter(|run| run.suite != Suite::MindsporePromotion) {
        assert_eq!(run.surprises().count(), 0, "{}", run.suite.name());
    }
    for (kind, expected) in [
        ("--junit", "promote int8 uint8: gave float32"),
        ("--sarif", line),
        ("--markdown", "| mindspore-promotion | "),
        ("--html", line),
    ] {
        let report = folder.path().join("report");
        let run = castproof(&["report", text(&results), kind, text(&report)], "");
        assert_eq!(run.code, 0, "{}", run.err);
        let report = std::fs::read_to_string(report).expect("a report");
        assert!(report.contains(expected), "{kind}: {report}");
    }
    let right = folder.path().join("right.json");
    let suite = ["gate", "--testee", "builtin", "--suite", "mindspore-promotion", "--json"];
    castproof(&[&suite[..], &[text(&right)]].concat(), "");
    let run = castproof(&["diff", text(&right), text(&results)], "");
    assert!(run.out.contains(&format!("\nnewly failing: {failing}\n")), "{}", run.out);
    assert!(run.out.starts_with("not compared: "), "{}", run.out);
}

#[test]
fn wrong_texts_are_findings_that_a_baseline_can_expect() {
    let folder = folder();
    let [results, baseline] =
        ["results.json", "expectations.toml"].map(|it| folder.path().join(it));
    let command = testee("zeros.py", "");
    let pair = ["gate", "--testee", &command, "--from", "float32", "--to", "string"];
    let run = castproof(&[&pair[..], &["--json", text(&results)]].concat(), "");
    assert_eq!(run.code, 1, "{}", run.err);
    let file = ResultsFile::read(&results).expect("a results file");
    let findings = &file.results.findings;
    assert!(findings.len() > 10);
    assert!(findings.iter().all(|it| it.to == DType::String && it.got.text() == "0"));
    assert!(file.results.totals().of(Verdict::Pass) > 0, "a zero is a zero");

    let known = ["--baseline", text(&baseline)];
    let update = castproof(&[&pair[..], &known, &["--update-baseline"]].concat(), "");
    assert_eq!(update.code, 1, "{}{}", update.out, update.err);
    let run = castproof(&[&pair[..], &known].concat(), "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains(" known failures; REDUCED"), "{}", run.out);
}

#[test]
fn an_update_minds_the_texts_on_which_an_error_is_no_failure() {
    let folder = folder();
    let baseline = folder.path().join("expectations.toml");
    let command = testee("zeros.py", "");
    let pair = ["gate", "--testee", &command, "--from", "string", "--to", "float32"];
    let known = [&pair[..], &["--baseline", text(&baseline)]].concat();
    let update = castproof(&[&known[..], &["--update-baseline"]].concat(), "");
    assert_eq!(update.code, 1, "{}{}", update.out, update.err);
    let run = castproof(&known, "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("known error") && run.out.contains("undefined "), "{}", run.out);
}

#[test]
fn strings_are_exported() {
    let pair = ["--from", "string", "--to", "int8"];
    let export = ["vectors", "export", "--format"];
    let lines = castproof(&[&export[..], &["jsonl"], &pair].concat(), "");
    assert!(lines.out.contains(r#""input":"-1","expect":{"code":"0xff"}"#), "{}", lines.out);
    let folder = folder();
    let out = ["--out", text(folder.path())];
    let folders = castproof(&[&export[..], &["onnx-backend"], &pair, &out].concat(), "");
    assert_eq!(folders.code, 0, "{}", folders.err);
    let mut inputs = std::fs::read_dir(folder.path()).expect("a folder").map(|entry| {
        let input = entry.expect("an entry").path().join("test_data_set_0/input_0.pb");
        std::fs::read(input).expect("an input")
    });
    assert!(inputs.all(|input| input.windows(4).any(|bytes| bytes == b"2\x02-1")));
}
