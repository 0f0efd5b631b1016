//! The program `castproof`, run by Python.

use castproof::cli;
use castproof_io::program::Program;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the program with these words, the first of which is its name, and returns its exit status.
/// `python` is the interpreter that runs adapters, `file` the file of this module, `adapters` the
/// folder of the adapters.
#[pyfunction]
pub(crate) fn main(
    py: Python<'_>,
    words: Vec<OsString>,
    python: PathBuf,
    file: PathBuf,
    adapters: PathBuf,
) -> u8 {
    // -P: a file of the current folder never takes the place of a module.
    let command = ["-P", "-m", "castproof"].map(OsString::from);
    let command = [&[python.clone().into_os_string()], &command[..]].concat();
    Program { command, file, adapters: Some(adapters), python: Some(python) }.set();
    py.detach(|| cli::main(words))
}
