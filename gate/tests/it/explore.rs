//! `castproof explore`: the address that is opened, and what is said where nothing can be.

use crate::common::{castproof, program};
use std::fs;
use std::process::Command;

#[test]
fn the_address_of_an_element_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("index.html"), "").expect("a file");
    let site = folder.path().to_str().expect("text");
    let words = ["explore", "half", "-0.0", "float8_e4m3fn", "--site", site];
    let run = castproof(&[&words[..], &["--print"]].concat(), "");
    let page = fs::canonicalize(folder.path().join("index.html")).expect("a file");
    let due = format!("file://{}#float16/-0.0/float8e4m3fn\n", page.display());
    assert_eq!((run.code, run.out, run.err.as_str()), (0, due, ""));
    // The first program that is found is opened.
    let mut explore = Command::new(program());
    explore.args(words).env("BROWSER", folder.path().join("no-such-program"));
    let failed = explore.output().expect("the program starts");
    let said = String::from_utf8_lossy(&failed.stderr);
    assert!(
        failed.status.code() == Some(2) && said.contains("--print shows the address"),
        "{said}"
    );
    explore.env("BROWSER", "true");
    assert!(explore.output().expect("the program starts").status.success());
}

#[test]
fn what_cannot_be_shown_is_said_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().to_str().expect("text");
    for (words, said) in [
        (&["explore", "--site", site][..], "`cargo xtask site` builds it in a clone"),
        (&["explore", "float32", "1", "2", "int8"], "castproof expect float32 1 2 int8 shows all"),
        (&["explore", "float32", "464", "flaot16"], "did you mean float16"),
    ] {
        let run = castproof(words, "");
        assert!(run.error_line().contains(said), "{words:?}: {}", run.err);
    }
}
