//! Releases of a runtime, each with a Python environment of its own: `[[history]]` in `adapter.toml`.

use anyhow::{Context, Result, bail};
use castproof_io::output::Output;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Python that makes environments.
const PYTHON: &str = "python3";

/// The file that says what is installed in an environment. It is written last.
const INSTALLED: &str = "installed.txt";

/// One release of a runtime.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Its version, as tables name it.
    pub version: String,
    /// What pip installs for it, each with its version: `ml_dtypes==0.3.2`, `numpy==1.26.4`.
    pub packages: Vec<String>,
}

impl Release {
    /// Returns the Python of an environment with these packages, below this folder. Makes the environment unless it is
    /// there already. `say` is told what takes long.
    ///
    /// # Errors
    /// If Python or pip fails.
    pub fn python(&self, name: &str, folder: &Path, say: &dyn Fn(&str)) -> Result<PathBuf> {
        let environment = self.environment(name, folder);
        let (python, installed) = (environment.join("bin/python"), environment.join(INSTALLED));
        let wanted = self.packages.join("\n") + "\n";
        if fs::read_to_string(&installed).is_ok_and(|packages| packages == wanted) {
            return Ok(python);
        }
        if environment.exists() {
            fs::remove_dir_all(&environment)
                .with_context(|| format!("{} cannot be made anew", environment.display()))?;
        }
        say(format!("installing {}", self.packages.join(" ")).trim_end());
        fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        // Without packages nothing needs pip, which takes most of the time.
        let without_pip = self.packages.is_empty().then_some("--without-pip");
        run(Command::new(PYTHON).args(["-m", "venv"]).args(without_pip).arg(&environment))?;
        if !self.packages.is_empty() {
            let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            // The cache would keep what is removed here: a version of torch takes 3 GB.
            let kept = ["--no-cache-dir", "--only-binary", ":all:"];
            run(Command::new(&python).args(quiet).args(kept).args(&self.packages))?;
        }
        Output::create(&installed)?.commit(wanted)?;
        Ok(python)
    }

    /// Removes the environment.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self, name: &str, folder: &Path) -> Result<()> {
        let environment = self.environment(name, folder);
        fs::remove_dir_all(&environment)
            .with_context(|| format!("{} cannot be removed", environment.display()))
    }

    fn environment(&self, name: &str, folder: &Path) -> PathBuf {
        folder.join(format!("{name}-{}", self.version))
    }
}

/// Runs a command to its end. If it fails, its first error or its last line is the error.
fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.with_context(|| format!("{program} did not start"))?;
    if !ended.status.success() {
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        // The first error of pip says why; its last line leads to its documentation.
        let first = text.lines().find(|line| line.starts_with("ERROR:"));
        let said = first.or(text.trim().lines().last()).unwrap_or("it said nothing");
        bail!("{program} failed: {said}");
    }
    Ok(())
}

/// Returns the releases that a choice names, the oldest first, as the list has them: `0.5.1,0.6.0`, `0.4.0..`,
/// `0.4.0..0.5.4`.
///
/// # Errors
/// If the choice names a version that is not in the list.
pub fn chosen(releases: &[Release], choice: &str) -> Result<Vec<Release>> {
    let known = || releases.iter().map(|it| &it.version[..]).collect::<Vec<_>>().join(", ");
    let place = |version: &str| {
        let found = releases.iter().position(|release| release.version == version);
        found.with_context(|| format!("there is no version '{version}' in the list: {}", known()))
    };
    let Some((first, last)) = choice.split_once("..") else {
        // Each once, the oldest first, in whatever order they are named.
        let places: BTreeSet<usize> =
            choice.split(',').map(|it| place(it.trim())).collect::<Result<_>>()?;
        return Ok(places.into_iter().map(|at| releases[at].clone()).collect());
    };
    let first = if first.is_empty() { 0 } else { place(first)? };
    let end = if last.is_empty() { releases.len() } else { place(last)? + 1 };
    if first >= end {
        bail!("'{choice}' names no version: the list is in order of time: {}", known());
    }
    Ok(releases[first..end].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_named_or_a_range() {
        let release = |version: &str| Release { version: version.into(), packages: Vec::new() };
        let all: Vec<Release> = ["1.9", "1.10", "2.0"].map(release).into();
        let of = |choice: &str| {
            let chosen = chosen(&all, choice);
            chosen
                .map(|all| all.iter().map(|it| it.version.clone()).collect::<Vec<_>>().join(" "))
                .map_err(|error| format!("{error:#}"))
        };
        for (choice, versions) in [
            ("1.9..", "1.9 1.10 2.0"),
            ("1.10..", "1.10 2.0"),
            ("..1.10", "1.9 1.10"),
            ("1.10..1.10", "1.10"),
            ("2.0, 1.9,2.0", "1.9 2.0"),
        ] {
            assert_eq!(of(choice).as_deref(), Ok(versions), "{choice}");
        }
        assert!(
            of("1.8..")
                .is_err_and(|it| it.contains("no version '1.8'") && it.contains("1.9, 1.10"))
        );
        assert!(of("2.0..1.9").is_err_and(|it| it.contains("order of time")));
        assert!(of("").is_err());
    }

    #[test]
    fn an_environment_is_made_once_and_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let said = std::cell::Cell::new(0);
        let say = |_: &str| said.set(said.get() + 1);
        let release = Release { version: "1".into(), packages: Vec::new() };
        for times in [1, 1] {
            let python = release.python("some", folder.path(), &say).expect("an environment");
            assert!(python.is_file());
            assert_eq!(said.get(), times);
        }
        // One that was left half made is made anew.
        fs::remove_file(folder.path().join("some-1").join(INSTALLED)).expect("removed");
        release.python("some", folder.path(), &say).expect("an environment");
        assert_eq!(said.get(), 2);
        release.remove("some", folder.path()).expect("removed");
        assert!(!folder.path().join("some-1").exists());
    }
}
