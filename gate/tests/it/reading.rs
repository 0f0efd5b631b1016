//! Results files that cannot be trusted are refused with one line that says why.

use crate::before::before;
use crate::common::{Run, castproof};
use serde_json::{Value, json};
use std::fs;

/// Reads a results file after an edit.
fn show(edit: impl Fn(&mut Value)) -> Run {
    let written = fs::read_to_string(before("casts.json")).expect("a file");
    let mut file: Value = serde_json::from_str(&written).expect("JSON");
    edit(&mut file);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.json");
    fs::write(&path, file.to_string()).expect("a file");
    castproof(&["show", "--results", path.to_str().expect("text")], "")
}

#[test]
fn a_file_of_another_version_names_both_versions() {
    let run = show(|file| *file = json!({"format": "castproof-results/2", "tests": []}));
    let said = run.error_line();
    assert!(said.contains("its format is 'castproof-results/2'"), "{said}");
    assert!(said.contains("this program reads castproof-results/1"), "{said}");
}

#[test]
fn an_unknown_place_is_named() {
    let run = show(|file| file["misplaced"][0]["place"] = json!("the tail of x"));
    assert!(run.error_line().contains("'the tail of x' is not a place"), "{}", run.err);
}

type Edit = fn(&mut Value);

#[test]
fn a_file_whose_parts_contradict_is_refused() {
    assert_eq!(show(|_| ()).code, 0);
    let edits: [(&str, Edit); 7] = [
        ("'totals' are not the sum of 'cells' and 'suites'", |file| {
            file["totals"]["fail"] = json!(76);
        }),
        ("'totals' are not the sum of 'cells' and 'suites'", |file| {
            file["cells"].as_array_mut().expect("cells").pop();
        }),
        ("'cells' count 77 failing tests and it lists no failure", |file| {
            file["failures"] = json!([]);
        }),
        // A finding of elements does not say which tensors were not answered.
        ("'cells' count 20 errors and 'remarks' none", |file| {
            file["remarks"] = json!([]);
            file["misplaced"] = json!([{
                "opset": 28, "from": "float32", "to": "int32", "attributes": {}, "count": 9,
                "place": "the tail of 8", "sentence": "wrong", "layout": "contiguous",
            }]);
        }),
        ("'passed' is true and 'reasons' say why not", |file| file["passed"] = json!(true)),
        ("'passed' is true and some of its tests fail", |file| {
            file["passed"] = json!(true);
            file["reasons"] = json!([]);
        }),
        ("'passed' is false and 'reasons' are empty", |file| file["reasons"] = json!([])),
    ];
    for (said, edit) in edits {
        let run = show(edit);
        assert!(run.error_line().contains(said), "{said}: {}", run.err);
    }
}

#[test]
fn a_diff_of_two_testees_says_so() {
    let written = fs::read_to_string(before("casts.json")).expect("a file");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.json");
    let mut file: Value = serde_json::from_str(&written).expect("JSON");
    file["testee"]["name"] = json!("another");
    fs::write(&path, file.to_string()).expect("a file");
    let [older, newer] =
        [before("casts.json"), path].map(|it| it.to_str().expect("text").to_string());
    let note = "the testees differ: the older run is of castproof 0.1.0 (rust), the newer of \
                another 0.1.0 (rust)\n";
    let run = castproof(&["diff", &older, &newer], "");
    assert!(run.out.starts_with(note), "{}", run.out);
    let same = castproof(&["diff", &older, &older], "");
    assert!(!same.out.contains("testees"), "{}", same.out);
}
