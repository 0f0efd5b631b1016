//! Folders that several files make up: one writer at a time, and folders that appear whole.

use crate::beside;
use crate::output::{Output, not_regular};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The start of the name of a folder until it is whole.
const START: &str = ".castproof-folder-";

/// The file that is locked where a folder itself cannot be.
#[cfg(not(unix))]
const LOCK: &str = ".castproof-lock";

/// Folders in which this program has removed what others left.
static CLEAN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Locks an existing folder against other writers, until the returned file is dropped or the program
/// ends, however it does.
///
/// # Errors
/// If another program has locked it, or it cannot be locked.
pub fn lock(folder: &Path) -> Result<File> {
    let file = open(folder).context("it cannot be locked")?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("another run is writing it; wait, or name another"),
        Err(TryLockError::Error(error)) => Err(error).context("it cannot be locked"),
    }
}

#[cfg(unix)]
fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// A folder cannot be opened on other systems.
#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))
}

/// Is it the name of something that a run writes beside its place, and leaves there if it is killed?
pub fn is_left(name: &OsStr) -> bool {
    beside::is_part(name) || name.to_str().is_some_and(|name| name.starts_with(START))
}

/// Writes a folder that holds these files and nothing else. It appears whole: it is written beside its
/// place and moved there. A folder of the same files is replaced, and is absent for a moment.
///
/// # Errors
/// If it cannot be written, or the place is something else: a file, a link, a folder with other files.
/// What was there is then as it was.
pub fn write(place: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
    let unwritable = || format!("{} cannot be written", place.display());
    let above = place.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    remove_left(above);
    let is_there = match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error).with_context(unwritable),
        Ok(metadata) if metadata.is_dir() => {
            if holds(place, files)? {
                return Ok(());
            }
            true
        }
        Ok(metadata) if metadata.is_file() => bail!("{}: it is a file", unwritable()),
        Ok(metadata) => bail!("{}: {}", unwritable(), not_regular(&metadata).unwrap_or_default()),
    };
    let part = Part::new(above).with_context(unwritable)?;
    part.fill(files).with_context(unwritable)?;
    if !is_there {
        return fs::rename(&part.path, place).with_context(unwritable);
    }
    let old = part.aside(place).with_context(unwritable)?;
    if let Err(error) = fs::rename(&part.path, place) {
        fs::rename(&old, place).with_context(unwritable)?;
        return Err(error).with_context(unwritable);
    }
    fs::remove_dir_all(&old).with_context(unwritable)
}

/// Does an existing folder hold these files, as they are to be?
///
/// # Errors
/// If one of them cannot be replaced, or it holds something else.
fn holds(place: &Path, files: &[(&str, Vec<u8>)]) -> Result<bool> {
    let mut is_same = true;
    for (name, content) in files {
        let file = place.join(name);
        if fs::symlink_metadata(&file).is_ok() {
            drop(Output::create(&file)?);
        }
        is_same &= fs::read(&file).is_ok_and(|there| there == *content);
    }
    let ours: BTreeSet<PathBuf> = files.iter().map(|(name, _)| place.join(name)).collect();
    let mut open = vec![place.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry.with_context(|| folder.display().to_string())?.path();
            if ours.iter().any(|file| file != &path && file.starts_with(&path)) {
                open.push(path);
            } else if path.file_name().is_some_and(is_left) {
                is_same = false;
            } else if !ours.contains(&path) {
                let (place, path) = (place.display(), path.display());
                bail!("{place} cannot be written: it holds {path}, which belongs to nobody");
            }
        }
    }
    Ok(is_same)
}

/// A folder that is not in its place yet. It is locked, and removed when it is dropped.
struct Part {
    path: PathBuf,
    _lock: Option<File>,
}

impl Part {
    fn new(above: &Path) -> io::Result<Part> {
        let path = unused(above)?;
        let lock = open(&path).ok().filter(|file| file.try_lock().is_ok());
        Ok(Part { path, _lock: lock })
    }

    fn fill(&self, files: &[(&str, Vec<u8>)]) -> io::Result<()> {
        for (name, content) in files {
            let path = self.path.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&self.path))?;
            let mut file = File::create_new(path)?;
            file.write_all(content)?;
            file.sync_all()?;
        }
        Ok(())
    }

    /// Moves an older folder out of the way. It has such a name then, and is not locked, so that it is
    /// removed by the next run if this one is killed.
    fn aside(&self, place: &Path) -> io::Result<PathBuf> {
        let mut old = self.path.clone().into_os_string();
        old.push("-old");
        fs::rename(place, &old)?;
        Ok(old.into())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It is gone if it has been moved to its place.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Creates a folder with a name that is not used.
fn unused(above: &Path) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = above.join(format!("{START}{}-{number}", process::id()));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

/// Removes what killed programs left in a folder, once in the life of this program.
fn remove_left(above: &Path) {
    let mut clean = CLEAN.lock().unwrap_or_else(PoisonError::into_inner);
    if !clean.insert(above.to_path_buf()) {
        return;
    }
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(START));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let path = entry.path();
        if is_ours && is_folder && open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(content: &str) -> [(&'static str, Vec<u8>); 2] {
        [("model", content.into()), ("data/input", content.into())]
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_replaced_whole_and_strangers_stay() {
        let above = tempfile::tempdir().expect("a folder");
        let place = above.path().join("case");
        // What a killed run left is removed, and what is not locked is nobody's.
        fs::create_dir(above.path().join(format!("{START}1-0"))).expect("a folder");
        for content in ["one", "two", "two"] {
            write(&place, &files(content)).expect("written");
            assert_eq!(fs::read_to_string(place.join("data/input")).expect("a file"), content);
            assert_eq!(names(above.path()), ["case"]);
        }
        fs::write(place.join("notes"), "mine").expect("a file");
        let said = format!("{:#}", write(&place, &files("three")).expect_err("a stranger"));
        assert!(said.contains("notes"), "{said}");
        assert_eq!(fs::read_to_string(place.join("model")).expect("a file"), "two");
        assert_eq!(names(above.path()), ["case"]);
    }

    #[test]
    fn the_second_writer_is_refused_until_the_first_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = lock(folder.path()).expect("it is free");
        let said = format!("{:#}", lock(folder.path()).expect_err("it is taken"));
        assert!(said.contains("another run is writing it"), "{said}");
        drop(first);
        lock(folder.path()).expect("it is free");
    }
}
