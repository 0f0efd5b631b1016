//! The folders of this repository, and writing to them.

use castproof::output;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of this repository's committed vector files.
pub fn default_data() -> PathBuf {
    vectors_crate().join("data")
}

/// The folder of the crate that holds vector files and their schema.
pub fn vectors_crate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("").with_file_name("vectors")
}

/// Checks that what users download does not grow unseen.
///
/// # Errors
/// If it has more bytes than allowed.
pub fn check_weight(name: &str, bytes: &[u8], heaviest: usize) -> Result<(), String> {
    match bytes.len() {
        weight if weight > heaviest => Err(format!(
            "the {name} weighs {weight} bytes, more than {heaviest}: make it smaller, or raise HEAVIEST"
        )),
        _ => Ok(()),
    }
}

/// Checks that a page that is made from data is what `command` makes today.
///
/// # Errors
/// If it cannot be read, or is not.
pub fn is_current(path: &Path, text: &str, command: &str) -> Result<(), String> {
    let found = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    match found == text {
        true => Ok(()),
        false => Err(format!("{}: is out of date; run {command}", path.display())),
    }
}

/// Writes a file whole or not at all. Creates its folder if there is none.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        output::write(path, &contents)
    };
    write().map_err(|error| format!("{error:#}"))
}
