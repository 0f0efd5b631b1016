//! What is judged when a testee is asked: its files and settings, as far as they can be known from
//! outside. A journal is bound to them, so that its records are not taken for those of a kernel that
//! has changed since.

use super::launch::Launch;
use anyhow::{Context, Result};
use castproof_vectors::{OneLine, sha256_hex};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{env, fs};

/// Facts that decide what a testee answers: file names with the digests of their content, settings.
pub type Known = BTreeMap<String, String>;

/// What is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// What is known of it.
    pub known: Known,
    /// Why something else may decide the answers; `None` if nothing does.
    pub untold: Option<String>,
    /// A sentence about what may decide the answers and is not watched; `None` if nothing may.
    pub unwatched: Option<String>,
}

/// What nobody watches of a testee that states no digest.
const UNWATCHED: &str = "the files that the testee reads, libraries that it loads later, drivers and \
    the machine are not watched; a run that goes on asks a share again";

/// What nobody watches of a testee that states one.
const UNWATCHED_DIGEST: &str = "what the digest of the testee leaves out is not watched, nor are \
    drivers and the machine; a run that goes on asks a share again";

/// Folders of an adapter that hold built or installed files.
const NOT_OURS: [&str; 4] = ["target", "node_modules", "__pycache__", ".venv"];

/// Extensions of shared libraries.
const LIBRARIES: [&str; 3] = ["so", "dylib", "dll"];

/// Of a larger file, size and time stand for the content.
const LARGE: u64 = 64 << 20;

/// Environment variables that tell one terminal, session or job from another and decide no answer; a
/// star stands for the rest of a name.
const OF_THE_SESSION: [&str; 28] = [
    "_",
    "ACTIONS_*",
    "CI_*",
    "COLORTERM",
    "COLUMNS",
    "DBUS_*",
    "DISPLAY",
    "GITHUB_*",
    "GPG_*",
    "HIST*",
    "HOSTNAME",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LINES",
    "LS_COLORS",
    "OLDPWD",
    "PWD",
    "RUNNER_*",
    "SHLVL",
    "SLURM_*",
    "SSH_*",
    "STY",
    "SYSTEMD_*",
    "TERM*",
    "TMUX*",
    "WAYLAND_*",
    "WINDOWID",
    "XDG_*",
];

/// Returns this program's own settings in the environment.
pub fn own_settings() -> Known {
    let variables = env::vars_os().map(|(name, value)| (whole(&name), whole(&value)));
    let ours = variables.filter(|(name, _)| name.starts_with("CASTPROOF_"));
    ours.map(|(name, value)| (format!("${name}"), value)).collect()
}

/// Returns the environment, because any part of it may decide what a testee answers. Values may be
/// secrets, so each is some digits of a digest.
pub fn environment() -> Known {
    let is_of_session = |name: &str| {
        OF_THE_SESSION.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *known,
        })
    };
    let variables = env::vars_os().map(|(name, value)| (whole(&name), whole(&value)));
    let kept = variables.filter(|(name, _)| !is_of_session(name));
    kept.map(|(name, value)| {
        let digest = sha256_hex(format!("{name}={value}").as_bytes());
        (format!("${name}"), digest[..8].to_string())
    })
    .collect()
}

/// Returns one digest of facts.
pub fn digest(facts: impl IntoIterator<Item = (String, String)>) -> OneLine {
    let facts: Known = facts.into_iter().collect();
    let text: Vec<String> = facts.iter().map(|(name, value)| format!("{name}\0{value}")).collect();
    sha256_hex(text.join("\0").as_bytes()).into()
}

/// Returns the digests of these files.
///
/// # Errors
/// If one of them cannot be read.
pub fn of_files(files: impl IntoIterator<Item = PathBuf>) -> Result<Known> {
    let mut known = Known::new();
    files.into_iter().try_for_each(|file| add(&file, &mut known))?;
    Ok(known)
}

/// Returns the files that a process has loaded, this process by default: its program and its shared
/// libraries. None on systems that do not list them.
pub fn mapped(process: Option<u32>) -> BTreeSet<PathBuf> {
    let process = process.map_or("self".into(), |number| number.to_string());
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    // Address, access, offset, device and inode stand before the name.
    let name =
        |line: &str| Some(PathBuf::from(line.split_once('/')?.1)).map(|it| Path::new("/").join(it));
    maps.lines().filter_map(name).filter(|file| file.is_file()).collect()
}

/// Returns a name of the system as text. If it is not UTF-8, it becomes the hex digits of its bytes,
/// so that different names stay different.
fn whole(name: &OsStr) -> String {
    let hex = || name.as_encoded_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    name.to_str().map_or_else(hex, String::from)
}

/// Returns what a launch judges, whose process said hello with this digest. Known are the files that
/// it names: the program, arguments that are files, and the files beside the arguments that they are
/// likely to load, that is, files of the same kind and shared libraries. For an adapter it adds all
/// files of its folder, and for a Python environment the packages with their versions. For a program
/// alone it adds what that has loaded.
///
/// Where the hello states no digest, the environment counts too, and the rest cannot be told unless
/// the launch is an adapter or a program alone: scripts load modules from anywhere.
///
/// # Errors
/// If one of the files cannot be read.
pub(super) fn of_launch(
    launch: &Launch,
    digest: Option<&OneLine>,
    process: Option<u32>,
) -> Result<Judged> {
    let mut known = own_settings();
    files_of(launch, &mut known)?;
    if let Some(digest) = digest {
        known.insert("digest".into(), digest.to_string());
        return Ok(Judged { known, untold: None, unwatched: Some(UNWATCHED_DIGEST.into()) });
    }
    known.extend(environment());
    let mut untold = None;
    if is_program_alone(launch) {
        known.extend(of_files(process.map(|it| mapped(Some(it))).unwrap_or_default())?);
    } else if launch.folder.is_none() {
        let shown = launch.shown();
        untold = Some(format!("it cannot be told what answers behind '{shown}'"));
    }
    Ok(Judged { known, untold, unwatched: Some(UNWATCHED.into()) })
}

/// Is the command one program, compiled for a machine and without arguments? An interpreter or a
/// shell that is named alone would read requests as its program, and say no hello.
fn is_program_alone(launch: &Launch) -> bool {
    const STARTS: [&[u8]; 4] = [b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ"];
    let ([program], None) = (&launch.command[..], &launch.folder) else { return false };
    let mut start = Vec::new();
    let file = program_file(program, None).and_then(|file| File::open(file).ok());
    let is_read = file.is_some_and(|file| file.take(4).read_to_end(&mut start).is_ok());
    is_read && STARTS.iter().any(|known| start.starts_with(known))
}

fn files_of(launch: &Launch, judged: &mut Known) -> Result<()> {
    let words: Vec<String> = launch.command.iter().map(|word| whole(word)).collect();
    judged.insert("command".into(), words.join(" "));
    let folder = launch.folder.as_deref();
    let [program, arguments @ ..] = &launch.command[..] else { return Ok(()) };
    if let Some(program) = program_file(program, folder) {
        packages(&program, judged)?;
        add(&program, judged)?;
    }
    let files = arguments.iter().map(|word| folder.unwrap_or(Path::new("")).join(word));
    for file in files.filter(|file| file.is_file()) {
        add(&file, judged)?;
        for like in beside(&file)? {
            add(&like, judged)?;
        }
    }
    if let Some(folder) = folder {
        all(folder, judged)?;
        // Python files that adapters share.
        let shared = folder.parent().map_or(Ok(vec![]), entries)?;
        for file in shared.iter().filter(|file| file.extension() == Some(OsStr::new("py"))) {
            add(file, judged)?;
        }
    }
    Ok(())
}

fn add(file: &Path, judged: &mut Known) -> Result<()> {
    let content = || -> std::io::Result<String> {
        let metadata = fs::metadata(file)?;
        if metadata.len() <= LARGE {
            return Ok(sha256_hex(&fs::read(file)?));
        }
        let time = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(format!("{} bytes of {time:?}", metadata.len()))
    };
    let content = content().with_context(|| format!("{} cannot be read", file.display()))?;
    judged.insert(whole(file.as_os_str()), content);
    Ok(())
}

/// Returns the file where the system finds the program.
pub(super) fn program_file(program: &OsStr, folder: Option<&Path>) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(folder.unwrap_or(Path::new("")).join(program)).filter(|file| file.is_file());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|place| place.join(program)).find(|file| file.is_file())
}

/// Returns the files in the same folder with the same extension, and the shared libraries there.
fn beside(file: &Path) -> Result<Vec<PathBuf>> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut files = entries(folder.unwrap_or(Path::new(".")))?;
    files.retain(|other| {
        let extension = other.extension();
        let library = LIBRARIES.iter().any(|name| extension == Some(OsStr::new(name)));
        other.is_file() && extension.is_some() && (library || extension == file.extension())
    });
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let entries: std::io::Result<Vec<PathBuf>> = read();
    entries.with_context(|| format!("{} cannot be read", folder.display()))
}

/// Adds all files below a folder, except built or installed ones.
fn all(folder: &Path, judged: &mut Known) -> Result<()> {
    for path in entries(folder)? {
        let ours = !NOT_OURS.iter().any(|name| path.file_name() == Some(OsStr::new(name)));
        if path.is_file() {
            add(&path, judged)?;
        } else if path.is_dir() && !path.is_symlink() && ours {
            all(&path, judged)?;
        }
    }
    Ok(())
}

/// Adds the packages with their versions if `program` is the interpreter of a Python environment.
fn packages(program: &Path, judged: &mut Known) -> Result<()> {
    let Some(root) = program.parent().and_then(Path::parent) else { return Ok(()) };
    if !root.join("pyvenv.cfg").is_file() {
        return Ok(());
    }
    let versions = entries(&root.join("lib"))?.into_iter().map(|it| it.join("site-packages"));
    for folder in versions.filter(|folder| folder.is_dir()) {
        let mut names: Vec<String> = entries(&folder)?
            .iter()
            .filter(|path| path.extension() == Some(OsStr::new("dist-info")))
            .filter_map(|path| path.file_stem().map(whole))
            .collect();
        names.sort_unstable();
        judged.insert(whole(folder.as_os_str()), names.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn launch(folder: &Path, words: &[&str], adapter: bool) -> Launch {
        let command = words.iter().map(OsString::from).collect();
        Launch { folder: adapter.then(|| folder.to_path_buf()), ..Launch::of(command) }
    }

    /// A change of any file of an adapter changes what is judged.
    #[test]
    fn a_change_of_any_file_is_seen() {
        let root = tempfile::tempdir().expect("a folder");
        let adapter = root.path().join("adapters/some");
        let packages = root.path().join("env/lib/python3.11/site-packages");
        for folder in [&adapter.join("inner"), &adapter.join("target"), &packages] {
            fs::create_dir_all(folder).expect("a folder");
        }
        fs::create_dir_all(root.path().join("env/bin")).expect("a folder");
        let python = root.path().join("env/bin/python");
        let text = python.to_str().expect("text");
        let launch = launch(&adapter, &[text, "testee.py", "--fast"], true);
        let write = |name: &str, text: &str| {
            fs::write(root.path().join(name), text).expect("a file");
        };
        for name in [
            "env/pyvenv.cfg",
            "env/bin/python",
            "adapters/some/testee.py",
            "adapters/some/inner/kernel.c",
            "adapters/shared.py",
        ] {
            write(name, "one");
        }
        let mut before = of_launch(&launch, None, None).expect("judged").known;
        let mut changed = |what: &str, is_seen: bool| {
            let after = of_launch(&launch, None, None).expect("judged").known;
            assert_eq!(after != before, is_seen, "{what}");
            before = after;
        };
        for name in [
            "env/bin/python",
            "adapters/some/testee.py",
            "adapters/some/inner/kernel.c",
            "adapters/some/new.txt",
            "adapters/shared.py",
        ] {
            write(name, "another");
            changed(name, true);
        }
        fs::create_dir(packages.join("onnxruntime-1.31.1.dist-info")).expect("a folder");
        changed("a package", true);
        write("adapters/some/target/built", "this is built");
        write("adapters/README.md", "this is for people");
        changed("what is built", false);
    }

    /// A command names files; a script is likely to load the files beside it.
    #[test]
    fn files_of_a_command_are_seen() {
        let root = tempfile::tempdir().expect("a folder");
        let place = |name: &str| root.path().join(name).to_str().expect("text").to_string();
        for name in ["testee.py", "kernel.py", "libkernel.so", "notes.txt", "results.json"] {
            fs::write(place(name), "one").expect("a file");
        }
        let launch = launch(root.path(), &["python3", &place("testee.py"), "--level", "3"], false);
        let judged = of_launch(&launch, None, None).expect("judged").known;
        let names = |name: &str| judged.contains_key(&place(name));
        assert!(names("testee.py") && names("kernel.py") && names("libkernel.so"), "{judged:?}");
        assert!(!names("notes.txt") && !names("results.json"), "{judged:?}");
        assert!(judged.keys().any(|name| name.ends_with("/python3")), "{judged:?}");
    }
}
