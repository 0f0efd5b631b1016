//! Right kernels, written in ways that differ from each other and from ours, pass: as a library and as a process. The
//! packages for C and Python have tests of the same ones.
#![cfg(unix)]

use crate::common::program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A row of the table in `right.c`.
struct Right<'a> {
    name: &'a str,
    pair: String,
    /// Most elements, a number of which they are a multiple, not 0 where no tensor is empty; 0 is no limit.
    limits: [u64; 3],
}

/// Reads `{"u8_few", "uint8", "float32", u8_few, {4096, 0, 0}},`.
fn row(line: &str) -> Option<Right<'_>> {
    let mut texts = line.trim().strip_prefix("{\"")?.split('"').step_by(2);
    let (name, from, to) = (texts.next()?, texts.next()?, texts.next()?);
    let mut limits = [0; 3];
    if let Some((_, numbers)) = line.rsplit_once(", {") {
        for (limit, number) in limits.iter_mut().zip(numbers.split([',', '}'])) {
            *limit = number.trim().parse().ok()?;
        }
    }
    Some(Right { name, pair: format!("{from}:{to}"), limits })
}

/// What the verdict says of limits.
fn stated([elements, multiple, no_empty]: [u64; 3]) -> Option<String> {
    let thousands = castproof_check::verdict::thousands;
    let all = [
        (elements > 0).then(|| format!("at most {} elements", thousands(elements))),
        (multiple > 0).then(|| format!("multiples of {multiple}")),
        (no_empty > 0).then(|| "no empty tensor".to_string()),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("; limits of the testee: {}; ", all.join(", ")))
}

#[test]
fn right_kernels_written_otherwise_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join("tests/kernels/right.c");
    let folder = tempfile::tempdir().expect("a folder");
    let built = |name: &str, more: &[&str]| -> PathBuf {
        let place = folder.path().join(name);
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-Wall", "-Wextra", "-Werror"]).args(more).arg("-o").arg(&place);
        compiler.arg("-I").arg(root.join("include"));
        compiler.arg("-I").arg(root.join("../adapters/templates/c"));
        compiler.arg(&source).args(["-lpthread", "-lm"]);
        assert!(compiler.status().expect("a C compiler").success());
        place
    };
    let library = built("libright.so", &["-shared", "-fPIC"]);
    let process = built("right", &["-DPROCESS"]);
    let text = fs::read_to_string(&source).expect("a file");
    let rights: Vec<Right<'_>> = text.lines().filter_map(row).collect();
    assert!(rights.len() >= 24, "{}", rights.len());
    for Right { name, pair, limits } in &rights {
        for (option, subject) in [("--library", &library), ("--testee", &process)] {
            let mut gate = Command::new(program());
            gate.args(["gate", "--kernel", "--pair", pair, option]).arg(subject);
            let run = gate.env("CASTPROOF_RIGHT", name).output().expect("the program starts");
            let said = String::from_utf8_lossy(&run.stdout);
            let last = said.lines().last().unwrap_or_default();
            assert!(run.status.success() && last.starts_with("PASS"), "{name}, {option}: {said}");
            match stated(*limits) {
                Some(stated) => assert!(last.contains(&stated), "{name}, {option}: {last}"),
                None => assert!(!last.contains("limits of the testee"), "{name}: {last}"),
            }
        }
    }
}
