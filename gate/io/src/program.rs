//! How this program is started, which files it comes with, and which Python it uses. An executable
//! finds all of it by itself. A module of another language that holds the program says it once.

use anyhow::{Context, Result};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// How the program is started, and what it comes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The words that start it; never empty. Arguments follow them.
    pub command: Vec<OsString>,
    /// The file with its code.
    pub file: PathBuf,
    /// The folder of the adapters that it comes with; `None`: it comes with none.
    pub adapters: Option<PathBuf>,
    /// The Python that runs its adapters; `None`: that of the environment which an adapter names.
    pub python: Option<PathBuf>,
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

impl Program {
    /// Says how the program is started, once, before anything else is done. Without it, the program
    /// is the executable of this process.
    pub fn set(self) {
        // A second word would come too late for what was done by the first.
        let _ = PROGRAM.set(self);
    }

    /// Returns how the program is started.
    ///
    /// # Errors
    /// If the system does not say where the executable of this process is.
    pub fn this() -> Result<&'static Program> {
        if let Some(program) = PROGRAM.get() {
            return Ok(program);
        }
        let file = env::current_exe().context("this program cannot find itself")?;
        let command = vec![file.clone().into()];
        Ok(PROGRAM.get_or_init(|| Program { command, file, adapters: None, python: None }))
    }
}
