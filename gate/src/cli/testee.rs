//! `castproof testee`: Castproof's own implementation, or a shared library, as a testee.

use super::print::output;
use crate::testee::{Guarded, builtin::Builtin, library::Library, pipes, serve::serve};
use anyhow::{Context, Result};
use clap::Args;
use std::io;
use std::path::PathBuf;

/// `castproof testee`
#[derive(Args)]
pub(super) struct Testee {
    /// A shared library with the C function of `castproof.h`.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

impl Testee {
    pub(super) fn run(&self) -> Result<bool> {
        let Some(path) = &self.library else {
            serve(&mut Builtin::new(), &mut io::stdin().lock(), &mut output())?;
            return Ok(true);
        };
        // Before the library is loaded, which may print while it is.
        let (mut input, mut output) = pipes::taken().context("no pipes to speak through")?;
        let library = Library::load(path)?;
        let mut testee = Guarded::new(library).context("no memory for its buffers")?;
        serve(&mut testee, &mut input, &mut output)?;
        Ok(true)
    }
}
