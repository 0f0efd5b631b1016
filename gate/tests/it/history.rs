//! What changed in a runtime from version to version.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// An adapter whose version is the name of its environment: version 1 has 0 for 255, version 3 int8 as well.
const TESTEE: &str = r#"
import sys, struct
sys.path.append("TEMPLATES")
import testee as template

version = sys.prefix[-1]

def uint8(payload):
    return struct.pack(f"<{len(payload)}f", *(0 if version == "1" and it == 255 else it for it in payload))

def int8(payload):
    return struct.pack(f"<{len(payload)}f", *struct.unpack(f"{len(payload)}b", payload))

casts = {("uint8", "float32"): uint8}
if version == "3":
    casts["int8", "float32"] = int8
template.serve(casts)
"#;

const MANIFEST: &str =
    "name = \"mine\"\ndescription = \"the template\"\ncommand = [\"python\", \"run.py\"]\n";

/// Writes an adapter with these releases; the last has a package that nobody can install.
fn adapter(root: &Path) {
    let mine = root.join("adapters/mine");
    fs::create_dir_all(&mine).expect("a folder");
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/templates/python");
    let testee = TESTEE.replace("TEMPLATES", &templates.display().to_string());
    fs::write(mine.join("run.py"), testee).expect("a file");
    let release = |version: &str| {
        let packages = if version == "4" { "\"no-such-package==1\"" } else { "" };
        format!("\n[[history]]\nversion = \"{version}\"\npackages = [{packages}]\n")
    };
    let releases = ["1", "2", "3", "4"].map(release).concat();
    fs::write(mine.join("adapter.toml"), format!("{MANIFEST}{releases}")).expect("a file");
}

fn history(root: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(crate::common::program());
    command.args(["history", "--adapter", "mine", "--out"]).arg(root.join("out")).args(arguments);
    command.env("CASTPROOF_ADAPTERS", root.join("adapters")).env("PIP_NO_INDEX", "1");
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn versions_are_asked_once_and_compared() {
    let root = tempfile::tempdir().expect("a temporary folder");
    adapter(root.path());
    let (code, out, err) = history(root.path(), &["--versions", "1..3"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("1 of 3: 1: asking") && err.contains("recorded "), "{err}");
    let row = "| 2 | uint8 to float32 | right since: 1 of 29 codes | uint8 0xff (255) gave 0x00000000 (0), gives 0x437f0000 (255) (";
    assert!(out.contains(row), "{out}");
    assert!(out.contains("| 3 | from and to int8 | new |"), "{out}");
    assert!(out.contains("| 1 | python-template 1 | 1 | 29 | 1 of 1 pair |"), "{out}");
    assert!(!root.path().join(".venvs/history/mine-1").exists(), "the environment is removed");

    // Nothing is asked again, and the file says what the table says.
    let (code, again, err) = history(root.path(), &["--versions", "..3"]);
    assert_eq!((code, &again), (0, &out), "{err}");
    assert!(err.lines().all(|line| line.ends_with("recorded before")), "{err}");
    let file = fs::read_to_string(root.path().join("out/history.json")).expect("a file");
    let file: Value = serde_json::from_str(&file).expect("JSON");
    assert_eq!(file["format"], "castproof-history/1");
    assert_eq!(file["changes"][0]["kind"], "mended");

    // A version that cannot be installed hides nothing of the others, and fails the run.
    let (code, out, _) = history(root.path(), &[]);
    assert!(
        code == 1 && out.contains("\nnot asked: 4: ") && out.contains("no-such-package"),
        "{out}"
    );
    assert!(out.contains(row), "{out}");
}

#[test]
fn what_cannot_be_asked_is_refused_in_one_line() {
    let root = tempfile::tempdir().expect("a temporary folder");
    adapter(root.path());
    for (arguments, due) in [
        (&["--versions", "5"][..], "--versions: there is no version '5' in the list: 1, 2, 3, 4"),
        (&["--versions", "3..2"], "in order of time"),
        (&["--versions", "4"], "no version could be asked: 4: "),
    ] {
        let (code, _, err) = history(root.path(), arguments);
        let last = err.lines().last().unwrap_or_default();
        assert!(code == 2 && last.starts_with("castproof: ") && last.contains(due), "{err}");
    }
    // A recording that is damaged is said so, and stays.
    let (code, ..) = history(root.path(), &["--versions", "2"]);
    assert_eq!(code, 0);
    let file = root.path().join("out/2.bin");
    let mut bytes = fs::read(&file).expect("a recording");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).expect("a file");
    let (code, _, err) = history(root.path(), &["--versions", "2"]);
    assert!(code == 2 && err.contains("damaged"), "{err}");
    assert_eq!(fs::read(&file).expect("a recording"), bytes);
    let manifest = root.path().join("adapters/mine/adapter.toml");
    fs::write(manifest, MANIFEST).expect("a file");
    let (code, _, err) = history(root.path(), &[]);
    assert!(code == 2 && err.contains("lists no releases as [[history]]"), "{err}");
}
