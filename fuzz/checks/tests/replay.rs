//! Replays every committed regression, and the working corpus where there is one.

use castproof_fuzz::{CastInput, TARGETS, Target, decode, restated};
use std::fs;
use std::path::{Path, PathBuf};

/// The corpus is not committed. Where nobody has fuzzed, only the regressions are replayed.
#[test]
fn regressions_and_the_working_corpus_hold() {
    for target in TARGETS {
        let replayed = replay(target, "regressions");
        assert!(replayed > 0, "regressions/{} is empty", target.0);
        replay(target, "corpus");
    }
}

/// The name of a file states its meaning, which a new dtype or operator version must not change.
#[test]
fn cast_regressions_are_what_they_are_called() {
    for path in files(&folder("regressions", "cast")) {
        let bytes = fs::read(&path).expect("is readable");
        let input: CastInput = decode(&bytes).expect("a whole input");
        let request = input.request.request();
        let (from, to) = (request.from, request.to);
        let meaning = format!(
            "{from}_to_{to}_opset{}_{}",
            request.spec.opset().expect("of ONNX"),
            from.hex(input.code)
        );
        let called = path.to_string_lossy();
        assert!(called.ends_with(&meaning), "{called} means {meaning}");
    }
}

/// Restating an input that does not fail keeps its meaning; restating it again changes nothing.
#[test]
fn restated_inputs_keep_their_meaning() {
    for path in files(&folder("regressions", "cast")) {
        let bytes = fs::read(&path).expect("is readable");
        let (meaning, plain) = restated(&bytes).expect("a whole input");
        assert!(path.to_string_lossy().ends_with(&meaning), "{} means {meaning}", path.display());
        assert_eq!(restated(&plain), Ok((meaning, plain.clone())));
    }
    assert!(restated(b"short").is_err());
}

/// Replays a folder of inputs and returns their number. If one panics, its path is printed last.
fn replay((name, check): Target, kind: &str) -> usize {
    let files = files(&folder(kind, name));
    for path in &files {
        eprintln!("{}", path.display());
        let bytes = fs::read(path).expect("is readable");
        let decoded = check(&bytes);
        assert!(decoded.is_ok() || kind == "corpus", "{}: too short", path.display());
    }
    files.len()
}

fn folder(kind: &str, target: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", kind, target].iter().collect()
}

/// Returns the sorted files of a folder; none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("is readable").path()).collect();
    files.sort();
    files
}
