//! Files that are written beside their place and moved there when they are complete.
//!
//! Such a file is locked as long as its program lives, from before it has its name on. So a file with
//! such a name that nobody has locked was left by a program that was killed, and is removed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tempfile::{Builder, NamedTempFile};

/// The start of such a file's name.
const START: &str = ".castproof-part-";

/// Random characters behind it.
const RANDOM: usize = 6;

/// The end of its name until it is locked, which takes no time.
const UNLOCKED: &str = ".new";

/// A file that is not locked after this time will not be.
const LONG: Duration = Duration::from_secs(3600);

/// Folders in which this program has removed what others left.
static CLEAN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Creates a locked temporary file in this folder, readable for others as any new file is. It is
/// removed when it is dropped, unless it was moved to its place.
///
/// # Errors
/// If none can be created there.
pub(crate) fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let file = Builder::new().prefix(START).rand_bytes(RANDOM).make_in(folder, create)?;
    let mut clean = CLEAN.lock().unwrap_or_else(PoisonError::into_inner);
    if clean.insert(folder.to_path_buf()) {
        remove_left(folder, &file.as_file().metadata()?);
    }
    Ok(file)
}

/// Creates a file that is locked when it gets its name.
fn create(path: &Path) -> io::Result<File> {
    if path.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut unlocked = path.as_os_str().to_owned();
    unlocked.push(UNLOCKED);
    let unlocked = Path::new(&unlocked);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(unlocked)?;
    // A file system without locks keeps what is left.
    let _ = file.try_lock();
    fs::rename(unlocked, path).inspect_err(|_| drop(fs::remove_file(unlocked)))?;
    Ok(file)
}

/// Removes what killed programs of this user left in a folder. What cannot be looked at stays.
fn remove_left(folder: &Path, own: &Metadata) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(is_unlocked) = kind_of(&name) else { continue };
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let is_old = || metadata.modified().ok()?.elapsed().ok().filter(|age| *age >= LONG);
        let is_ours = metadata.is_file() && is_same_owner(&metadata, own);
        if !is_ours || is_unlocked && is_old().is_none() {
            continue;
        }
        if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Is it the name of a temporary file?
pub(crate) fn is_part(name: &OsStr) -> bool {
    kind_of(name).is_some()
}

/// Is it the name of a temporary file, and if so, of one that was not locked yet?
fn kind_of(name: &OsStr) -> Option<bool> {
    let rest = name.to_str()?.strip_prefix(START)?;
    let (random, is_unlocked) = match rest.strip_suffix(UNLOCKED) {
        Some(random) => (random, true),
        None => (rest, false),
    };
    let is_whole = random.len() == RANDOM && random.bytes().all(|it| it.is_ascii_alphanumeric());
    is_whole.then_some(is_unlocked)
}

#[cfg(unix)]
fn is_same_owner(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
fn is_same_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is locked, young, or has another name is somebody's.
    #[test]
    fn only_what_is_left_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let kept =
            [".castproof-part-abc", ".castproof-part-abcdefg", ".castproof-part-abcde.", "notes"];
        let young = ".castproof-part-abcdeg.new";
        let old = ".castproof-part-abcdeh.new";
        let left = ".castproof-part-abcdef";
        let busy = ".castproof-part-abcdei";
        for name in kept.into_iter().chain([young, old, left, busy]) {
            fs::write(place(name), "some").expect("a file");
        }
        fs::create_dir(place(".castproof-part-folder")).expect("a folder");
        let lock = File::open(place(busy)).expect("a file");
        lock.lock().expect("a lock");
        let file = OpenOptions::new().write(true).open(place(old)).expect("a file");
        file.set_modified(std::time::SystemTime::now() - 2 * LONG).expect("a time");
        drop(file);
        let own = beside(folder.path()).expect("a file");
        for name in kept.into_iter().chain([young, busy, ".castproof-part-folder"]) {
            assert!(place(name).exists(), "{name}");
        }
        assert!(!place(left).exists() && !place(old).exists());
        assert!(own.path().exists());
        own.persist(place("place")).expect("moved");
        assert!(place("place").exists());
        let dropped = beside(folder.path()).expect("a file");
        let path = dropped.path().to_path_buf();
        drop(dropped);
        assert!(!path.exists());
    }
}
