//! Adapters: testees for other people's runtimes, kept in the repository's `adapters` folder.

use super::process::Launch;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that names the adapters folder; without it, the folder is searched
/// upwards from the current one.
pub const FOLDER_VARIABLE: &str = "CASTPROOF_ADAPTERS";

/// The adapter of this name.
///
/// # Errors
/// If there is no such adapter, its description cannot be read, its Python environment is missing,
/// or its build fails.
pub fn find(name: &str) -> Result<Found> {
    let adapters = adapters_folder()?;
    let launch = launch(&adapters, name)?;
    let expectations = adapters.join(name).join("expectations.toml");
    Ok(Found { launch, expectations })
}

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How to start it.
    pub launch: Launch,
    /// Its file of known failures, whether it exists or not.
    pub expectations: PathBuf,
}

/// `adapter.toml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adapter {
    name: String,
    /// For people.
    #[serde(rename = "description")]
    _description: String,
    /// Program and arguments, run in the adapter's folder. The program `python` stands for the
    /// interpreter of `venv`.
    command: Vec<String>,
    /// Python environment, relative to the folder that holds `adapters`.
    venv: Option<String>,
    /// Program and arguments that run before, in the same folder, however long they take.
    #[serde(default)]
    build: Vec<String>,
}

fn adapters_folder() -> Result<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE) {
        return fs::canonicalize(&folder)
            .with_context(|| format!("{FOLDER_VARIABLE} is {}", folder.display()));
    }
    let here = env::current_dir().context("the current folder cannot be found")?;
    here.ancestors()
        .map(|folder| folder.join("adapters"))
        .find(|folder| folder.is_dir())
        .with_context(|| {
            format!("no 'adapters' folder in or above the current one; set {FOLDER_VARIABLE}")
        })
}

fn launch(adapters: &Path, name: &str) -> Result<Launch> {
    let known = known(adapters)?;
    if !known.iter().any(|adapter| adapter == name) {
        bail!("no adapter '{name}'; {} has {}", adapters.display(), known.join(", "));
    }
    let folder = adapters.join(name);
    let path = folder.join("adapter.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let adapter: Adapter = toml::from_str(&text)
        .map_err(|error| anyhow::anyhow!("{}: {}", path.display(), error.message()))?;
    if adapter.name != name {
        bail!("{}: its name is '{}', its folder is '{name}'", path.display(), adapter.name);
    }
    let mut command = adapter.command;
    let Some(program) = command.first_mut() else {
        bail!("{}: its command is empty", path.display());
    };
    if let (Some(venv), true) = (adapter.venv, program == "python") {
        let root = adapters.parent().unwrap_or(Path::new("/"));
        let interpreter = root.join(&venv).join("bin/python");
        if !interpreter.is_file() {
            // The shared environment is always made, an adapter's own only when asked for.
            let option = if venv == ".venv" { "".into() } else { format!(" --adapters {name}") };
            bail!("adapter {name} needs the Python environment {venv}; run ./setup.sh{option}");
        }
        *program = interpreter.display().to_string();
    }
    build(&adapter.build, &folder).with_context(|| format!("adapter {name}"))?;
    Ok(Launch { command, folder: Some(folder) })
}

/// Runs the command of a build, if there is one. What it prints goes to standard error.
fn build(command: &[String], folder: &Path) -> Result<()> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let mut build = Command::new(program);
    build.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(io::stderr());
    let shown = command.join(" ");
    let status = build.status().with_context(|| format!("its build '{shown}' did not start"))?;
    if !status.success() {
        bail!("its build '{shown}' failed, {status}; what it said is above");
    }
    Ok(())
}

/// Names of the folders that hold an `adapter.toml`, sorted.
fn known(adapters: &Path) -> Result<Vec<String>> {
    let unreadable = || format!("{} cannot be read", adapters.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(adapters).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        if entry.path().join("adapter.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with one adapter whose description is `toml`.
    fn repository(toml: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = root.path().join("adapters/some");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("adapter.toml"), toml).expect("a file");
        root
    }

    fn error(toml: &str, name: &str) -> String {
        let root = repository(toml);
        format!("{:#}", launch(&root.path().join("adapters"), name).expect_err("broken"))
    }

    const GOOD: &str = "name = 'some'\ndescription = 'd'\ncommand = ['python', 'testee.py']\n";

    #[test]
    fn python_is_the_interpreter_of_the_venv() {
        let root = repository(&format!("{GOOD}venv = 'env'\n"));
        let adapters = root.path().join("adapters");
        let missing = format!("{:#}", launch(&adapters, "some").expect_err("no venv yet"));
        assert!(missing.contains("run ./setup.sh --adapters some"), "{missing}");

        let interpreter = root.path().join("env/bin/python");
        fs::create_dir_all(root.path().join("env/bin")).expect("a folder");
        fs::write(&interpreter, "").expect("a file");
        let found = launch(&adapters, "some").expect("an adapter");
        assert_eq!(found.command, [&interpreter.display().to_string(), "testee.py"]);
        assert_eq!(found.folder, Some(adapters.join("some")));
    }

    #[test]
    fn a_build_runs_first() {
        let builds = |build: &str| repository(&format!("{GOOD}build = {build}\n"));
        let root = builds("['sh', '-c', 'echo built > mark']");
        let adapters = root.path().join("adapters");
        launch(&adapters, "some").expect("an adapter");
        assert!(adapters.join("some/mark").is_file());
        for (build, problem) in [
            ("['sh', '-c', 'exit 3']", "failed, exit status: 3"),
            ("['no-such-program']", "'no-such-program' did not start"),
        ] {
            let root = builds(build);
            let error = launch(&root.path().join("adapters"), "some").expect_err("no build");
            let error = format!("{error:#}");
            assert!(error.contains("adapter some: ") && error.contains(problem), "{error}");
        }
    }

    #[test]
    fn broken_descriptions_are_named() {
        assert!(error(GOOD, "other").contains("no adapter 'other'"));
        assert!(error(GOOD, "../adapters/some").contains("no adapter"));
        assert!(error("name = 'some", "some").contains("adapter.toml"));
        assert!(error(&GOOD.replace("'some'", "'any'"), "some").contains("its name is 'any'"));
        assert!(error(&GOOD.replace("'python', 'testee.py'", ""), "some").contains("is empty"));
        assert!(error(&format!("{GOOD}colour = 1\n"), "some").contains("colour"));
    }
}
