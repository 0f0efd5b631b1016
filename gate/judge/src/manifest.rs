//! The manifest of a folder of vectors, and files that are added to a folder. The folder can be read
//! at every moment, also after a kill.
//!
//! A file and its entry in the manifest cannot change at once. So the entry that a file is about to
//! have stands in a file of its own first, `manifest.next.json`. Then come the file, the manifest, and
//! the end of that note. A kill before the file leaves the old file and its old entry; a kill after it
//! leaves the new file and the note.

use crate::pairs::pairs_of;
use anyhow::{Context, Result, bail};
use castproof_io::{input, output};
use castproof_vectors::{FORMAT, Level, Manifest, ManifestEntry, Suite, file_name, sha256_hex};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The name of the manifest in its folder.
const MANIFEST: &str = "manifest.json";

/// The name of the entries that files are about to have.
const NEXT: &str = "manifest.next.json";

/// Returns the names of all files of vectors, below their folder.
pub(crate) fn names() -> BTreeSet<String> {
    let casts = Suite::casts().flat_map(|suite| {
        let name = move |(from, to)| file_name(suite, from, to);
        pairs_of(suite).into_iter().map(name)
    });
    casts.chain(Suite::QUESTIONS.iter().map(|suite| suite.question_file())).collect()
}

/// Reads the manifest of a folder. It has the entries of the files as they are, also if a run was
/// killed while it wrote one.
///
/// # Errors
/// If there is none, or it is broken.
pub fn read(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    let text = input::read(&path).with_context(|| {
        format!("{} cannot be read; a folder of vectors needs its manifest", path.display())
    })?;
    let mut manifest: Manifest =
        serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    if manifest.format != FORMAT {
        let format = &manifest.format;
        bail!("{}: format is '{format}'; this program reads {FORMAT}", path.display());
    }
    let count = count(&manifest);
    if count != manifest.number_of_tests {
        let claimed = manifest.number_of_tests;
        bail!("{}: numberOfTests is {claimed}, its files have {count}", path.display());
    }
    settle(folder, &mut manifest)?;
    Ok(manifest)
}

/// Returns a manifest of no files.
pub fn empty() -> Manifest {
    Manifest {
        format: FORMAT.into(),
        generator_version: env!("CARGO_PKG_VERSION").into(),
        level: Level::Core,
        number_of_tests: 0,
        files: BTreeMap::new(),
    }
}

/// Puts a file with this text into a folder, of which this is the manifest. Nobody else must write to
/// the folder.
///
/// # Errors
/// If something cannot be written. The folder can be read nevertheless.
pub fn put(
    folder: &Path,
    manifest: &mut Manifest,
    (name, text): (&str, &str),
    entry: ManifestEntry,
) -> Result<()> {
    // Without a manifest the file would be a stranger.
    if !folder.join(MANIFEST).exists() {
        write(folder, manifest)?;
    }
    let next = BTreeMap::from([(name, &entry)]);
    output::write(&folder.join(NEXT), serde_json::to_string(&next)? + "\n")?;
    output::write(&folder.join(name), text)?;
    manifest.files.insert(name.into(), entry);
    manifest.number_of_tests = count(manifest);
    finish(folder, manifest)
}

/// Writes the manifest if there is a note, which is not needed afterwards.
///
/// # Errors
/// If it cannot be written.
pub fn finish(folder: &Path, manifest: &Manifest) -> Result<()> {
    let next = folder.join(NEXT);
    if fs::symlink_metadata(&next).is_err() {
        return Ok(());
    }
    write(folder, manifest)?;
    fs::remove_file(&next).with_context(|| format!("{} cannot be removed", next.display()))
}

fn write(folder: &Path, manifest: &Manifest) -> Result<()> {
    output::write(&folder.join(MANIFEST), serde_json::to_string_pretty(manifest)? + "\n")
}

/// Takes over each entry of the note that is the entry of the file as it is.
fn settle(folder: &Path, manifest: &mut Manifest) -> Result<()> {
    let path = folder.join(NEXT);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(());
    }
    let place = || path.display().to_string();
    let text = input::read(&path).with_context(place)?;
    let next: BTreeMap<String, ManifestEntry> = serde_json::from_str(&text).with_context(place)?;
    let known = names();
    for (name, entry) in next {
        if !known.contains(&name) {
            bail!("{}: '{name}' is the file of no pair", place());
        }
        let file = input::bytes(&folder.join(&name));
        if file.is_ok_and(|bytes| sha256_hex(&bytes) == entry.sha256) {
            manifest.files.insert(name, entry);
        }
    }
    manifest.number_of_tests = count(manifest);
    Ok(())
}

fn count(manifest: &Manifest) -> usize {
    manifest.files.values().map(|entry| entry.number_of_tests).sum()
}
