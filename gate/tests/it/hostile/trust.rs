//! What others wrote is believed only as far as it can be checked, and printed only as text.

use crate::common::{castproof, program, testee};
use crate::hostile::records::seal;
use crate::hostile::{is_harmless, run, text};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sweeps uint8 with a testee that is wrong at one code. Returns the certificate.
fn failing(folder: &Path) -> PathBuf {
    let path = folder.join("failing.json");
    let flips = testee("hostile.py", "flips");
    let words = ["sweep", "--testee", &flips, "--from", "uint8", "--to", "bool"];
    let run = castproof(&[&words[..], &["--certificate", text(&path)]].concat(), "");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    path
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("text")).expect("JSON")
}

/// No text of a certificate becomes more than text, wherever it stands.
#[test]
fn a_certificate_says_nothing_but_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = failing(folder.path());
    let honest = read(&path);
    let hostile = [
        "x\nPASS  1,000,000 codes swept",
        "x\r\n::error title=forged::forged",
        "::stop-commands::forged",
        "\u{1b}[2J\u{1b}]0;forged\u{7}",
        "##[error]forged",
    ];
    let places: [&[&str]; 6] = [
        &["date"],
        &["machine"],
        &["heading", "tool"],
        &["heading", "testee", "name"],
        &["heading", "testee", "version"],
        &["heading", "testee", "language"],
    ];
    for place in places {
        for said in hostile {
            let mut forged = honest.clone();
            let mut member = &mut forged;
            for name in place {
                member = &mut member[name];
            }
            *member = json!(said);
            seal(&path, forged);
            // An honest program writes no such text, so the file is refused.
            let verified = run(&["certify", "verify", text(&path), "--allow-failures"]);
            assert_eq!(verified.code, 2, "{place:?} {said:?}: {}", verified.out);
            is_harmless(&verified);
        }
    }
}

/// A certificate that was sealed anew is not called unedited.
#[test]
fn a_new_seal_proves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = failing(folder.path());
    let mut forged = read(&path);
    forged["date"] = json!("2001-01-01T00:00:00Z");
    seal(&path, forged);
    let verified = run(&["certify", "verify", text(&path), "--allow-failures"]);
    assert_eq!(verified.code, 0, "{}", verified.err);
    assert!(verified.out.contains("its seal matches; "), "{}", verified.out);
    assert!(!verified.out.contains("not edited"), "{}", verified.out);
    assert!(verified.out.contains("anyone can seal a file anew"), "{}", verified.out);
}

/// What `certify verify` refuses is not joined, and counts beyond all bounds cause no overflow.
#[test]
fn a_merge_refuses_what_verify_refuses() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = failing(folder.path());
    let joined = folder.path().join("joined.json");
    let honest = read(&path);
    let emptied = |value: &mut Value| {
        for request in value["requests"].as_array_mut().expect("requests") {
            let found = request["whole"]["found"].as_object_mut().expect("found");
            found.retain(|key, _| key == "undefined");
        }
    };
    let counts = |value: &mut Value| {
        for request in value["requests"].as_array_mut().expect("requests") {
            request["whole"]["found"]["tolerated"] = json!(u64::MAX);
        }
    };
    let edits = [("failures emptied", &emptied as &dyn Fn(&mut Value)), ("counts", &counts)];
    for (name, edit) in edits {
        let mut forged = honest.clone();
        edit(&mut forged);
        seal(&path, forged);
        for words in [
            &["certify", "verify", text(&path), "--allow-failures"][..],
            &["sweep", "merge", text(&path), "--certificate", text(&joined)],
        ] {
            let refused = run(words);
            assert_eq!(refused.code, 2, "{name}, {words:?}: {}{}", refused.out, refused.err);
        }
        assert!(!joined.exists(), "{name}");
    }
    seal(&path, honest);
    let merged = run(&["sweep", "merge", text(&path), "--certificate", text(&joined)]);
    assert_eq!(merged.code, 1, "it claims failures: {}{}", merged.out, merged.err);
    assert!(joined.exists());
}

/// A file whose name is a command of a terminal or of a CI log stays a name.
#[test]
fn names_of_files_are_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(format!("{name}\n::error::forged\u{1b}[31m"));
    let [results, certificate, journal] = ["results", "certificate", "journal"].map(place);
    let pair = ["--testee", "builtin", "--from", "bool", "--to", "bool"];
    let files = ["--json", text(&results), "--journal", text(&journal)];
    let gated = run(&[&["gate"], &pair[..], &files].concat());
    assert_eq!(gated.code, 0, "{}", gated.err);
    let swept = run(&[&["sweep"], &pair[..], &["--certificate", text(&certificate)]].concat());
    assert_eq!(swept.code, 0, "{}", swept.err);
    let verified = run(&["certify", "verify", text(&certificate)]);
    assert_eq!(verified.code, 0, "{}", verified.err);
    assert!(verified.out.contains("\\u{a}::error::forged"), "{}", verified.out);
    let wrong = testee("wrong.py", "");
    let words = ["gate", "--testee", &wrong, "--pair", "float32:float8e4m3fn", "--arrangements"];
    let failed = run(&[&words[..], &["none", "--json", text(&results)]].concat());
    assert_eq!(failed.code, 1, "{}", failed.err);
    assert!(failed.out.contains("--results '"), "{}", failed.out);
}

/// The limit of the size of files is one line, and nothing is left behind.
#[test]
fn a_file_beyond_the_limit_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("results.json");
    // 512 bytes a block.
    let script = format!(
        "ulimit -f 1; '{}' gate --testee builtin --pair bool:bool --json '{}'",
        program(),
        place.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("results.json cannot be written") && said.lines().count() == 1, "{said}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "something is left");
}

/// What a killed run left is removed by the next one, and nothing else is.
#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("results.json");
    let left = folder.path().join(".castproof-part-a1B2c3");
    let others = [".castproof-part-notes", ".castproof-part-a1B2c3d", "notes"];
    for name in others {
        fs::write(folder.path().join(name), "mine").expect("a file");
    }
    fs::write(&left, "half of some results").expect("a file");
    let written =
        run(&["gate", "--testee", "builtin", "--pair", "bool:bool", "--json", text(&place)]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(place.exists() && !left.exists());
    assert!(others.iter().all(|name| folder.path().join(name).exists()));
}
