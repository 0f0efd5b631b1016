//! What a release offers, killed while it is written.
#![cfg(target_os = "linux")]

use castproof::vectors::sha256_hex;
use std::fs;
use std::path::Path;
use std::process::Command;

const NOTES: &str = "RELEASE_NOTES.md";
const SUMS: &str = "SHA256SUMS";

/// Fills a folder. Before the call of this number, `kill.c` kills the program; 0 kills nothing. Returns
/// the exit status and the number of calls.
fn dist(killer: &Path, folder: &Path, call: usize) -> (i32, usize) {
    let calls = tempfile::NamedTempFile::new().expect("a file");
    let mut command = Command::new(killer);
    command.arg(call.to_string()).arg(calls.path()).arg(env!("CARGO_BIN_EXE_xtask"));
    command.args(["dist", "--only", "notes", "--out"]).arg(folder);
    let status = command.output().expect("it runs").status.code().expect("an exit status");
    let text = fs::read_to_string(calls.path()).expect("the calls");
    (status, text.lines().count())
}

fn sums_of(notes: &str) -> String {
    format!("{}  {NOTES}\n", sha256_hex(notes.as_bytes()))
}

/// Digests that are there are those of the files that are there, and the next run ends as an unbroken
/// one does.
#[test]
fn digests_are_right_or_absent() {
    let tools = tempfile::tempdir().expect("a folder");
    let killer = tools.path().join("kill");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("gate");
    let source = source.join("tests/kills/kill.c");
    let built = Command::new("cc").arg(source).arg("-o").arg(&killer).status();
    assert!(built.expect("a C compiler").success());
    let older = || {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(NOTES), "older").expect("a file");
        fs::write(folder.path().join(SUMS), sums_of("older")).expect("a file");
        folder
    };
    let read = |folder: &Path, name: &str| fs::read_to_string(folder.join(name)).ok();
    let folder = older();
    let (status, calls) = dist(&killer, folder.path(), 0);
    assert!(status == 0 && calls > 10, "{status}, {calls} calls");
    let [notes, sums] = [NOTES, SUMS].map(|name| read(folder.path(), name));
    assert_eq!(sums, notes.as_deref().map(sums_of));
    for call in 1..=calls {
        let folder = older();
        assert_eq!(dist(&killer, folder.path(), call).0, 99, "call {call}");
        let there = read(folder.path(), NOTES).expect("the older or the newer file");
        assert!(there == "older" || Some(&there) == notes.as_ref(), "call {call}: {there}");
        let listed = read(folder.path(), SUMS);
        assert!(listed.is_none() || listed == Some(sums_of(&there)), "call {call}: {listed:?}");
        assert_eq!(dist(&killer, folder.path(), 0).0, 0, "call {call}");
        let after = [NOTES, SUMS].map(|name| read(folder.path(), name));
        assert_eq!(after, [notes.clone(), sums.clone()], "call {call}");
    }
}
