//! Processes and threads: the processes that a testee starts end with the gate, however it ends.
//! Ctrl-C ends a run whatever the testee does. A sweep starts no more testees than it has work for.

use crate::common::{program, testee};
use crate::hostile::{FOR_EVER, Running, run, text, within};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A gate that a signal ends leaves no process of its testee, and no temporary file beside its
/// outputs.
#[test]
fn a_gate_that_is_killed_leaves_its_journal_and_no_process() {
    for (mode, signal) in [
        ("children-and-sleep", "KILL"),
        ("ignores-signals", "INT"),
        ("stops", "TERM"),
        ("drips", "HUP"),
        ("hello-none", "KILL"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let [begun, json, journal] =
            ["begun", "results", "journal"].map(|name| folder.path().join(name));
        let command = testee("corpus.py", mode);
        let outputs = ["--json", text(&json), "--journal", text(&journal)];
        let pair = ["--from", "int8", "--to", "int8", "--timeout", "900"];
        let words = [&["gate", "--testee", &command][..], &pair, &outputs].concat();
        let variable = if mode == "hello-none" { "HOSTILE_STARTS" } else { "HOSTILE_BEGUN" };
        let mut running = Running::start(&words, &[(variable, text(&begun))]);
        assert!(within(FOR_EVER, || begun.exists() || running.is_over()), "{mode}");
        running.signal(signal);
        running.child.wait().expect("it ends");
        running.no_process_is_left();
        for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
            assert!([&begun, &journal].contains(&&entry.path()), "{mode}: {entry:?}");
        }
    }
}

/// The sweep does not wait for an answer of its testee: the timeout is ten times `FOR_EVER`.
#[test]
fn ctrl_c_ends_a_sweep_whatever_the_testee_does() {
    for mode in [
        "sleeps",
        "drips",
        "ignores-signals",
        "stops",
        "children-and-sleep",
        "payload-breaks-off-and-sleeps",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let [begun, certificate] = ["begun", "certificate"].map(|name| folder.path().join(name));
        let command = testee("corpus.py", mode);
        let words = [
            "sweep",
            "--testee",
            &command,
            "--from",
            "int32",
            "--to",
            "int32",
            "--threads",
            "1",
            "--timeout",
            "3000",
            "--certificate",
            text(&certificate),
        ];
        let mut running = Running::start(&words, &[("HOSTILE_BEGUN", text(&begun))]);
        assert!(within(FOR_EVER, || begun.exists() || running.is_over()), "{mode}");
        running.signal("INT");
        let run = running.end();
        assert!(run.error_line().contains("interrupted; "), "{mode}: {}", run.err);
        assert!(!certificate.exists(), "{mode}");
        // Nothing is left beside the journal.
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").flatten().collect();
        assert_eq!(left.len(), 2, "{mode}: {left:?}");
    }
}

/// A sweep starts no more testees than it has work for, whatever `--threads` allows.
#[test]
fn there_are_no_more_testees_than_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let [starts, certificate] = ["starts", "certificate"].map(|name| folder.path().join(name));
    let command = testee("corpus.py", "honest");
    let words = [
        "sweep",
        "--testee",
        &command,
        "--from",
        "uint8",
        "--to",
        "uint8",
        "--threads",
        "100000",
        "--certificate",
        text(&certificate),
    ];
    let run = Running::start(&words, &[("HOSTILE_STARTS", text(&starts))]).end();
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(fs::metadata(&starts).expect("it was started").len(), 1);
}

/// A `--large` beyond its bound is an error of one line. Any number of `--threads` is taken.
#[test]
fn numbers_beyond_all_bounds_are_taken_or_refused() {
    let pair = ["--from", "int8", "--to", "int8"];
    for large in ["8589934593", "100000000000", "18446744073709551615"] {
        let run = run(&[&["gate", "--testee", "builtin", "--large", large], &pair[..]].concat());
        assert!(run.error_line().contains("8589934592"), "{}", run.err);
    }
    let threads = ["gate", "--testee", "builtin", "--threads", "18446744073709551615"];
    assert_eq!(run(&[&threads[..], &pair].concat()).code, 0);
}

/// Bytes that a testee sends beyond the due ones take no memory. Each of these runs comes to a
/// verdict in 512 MiB of addresses, of which the program itself takes a part.
#[test]
fn what_a_testee_sends_fits_into_little_memory() {
    for mode in
        ["gigabyte", "without-end", "flood-after", "long-line", "error-long", "stderr-flood"]
    {
        let command = testee("corpus.py", mode);
        let pair = ["--pair", "int8:int8", "--arrangements", "none"];
        let gate = [&["--as=536870912", program(), "gate", "--testee", &command], &pair[..]];
        let output = Command::new("prlimit").args(gate.concat()).output();
        let output = output.expect("util-linux has prlimit");
        let said = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{mode}: {said}{err}");
        assert!(said.contains("\nFAIL  "), "{mode}: {said}{err}");
    }
}

/// Returns the fewest MiB of addresses in which the system can load the program. A build with other features or for
/// other debuggers needs more.
fn least_megabytes() -> usize {
    let is_loaded = |megabytes: &usize| {
        let limit = format!("--as={}", megabytes << 20);
        let mut limited = Command::new("prlimit");
        let output = limited.args([&limit, program(), "--version"]).output();
        output.expect("util-linux has prlimit").status.success()
    };
    (8..256).find(is_loaded).expect("a quarter of a GiB is enough")
}

/// If the system gives no memory for a thread or a buffer, the program ends with status 2 and says why. If it gives none for
/// a small allocation, Rust's runtime ends the program with a line. The limit decides where it ends, so there are many
/// limits, from the least one on.
#[test]
fn memory_that_cannot_be_had_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let certificate = folder.path().join("certificate.json");
    let certificate = certificate.to_str().expect("text");
    let commands: [&[&str]; 3] = [
        &["gate", "--testee", "builtin", "--pair", "float32:float16"],
        &["fuzz", "--testee", "builtin", "--tensors", "20"],
        &["sweep", "--testee", "builtin", "--from", "int8", "--certificate", certificate],
    ];
    let mut ended = 0;
    let least = least_megabytes();
    for megabytes in
        [least, least + 1, least + 2].into_iter().chain((least + 4..least + 120).step_by(8))
    {
        let limit = format!("--as={}", megabytes << 20);
        for command in commands {
            let mut limited = Command::new("prlimit");
            limited.args([&limit, program()]).args(command).env("RUST_BACKTRACE", "0");
            let output = limited.output().expect("util-linux has prlimit");
            let err = String::from_utf8_lossy(&output.stderr);
            let at = format!("{command:?} in {megabytes} MiB: {err}");
            match output.status.code() {
                Some(0) => continue,
                Some(2) => ended += 1,
                None if err.starts_with("memory allocation of ") => continue,
                code => panic!("ended with {code:?}: {at}"),
            }
            assert!(err.contains("memory") && !err.contains("panicked"), "{at}");
        }
    }
    assert!(ended > 4, "the limits are too wide to show anything: {ended} runs ended");
}

/// If the system gives no thread, the error is one line. The limit of processes does not hold for
/// root, so root runs the program as another user.
#[test]
fn threads_that_cannot_be_had_are_one_line() {
    // Another user may have no access to the folder of the program, so the program is copied.
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let copy = folder.path().join("castproof");
    fs::copy(program(), &copy).expect("a program");
    let limited = |processes: &str, words: &[&str]| {
        let limit = ["prlimit", processes, text(&copy)];
        let other = ["setpriv", "--reuid", "4242", "--clear-groups"];
        let is_root = nix::unistd::Uid::effective().is_root();
        let all = [if is_root { &other[..] } else { &[] }, &limit, words].concat();
        let output = Command::new(all[0]).args(&all[1..]).current_dir("/").output();
        let output = output.expect("util-linux has prlimit and setpriv");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let (started, err) = limited("--nproc=100", &["--version"]);
    assert_eq!(started, Some(0), "another user cannot start the program: {err}");
    let sweep = "sweep --testee builtin --threads 30 --from int8 --certificate /dev/null";
    let gate = "gate --testee cat --from int8 --to int8";
    for (processes, command) in
        [("--nproc=1", sweep), ("--nproc=3", sweep), ("--nproc=1", gate), ("--nproc=3", gate)]
    {
        let (code, err) = limited(processes, &command.split(' ').collect::<Vec<_>>());
        assert_eq!((code, err.lines().count()), (Some(2), 1), "{processes} {command}: {err}");
        assert!(err.starts_with("castproof: "), "{processes} {command}: {err}");
    }
    // This run needs a thread only for reading the vectors. The casts of large tensors take more
    // threads if there are any.
    let large = "gate --testee builtin --jobs 1 --pair float32:float16";
    for processes in ["--nproc=1", "--nproc=2", "--nproc=3"] {
        let (code, err) = limited(processes, &large.split(' ').collect::<Vec<_>>());
        let is_refused = code == Some(2) && err.starts_with("castproof: no thread to read vectors");
        assert!(code == Some(0) || is_refused, "{processes}: ended with {code:?}: {err}");
    }
}

/// A variable or a path that is not UTF-8 is taken as it is.
#[test]
fn names_that_are_not_utf8_are_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    let certificate = folder.path().join("certificate.json");
    let strange = OsStr::from_bytes(b"lib\xff.so");
    let library = folder.path().join(strange);
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR"))
        .with_file_name("adapters")
        .join("templates/library/kernel.c");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-I", concat!(env!("CARGO_MANIFEST_DIR"), "/include"), "-o"])
        .args([&library, &kernel])
        .status();
    assert!(built.expect("a C compiler").success());
    let pair = ["--pair", "uint8:float32", "--arrangements", "none", "--journal", text(&journal)];
    let mut gate = Command::new(program());
    gate.args(["gate", "--library"]).arg(&library).args(pair).env("CASTPROOF_LOCAL", strange);
    let mut sweep = Command::new(program());
    sweep.args(["sweep", "--testee", "builtin", "--from", "int8", "--certificate"]);
    sweep.arg(&certificate).env("CASTPROOF_LOCAL", strange);
    for mut command in [gate, sweep] {
        let output = command.output().expect("the program starts");
        let err = String::from_utf8_lossy(&output.stderr);
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{command:?}: {out}{err}");
    }
}
