//! Strings and the suites of questions, in the gate and in its reports.

use crate::common::{castproof, testee};
use castproof::Verdict;
use castproof::read_results;
use castproof_vectors::{DType, Suite};
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
    assert!(
        run.out.contains("\nPASS  270 tests, 192 executed: pass 192  refused 78"),
        "{}",
        run.out
    );
    assert!(run.out.contains("REDUCED: without onnx-cast, "), "{}", run.out);
    for filter in [&["--opset", "28"][..], &["--kernel"]] {
        let run = castproof(&[&suite[..], filter].concat(), "");
        assert!(run.error_line().contains("filters of suites of casts; name one"), "{}", run.err);
    }
}

#[test]
fn pairs_filter_the_questions_of_a_named_suite() {
    let run = |suite: &str, filter: &[&str]| {
        castproof(&[&["gate", "--testee", "builtin", "--suite", suite], filter].concat(), "")
    };
    // Each suite with one of its pairs, in both ways of naming it.
    for (suite, from, to) in [
        ("mindspore-promotion", "int8", "int16"),
        ("mindspore-operands", "int8", "int16"),
        ("onnx-castlike", "float32", "int8"),
        ("onnx-chain", "float32", "int8"),
        ("onnx-bitcast", "float32", "int32"),
        ("tf-bitcast", "float32", "uint8"),
        ("onnx-quantize", "float32", "int8"),
        ("blocks", "float32", "float8e4m3fn"),
        ("blocks-tensors", "float32", "float8e4m3fn"),
        ("blocks-decoded", "float8e4m3fn", "float32"),
    ] {
        let pair = format!("{from}:{to}");
        let one = run(suite, &["--pair", &pair]);
        assert_eq!(one.code, 0, "{suite}: {}{}", one.out, one.err);
        let other = run(suite, &["--from", from, "--to", to]);
        let counts = |out: &str| {
            let line = out.lines().find(|line| line.starts_with("PASS")).expect("a verdict");
            line.split("; REDUCED").next().expect("counts").to_owned()
        };
        assert_eq!(counts(&one.out), counts(&other.out));
        assert_ne!(counts(&one.out), counts(&run(suite, &["--from", from]).out), "{suite}");
        assert!(one.out.contains(&format!("REDUCED: --pair {pair}")), "{}", one.out);
    }
    let none = run("blocks", &["--pair", "int8:int16"]);
    assert_eq!(none.code, 2, "{}", none.out);
    assert_eq!(
        none.error_line(),
        "no question of blocks is let through by --pair int8:int16; leave one out"
    );
}

#[test]
fn operands_are_cast_as_the_oracle_says() {
    let suite = ["gate", "--testee", "builtin", "--suite", "mindspore-operands"];
    for level in ["core", "standard"] {
        let run = castproof(&[&suite[..], &["--level", level]].concat(), "");
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let counts = run.out.lines().find(|line| line.starts_with("mindspore-operands"));
        let counts = counts.expect("a line of the suite");
        // 78 cells are refused, and no others may be.
        assert!(counts.contains("executed: pass "), "{counts}");
        let number = |before: &str| {
            let text = counts.split(before).next().and_then(|it| it.split_whitespace().last());
            text.expect("a number").replace(',', "").parse::<u64>().expect("a number")
        };
        assert_eq!(number(" tests,"), number(" executed:") + 78, "{counts}");
        assert!(number(" executed:") > if level == "core" { 600 } else { 9_000 }, "{counts}");
        assert!(!counts.contains("fail") && !counts.contains("tolerated"), "{counts}");
    }
}

/// The testee copies codes and does not extend signs.
#[test]
fn wrong_operands_are_told() {
    let command = testee("operands.py", "");
    let run = castproof(&["gate", "--testee", &command, "--suite", "mindspore-operands"], "");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    for line in [
        ": gave int16 0x0080 and 0x007f, expected int16 0xff80 (-128) and 0x007f (127)",
        "question mindspore-operands ",
        "MS-O1]",
    ] {
        assert!(run.out.contains(line), "{line}: {}", run.out);
    }
}

#[test]
fn promoted_elements_are_shown() {
    for (arguments, expected) in [
        (
            "int8 uint8 0xff 0xff",
            r#"{"expect":{"dtype":"int16","operands":[{"code":"0xffff"},{"code":"0x00ff"}]},"clause":"MS-O1","#,
        ),
        (
            "half number:float 0x0001 0x3ff0020000001000",
            r#"{"expect":{"dtype":"float16","operands":[{"code":"0x0001"},{"code":"0x3c01"}]},"tolerate":{"dtype":"float16","operands":[{"code":"0x0001"},{"code":"0x3c00"}]},"clause":"MS-O5","#,
        ),
        (
            "complex64 double 0x3f800000,0x80000000 0x8000000000000000",
            r#"{"expect":{"dtype":"complex128","operands":[{"complex":[{"code":"0x3ff0000000000000"},{"code":"0x8000000000000000"}]},{"complex":[{"code":"0x8000000000000000"},{"code":"0x0000000000000000"}]}]},"clause":"MS-O2","#,
        ),
        ("uint16 int8 0x1 0x1", r#"{"expect":{"reject":true},"clause":"MS-A1","#),
    ] {
        let words: Vec<&str> = ["promote"].into_iter().chain(arguments.split(' ')).collect();
        let run = castproof(&words, "");
        assert!(run.out.starts_with(expected), "{arguments}: {}{}", run.out, run.err);
    }
    for (arguments, said) in [
        ("int8 uint8 0xff", "were not provided"),
        ("int8 uint8 0xff 0x100", "code 0x100 does not fit uint8"),
        ("int8 uint8 0xff 256", "uint8 does not hold 256 exactly"),
        ("int8 complex64 0xff 0x1", "'0x1' is not an element of complex64; write both parts"),
        ("int8 number:long 0xff 0x1", "unknown number 'long'"),
    ] {
        let words: Vec<&str> = ["promote"].into_iter().chain(arguments.split(' ')).collect();
        let run = castproof(&words, "");
        assert!(run.error_line().contains(said), "{arguments}: {}", run.err);
    }
}

#[test]
fn wrong_answers_are_in_every_report() {
    let folder = folder();
    let results = folder.path().join("results.json");
    let command = testee("promotes.py", "");
    let run = castproof(&["gate", "--testee", &command, "--json", text(&results)], "");
    assert_eq!(run.code, 1, "{}", run.err);
    let line = "promote int8 uint8: gave float32, expected int16";
    let answer = ": gave float32, expected ";
    assert!(run.out.contains(answer) && run.out.contains("question mindspore-"), "{}", run.out);
    let file = read_results(&results).expect("a results file");
    let runs = &file.results.suites;
    let is_default = |suite: &&Suite| Suite::WITHOUT_PROFILE.contains(suite);
    assert_eq!(runs.len(), Suite::QUESTIONS.iter().filter(is_default).count());
    // Every other verdict is listed: a question that is not listed passed.
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
        ("--sarif", answer),
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
    assert!(run.out.contains(&format!("\ntests newly failing: {failing}\n")), "{}", run.out);
    assert!(run.out.starts_with("the testees differ: "), "{}", run.out);
    assert!(run.out.contains("\nnot compared: "), "{}", run.out);
}

#[test]
fn wrong_texts_are_findings_that_a_baseline_can_expect() {
    let folder = folder();
    let [results, baseline] =
        ["results.json", "expectations.toml"].map(|it| folder.path().join(it));
    let command = testee("zeros.py", "");
    let pair = [
        "gate",
        "--testee",
        &command,
        "--from",
        "float32",
        "--to",
        "string",
        "--arrangements",
        "none",
    ];
    let run = castproof(&[&pair[..], &["--json", text(&results)]].concat(), "");
    assert_eq!(run.code, 1, "{}", run.err);
    let file = read_results(&results).expect("a results file");
    let findings = &file.results.failures;
    assert!(findings.len() > 10);
    assert!(findings.iter().all(|it| it.to == DType::String && it.got.text() == "0"));
    assert!(file.results.totals().of(Verdict::Pass) > 0, "a zero is a zero");

    let known = ["--baseline", text(&baseline)];
    let update = castproof(&[&pair[..], &known, &["--update-baseline"]].concat(), "");
    assert_eq!(update.code, 0, "{}{}", update.out, update.err);
    let run = castproof(&[&pair[..], &known].concat(), "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let end = " known failures; judged: Cast-9 to Cast-28; REDUCED";
    assert!(run.out.contains(end), "{}", run.out);
}

#[test]
fn an_update_minds_the_texts_on_which_an_error_is_no_failure() {
    let folder = folder();
    let baseline = folder.path().join("expectations.toml");
    let command = testee("zeros.py", "");
    let pair = ["gate", "--testee", &command, "--from", "string", "--to", "float32"];
    let known = [&pair[..], &["--baseline", text(&baseline)]].concat();
    let update = castproof(&[&known[..], &["--update-baseline"]].concat(), "");
    assert_eq!(update.code, 0, "{}{}", update.out, update.err);
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
