//! Kills at each system call that changes files, of every command that writes: what it writes is whole
//! or absent, and the next run says the same as an unbroken one.
#![cfg(target_os = "linux")]

use crate::common::{Run, program};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

/// What `kill.c` returns when it killed.
const KILLED: i32 = 99;

/// Returns the program that kills another one.
fn killer() -> &'static Path {
    static KILLER: OnceLock<PathBuf> = OnceLock::new();
    KILLER.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kills/kill.c");
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kill");
        compile(&source, &place);
        place
    })
}

/// Compiles a program in C.
pub(crate) fn compile(source: &Path, place: &Path) {
    let built = Command::new("cc").arg("-O1").arg(source).arg("-o").arg(place).arg("-ldl").status();
    assert!(built.expect("a C compiler").success());
}

/// Runs the program in a folder and kills it before a call, counted from 1; 0 kills nothing. Returns
/// the names of its calls too.
pub(crate) fn killed(folder: &Path, words: &[&str], call: usize) -> (Run, Vec<String>) {
    let calls = tempfile::NamedTempFile::new().expect("a file");
    let mut command = Command::new(killer());
    command.arg(call.to_string()).arg(calls.path()).arg(program()).args(words);
    let run = end(command.current_dir(folder));
    let names = fs::read_to_string(calls.path()).expect("the calls");
    (run, names.lines().map(String::from).collect())
}

/// Kills the program before the call of this name that is `last` from its end, and expects that.
pub(crate) fn kill_at(folder: &Path, words: &[&str], name: &str, last: usize) {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (run, calls) = killed(elsewhere.path(), words, 0);
    assert!(run.code < 2, "{}", run.err);
    let places: Vec<usize> =
        (1..).zip(&calls).filter(|(_, it)| *it == name).map(|(call, _)| call).collect();
    let (run, _) = killed(folder, words, places[places.len() - 1 - last]);
    assert_eq!(run.code, KILLED, "{}", run.err);
}

/// Runs the program in a folder.
pub(crate) fn run_in(folder: &Path, words: &[&str]) -> Run {
    end(Command::new(program()).args(words).current_dir(folder))
}

fn end(command: &mut Command) -> Run {
    let output = command.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Run {
        code: output.status.code().expect("an exit status"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// What of an output appears at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Each file.
    File,
    /// Each folder in the folder `out`.
    Folder,
    /// Nothing but the folder `found`, which the gate can read at any time.
    Vectors,
}

/// Files by name, with their content.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let mut all = Files::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(inner) = open.pop() {
        if !inner.exists() {
            continue;
        }
        for entry in fs::read_dir(inner).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("below it").to_str().expect("text");
            all.insert(name.into(), lasting(name, fs::read(&path).expect("a file")));
        }
    }
    all
}

/// Returns a certificate, a recording or a signature without what differs from run to run.
fn lasting(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if name.ends_with(".minisig") {
        // A signature has a random part: what is left is how long its lines are, and the comments.
        let text = String::from_utf8(bytes).expect("text");
        let line = |line: &str| match line.contains(' ') {
            true => line.to_string(),
            false => line.len().to_string(),
        };
        return text.split('\n').map(line).collect::<Vec<_>>().join("\n").into_bytes();
    }
    if name == "recording" {
        let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
        let mut line: serde_json::Value = serde_json::from_slice(&bytes[..end]).expect("JSON");
        assert!(line["date"].take().is_string());
        // The last bytes are a digest of all others.
        return [line.to_string().as_bytes(), &bytes[end..bytes.len() - 32]].concat();
    }
    if name != "certificate.json" {
        return bytes;
    }
    let mut value: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    for member in ["seal", "date", "machine"] {
        value[member].take();
    }
    for request in value["requests"].as_array_mut().expect("requests") {
        request["whole"]["milliseconds"].take();
    }
    value.to_string().into_bytes()
}

/// Is it what a killed run left beside its place?
fn is_left(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with(".castproof-"))
}

/// What a run says, without times and without what it says of its journal.
fn said(run: &Run) -> Vec<String> {
    let is_time =
        |part: &&str| part.ends_with(" s") && part[..part.len() - 2].parse::<f64>().is_ok();
    let of_journal = ["resumed: ", "journal "];
    run.out
        .lines()
        .filter(|line| !of_journal.iter().any(|it| line.starts_with(it)))
        .filter(|line| !line.contains("swept again") && !line.ends_with("it is cut off"))
        .map(|line| line.split("; ").filter(|part| !is_time(part)).collect::<Vec<_>>().join("; "))
        .collect()
}

/// Makes a folder with the files of the folder `given` of the inputs.
fn given(inputs: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in files(&inputs.join("given")).keys() {
        fs::copy(inputs.join("given").join(name), folder.path().join(name)).expect("a file");
    }
    folder
}

/// Kills a command before each of its calls. Returns how many of the next runs went on with what the
/// killed one had done.
fn at_every_call(inputs: &Path, words: &str, unit: Unit) -> usize {
    let words = words.replace('$', inputs.to_str().expect("text"));
    let words: Vec<&str> = words.split(' ').collect();
    let folder = given(inputs);
    let (whole, calls) = killed(folder.path(), &words, 0);
    assert!([0, 1, 3].contains(&whole.code), "{words:?}: {}", whole.err);
    let due = files(folder.path());
    assert!(!due.is_empty() && calls.len() > 5, "{words:?}: {calls:?}");
    let mut resumed = 0;
    for (number, name) in (1..).zip(&calls) {
        let at = format!("{words:?}, killed before call {number}, {name}");
        let folder = given(inputs);
        let (run, until) = killed(folder.path(), &words, number);
        assert_eq!(run.code, KILLED, "{at}: {}", run.err);
        assert_eq!(until, calls[..number], "{at}");
        let came = files(folder.path());
        match unit {
            Unit::Vectors => can_be_read(folder.path(), inputs, &at),
            _ => is_whole(&came, &due, unit, &at),
        }
        let again = run_in(folder.path(), &words);
        assert_eq!(again.code, whole.code, "{at}: {}", again.err);
        assert_eq!(said(&again), said(&whole), "{at}");
        let mut after = files(folder.path());
        // What was not locked yet may belong to a run that has just begun, for an hour.
        after.retain(|name, _| !(is_left(name) && name.ends_with(".new")));
        assert!(after == due, "{at}: {:?} instead of {:?}", after.keys(), due.keys());
        resumed += usize::from(again.out.contains("resumed: "));
    }
    resumed
}

/// Asserts that each output is there as it is due, or not at all.
fn is_whole(came: &Files, due: &Files, unit: Unit, at: &str) {
    // `out/test_cast_.../model.onnx` belongs to the folder of its test.
    let parts = if unit == Unit::Folder { 2 } else { usize::MAX };
    let case = |name: &str| name.split('/').take(parts).collect::<Vec<_>>().join("/");
    for (name, content) in came.iter().filter(|(name, _)| due.contains_key(*name)) {
        assert!(due[name] == *content, "{at}: {name} is half written");
        let of_case = due.keys().filter(|other| case(other) == case(name));
        of_case.for_each(|other| assert!(came.contains_key(other), "{at}: {other} is missing"));
    }
    let stranger =
        |name: &&String| !due.contains_key(*name) && !is_left(name) && !name.ends_with("journal");
    assert_eq!(came.keys().find(stranger), None, "{at}");
}

/// Asserts that the gate can replay what fuzzing has kept so far.
fn can_be_read(folder: &Path, inputs: &Path, at: &str) {
    if !folder.join("found/cast/uint8__float32.json").exists() {
        return; // nothing has been kept
    }
    let testee = inputs.join("testee");
    let words = ["gate", "--testee", testee.to_str().expect("text"), "--no-baseline"];
    let more = ["--vectors", "found", "--arrangements", "none"];
    let run = run_in(folder, &[&words[..], &more].concat());
    assert_eq!(run.code, 1, "{at}: {}{}", run.out, run.err);
}

/// Makes a testee in C that is right at all but two codes, its results, and what fuzzing finds of it.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let right = "output[i] = input[i];";
    let wrong = "output[i] = input[i] + (input[i] == 7 || input[i] == 200);";
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("adapters");
    let template = fs::read_to_string(template.join("templates/c/testee.c")).expect("a template");
    assert!(template.contains(right));
    fs::write(place("testee.c"), template.replace(right, wrong)).expect("a source");
    compile(&place("testee.c"), &place("testee"));
    let pair = ["--testee", "./testee", "--pair", "uint8:float32"];
    for (command, more) in [
        ("gate", &["--arrangements", "none", "--json", "results.json"][..]),
        ("fuzz", &["--seed", "1", "--tensors", "20", "--out", "found"]),
    ] {
        let run = run_in(folder.path(), &[&[command], &pair[..], more].concat());
        assert_eq!(run.code, 1, "{}", run.err);
    }
    folder
}

#[test]
fn the_gate() {
    let words = "gate --testee builtin --pair bool:bool,bool:uint8 --arrangements none \
        --journal journal --json results.json";
    let resumed = at_every_call(Path::new("."), words, Unit::File);
    // From the first record until the journal is removed.
    assert!(resumed >= 7, "{resumed} runs went on");
    let words = "gate --testee $/testee --pair uint8:float32 --arrangements none --limit-list 1 \
        --baseline known.toml --update-baseline";
    at_every_call(inputs().path(), words, Unit::File);
}

#[test]
fn a_sweep() {
    let words = "sweep --testee builtin --from bool --to float8e4m3fn --threads 1 \
        --certificate certificate.json";
    let resumed = at_every_call(Path::new("."), words, Unit::File);
    assert!(resumed >= 8, "{resumed} runs went on");
}

/// What is made of certificates: shares, what they are joined to, and a signature.
#[test]
fn shares_and_signatures() {
    let inputs = tempfile::tempdir().expect("a folder");
    let place = |name: &str| inputs.path().join(name);
    let share = "sweep --testee builtin --from bool --to float8e4m3fn --threads 1 --shard ";
    let resumed = at_every_call(
        inputs.path(),
        &format!("{share}1/2 --certificate certificate.json"),
        Unit::File,
    );
    assert!(resumed >= 4, "{resumed} runs went on");
    for number in ["1", "2"] {
        let words = format!("{share}{number}/2 --certificate {number}");
        let run = run_in(inputs.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, 3, "{}", run.err);
    }
    let words = "sweep merge $/1 $/2 --certificate certificate.json";
    at_every_call(inputs.path(), words, Unit::File);
    let key = minisign::KeyPair::generate_unencrypted_keypair().expect("a key").sk;
    fs::write(place("key"), key.to_box(None).expect("a key").into_string()).expect("a file");
    fs::create_dir(place("given")).expect("a folder");
    let words = ["sweep", "merge", "1", "2", "--certificate", "given/certificate.json"];
    assert_eq!(run_in(inputs.path(), &words).code, 0);
    at_every_call(inputs.path(), "certify sign certificate.json --key $/key", Unit::File);
}

#[test]
fn a_recording() {
    let words = "record --testee builtin --pair bool:bool --arrangements none --jobs 1 \
        --out recording";
    at_every_call(Path::new("."), words, Unit::File);
}

#[test]
fn fuzzing() {
    let inputs = inputs();
    let words = "fuzz --testee $/testee --pair uint8:float32 --seed 1 --tensors 20";
    at_every_call(inputs.path(), &format!("{words} --out found"), Unit::Vectors);
    at_every_call(inputs.path(), &format!("{words} --json results.json"), Unit::File);
}

#[test]
fn reports_and_exports() {
    let inputs = inputs();
    for (words, unit) in [
        ("report $/results.json --junit a --sarif b --markdown c --html d", Unit::File),
        ("report $/results.json $/results.json --compare --markdown a --html b", Unit::File),
        ("vectors export --format partition --from bool --to bool --out out", Unit::File),
        (
            "vectors export --format onnx-backend --from bool --to bool --opset 13 --out out",
            Unit::Folder,
        ),
        ("vectors export --format npz --from bool --to int8 --out out.npz", Unit::File),
        ("export onnx --vectors $/found --opset 13 --out out.tar.gz", Unit::File),
        ("export expected-failures --format burn --from $/results.json --out out", Unit::File),
    ] {
        at_every_call(inputs.path(), words, unit);
    }
}

/// Two runs never write to one folder. What the first has kept can be read while the second is refused.
#[test]
fn the_second_run_with_a_folder_is_refused_while_the_first_goes_on() {
    let inputs = inputs();
    let folder = tempfile::tempdir().expect("a folder");
    let testee = inputs.path().join("testee");
    let words = ["fuzz", "--testee", testee.to_str().expect("text"), "--pair", "uint8:float32"];
    let words = [&words[..], &["--out", "found", "--time", "600s"]].concat();
    let mut first = Command::new(program())
        .args(&words)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let kept = folder.path().join("found/cast/uint8__float32.json");
    while !kept.exists() && first.try_wait().expect("a child").is_none() {
        sleep(Duration::from_millis(5));
    }
    let second = run_in(folder.path(), &words);
    let line = second.error_line().to_string();
    first.kill().expect("it is killed");
    first.wait().expect("it ends");
    assert!(line.contains("folder found: another run is writing it"), "{line}");
    can_be_read(folder.path(), inputs.path(), "two runs");
    let third =
        run_in(folder.path(), &[&words[..5], &["--out", "found", "--tensors", "20"]].concat());
    assert_eq!(third.code, 1, "{}", third.err);
}
