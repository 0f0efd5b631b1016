//! `castproof gate`: the builtin implementation, wrong testees, filters, vectors and results files.

use crate::common::{castproof, program, testee};
use castproof_suites::suite;
use castproof_vectors::{
    DType, FORMAT, Level, Manifest, ManifestEntry, Suite, file_name, sha256_hex,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PAIR: [&str; 4] = ["--from", "float32", "--to", "float8e4m3fn"];

fn results(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a results file");
    serde_json::from_str(&text).expect("JSON")
}

fn gate<'a>(arguments: impl IntoIterator<Item = &'a str>) -> crate::common::Run {
    let words: Vec<&str> = ["gate"].into_iter().chain(arguments).collect();
    castproof(&words, "")
}

#[test]
fn builtin_passes_every_pair_of_every_version() {
    let run = gate(["--testee", "builtin"]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    for (version, pairs) in [
        (1, 144),
        (6, 144),
        (9, 169),
        (13, 196),
        (19, 324),
        (21, 400),
        (23, 441),
        (24, 484),
        (25, 576),
        (28, 676),
    ] {
        let title = format!("Cast-{version} ");
        let summary = run.out.lines().find(|line| line.starts_with(&title));
        let summary = summary.unwrap_or_else(|| panic!("no summary of {title}"));
        assert!(summary.contains(&format!(" {pairs} of {pairs} pairs ran ")), "{summary}");
    }
    let last = run.out.lines().last().expect("a last line");
    assert!(last.starts_with("PASS  ") && !last.contains("REDUCED"), "{last}");
    let widest = run.out.lines().map(str::len).max();
    let matrix = run.out.lines().take_while(|line| !line.starts_with("Cast-1  "));
    assert!(matrix.skip(3).all(|line| line.len() <= 110), "{widest:?}");
}

#[test]
fn served_over_the_protocol_the_results_are_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = ["here.json", "served.json"].map(|name| folder.path().join(name));
    let served = format!("'{}' testee", program());
    for (subject, file) in ["builtin", &served].into_iter().zip(&files) {
        let file = file.to_str().expect("text");
        // A testee in this process is asked in more arrangements than one behind a pipe.
        let alone = ["--arrangements", "none"];
        let run = gate(
            ["--testee", subject, "--from", "float64", "--json", file].into_iter().chain(alone),
        );
        assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    }
    let [here, served] = files.map(|file| fs::read(file).expect("a results file"));
    assert!(here == served, "the results files differ");
}

#[test]
fn a_wrong_testee_fails_and_is_told_where() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("wrong.json");
    let command = testee("wrong.py", "");
    let mut arguments = vec!["--testee", &command, "--json", file.to_str().expect("text")];
    arguments.extend(["--arrangements", "none"]);
    arguments.extend(PAIR);
    let run = gate(arguments);
    assert_eq!(run.code, 1, "{}", run.err);
    let first = run.out.lines().next().expect("a first line");
    assert!(first.contains("wrong 0, level core"), "{first}");
    assert!(first.contains("REDUCED: --from float32, --to float8e4m3fn"), "{first}");
    let last = run.out.lines().last().expect("a last line");
    assert!(last.starts_with("FAIL  ") && last.contains("--to float8e4m3fn"), "{last}");
    // The verdict is printed before and after the findings, and each finding has its commands.
    let verdict = run.out.lines().nth(2).expect("a verdict");
    assert_eq!(verdict, last, "{}", run.out);
    // The value and the reason come first, the id last.
    let finding = run.out.lines().find(|line| line.starts_with("numeric  ")).expect("a finding");
    let (before, id) = finding.rsplit_once("  F-").expect("an id");
    assert!(before.ends_with(": rounded toward zero") && id.len() == 6, "{finding}");
    assert!(before.starts_with("numeric  float32 -> float8e4m3fn: 0x"), "{finding}");
    assert!(before.contains(" gave "), "{finding}");
    let versions = format!("Cast-19 to Cast-{}", castproof_vectors::NEWEST);
    assert!(run.out.contains(" gave ") && run.out.contains(&versions), "{}", run.out);
    assert!(run.out.contains("castproof show F-"), "{}", run.out);

    let results = results(&file);
    assert_eq!(results["format"], "castproof-results/1");
    assert_eq!(results["passed"], false);
    let failures = results["failures"].as_array().expect("a list");
    assert!(!failures.is_empty());
    for failure in failures {
        assert_eq!(failure["from"], "float32");
        assert!(failure["id"].as_str().expect("text").len() == 12);
        assert_ne!(failure["expect"]["code"], failure["got"]);
    }
    // Every failing test is counted once at each operator version.
    let count: u64 =
        failures.iter().map(|f| f["opsets"].as_array().expect("a list").len() as u64).sum();
    assert_eq!(results["totals"]["fail"], count);
}

#[test]
fn an_opset_without_a_version_of_its_own_is_named() {
    let run = gate(["--testee", "builtin", "--from", "int4", "--opset", "22"]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    assert!(run.out.contains("\nopset 22: Cast-21 is the version in force\n"), "{}", run.out);
    assert!(run.out.contains("\nCast-21 (opset 22)\n"), "{}", run.out);
    let last = run.out.lines().last().expect("a last line");
    assert!(last.ends_with("REDUCED: --from int4, --opset 22"), "{last}");
}

#[test]
fn nothing_executed_is_a_failure() {
    let command = testee("wrong.py", "");
    let run =
        gate(["--testee", &command, "--from", "int8", "--to", "int16", "--arrangements", "none"]);
    assert_eq!(run.code, 1);
    let last = run.out.lines().last().expect("a last line");
    assert!(last.contains("no test was executed"), "{last}");
}

#[test]
fn errors_are_one_line() {
    for (arguments, said) in [
        ("--testee builtin --from float7", "unknown dtype 'float7'"),
        ("--testee builtin --from complex64", "complex64 is not a dtype of Cast"),
        ("--testee builtin --opset 99", "opset 99 is not known"),
        ("--testee builtin --jobs 0", "a whole number of 1 or more"),
        ("--testee builtin --jobs -1", "a whole number of 1 or more"),
        ("--testee builtin --timeout -5s", "a time above 0"),
        ("--testee builtin --level huge", "unknown level 'huge'"),
        ("--testee builtin --timeout 0", "a time above 0"),
        ("--testee builtin --vectors no/such", "no/such/manifest.json cannot be read"),
        ("--testee builtin --json no/such/file.json", "no/such/file.json cannot be written"),
        ("--testee builtin --json ..", "it is a folder"),
        ("--testee no-such-program", "cannot start 'no-such-program'"),
        ("--adapter no-such-adapter", "no adapter"),
        ("--testee builtin --adapter x", "cannot be used with"),
        ("--level core", "were not provided"),
    ] {
        let run = gate(arguments.split(' '));
        assert!(run.error_line().contains(said), "{arguments}: {}", run.err);
    }
}

/// Writes a folder of vectors with one file, as the generator does, after an edit.
fn vectors(edit: impl Fn(&mut String, &mut Manifest)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = file_name(Suite::OnnxCast, DType::Float32, DType::Float8E4M3FN);
    let file = suite(DType::Float32, DType::Float8E4M3FN, Level::Core);
    let mut text = file.render();
    let entry = ManifestEntry::new(&text, file.number_of_tests);
    let mut manifest = Manifest {
        format: FORMAT.into(),
        generator_version: "0".into(),
        level: Level::Core,
        number_of_tests: file.number_of_tests,
        files: BTreeMap::from([(name.clone(), entry)]),
    };
    edit(&mut text, &mut manifest);
    fs::create_dir(folder.path().join("cast")).expect("a folder");
    fs::write(folder.path().join(name), text).expect("a file");
    let manifest = serde_json::to_string(&manifest).expect("serialises");
    fs::write(folder.path().join("manifest.json"), manifest).expect("a file");
    folder
}

#[test]
fn a_folder_of_some_pairs_is_a_reduced_run() {
    let folder = vectors(|_, _| ());
    let run = gate(["--testee", "builtin", "--vectors", folder.path().to_str().expect("text")]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    let last = run.out.lines().last().expect("a last line");
    assert!(last.contains("REDUCED: no vectors for 675 of 676 pairs"), "{last}");
    // The pairs that were not asked have no row and no column.
    let matrix =
        run.out.lines().find(|line| line.starts_with("rows: from") || line.ends_with(" ?"));
    assert_eq!(matrix, None, "{}", run.out);
}

#[test]
fn broken_vectors_are_named_with_their_place() {
    /// Edits the text and updates its digest in the manifest.
    fn damage(from: &'static str, to: &'static str) -> impl Fn(&mut String, &mut Manifest) {
        move |text, manifest| {
            assert!(text.contains(from));
            *text = text.replacen(from, to, 1);
            for entry in manifest.files.values_mut() {
                entry.sha256 = sha256_hex(text.as_bytes());
            }
        }
    }
    let folders = [
        (vectors(damage("\"groups\"", "\"groupies\"")), "unknown field `groupies`"),
        (vectors(damage("\"clause\":\"F8-S", "\"clause\":\"F9-S")), "unknown clause 'F9-S"),
        (vectors(damage("\"opsets\": [", "\"opsets\": [2,")), "group 1"),
        (vectors(damage("\"numberOfTests\": ", "\"numberOfTests\": 9")), "header: numberOfTests"),
        (vectors(|text, _| text.push(' ')), "its SHA-256 is not that of the manifest"),
        (vectors(|_, manifest| manifest.number_of_tests += 1), "manifest.json: numberOfTests is"),
        (
            vectors(|_, manifest| {
                let entry = manifest.files.values().next().expect("one").clone();
                manifest.files.insert("cast/int7__int8.json".into(), entry.clone());
                manifest.number_of_tests += entry.number_of_tests;
            }),
            "'cast/int7__int8.json' is the file of no pair",
        ),
        (vectors(|_, manifest| manifest.files.clear()), "numberOfTests is"),
        (
            vectors(|_, manifest| {
                manifest.files.clear();
                manifest.number_of_tests = 0;
            }),
            "float32__float8e4m3fn.json: not listed in the manifest",
        ),
    ];
    for (folder, said) in folders {
        let run = gate(["--testee", "builtin", "--vectors", folder.path().to_str().expect("text")]);
        let line = run.error_line();
        assert!(line.contains(said) && line.contains(".json"), "{said}: {line}");
    }
}

#[test]
fn a_results_file_replaces_the_old_one_and_leaves_nothing_beside_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("results.json");
    fs::write(&file, "old").expect("a file");
    let path = file.to_str().expect("text");
    let broken = gate(["--testee", "no-such-program", "--json", path]);
    assert_eq!(broken.code, 2);
    assert_eq!(fs::read_to_string(&file).expect("the old file"), "old");

    let run = gate(["--testee", "builtin", "--from", "bool", "--to", "bool", "--json", path]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    assert_eq!(results(&file)["passed"], true);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}
