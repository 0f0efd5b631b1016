//! Every command, with an output that nobody reads or that is full: none panics, and all report it
//! in the same way.

use crate::common::program;
use std::fs::{File, OpenOptions};
use std::io::{PipeWriter, pipe};
use std::process::{Command, Output, Stdio};

/// A command of each kind that prints; `@` is a results file, `$` the folder of the inputs.
const PRINTERS: &[&str] = &[
    "",
    "--help",
    "--version",
    "help gate",
    "gate --help",
    "vectors",
    "certify",
    "expect float32 0x3f800001 float16",
    "explain float32 0x3f800001 float16",
    "promote int8 int16",
    "bitcast --from int8 --to int16 --shape 2,4",
    "diff-spec 13 19",
    "rules",
    "rules T-06",
    "chain float32 float64 float16",
    "plan float32 float16",
    "testee",
    "gate --testee builtin --from bool --to bool",
    "report --compare @ @",
    "report --annotations @",
    "diff @ @",
    "sweep --testee builtin --from bool --to bool --certificate $/c",
    "sweep merge $/certificate --certificate $/merged",
    "certify verify $/certificate",
    "certify sign $/certificate --key $/key",
    "certify replay $/certificate --testee builtin",
    "vectors export --format jsonl --from bool --to bool",
    "vectors export --format book",
    "vectors export --format csv --from bool --to int8",
    "vectors export --format npz --from bool --to int8",
    "vectors export --format partition --from bool --to bool --out $/partition",
    "vectors export --format onnx-backend --from bool --to bool --out $/onnx",
    "export onnx --opset 1 --out $/node-tests",
    "export expected-failures --format tract --from @",
];

/// Writes the files that some of the commands need to a new folder.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let wrong = crate::common::testee("corpus.py", "always-wrong");
    for words in [
        &[
            "gate",
            "--testee",
            &wrong,
            "--from",
            "int8",
            "--to",
            "int8",
            "--json",
            &place("results"),
        ][..],
        &[
            "sweep",
            "--testee",
            "builtin",
            "--from",
            "bool",
            "--to",
            "bool",
            "--certificate",
            &place("certificate"),
        ],
    ] {
        crate::hostile::run(words);
    }
    let keys = minisign::KeyPair::generate_unencrypted_keypair().expect("a key");
    let secret = keys.sk.to_box(None).expect("a key").into_string();
    std::fs::write(place("key"), secret).expect("a file");
    folder
}

fn words(text: &str, folder: &tempfile::TempDir) -> Vec<String> {
    let folder = folder.path().to_str().expect("text");
    let text = text.replace('$', folder).replace('@', &format!("{folder}/results"));
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_string).collect()
}

/// Runs a command with these outputs. Its input is a hello of the gate and then ends.
fn print(words: &[String], out: impl Into<Stdio>, err: impl Into<Stdio>) -> Output {
    let mut command = Command::new(program());
    command.args(words).stdin(hello()).stdout(out).stderr(err);
    command.spawn().expect("it starts").wait_with_output().expect("it ends")
}

/// Returns an input that holds a hello of the gate, which `castproof testee` answers.
fn hello() -> Stdio {
    use std::io::Write;
    let (reader, mut writer) = pipe().expect("a pipe");
    writer.write_all(b"{\"hello\":\"castproof-testee/1\"}\n").expect("a pipe has room");
    reader.into()
}

/// Returns a pipe whose reader has gone.
fn unread() -> PipeWriter {
    pipe().expect("a pipe").1
}

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("it is there")
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Every command ends with status 2 and prints no error.
#[test]
fn an_output_that_nobody_reads_ends_every_command_quietly() {
    let folder = inputs();
    for printer in PRINTERS {
        let output = print(&words(printer, &folder), unread(), Stdio::piped());
        let err = said(&output);
        assert_eq!(output.status.code(), Some(2), "'{printer}': {err}");
        // Help that was not asked for goes to standard error.
        let is_help = matches!(*printer, "" | "vectors" | "certify");
        assert!(err.is_empty() || is_help, "'{printer}': {err}");
    }
}

#[test]
fn a_full_output_is_one_line_of_every_command() {
    let folder = inputs();
    for printer in PRINTERS.iter().filter(|it| !matches!(**it, "" | "vectors" | "certify")) {
        let output = print(&words(printer, &folder), full(), Stdio::piped());
        let err = said(&output);
        assert_eq!(output.status.code(), Some(2), "'{printer}': {err}");
        assert_eq!(err.lines().count(), 1, "'{printer}': {err}");
        assert!(
            err.contains("No space left on device") && err.contains("cannot be written"),
            "'{printer}': {err}"
        );
    }
}

/// If the error cannot be written either, the exit status alone tells it.
#[test]
fn full_outputs_cause_no_panic() {
    let folder = inputs();
    for printer in PRINTERS.iter().chain(&["nonsense", "gate", "gate --testee ./none"]) {
        for err in [Stdio::from(full()), Stdio::from(unread())] {
            let output = print(&words(printer, &folder), full(), err);
            assert_eq!(output.status.code(), Some(2), "'{printer}'");
        }
    }
}

/// A command without its arguments prints help to standard error, without the word `error:`, and
/// ends with status 2.
#[test]
fn help_that_was_not_asked_for_is_help_and_no_success() {
    let folder = inputs();
    for printer in ["", "vectors", "certify"] {
        let output = print(&words(printer, &folder), Stdio::piped(), Stdio::piped());
        let err = said(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "'{printer}'");
        assert!(err.contains("Usage: castproof"), "'{printer}': {err}");
        assert!(!err.contains("error:"), "'{printer}': {err}");
    }
}

/// An error is one line of bounded length, also if an argument is long.
#[test]
fn errors_are_bounded() {
    let folder = inputs();
    let long = "x\u{1b}\n".repeat(30_000);
    for start in [
        &["expect"][..],
        &["expect", "float32", "float16"],
        &["rules"],
        &["gate", "--testee"],
        &["gate", "--adapter"],
        &["report"],
        &["--nonsense"],
        &["plan", "float32"],
        &["certify", "verify"],
    ] {
        let mut words: Vec<String> = start.iter().map(ToString::to_string).collect();
        words.push(long.clone());
        let output = print(&words, Stdio::null(), Stdio::piped());
        let err = said(&output);
        assert_eq!((output.status.code(), err.lines().count()), (Some(2), 1), "{start:?}: {err}");
        assert!(err.len() < 8192 && !err.contains('\u{1b}'), "{start:?}: {} bytes", err.len());
    }
    drop(folder);
}
