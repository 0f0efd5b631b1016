//! Runs the witnesses of profiles: other people's programs, which cast as a profile specifies.

mod compare;
mod page;
mod table;

use castproof_products::repository::vectors_crate;
use compare::{Compared, Difference};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use table::{Machine, WITNESSES, Witness};

/// Compares witnesses with the oracle, and writes docs/witnesses.md. `name` selects one.
///
/// # Errors
/// If there is no such witness, or one gives results that its profile does not allow.
pub(crate) fn witnesses(name: Option<&str>) -> Result<String, String> {
    let chosen: Vec<&Witness> =
        WITNESSES.iter().filter(|it| name.is_none_or(|name| it.name() == name)).collect();
    if chosen.is_empty() {
        let mut known: Vec<&str> = WITNESSES.iter().map(Witness::name).collect();
        known.dedup();
        let name = name.unwrap_or_default();
        return Err(format!("there is no witness '{name}'; known are {}", known.join(", ")));
    }
    let (mut rows, mut differences, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for witness in chosen {
        match prepared(witness) {
            Err(why) => {
                println!("not run: the witness of {}: {why}", witness.title());
                missing.push(witness.title());
            }
            Ok(version) => {
                let found = compare::compare(witness, || command(witness.run))?;
                println!("{}: {version}: {found}", witness.title());
                let Compared { differences: more, .. } = &found;
                differences.extend(more.iter().map(Difference::to_string));
                rows.push(page::Row { witness: witness.title(), version, found });
            }
        }
    }
    if !differences.is_empty() {
        let shown: Vec<String> = differences.iter().take(10).cloned().collect();
        return Err(format!("{} differences\n{}", differences.len(), shown.join("\n")));
    }
    page::write(&root().join("docs/witnesses.md"), &rows)?;
    let left = if missing.is_empty() {
        String::new()
    } else {
        format!("; not run: {}", missing.join("; "))
    };
    Ok(format!("{} witnesses agree with the oracle{left}", rows.len()))
}

/// Installs and compiles what a witness needs. Returns its version.
///
/// # Errors
/// What is missing here, in one line.
fn prepared(witness: &Witness) -> Result<String, String> {
    match witness.machine {
        Machine::Any => {}
        Machine::Flag(flag) => {
            let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
            if !info.split_whitespace().any(|word| word == flag) {
                return Err(format!("this processor has no {flag}"));
            }
        }
        Machine::Gpu => {
            if let Some(lacks) = ["nvidia-smi", "nvcc"].into_iter().find(|it| !is_installed(it)) {
                return Err(format!(
                    "it needs a GPU of NVIDIA and CUDA's toolkit; {lacks} is not here"
                ));
            }
        }
    }
    for (program, package) in witness.needs {
        if !is_installed(program) {
            install(package);
        }
        if !is_installed(program) {
            return Err(format!("{program} is not here; install Debian's package {package}"));
        }
    }
    std::fs::create_dir_all(out()).map_err(|error| format!("{}: {error}", out().display()))?;
    said(command(witness.build))?;
    let version = said(command(witness.version))?;
    version.lines().next().map(str::to_string).ok_or_else(|| "no version".into())
}

/// Is a program, or the file of a path, here?
fn is_installed(program: &str) -> bool {
    let test = if program.starts_with('/') { "test -e" } else { "command -v" };
    let found = command(&format!("{test} {program}")).stdout(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Tries to install a package. Whether it is there afterwards is asked by the caller.
fn install(package: &str) {
    let script = format!(
        "{{ apt-get install --yes --no-install-recommends {package} || \
         {{ apt-get update && apt-get install --yes --no-install-recommends {package}; }}; }} \
         >/dev/null 2>&1"
    );
    let _ = command(&script).status();
}

/// Runs a command, and returns what it prints.
fn said(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(text(&output.stderr).lines().last().unwrap_or("a command failed").to_string())
}

/// A shell command in the root of the repository. `$OUT` is the folder of what is compiled.
fn command(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(root()).env("OUT", out());
    command
}

fn root() -> PathBuf {
    vectors_crate().parent().map(Path::to_path_buf).unwrap_or_default()
}

fn out() -> PathBuf {
    root().join("target/witnesses")
}
