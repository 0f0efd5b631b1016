//! Partition files, expanded by the script in Python, against the oracle; and the book as JSON.

use crate::common::castproof;
use castproof::partition::{file, text};
use castproof_book::{BOOK_FORMAT, Book, BookFile};
use castproof_oracle::Caster;
use castproof_vectors::{Attributes, DType, OutcomeRecord, PartitionFile, Request};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Expands a partition with Python. Returns the line of each code, in order.
fn expanded(text: &str) -> Vec<serde_json::Value> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors/expand_partition.py");
    let mut child = Command::new("python3")
        .args([script.as_os_str(), "/dev/stdin".as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_script_of_forty_lines_reproduces_every_outcome() {
    use DType::*;
    for (from, to) in [
        (Float16, Float8E5M2),
        (Float16, Int16),
        (Float16, Float32),
        (Int16, Bfloat16),
        (Int16, Uint4),
        (Bfloat16, Float16),
    ] {
        let modes: &[Option<bool>] =
            if to == Float8E5M2 { &[Some(false), Some(true)] } else { &[None] };
        for &saturate in modes {
            let attributes = Attributes { saturate, round_mode: None };
            let request = Request::cast(from, to, 28).with(attributes);
            let caster = Caster::new(&request).expect("a numeric request");
            let lines = expanded(&text(&request).expect("a numeric request"));
            assert_eq!(lines.len(), 65_536, "{request}");
            for (code, line) in (0..).zip(lines) {
                let answer = caster.cast(code).expect("a code of the source");
                let expect = OutcomeRecord::new(&answer.expect, to);
                let expect = serde_json::to_value(expect).expect("JSON");
                assert_eq!(line["expect"], expect, "{request} {code:#x}");
                assert_eq!(line["input"], format!("{code:#x}"));
            }
        }
    }
}

#[test]
fn a_partition_reads_back_and_is_small() {
    let saturate = Attributes { saturate: Some(true), round_mode: None };
    let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 28).with(saturate);
    let text = text(&request).expect("a numeric request");
    let read: PartitionFile = serde_json::from_str(&text).expect("its own format");
    assert_eq!(read, file(&request).expect("a numeric request"));
    assert!(text.len() < 24_000, "2^32 codes in {} bytes", text.len());
    let unknown = text.replacen("\"opset\"", "\"note\": 1, \"opset\"", 1);
    assert!(serde_json::from_str::<PartitionFile>(&unknown).is_err());
}

#[test]
fn the_book_is_written_as_json() {
    let run = castproof(&["vectors", "export", "--format", "book"], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let book: BookFile = serde_json::from_str(&run.out).expect("a book");
    assert_eq!(book.format, BOOK_FORMAT);
    let (rows, answers) = (book.requests.len(), book.answers.len());
    assert!(rows > 17_000 && answers > 4_000, "{rows} rows, {answers} answers");
    let read = Book::new(book).expect("a book");
    let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 28);
    assert_eq!(read.pieces(&request), Book::carried().pieces(&request));
    for (words, due) in [
        (&["--out", "folder"][..], "the book goes to standard output; leave --out away"),
        (&["--from", "int8"], "the book has every cast; leave --from"),
        (&["--level", "full"], "the book has every cast; leave --from"),
    ] {
        let run = castproof(&[&["vectors", "export", "--format", "book"], words].concat(), "");
        assert!(run.out.is_empty(), "{words:?}: {}", run.out);
        assert!(run.error_line().contains(due), "{words:?}: {}", run.err);
    }
}
