//! What a release offers, killed while it is written.
#![cfg(target_os = "linux")]

use castproof::vectors::sha256_hex;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// One part that is written, and one that a script builds and that is copied.
const PARTS: &str = "go,notes";
const NOTES: &str = "RELEASE_NOTES.md";
const SUMS: &str = "SHA256SUMS";

/// Fills a folder. Before the call of this number, `kill.c` kills the program; 0 kills nothing. Returns
/// the exit status, the number of calls, and what it said of the whole.
fn dist(killer: &Path, folder: &Path, call: usize) -> (i32, usize, String) {
    let calls = tempfile::NamedTempFile::new().expect("a file");
    let mut command = Command::new(killer);
    command.arg(call.to_string()).arg(calls.path()).arg(env!("CARGO_BIN_EXE_xtask"));
    command.args(["dist", "--only", PARTS, "--out"]).arg(folder);
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default().replace(&*folder.to_string_lossy(), "");
    let text = fs::read_to_string(calls.path()).expect("the calls");
    (output.status.code().expect("an exit status"), text.lines().count(), last)
}

type Files = BTreeMap<String, Vec<u8>>;

/// The files of a folder, without what a killed run left beside their places, of which nobody reads.
fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path());
    let named = entries.map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(&path).expect("a file"))
    });
    named.filter(|(name, _)| !name.starts_with(".castproof-")).collect()
}

/// The digests that are due of all files but themselves.
fn sums_of(files: &Files) -> Vec<u8> {
    let others = files.iter().filter(|(name, _)| *name != SUMS);
    let lines = others.map(|(name, content)| format!("{}  {name}\n", sha256_hex(content)));
    lines.collect::<String>().into_bytes()
}

/// Digests that are there are those of the files that are there, each of which is the older or the newer
/// one, and the next run ends as an unbroken one does.
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
        let sums = sums_of(&files(folder.path()));
        fs::write(folder.path().join(SUMS), sums).expect("a file");
        folder
    };
    let folder = older();
    let (status, calls, said) = dist(&killer, folder.path(), 0);
    assert!(status == 0 && calls > 15, "{status}, {calls} calls");
    let whole = files(folder.path());
    assert_eq!((whole.len(), &whole[SUMS]), (3, &sums_of(&whole)));
    for call in 1..=calls {
        let folder = older();
        assert_eq!(dist(&killer, folder.path(), call).0, 99, "call {call}");
        let there = files(folder.path());
        for (name, content) in there.iter().filter(|(name, _)| *name != SUMS) {
            let is_older = name == NOTES && content == b"older";
            assert!(is_older || *content == whole[name], "call {call}: {name} is half written");
        }
        let listed = there.get(SUMS);
        assert!(listed.is_none_or(|it| *it == sums_of(&there)), "call {call}: {listed:?}");
        let again = dist(&killer, folder.path(), 0);
        assert_eq!((again.0, &again.2), (0, &said), "call {call}");
        assert_eq!(files(folder.path()), whole, "call {call}");
    }
}
