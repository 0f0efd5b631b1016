//! Hostile testees, files with a fault and runs that are stopped: the verdict is right or there is
//! none, an error is one line, no process is left behind, and nothing waits for ever.
#![cfg(unix)]

mod baselines;
mod books;
mod inputs;
mod journals;
mod mutate;
mod pipes;
mod processes;
mod records;
mod starts;
mod testees;
mod trust;
mod vectors;

use crate::common::{Run, program};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A wait longer than this counts as endless. It measures no speed.
const FOR_EVER: Duration = Duration::from_secs(300);

/// The interval between two looks at a condition.
const LOOK: Duration = Duration::from_millis(10);

/// The environment variable whose value marks all processes of a run, because children inherit it. No
/// journal is bound to a variable of the session.
const MARK: &str = "XDG_HOSTILE_MARK";

/// A run of the program that is still going on.
struct Running {
    child: Child,
    folder: tempfile::TempDir,
}

impl Running {
    /// Starts the program. Its output goes to files, so that it never waits for a reader.
    fn start(words: &[&str], environment: &[(&str, &str)]) -> Running {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| File::create(folder.path().join(name)).expect("a file");
        // A background job of a shell ignores some signals, and its children inherit that.
        let child = Command::new("env")
            .arg("--default-signal")
            .arg(program())
            .args(words)
            .env(MARK, folder.path())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(file("out"))
            .stderr(file("err"))
            .spawn()
            .expect("the program starts");
        Running { child, folder }
    }

    fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().expect("kill").success());
    }

    /// Waits for the end of the run. Fails the test at a panic, or if a process is left behind.
    fn end(mut self) -> Run {
        let over = within(FOR_EVER, || self.is_over());
        let text = |name| {
            let bytes = fs::read(self.folder.path().join(name)).expect("a file");
            String::from_utf8(bytes).expect("text")
        };
        let (out, err) = (text("out"), text("err"));
        if !over {
            let _ = self.child.kill();
            panic!("it does not end\n{out}{err}");
        }
        let status = self.child.wait().expect("a child");
        let code = status.code().unwrap_or_else(|| panic!("{status}\n{out}{err}"));
        self.no_process_is_left();
        let run = Run { code, out, err };
        is_harmless(&run);
        run
    }

    /// Asserts that no process of the run is left. Those that are just ending get a minute.
    fn no_process_is_left(&self) {
        let mark = format!("{MARK}={}", self.folder.path().display());
        let gone = within(Duration::from_secs(60), || processes(&mark).is_empty());
        assert!(gone, "left behind: {:?}", processes(&mark));
    }
}

/// Runs the program to its end.
fn run(words: &[&str]) -> Run {
    Running::start(words, &[]).end()
}

/// Does the condition become true in this time?
fn within(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + time;
    while !is_so() {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(LOOK);
    }
    true
}

/// Returns the command lines of all processes with this variable, except zombies.
fn processes(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let place = entry.path();
        let environment = fs::read(place.join("environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|word| word == mark.as_bytes()) {
            let words = fs::read(place.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

/// Asserts that the output is bounded and holds no control character, no command of a CI log, no
/// panic and no second verdict.
fn is_harmless(run: &Run) {
    let Run { code, out, err } = run;
    let said = || format!("exit status {code}\n{out}\n{err}");
    assert!((0..=2).contains(code) && !err.contains("panicked"), "{}", said());
    assert!(err.len() < 8192, "an error of {} bytes", err.len());
    let verdicts =
        out.lines().filter(|line| line.starts_with("PASS  ") || line.starts_with("FAIL  "));
    // The verdict is printed first and last.
    let verdicts: BTreeSet<&str> = verdicts.collect();
    assert!(verdicts.len() <= 1, "{}", said());
    for line in out.lines().chain(err.lines()) {
        assert!(line.len() < 8192, "a line of {} bytes", line.len());
        assert!(!line.chars().any(char::is_control), "{}", said());
        let start = line.trim_start();
        assert!(!start.starts_with("::") && !start.contains("##["), "{}", said());
    }
    if *code == 2 {
        run.error_line();
    }
}

/// Returns a path as text.
fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}
