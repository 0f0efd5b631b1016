//! Compares the expanders of all languages with Rust: every code of every answer of the book whose
//! source has up to 16 bits.
//!
//! Python, Node and a C compiler are required. Without Go, the test prints that it skips Go.

use castproof_vectors::book::{BOOK_BYTES, Book, BookFile};
use castproof_vectors::{DType, Hex, OutcomeRecord, piece_of};
use flate2::read::GzDecoder;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn text() -> String {
    let mut text = String::new();
    GzDecoder::new(BOOK_BYTES).read_to_string(&mut text).expect("the book");
    text
}

/// Builds the expanders and returns the command of each language.
fn expanders(out: &Path) -> Vec<(&'static str, Vec<String>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("expand");
    let file = |name: &str| folder.join(name).display().to_string();
    let c = out.join("expand-c").display().to_string();
    let mut build = Command::new("cc");
    build.args(["-O2", "-Wall", "-Werror", "-o", &c, &file("expand.c")]);
    assert!(build.status().expect("cc").success(), "expand.c does not compile");
    let mut all = vec![
        ("C", vec![c]),
        ("JavaScript", vec!["node".into(), file("expand.mjs")]),
        ("Python", vec!["python3".into(), file("expand.py")]),
    ];
    let go = out.join("expand-go").display().to_string();
    let mut build = Command::new("go");
    build.args(["build", "-o", &go, &file("expand.go"), &file("main.go")]);
    match build.env("GO111MODULE", "off").status() {
        Ok(status) => {
            assert!(status.success(), "expand.go does not compile");
            all.push(("Go", vec![go]));
        }
        Err(error) => eprintln!("SKIPPED: the expander in Go, for go cannot be run: {error}"),
    }
    all
}

/// Compares every language with Rust, for sources of up to `bits` bits.
fn compare(bits: u32, out: &Path) {
    let text = text();
    let file: BookFile = serde_json::from_str(&text).expect("its own format");
    let dtypes = |index: usize| {
        let row = file.requests.iter().find(|row| row.answer == index).expect("a request");
        (row.from, row.to)
    };
    let numbers = file.answers.iter().enumerate().filter(|(_, answer)| answer.from_bits <= bits);
    let wanted: Vec<(DType, DType)> = numbers.map(|(index, _)| dtypes(index)).collect();
    let book = Book::new(file.clone()).expect("a book");
    let answers: Vec<_> = book
        .answers()
        .filter(|pieces| pieces.last().is_some_and(|it| it.last < 1 << bits))
        .collect();
    assert_eq!(answers.len(), wanted.len());
    for (language, command) in expanders(out) {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .arg(bits.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{language}: {error}"));
        let mut stdin = child.stdin.take().expect("a pipe");
        let feed = text.clone();
        let feeder = std::thread::spawn(move || stdin.write_all(feed.as_bytes()));
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut asked = 0u64;
        for (pieces, &(from, to)) in answers.iter().zip(&wanted) {
            for code in 0..=from.code_mask() {
                let answer = piece_of(pieces, code).expectation(from, to, code);
                let record = |it| serde_json::to_string(&OutcomeRecord::new(it, to)).expect("JSON");
                let tolerate = answer.tolerate.as_ref().map(record);
                let tolerate = tolerate.map_or(String::new(), |it| format!(",\"tolerate\":{it}"));
                let (input, expect) = (Hex::new(code, from), record(&answer.expect));
                let clause = answer.rule.as_str();
                let line = format!(
                    "{{\"input\":\"{input}\",\"expect\":{expect}{tolerate},\"clause\":\"{clause}\"}}"
                );
                let got = lines.next().and_then(Result::ok);
                assert_eq!(got.as_deref(), Some(&line[..]), "{language}: {from} to {to}");
                asked += 1;
            }
        }
        assert!(lines.next().is_none(), "{language} says more");
        assert!(child.wait().expect("it ends").success(), "{language}");
        feeder.join().expect("no panic").expect("it reads all");
        assert!(asked > 70_000, "{asked}");
    }
}

#[test]
fn all_languages_agree_up_to_8_bits() {
    compare(8, Path::new(env!("CARGO_TARGET_TMPDIR")));
}

#[test]
#[ignore = "takes minutes: cargo test -p castproof-vectors --features book -- --ignored"]
fn all_languages_agree_up_to_16_bits() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("16");
    std::fs::create_dir_all(&out).expect("a folder");
    compare(16, &out);
}
