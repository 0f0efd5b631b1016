//! Fills a folder with everything that a release offers.

use crate::repository::write_whole;
use castproof::export::archive;
use castproof::vectors::{Level, sha256_hex};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The parts that a script `packages/NAME/build.sh` builds. It prints where its files are, and says
/// `not built: ..` on standard error of what it left out.
const BUILT: [&str; 6] = ["program", "python", "npm", "c", "go", "vectors"];

/// The other parts: the archives of ONNX's node tests, and the release notes.
const OTHERS: [&str; 2] = ["onnx", "notes"];

/// What no part builds on this machine, whatever is installed.
const ELSEWHERE: &str =
    "what other machines need: the program, the wheel and the C archive are for this one";

/// The file of the digests, which lists all others.
const SUMS: &str = "SHA256SUMS";

/// Fills the folder. `only` names parts; none stands for all of them.
///
/// # Errors
/// If a part has no such name, or cannot be built.
pub(crate) fn dist(only: &[String], out: &Path) -> Result<String, String> {
    let known: Vec<&str> = BUILT.into_iter().chain(OTHERS).collect();
    if let Some(name) = only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no part '{name}'; the parts are {}", known.join(", ")));
    }
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let chosen = |name: &&str| only.is_empty() || only.iter().any(|it| it == name);
    let mut left: Vec<String> = known
        .iter()
        .filter(|name| !chosen(name))
        .map(|name| format!("{name}, which --only leaves out"))
        .collect();
    for name in known.into_iter().filter(chosen) {
        println!("{name}: building");
        let began = Instant::now();
        let files = match name {
            "onnx" => onnx(out)?,
            "notes" => vec![notes(out)?],
            built => copied(script(built, &mut left)?, out)?,
        };
        for file in &files {
            println!("{name}: {} ({:.0} s)", file.display(), began.elapsed().as_secs_f64());
        }
    }
    let count = sums(out)?;
    left.push(ELSEWHERE.into());
    Ok(format!(
        "{count} files and {SUMS} in {}; not built here: {}",
        out.display(),
        left.join("; ")
    ))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs the script of a part. Returns the files that it built.
fn script(name: &str, left: &mut Vec<String>) -> Result<Vec<PathBuf>, String> {
    let path = root().join("packages").join(name).join("build.sh");
    let mut command = Command::new(&path);
    let run = command.stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("{}: {error}", path.display()))?;
    let said = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        return Err(format!("packages/{name}/build.sh: {}\n{said}", run.status));
    }
    left.extend(said.lines().filter_map(|line| line.strip_prefix("not built: ")).map(Into::into));
    let files: Vec<PathBuf> =
        String::from_utf8_lossy(&run.stdout).lines().map(PathBuf::from).collect();
    if files.is_empty() {
        return Err(format!("packages/{name}/build.sh names no file"));
    }
    Ok(files)
}

/// Copies files into the folder.
fn copied(files: Vec<PathBuf>, out: &Path) -> Result<Vec<PathBuf>, String> {
    let copy = |file: PathBuf| {
        let content = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let place = out.join(file.file_name().unwrap_or_default());
        write_whole(&place, content).map(|()| place)
    };
    files.into_iter().map(copy).collect()
}

/// Writes the archives of ONNX's node tests, one for each version of `Cast`.
fn onnx(out: &Path) -> Result<Vec<PathBuf>, String> {
    let data = crate::repository::default_data();
    let job =
        archive::Job { opset: None, level: Level::Core, vectors: Some(data), out: out.into() };
    archive::write(&job, &mut io::sink()).map_err(|error| format!("{error:#}"))?;
    let files = listed(out)?;
    Ok(files.into_iter().filter(|path| name_of(path).starts_with("castproof-onnx-")).collect())
}

/// Writes the section of the changelog on this version, or on what is not released yet.
fn notes(out: &Path) -> Result<PathBuf, String> {
    let text = fs::read_to_string(root().join("CHANGELOG.md"));
    let text = text.map_err(|error| format!("CHANGELOG.md: {error}"))?;
    let title = env!("CARGO_PKG_VERSION");
    let notes = section(&text, title).or_else(|| section(&text, "Unreleased"));
    let notes = notes.ok_or_else(|| format!("CHANGELOG.md: no section {title}, nor Unreleased"))?;
    let place = out.join("RELEASE_NOTES.md");
    write_whole(&place, notes).map(|()| place)
}

/// Returns the text below a heading of the changelog, up to the next one. Words may follow the title.
fn section(changelog: &str, title: &str) -> Option<String> {
    let of_title = |line: &&str| {
        line.strip_prefix("## ").and_then(|rest| rest.split_whitespace().next()) == Some(title)
    };
    let mut lines = changelog.lines().skip_while(|line| !of_title(line));
    lines.next()?;
    let body: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    Some(format!("{}\n", body.join("\n").trim()))
}

/// Writes the digests of all files of the folder, as `sha256sum --check` reads them. Returns how many
/// files there are.
fn sums(out: &Path) -> Result<usize, String> {
    let mut text = String::new();
    let files = listed(out)?;
    for file in &files {
        let content = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        text += &format!("{}  {}\n", sha256_hex(&content), name_of(file));
    }
    write_whole(&out.join(SUMS), text)?;
    Ok(files.len())
}

/// Lists the files of the folder, without the digests, in order.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let files: io::Result<Vec<PathBuf>> = read();
    let mut files = files.map_err(|error| format!("{}: {error}", folder.display()))?;
    files.retain(|path| path.is_file() && name_of(path) != SUMS);
    files.sort();
    Ok(files)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_one_section_of_the_changelog() {
        let text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.10.0\n\n- ten\n\n## 0.1.0 (2026-01-02)\n\n- one\n";
        assert_eq!(section(text, "Unreleased").as_deref(), Some("- new\n"));
        assert_eq!(section(text, "0.1.0").as_deref(), Some("- one\n"));
        assert_eq!(section(text, "0.1"), None);
    }

    #[test]
    fn sums_list_every_file_but_themselves() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("b"), "").expect("a file");
        fs::write(folder.path().join("a"), "abc").expect("a file");
        for _ in 0..2 {
            assert_eq!(sums(folder.path()), Ok(2));
        }
        let text = fs::read_to_string(folder.path().join(SUMS)).expect("sums");
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text.lines().next(), Some(format!("{digest}  a").as_str()));
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn every_script_is_there() {
        for name in BUILT {
            assert!(root().join("packages").join(name).join("build.sh").is_file(), "{name}");
        }
    }
}
