//! Every command and option that writes, against every kind of wrong place: the place is refused in
//! one line and stays untouched, and a run removes only what it created.
#![cfg(unix)]

use crate::common::{Run, castproof, testee};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// A command that writes to one place.
struct Writer {
    name: &'static str,
    /// The words of the command; `@` is the place, `$` the folder of the inputs.
    words: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The place becomes a file, and streams are written through.
    Output,
    /// The place is a journal, which is removed when the run is complete.
    Journal,
    /// The words name a folder, and the place is a file in it of that name.
    Inside(&'static str),
}

const WRITERS: &[Writer] = &[
    output("gate --json", "gate --testee builtin --from bool --to bool --json @"),
    Writer {
        name: "gate --journal",
        words: "gate --testee builtin --from bool --to bool --journal @",
        kind: Kind::Journal,
    },
    Writer {
        name: "gate --journal --fresh",
        words: "gate --testee builtin --from bool --to bool --journal @ --fresh",
        kind: Kind::Journal,
    },
    output("report --junit", "report $/results.json --junit @"),
    output("report --sarif", "report $/results.json --sarif @"),
    output("report --markdown", "report $/results.json --markdown @"),
    output("report --html", "report $/results.json --html @"),
    output("report --compare", "report --compare $/results.json $/results.json --html @"),
    output("sweep", "sweep --testee builtin --from bool --to bool --certificate @"),
    output("sweep merge", "sweep merge $/certificate.json --certificate @"),
    Writer {
        name: "vectors export partition",
        words: "vectors export --format partition --from bool --to bool --out @",
        kind: Kind::Inside("bool__bool.json"),
    },
    Writer {
        name: "vectors export onnx-backend",
        words: "vectors export --format onnx-backend --from bool --to bool --opset 13 --out @",
        kind: Kind::Inside("model.onnx"),
    },
    output(
        "vectors export, a small file",
        "vectors export --format csv --from bool --to int8 --out @",
    ),
    Writer {
        name: "export onnx, a folder",
        words: "export onnx --opset 1 --out @",
        kind: Kind::Inside("castproof-onnx-cast-1.tar.gz"),
    },
    output(
        "export expected-failures",
        "export expected-failures --format burn --from $/results.json --out @",
    ),
    Writer {
        name: "reproduce",
        words: "reproduce 46593284d786 --results $/wrong.json --as torch --out @",
        kind: Kind::Inside("reproduce.py"),
    },
];

const fn output(name: &'static str, words: &'static str) -> Writer {
    Writer { name, words, kind: Kind::Output }
}

/// Writes the inputs of some of the commands to a new folder.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let pair = ["--testee", "builtin", "--from", "bool", "--to", "bool"];
    for (command, option, name) in
        [("gate", "--json", "results.json"), ("sweep", "--certificate", "certificate.json")]
    {
        let run = castproof(&[&[command], &pair[..], &[option, &text(name)]].concat(), "");
        assert_eq!(run.code, 0, "{}", run.err);
    }
    // The words of `reproduce` name the first test that this testee fails.
    let (command, file) = (testee("wrong.py", ""), text("wrong.json"));
    let pair = ["--pair", "float32:float8e4m3fn", "--opset", "25", "--arrangements", "none"];
    let run =
        castproof(&[&["gate", "--testee", &command, "--json", &file], &pair[..]].concat(), "");
    assert_eq!(run.code, 1, "{}", run.err);
    folder
}

impl Writer {
    fn run(&self, inputs: &Path, place: &str) -> Run {
        let words = self.words.replace('$', inputs.to_str().expect("text"));
        let words: Vec<&str> =
            words.split(' ').map(|word| if word == "@" { place } else { word }).collect();
        castproof(&words, "")
    }
}

/// Lists everything in a folder: the kind of each entry, and what it holds.
fn listing(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let kind = fs::symlink_metadata(&path).expect("it is there").file_type();
        let said = if kind.is_symlink() {
            format!("link to {}", fs::read_link(&path).expect("a link").display())
        } else if kind.is_dir() {
            found.extend(listing(&path));
            "folder".into()
        } else if kind.is_file() {
            format!("file {:?}", String::from_utf8_lossy(&fs::read(&path).expect("a file")))
        } else {
            format!("pipe {} socket {}", kind.is_fifo(), kind.is_socket())
        };
        found.insert(path, said);
    }
    found
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

/// The name of a wrong place, the function that makes it, and a text of the error.
type Wrong = (&'static str, fn(&Path), &'static str);

/// Places that every writer refuses.
const WRONG: &[Wrong] = &[
    ("a folder", |place| fs::create_dir(place).expect("a folder"), "folder"),
    (
        "a folder with files",
        |place| {
            fs::create_dir(place).expect("a folder");
            fs::write(place.join("notes"), "mine").expect("a file");
        },
        "folder",
    ),
    (
        "a link to a file",
        |place| {
            let other = place.with_file_name("other");
            fs::write(&other, "mine").expect("a file");
            symlink(other, place).expect("a link");
        },
        "symbolic link",
    ),
    ("a link to nothing", |place| symlink("nothing", place).expect("a link"), "symbolic link"),
    ("a link to a device", |place| symlink("/dev/null", place).expect("a link"), "symbolic link"),
    ("a socket", |place| drop(UnixListener::bind(place).expect("a socket")), "socket"),
];

/// Places that are refused as a journal.
const NO_JOURNAL: &[Wrong] = &[
    ("notes", |place| fs::write(place, "my notes\nof years\n").expect("a file"), "not a journal"),
    ("one line", |place| fs::write(place, "castproof").expect("a file"), "not a journal"),
    ("an empty file", |place| fs::write(place, "").expect("a file"), "not a journal"),
    ("a manifest", |place| fs::write(place, "{\"files\": {}}").expect("a file"), "not a journal"),
    ("a pipe", pipe, "it is a pipe"),
];

#[test]
fn wrong_places_are_refused_and_untouched() {
    let inputs = inputs();
    for writer in WRITERS {
        let only_journals: &[Wrong] =
            if writer.kind == Kind::Journal { NO_JOURNAL } else { Default::default() };
        for (what, make, said) in WRONG.iter().chain(only_journals) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut named = folder.path().join("place");
            let mut place = named.clone();
            if let Kind::Inside(name) = writer.kind {
                named = folder.path().to_path_buf();
                place = named.join(name);
                if name == "model.onnx" {
                    let run = writer.run(inputs.path(), named.to_str().expect("text"));
                    assert_eq!(run.code, 0, "{}", run.err);
                    let case = fs::read_dir(&named).expect("a folder").next().expect("a case");
                    place = case.expect("an entry").path().join(name);
                    fs::remove_file(&place).expect("a model");
                }
            }
            make(&place);
            let before = listing(folder.path());
            let run = writer.run(inputs.path(), named.to_str().expect("text"));
            let line = run.error_line();
            let name = place.file_name().and_then(|name| name.to_str()).expect("text");
            assert!(line.contains(said) && line.contains(name), "{}, {what}: {line}", writer.name);
            assert_eq!(listing(folder.path()), before, "{}, {what}", writer.name);
        }
    }
}

#[test]
fn a_place_without_a_folder_is_refused_before_the_work() {
    let inputs = inputs();
    for writer in WRITERS.iter().filter(|writer| !matches!(writer.kind, Kind::Inside(_))) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("none/place");
        let run = writer.run(inputs.path(), place.to_str().expect("text"));
        assert!(run.error_line().contains("none/place"), "{}: {}", writer.name, run.err);
        assert_eq!(run.out, "", "{}", writer.name);
        assert!(listing(folder.path()).is_empty());
    }
}

#[test]
fn files_are_replaced_and_streams_written_through() {
    let inputs = inputs();
    for writer in WRITERS.iter().filter(|writer| writer.kind == Kind::Output) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("place");
        let text = place.to_str().expect("text");
        fs::write(&place, "old").expect("a file");
        let run = writer.run(inputs.path(), text);
        assert_eq!(run.code, 0, "{}: {}", writer.name, run.err);
        let whole = fs::read(&place).expect("a file");
        assert!(whole.len() > 3, "{}", writer.name);
        assert_eq!(listing(folder.path()).len(), 1, "{}", writer.name);

        // A pipe, a device and standard output are written through.
        fs::remove_file(&place).expect("a file");
        pipe(&place);
        let reader = {
            let place = place.clone();
            thread::spawn(move || fs::read(place).expect("a pipe"))
        };
        assert_eq!(writer.run(inputs.path(), text).code, 0, "{}", writer.name);
        let came = reader.join().expect("it reads");
        assert!(came.len().abs_diff(whole.len()) < 64, "{}", writer.name);
        assert!(fs::symlink_metadata(&place).expect("it is there").file_type().is_fifo());
        assert_eq!(listing(folder.path()).len(), 1, "{}", writer.name);
        // The journal of a sweep lies beside its certificate, and no file can lie beside a device.
        if !writer.words.starts_with("sweep --testee") {
            assert_eq!(writer.run(inputs.path(), "/dev/null").code, 0, "{}", writer.name);
            let full = writer.run(inputs.path(), "/dev/full");
            assert!(full.error_line().contains("/dev/full"), "{}: {}", writer.name, full.err);
            let printed = writer.run(inputs.path(), "/dev/stdout");
            assert_eq!(printed.code, 0, "{}: {}", writer.name, printed.err);
            assert!(printed.out.len() + 64 > whole.len(), "{}", writer.name);
        }
    }
    assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
}

/// An output that is an input too, or another output, is refused before anything is done.
#[test]
fn an_output_is_no_input() {
    let inputs = inputs();
    let kernel = "adapters/templates/python/testee.py";
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(kernel);
    fs::copy(&kernel, inputs.path().join("kernel.py")).expect("a kernel");
    fs::write(inputs.path().join("kernel.so"), "a library").expect("a file");
    fs::write(inputs.path().join("known.toml"), "").expect("a file");
    let uint8 = "--pair uint8:float32";
    for (words, said) in [
        (
            "gate --testee builtin --pair bool:bool --baseline $/known.toml --json $/known.toml",
            "input",
        ),
        (&format!("gate --testee $/kernel.py {uint8} --json $/kernel.py"), "input"),
        (&format!("gate --library $/kernel.so {uint8} --journal $/kernel.so"), "input"),
        ("gate --testee builtin --pair bool:bool --json $/new --journal $/new", "two outputs"),
        (&format!("fuzz --library $/kernel.so {uint8} --json $/kernel.so"), "input"),
        ("report $/results.json --html $/results.json", "input"),
        ("report $/results.json --html $/new --junit $/new", "two outputs"),
        ("report $/results.json --html $/new --junit $/../$-link/new", "two outputs"),
        ("sweep merge $/certificate.json --certificate $/certificate.json", "input"),
        (&format!("sweep --library $/kernel.so {uint8} --certificate $/kernel.so"), "input"),
    ] {
        let folder = inputs.path().to_str().expect("text");
        if words.contains("$-link") {
            symlink(folder, format!("{folder}-link")).expect("a link");
        }
        let words = words.replace("$/../$", folder).replace('$', folder);
        let words = words.replace("--pair uint8:float32 --certificate", "--certificate");
        let before = listing(inputs.path());
        let run = castproof(&words.split(' ').collect::<Vec<_>>(), "");
        assert!(run.error_line().contains(said), "{words}: {}", run.err);
        assert_eq!(listing(inputs.path()), before, "{words}");
    }
    fs::remove_file(format!("{}-link", inputs.path().display())).expect("a link");
}

#[test]
fn a_device_is_no_journal() {
    let journal = WRITERS.iter().find(|writer| writer.kind == Kind::Journal).expect("one");
    let run = journal.run(Path::new("."), "/dev/null");
    assert!(run.error_line().contains("it is a device, not a journal"), "{}", run.err);
    assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
}

/// A symbolic link is refused as the place of a new baseline, and nothing is written.
#[test]
fn a_new_baseline_is_a_file_or_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("expectations.toml");
    symlink(folder.path().join("other"), &place).expect("a link");
    let words = "gate --testee builtin --from bool --to bool --update-baseline --baseline";
    let place = place.to_str().expect("text");
    let run = castproof(&words.split(' ').chain([place]).collect::<Vec<_>>(), "");
    assert!(run.error_line().contains("symbolic link"), "{}", run.err);
    assert_eq!(listing(folder.path()).len(), 1);
}

/// The results are kept even if the reader of the report goes before it is written.
#[test]
fn results_are_written_whether_the_report_is_read_or_not() {
    for (option, size) in [("--json", 1000), ("--update-baseline --baseline", 1)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (place, journal) = (folder.path().join("place"), folder.path().join("journal"));
        let program = crate::common::program();
        let shell = format!(
            "'{program}' gate --testee builtin --from int8 --to int8 --journal '{}' {option} '{}' \
             | true; exit ${{PIPESTATUS[0]}}",
            journal.display(),
            place.display()
        );
        let status = Command::new("bash").args(["-c", &shell]).status().expect("bash");
        assert_eq!(status.code(), Some(2), "{option}");
        assert!(fs::metadata(&place).expect("it is written").len() >= size, "{option}");
        assert!(journal.exists(), "the report was not delivered");
    }
}

/// If the disk is full when the results are written, the journal is kept. The next run takes over
/// all of it, including the suites of questions.
#[test]
fn a_journal_outlives_results_that_cannot_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (journal, place) = (folder.path().join("journal"), folder.path().join("results.json"));
    let text = |path: &Path| path.to_str().expect("text").to_string();
    let run = |json: &str| {
        let suites = ["--suite", "onnx-bitcast", "--suite", "tf-bitcast"];
        let words = ["gate", "--testee", "builtin", "--journal", &text(&journal), "--json", json];
        castproof(&[&words[..], &suites].concat(), "")
    };
    let full = run("/dev/full");
    assert!(full.error_line().contains("/dev/full cannot be written"), "{}", full.err);
    assert_eq!(fs::read_to_string(&journal).expect("a journal").lines().count(), 3);
    let next = run(&text(&place));
    assert_eq!(next.code, 0, "{}", next.err);
    assert!(next.out.contains("resumed: 2 of 2 pairs and suites are from"), "{}", next.out);
    assert!(!journal.exists() && place.exists());
}
