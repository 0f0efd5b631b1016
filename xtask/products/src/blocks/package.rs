//! Packages of Python that a program of `witnesses` asks: `witnesses/NAME_blocks.py` reads lines and writes as many.

use super::torchao::root;
use std::io::{Seek, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Installs a package in an environment of its own, by `witnesses/requirements-NAME.txt`. Returns its Python.
pub fn install(name: &str) -> Result<PathBuf, String> {
    let venv = root().join("target/witnesses").join(name);
    let script = "test -e $VENV/done || { python3 -m venv --clear $VENV; \
                  $VENV/bin/pip install --quiet --disable-pip-version-check --require-hashes \
                  -r witnesses/requirements-$NAME.txt; touch $VENV/done; }";
    let mut command = Command::new("sh");
    command.args(["-ec", script]).env("VENV", &venv).env("NAME", name).current_dir(root());
    match command.status().is_ok_and(|status| status.success()) {
        true => Ok(venv.join("bin/python")),
        false => Err(format!("{name}: pip could not install it (is there a network?)")),
    }
}

/// Returns the answer to each line.
pub(super) fn answers(name: &str, python: &Path, lines: &[String]) -> Result<Vec<String>, String> {
    let said = |error: std::io::Error| format!("{name}: {error}");
    let mut input = tempfile::tempfile().map_err(said)?;
    input.write_all((lines.join("\n") + "\n").as_bytes()).map_err(said)?;
    input.rewind().map_err(said)?;
    let output = Command::new(python)
        .arg(format!("witnesses/{name}_blocks.py"))
        .current_dir(root())
        .stdin(Stdio::from(input))
        .output()
        .map_err(said)?;
    let answers: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect();
    if !output.status.success() || answers.len() != lines.len() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().last().unwrap_or_default();
        return Err(format!("{name} gave {} of {} answers: {last}", answers.len(), lines.len()));
    }
    Ok(answers)
}
