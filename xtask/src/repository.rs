//! The folders of this repository, and writing to them.

use castproof::output;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of this repository's committed vector files.
pub(crate) fn default_data() -> PathBuf {
    vectors_crate().join("data")
}

/// The folder of the crate that holds vector files and their schema.
pub(crate) fn vectors_crate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("vectors")
}

/// Writes a file whole or not at all. Creates its folder if there is none.
pub(crate) fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        output::write(path, &contents)
    };
    write().map_err(|error| format!("{error:#}"))
}
