//! Journals of whole runs of the gate: a stopped run continues, one of a changed kernel does not,
//! and no work is lost between journal and results.

use crate::common::{program, testee};
use crate::hostile::{FOR_EVER, Running, run, text, within};
#[cfg(target_os = "linux")]
use crate::kills::{compile, kill_at, run_in};
use serde_json::Value;
use std::fs;
use std::io::{Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// A kernel in its own folder, which is gated with a journal.
struct Gated {
    folder: tempfile::TempDir,
    kernel: String,
}

const PAIRS: &str = "int8:int8,uint8:uint8,int16:int16";

impl Gated {
    fn new() -> Gated {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/testees/gated.py");
        let kernel = folder.path().join("kernel.py");
        fs::copy(source, &kernel).expect("a kernel");
        let kernel = format!("python3 '{}'", kernel.display());
        Gated { folder, kernel }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn words<'a>(&'a self, journal: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let words = ["gate", "--testee", &self.kernel, "--pair", PAIRS, "--arrangements", "none"];
        [&words[..], &["--journal", journal], more].concat()
    }

    /// Starts a run. Waits until its journal has the two pairs before the one at which it stops.
    fn start_and_stop_at_int16(&self, journal: &Path) -> Running {
        fs::write(self.place("stop"), "int16").expect("a file");
        let mut running = Running::start(&self.words(text(journal), &[]), &[]);
        let lines = || fs::read_to_string(journal).unwrap_or_default().lines().count();
        assert!(within(FOR_EVER, || lines() == 3 || running.is_over()));
        assert!(!running.is_over(), "it waits for its testee");
        running
    }

    /// Kills a run after two of three pairs.
    fn killed(&self, journal: &Path) {
        let mut running = self.start_and_stop_at_int16(journal);
        running.signal("KILL");
        running.child.wait().expect("it ends");
        running.no_process_is_left();
        fs::remove_file(self.place("stop")).expect("a file");
    }

    fn change(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.place(name)).expect("a kernel");
        assert!(text.contains(from));
        fs::write(self.place(name), text.replace(from, to)).expect("a kernel");
    }
}

/// A kernel that was replaced after the run was stopped is noticed: its run does not take over the
/// results of the former kernel from the journal.
#[test]
fn a_kernel_that_was_broken_meanwhile_does_not_pass() {
    let gated = Gated::new();
    let journal = gated.place("journal");
    gated.killed(&journal);
    let before = fs::read(&journal).expect("a journal");
    gated.change("kernel.py", "SPOILED = False", "SPOILED = True");
    let words = gated.words(text(&journal), &[]);
    let again = run(&words);
    assert!(
        again.error_line().contains("with another files or settings of the testee"),
        "{}",
        again.err
    );
    assert_eq!(fs::read(&journal).expect("a journal"), before);
    let fresh = run(&gated.words(text(&journal), &["--fresh"]));
    assert_eq!(fresh.code, 1, "{}", fresh.out);
    assert!(fresh.out.contains("is begun anew, as --fresh asks"), "{}", fresh.out);
    assert!(!journal.exists());
}

/// A change of a module that the kernel loads from its own folder is noticed, too.
#[test]
fn a_module_that_was_broken_meanwhile_does_not_pass() {
    let gated = Gated::new();
    fs::write(gated.place("helper.py"), "BITS = 0\n").expect("a module");
    gated.change("kernel.py", "BITS = 0", "from helper import BITS");
    let journal = gated.place("journal");
    gated.killed(&journal);
    fs::write(gated.place("helper.py"), "BITS = 1\n").expect("a module");
    let again = run(&gated.words(text(&journal), &[]));
    assert!(
        again.error_line().contains("with another files or settings of the testee"),
        "{}",
        again.err
    );
}

/// Where it cannot be told what answers, a journal is begun anew, whatever was changed: the kernel
/// behind a script or a shell, or a module in a subfolder.
#[test]
fn what_answers_behind_a_command_is_not_taken_for_granted() {
    for behind in ["script", "shell", "subfolder"] {
        let mut gated = Gated::new();
        let kernel = text(&gated.place("kernel.py")).to_string();
        match behind {
            "script" => {
                let script = format!("#!/bin/sh\nexec python3 '{kernel}' no-digest\n");
                fs::write(gated.place("run.sh"), script).expect("a script");
                gated.kernel = format!("sh '{}'", text(&gated.place("run.sh")));
            }
            "shell" => gated.kernel = format!("sh -c 'exec python3 \"{kernel}\" no-digest'"),
            _ => {
                fs::create_dir(gated.place("inner")).expect("a folder");
                fs::write(gated.place("inner/helper.py"), "BITS = 0\n").expect("a module");
                gated.change("kernel.py", "BITS = 0", "from inner.helper import BITS");
                gated.kernel = format!("python3 '{kernel}' no-digest");
            }
        }
        let journal = gated.place("journal");
        gated.killed(&journal);
        // As long as nothing has changed, the user may say so.
        let kept = fs::read(&journal).expect("a journal");
        let unchanged = run(&gated.words(text(&journal), &["--unchanged"]));
        assert_eq!(unchanged.code, 0, "{behind}: {}", unchanged.out);
        assert!(unchanged.out.contains("resumed: 2 of "), "{behind}: {}", unchanged.out);
        fs::write(&journal, kept).expect("a journal");
        match behind {
            // Python takes a module from `__pycache__` if neither its size nor the second of its change is another.
            "subfolder" => {
                fs::write(gated.place("inner/helper.py"), "BITS = 1  # now\n").expect("a module");
            }
            _ => gated.change("kernel.py", "SPOILED = False", "SPOILED = True"),
        }
        let again = run(&gated.words(text(&journal), &[]));
        assert_eq!(again.code, 1, "{behind}: {}", again.out);
        assert!(again.out.contains("is begun anew, because it cannot be told"), "{}", again.out);
        assert!(!again.out.contains("resumed"), "{behind}: {}", again.out);
    }
}

/// What the kernel of the template in C does: it casts by a table that it reads, or by a library that it
/// loads at its first request.
const UNWATCHED: [(&str, &str); 2] = [
    (
        "a table",
        "static float table[256]; \
         FILE *file = fopen(\"$/table\", \"rb\"); \
         if (!file || fread(table, sizeof table, 1, file) != 1) exit(1); \
         fclose(file); \
         for (size_t i = 0; i < count; i++) output[i] = table[input[i]];",
    ),
    (
        "a late library",
        "void *library = dlopen(\"$/late.so\", RTLD_NOW); \
         if (!library) exit(1); \
         float (*one)(unsigned char) = (float (*)(unsigned char))dlsym(library, \"one\"); \
         for (size_t i = 0; i < count; i++) output[i] = one(input[i]);",
    ),
];

/// Writes the table and the library of [`UNWATCHED`], with this value at the code 200.
fn put_values(folder: &Path, at_200: u8) {
    let value = |code: u8| f32::from(if code == 200 { at_200 } else { code });
    let table: Vec<u8> = (0..=255).flat_map(|code| value(code).to_le_bytes()).collect();
    fs::write(folder.join("table"), table).expect("a table");
    let source = format!("float one(unsigned char x) {{ return x == 200 ? {at_200} : x; }}");
    fs::write(folder.join("late.c"), source).expect("a source");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([folder.join("late.so"), folder.join("late.c")]);
    assert!(compiler.status().expect("a C compiler").success());
}

/// No journal watches the table that a compiled testee reads, or the library that it loads late. A share
/// of what is done is asked again, which notices that it has changed.
#[test]
#[cfg(target_os = "linux")]
fn what_no_journal_watches_is_asked_again() {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("adapters");
    let template = fs::read_to_string(template.join("templates/c/testee.c")).expect("a template");
    let right = "for (size_t i = 0; i < count; i++) output[i] = input[i];";
    assert!(template.contains(right));
    for (what, kernel) in UNWATCHED {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let kernel = template.replace(right, &kernel.replace('$', text(folder.path())));
        fs::write(place("testee.c"), format!("#include <dlfcn.h>\n{kernel}")).expect("a source");
        compile(&place("testee.c"), &place("testee"));
        let testee = place("testee");
        let gate = ["gate", "--pair", "uint8:float32", "--journal", "journal", "--json", "results"];
        let sweep = ["sweep", "--from", "uint8", "--to", "float32", "--certificate", "certificate"];
        for (words, journal) in [(gate, "journal"), (sweep, "certificate.journal")] {
            let words = [&words[..], &["--testee", text(&testee)]].concat();
            put_values(folder.path(), 200);
            // All is done but the move of the results to their place.
            kill_at(folder.path(), &words, "renameat", 0);
            let kept = fs::read(place(journal)).expect("a journal");
            let again = run_in(folder.path(), &words);
            assert_eq!(again.code, 0, "{what}: {}{}", again.out, again.err);
            assert!(again.out.contains("\nresumed: "), "{what}: {}", again.out);
            assert!(again.out.contains("again, came out as before"), "{what}: {}", again.out);
            assert!(again.out.contains("that the testee reads, libraries that it loads later"));

            fs::write(place(journal), kept).expect("a journal");
            put_values(folder.path(), 201);
            let again = run_in(folder.path(), &words);
            assert_eq!(again.code, 1, "{what}: {}{}", again.out, again.err);
            let anew = "is begun anew, because it came out otherwise than before: ";
            assert!(again.out.contains(anew), "{what}: {}", again.out);
            assert!(!again.out.contains("resumed: "), "{what}: {}", again.out);
        }
    }
}

/// A testee that states another digest, or an environment that is another one, is another testee.
#[test]
fn a_journal_is_bound_to_the_environment_or_to_the_digest() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("adapters");
    let program = folder.path().join("testee");
    let source = source.join("templates/c/testee.c");
    let built = Command::new("cc").args([text(&source), "-o", text(&program)]).status();
    assert!(built.expect("a C compiler").success());
    let journal = folder.path().join("journal");
    let words = ["gate", "--testee", text(&program), "--pair", "uint8:float32", "--journal"];
    let words = [&words[..], &[text(&journal), "--json", "/dev/full"]].concat();
    let with = |mode: &str| Running::start(&words, &[("KERNEL_MODE", mode)]).end();
    assert!(with("fast").error_line().contains("/dev/full cannot be written"));
    assert!(with("fast").error_line().contains("/dev/full cannot be written"));
    let other = with("slow");
    let said = other.error_line();
    assert!(said.contains("with another files or settings of the testee ($KERNEL_MODE)"), "{said}");
}

/// A run with other options is another run, too.
#[test]
fn a_run_that_was_stopped_goes_on_and_no_other_does() {
    let gated = Gated::new();
    let [journal, whole, resumed] =
        ["journal", "whole.json", "resumed.json"].map(|it| gated.place(it));
    gated.killed(&journal);
    for other in [&["--strict"][..], &["--large", "3"], &["--timeout", "59"]] {
        let run = run(&gated.words(text(&journal), other));
        assert!(run.error_line().contains("it is of another run, with another "), "{}", run.err);
    }
    // A journal that is too old is refused.
    let old = run(&gated.words(text(&journal), &["--journal-hours", "0"]));
    assert!(old.error_line().contains("--journal-hours allows more"), "{}", old.err);

    let again = run(&gated.words(text(&journal), &["--json", text(&resumed)]));
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert!(again.out.contains("resumed: 2 of "), "{}", again.out);
    assert!(!journal.exists());
    let once = run(&gated.words(text(&gated.place("other")), &["--json", text(&whole)]));
    assert_eq!(once.code, 0, "{}", once.err);
    assert_eq!(results(&resumed), results(&whole));
}

/// Two runs never write to one journal at the same time.
#[test]
fn the_second_run_with_a_journal_is_refused_while_the_first_goes_on() {
    let gated = Gated::new();
    let journal = gated.place("journal");
    let first = gated.start_and_stop_at_int16(&journal);
    for more in [&[][..], &["--fresh"]] {
        let second = run(&gated.words(text(&journal), more));
        assert!(
            second.error_line().contains("it is being written by another run"),
            "{}",
            second.err
        );
    }
    fs::remove_file(gated.place("stop")).expect("a file");
    let first = first.end();
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    assert!(!journal.exists());
}

fn results(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("results")).expect("JSON")
}

/// The bytes that a pipe holds, less one page. The first line of a report fits in that page.
const NEARLY_FULL: usize = (1 << 16) - (1 << 12);

/// The journal is removed only after the results are on disk and the report is printed. The run is
/// killed while its report waits for a reader that never comes.
#[test]
fn a_kill_between_results_and_journal_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [journal, json] = ["journal", "results.json"].map(|name| folder.path().join(name));
    let wrong = testee("corpus.py", "always-wrong");
    let pairs = "int8:int8,uint8:uint8,int16:int16,uint16:uint16,float16:float16,bfloat16:bfloat16";
    let words = [
        "gate",
        "--testee",
        &wrong,
        "--pair",
        pairs,
        "--arrangements",
        "none",
        "--unchanged",
        "--limit-list",
        "100000",
        "--journal",
        text(&journal),
        "--json",
        text(&json),
    ];
    // Nothing is read from this pipe, so the report waits, and so does the end of the run.
    let (unread, mut pipe) = pipe().expect("a pipe");
    pipe.write_all(&[b'.'; NEARLY_FULL]).expect("room");
    let mut child = Command::new(program()).args(words).stdout(pipe).spawn().expect("it starts");
    let is_over = |child: &mut Child| child.try_wait().expect("a child").is_some();
    assert!(within(FOR_EVER, || json.exists() || is_over(&mut child)));
    assert!(!within(Duration::from_secs(1), || is_over(&mut child)), "its report is not read");
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    drop(unread);
    let first = results(&json);
    assert_eq!(first["passed"], false);
    assert!(journal.exists(), "its report was not read");
    let again = run(&words);
    assert_eq!(again.code, 1, "{}", again.err);
    assert!(
        again.out.contains("resumed: 6 of 6 pairs and suites"),
        "{}",
        again.out.lines().nth(1).unwrap_or("")
    );
    assert_eq!(results(&json), first);
    assert!(!journal.exists());
}
