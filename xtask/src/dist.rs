//! Fills a folder with everything that a release offers.

use castproof::export::archive;
use castproof::vectors::{Level, sha256_hex};
use castproof_products::repository::write_whole;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How a part comes about.
#[derive(Clone, Copy)]
enum Way {
    /// `packages/NAME/build.sh FOLDER TARGET` builds it for each target, and prints where its files are.
    ForEachTarget,
    /// `packages/NAME/build.sh FOLDER` builds it once, and prints where its files are.
    Once,
    /// A function of this module writes it into the folder.
    Written(fn(&Path) -> Result<Vec<PathBuf>, String>),
}

/// The parts, in the order in which they are built.
const PARTS: [(&str, Way); 9] = [
    ("program", Way::ForEachTarget),
    ("python", Way::ForEachTarget),
    ("npm", Way::Once),
    ("c", Way::ForEachTarget),
    ("go", Way::Once),
    ("vectors", Way::Once),
    ("small", Way::Once),
    ("onnx", Way::Written(onnx)),
    ("notes", Way::Written(notes)),
];

/// The targets that a machine with Linux builds for. Another machine builds for itself.
const LINUX: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// The file of the digests, which lists all others.
const SUMS: &str = "SHA256SUMS";

/// What the folder is filled with.
pub(crate) struct Job {
    /// Names of parts; none stands for all of them.
    pub(crate) only: Vec<String>,
    /// What programs and libraries are built for; nothing stands for [`LINUX`], or this machine.
    pub(crate) targets: Vec<String>,
    /// The folder.
    pub(crate) out: PathBuf,
}

/// Fills the folder.
///
/// # Errors
/// If a part has no such name, cannot be built, or names a folder of this machine.
pub(crate) fn dist(job: &Job) -> Result<String, String> {
    let known = PARTS.map(|(name, _)| name);
    if let Some(name) = job.only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no part '{name}'; the parts are {}", known.join(", ")));
    }
    let out = &job.out;
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    // A folder with digests is a finished one.
    match fs::remove_file(out.join(SUMS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", out.join(SUMS).display()));
        }
        _ => {}
    }
    let targets = match job.targets.as_slice() {
        [] if cfg!(target_os = "linux") => LINUX.map(Some).to_vec(),
        [] => vec![None],
        some => some.iter().map(|it| Some(it.as_str())).collect(),
    };
    let chosen = |name: &str| job.only.is_empty() || job.only.iter().any(|it| it == name);
    let parts: Vec<(&str, Way)> = PARTS.into_iter().filter(|(name, _)| chosen(name)).collect();
    let all = Instant::now();
    for (number, (name, way)) in parts.iter().enumerate() {
        let (number, since) = (number + 1, all.elapsed().as_secs_f64());
        println!("{name}: building, part {number} of {} after {since:.0} s", parts.len());
        let began = Instant::now();
        let build = |target: Option<&str>| script(name, target, &mut |line| println!("{line}"));
        let files = match way {
            Way::Written(write) => write(out)?,
            Way::Once => copied(build(None)?, out)?,
            Way::ForEachTarget => {
                let built = targets.iter().map(|target| copied(build(*target)?, out));
                built.collect::<Result<Vec<_>, _>>()?.concat()
            }
        };
        for file in &files {
            println!("{name}: {} ({:.0} s)", file.display(), began.elapsed().as_secs_f64());
        }
    }
    name_no_folder(out)?;
    let count = sums(out)?;
    let left: Vec<&str> = known.into_iter().filter(|name| !chosen(name)).collect();
    let left = match left.as_slice() {
        [] => String::new(),
        some => format!("; not built, since --only leaves it out: {}", some.join(", ")),
    };
    Ok(format!("{count} files and {SUMS} in {}{left}", out.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs the script of a part, for a target if it is built for each. Returns the files that it built.
fn script(
    name: &str,
    target: Option<&str>,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<PathBuf>, String> {
    let path = root().join("packages").join(name).join("build.sh");
    // Apart from the folder that the tests of the package fill.
    let folder = root().join("target/packages/dist").join(name).join(target.unwrap_or_default());
    let mut command = Command::new(&path);
    command.arg(folder).args(target);
    let label = target.map_or(name.to_string(), |target| format!("{name} for {target}"));
    let files = printed(command, &label, tell)?;
    if files.is_empty() {
        return Err(format!("packages/{name}/build.sh names no file"));
    }
    Ok(files)
}

/// Runs a command that may take many minutes. `tell` is told each line of its standard error when it comes, with the
/// seconds since the start. Returns the lines of its standard output.
fn printed(
    mut command: Command,
    label: &str,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<PathBuf>, String> {
    let path = command.get_program().to_string_lossy().into_owned();
    let failed = |error: io::Error| format!("{path}: {error}");
    let began = Instant::now();
    let run = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut run = run.map_err(failed)?;
    let lines = run.stderr.take().into_iter().flat_map(|it| BufReader::new(it).split(b'\n'));
    for line in lines {
        let (line, since) = (line.map_err(failed)?, began.elapsed().as_secs_f64());
        tell(&format!("{label}, {since:.0} s: {}", String::from_utf8_lossy(&line)));
    }
    let run = run.wait_with_output().map_err(failed)?;
    match run.status.success() {
        true => Ok(String::from_utf8_lossy(&run.stdout).lines().map(PathBuf::from).collect()),
        false => Err(format!("{label}: {}; what it said stands above", run.status)),
    }
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
    let data = castproof_products::repository::default_data();
    let job = archive::ArchiveJob {
        opset: None,
        level: Level::Core,
        vectors: Some(data),
        out: out.into(),
    };
    archive::write(&job, &mut io::sink()).map_err(|error| format!("{error:#}"))?;
    let files = listed(out)?;
    Ok(files.into_iter().filter(|path| name_of(path).starts_with("castproof-onnx-")).collect())
}

/// Writes the section of the changelog on this version, or on what is not released yet.
fn notes(out: &Path) -> Result<Vec<PathBuf>, String> {
    let text = fs::read_to_string(root().join("CHANGELOG.md"));
    let text = text.map_err(|error| format!("CHANGELOG.md: {error}"))?;
    let title = env!("CARGO_PKG_VERSION");
    let notes = section(&text, title).or_else(|| section(&text, "Unreleased"));
    let notes = notes.ok_or_else(|| format!("CHANGELOG.md: no section {title}, nor Unreleased"))?;
    let place = out.join("RELEASE_NOTES.md");
    write_whole(&place, notes).map(|()| vec![place])
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

/// Sees that no file of the folder names a folder of this machine, packed or not.
///
/// # Errors
/// The files that do, and what they name.
fn name_no_folder(out: &Path) -> Result<(), String> {
    let script = root().join("packages/folders.py");
    let run = Command::new("python3").arg(script).arg(out).stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("python3 did not start: {error}"))?;
    match run.status.success() {
        true => Ok(()),
        false => Err([run.stdout, run.stderr]
            .map(|it| String::from_utf8_lossy(&it).into_owned())
            .concat()),
    }
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
    // What a killed run left beside its place is no file of a release.
    let is_left = |path: &Path| path.file_name().is_some_and(castproof::folder::is_left);
    files.retain(|path| path.is_file() && name_of(path) != SUMS && !is_left(path));
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

    /// The script goes on only when its first line was told.
    #[test]
    fn what_takes_long_says_what_it_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("bash");
        let script = "echo one >&2; until test -e told; do sleep 0.01; done; echo two >&2; echo file; exit $0";
        command.current_dir(folder.path()).args(["-c", script, "0"]);
        let mut told = Vec::new();
        let mut tell = |line: &str| {
            told.push(line.to_string());
            fs::write(folder.path().join("told"), "").expect("a file");
        };
        let files = printed(command, "part", &mut tell);
        assert_eq!(files, Ok(vec![PathBuf::from("file")]));
        let [one, two] = &told[..] else { panic!("{told:?}") };
        assert!(one.starts_with("part, 0 s: one") && two.ends_with(" s: two"), "{told:?}");
        let mut command = Command::new("bash");
        command.args(["-c", "exit 3"]);
        let said = printed(command, "part", &mut |_| ()).expect_err("a failure");
        assert!(said.starts_with("part: exit status: 3"), "{said}");
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
    fn a_folder_of_this_machine_is_found_in_every_archive() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let path = root().canonicalize().expect("the root").display().to_string();
        let python = |words: &[&str]| {
            let run = Command::new("python3").current_dir(folder.path()).args(words).status();
            assert!(run.expect("python3 runs").success(), "{words:?}");
        };
        fs::write(place("file"), format!("at {path}/gate/src/lib.rs")).expect("a file");
        python(&["-m", "zipfile", "-c", "packed.whl", "file"]);
        python(&["-m", "tarfile", "-c", "packed.tar.gz", "file", "packed.whl"]);
        let said = name_no_folder(folder.path()).expect_err("all of them name it");
        for name in
            ["file", "packed.whl: file", "packed.tar.gz: file", "packed.tar.gz: packed.whl: file"]
        {
            let line = format!("{name} names {path}, a folder of this machine");
            assert!(said.lines().any(|it| it == line), "{name}: {said}");
        }
        for name in ["file", "packed.whl", "packed.tar.gz"] {
            fs::remove_file(place(name)).expect("it was there");
        }
        fs::write(place("file"), "at /castproof/gate/src/lib.rs").expect("a file");
        assert_eq!(name_no_folder(folder.path()), Ok(()));
    }

    #[test]
    fn every_script_is_there() {
        for (name, _) in PARTS.into_iter().filter(|(_, way)| !matches!(way, Way::Written(_))) {
            assert!(root().join("packages").join(name).join("build.sh").is_file(), "{name}");
        }
    }
}
