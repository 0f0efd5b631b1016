//! Helpers that run the program in tests.

#[allow(dead_code, reason = "the tests that are served do not use it")]
pub(crate) mod right;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The exit status and the output of a run of the program.
pub(crate) struct Run {
    /// Exit status.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Run {
    /// Returns the one line on standard error of a command that could not be carried out.
    #[allow(dead_code, reason = "not every test file asks for it")]
    pub(crate) fn error_line(&self) -> &str {
        assert_eq!(self.code, 2, "exit status; stderr: {}", self.err);
        assert_eq!(self.err.lines().count(), 1, "one line is due: {}", self.err);
        self.err.strip_prefix("castproof: ").unwrap_or_else(|| panic!("{}", self.err)).trim_end()
    }
}

/// Runs the program with these arguments and this standard input.
#[allow(dead_code, reason = "the tests of hostile testees watch over their runs themselves")]
pub(crate) fn castproof(arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(program())
        .args(arguments)
        .env("CASTPROOF", program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // This fails if the program ends before it reads. Its output then shows why.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    Run {
        code: output.status.code().expect("an exit status"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Returns the path of the program.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_castproof")
}

/// Returns the command of a testee in `tests/testees`.
#[allow(dead_code, reason = "not every test file starts testees")]
pub(crate) fn testee(script: &str, mode: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/testees").join(script);
    // Without `site`, whose imports take longer than a small testee needs.
    format!("python3 -S '{}' {mode}", path.display())
}
