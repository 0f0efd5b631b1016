//! Reports: each is read back by a reader of its format.

use crate::common::{castproof, program, testee};
use castproof::finding::Kind;
use castproof::read_results;
use castproof::results::ResultsFile;
use castproof_vectors::Suite;
use quick_junit::{Report, TestCaseStatus};
use serde_json::Value;
use std::collections::BTreeMap;
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
    let run = castproof(
        &[
            "gate",
            "--testee",
            &command,
            "--from",
            "float32",
            "--arrangements",
            "none",
            "--json",
            path,
        ],
        "",
    );
    assert_eq!(run.code, 1, "{}", run.err);
    (folder, file)
}

/// Makes one report. Returns its text and the results file.
fn report(kind: &str) -> (String, ResultsFile) {
    let (folder, file) = results();
    let out = folder.path().join("report");
    let run =
        castproof(&["report", file.to_str().expect("text"), kind, out.to_str().expect("text")], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let read = fs::read_to_string(out).expect("a report");
    (read, read_results(&file).expect("a results file"))
}

#[test]
fn junit_has_a_case_for_each_pair_and_version() {
    let (text, file) = report("--junit");
    let junit = Report::deserialize_from_str(&text).expect("JUnit XML");
    let versions = castproof_vectors::versions(castproof_vectors::Operator::Cast);
    // One suite is of the run as a whole.
    assert_eq!(junit.test_suites.len(), versions.len() + 1);
    let cases: Vec<_> = junit.test_suites.iter().flat_map(|suite| &suite.test_cases).collect();
    let pairs: usize =
        versions.iter().map(|&version| file.results.by_pair(Some(version)).len()).sum();
    assert_eq!(cases.len(), pairs + 1);
    let failed: Vec<_> = cases
        .iter()
        .filter(|case| matches!(case.status, TestCaseStatus::NonSuccess { .. }))
        .map(|case| case.name.as_str())
        .collect();
    let since_float8 = versions.iter().filter(|&&version| version >= 19).count();
    let due = ["verdict"].into_iter().chain(vec!["float32 -> float8e4m3fn"; since_float8]);
    assert_eq!(failed, due.collect::<Vec<_>>());
    assert!(text.contains("rounded toward zero"), "{text}");
    // The value and the reason come first, the id last.
    let finding = file.findings.iter().find(|it| it.kind == Kind::Numeric).expect("a finding");
    let begins =
        format!("{}: {}: ", finding.place(), finding.example.sentence).replace('>', "&gt;");
    let line = text.lines().find(|line| line.contains(&begins)).expect("its line");
    assert!(line.ends_with(&format!("  {}", finding.id)), "{line}");
}

#[test]
fn sarif_validates_against_its_schema() {
    let (text, file) = report("--sarif");
    // The published pattern of languages has a bracket too many and is no regular expression.
    let corrected = SARIF_SCHEMA.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    assert_ne!(corrected, SARIF_SCHEMA, "another edition of the schema");
    let schema: Value = serde_json::from_str(&corrected).expect("JSON");
    let sarif: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&sarif).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(!validator.is_valid(&serde_json::json!({"version": "2.1.0"})), "the schema is strict");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), file.findings.len());
}

#[test]
fn markdown_tells_the_failures() {
    let (text, file) = report("--markdown");
    assert!(text.starts_with("## ❌ castproof: wrong 0: "), "{text}");
    assert!(
        text.contains("| Cast-19 |")
            && text.contains("float32 -> float8e4m3fn: rounded toward zero"),
        "{text}"
    );
    for finding in &file.findings {
        let rule = finding.rule.as_ref().expect("a rule");
        assert!(text.contains(&finding.id), "{text}");
        assert!(text.contains(&format!("[{rule}](https://")), "{text}");
    }
}

#[test]
fn the_page_holds_its_results_and_loads_nothing() {
    let (text, file) = report("--html");
    let start = "<script type=\"application/json\" id=\"results\">";
    let data = text.split_once(start).expect("data").1;
    let data = data.split_once("</script>").expect("an end").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    let shown = data["runs"][0]["failures"].as_array().expect("a list").len();
    // The page holds the first 200 failures of each pair, set of attributes and rule.
    let mut counts = BTreeMap::new();
    for finding in &file.results.failures {
        let key = (finding.from, finding.to, finding.attributes, &finding.clause);
        *counts.entry(key).or_insert(0_usize) += 1;
    }
    assert_eq!(shown, counts.values().map(|&count| count.min(200)).sum::<usize>());
    assert!(!text.contains("http://") && !text.contains("src="), "something is loaded");
}

#[test]
fn annotations_are_one_line_each() {
    let (_folder, file) = results();
    let run = castproof(&["report", file.to_str().expect("text"), "--annotations"], "");
    let file = read_results(&file).expect("a results file");
    let due = file.findings.len().min(9) + 1; // the last line says why the run fails
    assert_eq!(run.out.lines().count(), due, "{}", run.out);
    assert!(run.out.lines().all(|line| line.starts_with("::error title=castproof")), "{}", run.out);
}

#[test]
fn diff_tells_what_changed() {
    let (folder, wrong) = results();
    let right = folder.path().join("right.json");
    let [wrong, right] = [wrong.to_str().expect("text"), right.to_str().expect("text")];
    castproof(
        &[
            "gate",
            "--testee",
            "builtin",
            "--from",
            "float32",
            "--arrangements",
            "none",
            "--json",
            right,
        ],
        "",
    );
    let file = read_results(wrong.as_ref()).expect("a results file");
    let failing: usize = file.results.failures.iter().map(|finding| finding.opsets.len()).sum();

    let worse = castproof(&["diff", right, wrong], "");
    assert_eq!(worse.code, 1, "{}", worse.out);
    // Counts are written with a comma before every three digits.
    let plain = |text: &str| text.replace(',', "");
    assert!(
        plain(&worse.out).contains(&format!("\ntests newly failing: {failing}\n")),
        "{}",
        worse.out
    );
    assert!(worse.out.starts_with("the testees differ: the older run is of castproof "));
    assert!(worse.out.contains("\nfindings new: "), "{}", worse.out);
    assert!(file.findings.iter().all(|it| worse.out.contains(&it.id)), "{}", worse.out);
    assert!(worse.out.contains("opset 1 float32 -> int8"), "{}", worse.out);
    // What happened comes first, the id last, as on the screen of the gate.
    let listed = |from: &str| {
        let part = worse.out.split_once(from).expect("a list").1.lines().skip(1);
        part.take_while(|line| line.starts_with("  ")).map(String::from).collect::<Vec<_>>()
    };
    for (from, start) in [("findings new: ", "F-"), ("tests newly failing: ", "")] {
        let lines = listed(from);
        assert!(!lines.is_empty(), "{}", worse.out);
        for line in lines.iter().filter(|line| !line.starts_with("  and ")) {
            let (text, id) = line.rsplit_once("  ").expect("an id");
            let is_id = id
                .strip_prefix(start)
                .is_some_and(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
            let is_told = text.contains(" gave ") || text.contains(": accepts what ");
            assert!(is_id && is_told, "{line}");
        }
    }

    let better = castproof(&["diff", wrong, right], "");
    assert_eq!(better.code, 0, "{}", better.out);
    assert!(plain(&better.out).contains(&format!("newly passing: {failing}\n")), "{}", better.out);
    assert!(better.out.ends_with("newly unsupported: 0\n"), "{}", better.out);
    let same = castproof(&["diff", wrong, wrong], "");
    assert_eq!(
        same.out,
        "findings new: 0\nfindings gone: 0\nfindings grown: 0\nfindings shrunk: 0\n\
         tests newly failing: 0\ntests newly passing: 0\ntests newly unsupported: 0\n"
    );
}

#[test]
fn what_one_run_left_out_is_no_change() {
    let (folder, wrong) = results();
    let [opset, other] = ["opset.json", "other.json"].map(|name| folder.path().join(name));
    let [wrong, opset, other] =
        [&wrong, &opset, &other].map(|path| path.to_str().expect("text").to_string());
    let gate = |arguments: &[&str]| {
        castproof(&[&["gate", "--testee", "builtin", "--json"], arguments].concat(), "")
    };
    gate(&[&opset, "--from", "float32", "--opset", "19"]);
    gate(&[&other, "--suite", "tf-bitcast"]);

    let reduced = read_results(opset.as_ref()).expect("a results file");
    assert_eq!(reduced.reductions, ["--from float32", "--opset 19"]);
    assert_eq!(reduced.asked, [Suite::OnnxCast]);
    let file = read_results(wrong.as_ref()).expect("a results file");
    let at_19 = file.results.failures.iter().filter(|finding| finding.opsets.contains(&19));
    let better = castproof(&["diff", &wrong, &opset], "");
    assert_eq!(better.code, 0, "{}", better.out);
    assert!(better.out.contains(&format!("newly passing: {}\n", at_19.count())), "{}", better.out);
    // Both asked for elements of Cast-19, one of them for a share.
    let both = file.results.sum(|key| key.opset == Some(19)).counts;
    let alone = file.totals.judged() - both.judged();
    // The line before it says that the testees differ.
    let first = better.out.lines().nth(1).expect("lines");
    let digits: String =
        first.split(" tests ").take(1).flat_map(str::chars).filter(char::is_ascii_digit).collect();
    assert_eq!(digits, alone.to_string(), "{first}");
    let said =
        "that only the older run asked; the newer is core, REDUCED: --from float32, --opset 19";
    assert!(first.ends_with(said), "{first}");
    let worse = castproof(&["diff", &opset, &wrong], "");
    assert!(worse.out.contains("that only the newer run asked"), "{}", worse.out);
    let failing = better.out.replace("newly passing", "newly failing");
    let counted = failing.lines().rfind(|line| line.starts_with("tests newly failing"));
    let counted = counted.expect("counts");
    assert!(worse.out.contains(counted), "{}{counted}", worse.out);

    let apart = castproof(&["diff", &opset, &other], "");
    assert!(apart.error_line().contains("no test in common"), "{}", apart.err);
    assert!(apart.err.contains("without onnx-cast, onnx-castlike"), "{}", apart.err);
}

#[test]
fn suites_stand_side_by_side() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [right, wrong, markdown] =
        ["right.json", "wrong.json", "table.md"].map(|name| folder.path().join(name));
    let [right, wrong, markdown] =
        [&right, &wrong, &markdown].map(|path| path.to_str().expect("text").to_string());
    let suite = ["--suite", "mindspore-promotion", "--arrangements", "none", "--json"];
    let gate = |subject: &str, more: &[&str]| {
        castproof(&[&["gate", "--testee", subject], &suite[..], more].concat(), "")
    };
    gate("builtin", &[&right, "--suite", "tf-bitcast"]);
    gate(&testee("promotes.py", ""), &[&wrong]);
    let run = castproof(&["report", "--compare", &right, &wrong, "--markdown", &markdown], "");
    assert_eq!(run.code, 0, "{}", run.err);
    let table = fs::read_to_string(&markdown).expect("a table");
    for text in [&run.out, &table] {
        assert!(text.contains("| runtime | mindspore-promotion | tf-bitcast |\n"), "{text}");
        assert!(text.contains("| pass 192, refused 78 | pass 550, refused 158 |\n"), "{text}");
        assert!(text.contains("| not asked |\n"), "{text}");
    }

    // A test that is now unsupported is not counted as newly passing.
    let nothing = folder.path().join("nothing.json");
    let nothing = nothing.to_str().expect("text");
    let refuses = testee("spoils.py", &format!("'{}' refuses", program()));
    gate(&refuses, &[nothing]);
    let run = castproof(&["diff", &wrong, nothing], "");
    assert_eq!(run.code, 1, "{}", run.out);
    let file = read_results(wrong.as_ref()).expect("a results file");
    let (asked, answers) = (file.totals.judged(), &file.results.suites[0].deviations);
    let due = answers.iter().filter(|it| it.expected == "a refusal").count() as u64;
    assert!(run.out.contains(&format!("\ntests newly passing: {due}\n")) && due > 0, "{}", run.out);
    let lost = format!("newly unsupported: 1\n  mindspore-promotion: {} tests\n", asked - due);
    assert!(run.out.ends_with(&lost), "{}{lost}", run.out);
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
    assert!(
        run.out.contains(
            "| wrong 0 | core, REDUCED: --from float32, --arrangements none | FAIL | 4 | 0 | 1 |"
        ),
        "{}",
        run.out
    );
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

#[test]
fn a_report_without_an_output_says_what_to_name() {
    let (_folder, file) = results();
    let run = castproof(&["report", file.to_str().expect("text")], "");
    assert!(run.error_line().contains("name a file with --html, --junit"), "{}", run.err);
}
