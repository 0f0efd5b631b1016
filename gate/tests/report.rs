//! Reports: each is read back by what would read it.

mod common;

use castproof::results::ResultsFile;
use common::{castproof, testee};
use quick_junit::{Report, TestCaseStatus};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// The schema of SARIF 2.1.0, as OASIS publishes it.
const SARIF_SCHEMA: &str = include_str!("sarif-2.1.0.schema.json");

/// A results file of a testee that truncates float32 -> float8e4m3fn and supports nothing else.
fn results() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("results.json");
    let command = testee("wrong.py", "");
    let path = file.to_str().expect("text");
    let run = castproof(&["gate", "--testee", &command, "--from", "float32", "--json", path], "");
    assert_eq!(run.code, 1, "{}", run.err);
    (folder, file)
}

/// Makes one report and gives its text.
fn report(kind: &str) -> (String, ResultsFile) {
    let (folder, file) = results();
    let out = folder.path().join("report");
    let run =
        castproof(&["report", file.to_str().expect("text"), kind, out.to_str().expect("text")], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let read = fs::read_to_string(out).expect("a report");
    (read, ResultsFile::read(&file).expect("a results file"))
}

#[test]
fn junit_has_a_case_for_each_pair_and_version() {
    let (text, file) = report("--junit");
    let junit = Report::deserialize_from_str(&text).expect("JUnit XML");
    assert_eq!(junit.test_suites.len(), 10);
    let cases: Vec<_> = junit.test_suites.iter().flat_map(|suite| &suite.test_cases).collect();
    let pairs: usize = [1, 6, 9, 13, 19, 21, 23, 24, 25, 28]
        .iter()
        .map(|&version| file.results.by_pair(version).len())
        .sum();
    assert_eq!(cases.len(), pairs);
    let failed: Vec<_> = cases
        .iter()
        .filter(|case| matches!(case.status, TestCaseStatus::NonSuccess { .. }))
        .map(|case| case.name.as_str())
        .collect();
    assert_eq!(failed, ["float32 -> float8e4m3fn"; 6]);
    assert!(text.contains("rounded toward zero"), "{text}");
}

#[test]
fn sarif_validates_against_its_schema() {
    let (text, file) = report("--sarif");
    let mut schema: Value = serde_json::from_str(SARIF_SCHEMA).expect("JSON");
    // As published, this pattern has a bracket too many, and so is no regular expression.
    let language = schema.pointer_mut("/definitions/run/properties/language");
    let pattern = language.and_then(|it| it.as_object_mut()?.remove("pattern"));
    assert!(pattern.is_some(), "another edition of the schema");
    let sarif: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&sarif).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(!validator.is_valid(&serde_json::json!({"version": "2.1.0"})), "the schema is strict");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), file.results.findings.len());
}

#[test]
fn markdown_tells_the_failures() {
    let (text, file) = report("--markdown");
    assert!(text.starts_with("## ❌ castproof: wrong 0: "), "{text}");
    assert!(
        text.contains("| Cast-19 |") && text.contains("| float32 -> float8e4m3fn saturate=0 |")
    );
    let clause = &file.results.findings[0].clause;
    assert!(text.contains(&format!("| {clause} |")), "{text}");
}

#[test]
fn the_page_holds_its_results_and_loads_nothing() {
    let (text, file) = report("--html");
    let start = "<script type=\"application/json\" id=\"results\">";
    let data = text.split_once(start).expect("data").1;
    let data = data.split_once("</script>").expect("an end").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    let shown = data["runs"][0]["failures"].as_array().expect("a list").len();
    assert_eq!(shown, file.results.findings.len());
    assert!(!text.contains("http://") && !text.contains("src="), "something is loaded");
}

#[test]
fn annotations_are_one_line_each() {
    let (_folder, file) = results();
    let run = castproof(&["report", file.to_str().expect("text"), "--annotations"], "");
    assert_eq!(run.out.lines().count(), 10, "{}", run.out);
    assert!(
        run.out.lines().all(|line| line.starts_with("::error title=castproof ")),
        "{}",
        run.out
    );
}

#[test]
fn diff_tells_what_changed() {
    let (folder, wrong) = results();
    let right = folder.path().join("right.json");
    let [wrong, right] = [wrong.to_str().expect("text"), right.to_str().expect("text")];
    castproof(&["gate", "--testee", "builtin", "--from", "float32", "--json", right], "");
    let file = ResultsFile::read(wrong.as_ref()).expect("a results file");
    let failing: usize = file.results.findings.iter().map(|finding| finding.opsets.len()).sum();

    let worse = castproof(&["diff", right, wrong], "");
    assert_eq!(worse.code, 1, "{}", worse.out);
    assert!(worse.out.starts_with(&format!("newly failing: {failing}\n")), "{}", worse.out);
    assert!(worse.out.contains(&file.results.findings[0].id), "{}", worse.out);
    assert!(worse.out.contains("opset 13 float32 -> int8"), "{}", worse.out);

    let better = castproof(&["diff", wrong, right], "");
    assert_eq!(better.code, 0, "{}", better.out);
    assert!(better.out.contains(&format!("newly passing: {failing}\n")), "{}", better.out);
    assert!(better.out.ends_with("newly unsupported: 0\n"), "{}", better.out);
    let same = castproof(&["diff", wrong, wrong], "");
    assert_eq!(same.out, "newly failing: 0\nnewly passing: 0\nnewly unsupported: 0\n");
}

#[test]
fn runs_stand_side_by_side() {
    let (folder, wrong) = results();
    let right = folder.path().join("right.json");
    let page = folder.path().join("page.html");
    let [wrong, right, page] =
        [&wrong, &right, &page].map(|path| path.to_str().expect("text").to_string());
    castproof(&["gate", "--testee", "builtin", "--from", "float32", "--json", &right], "");
    let run = castproof(&["report", "--compare", &wrong, &right, "--html", &page], "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("| wrong 0 | core | 1 |"), "{}", run.out);
    assert!(run.out.contains("| castproof "), "{}", run.out);
    let refused = castproof(&["report", &wrong, &right], "");
    assert!(refused.error_line().contains("--compare"), "{}", refused.err);
}

#[test]
fn what_is_no_results_file_is_one_line() {
    let run = castproof(&["report", "Cargo.toml", "--html", "no.html"], "");
    assert!(run.error_line().contains("Cargo.toml is not what gate --json writes"), "{}", run.err);
    let run = castproof(&["diff", "no.json", "no.json"], "");
    assert!(run.error_line().contains("no.json"), "{}", run.err);
}
