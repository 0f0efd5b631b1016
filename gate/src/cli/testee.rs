//! `castproof testee`: Castproof's own implementation, or a shared library, as a testee.

use super::print::output;
use anyhow::{Context, Result};
use castproof::testee::{Guarded, builtin::Builtin, library::Library, serve::serve};
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
        let mut testee: Box<dyn castproof::testee::Testee> = match &self.library {
            Some(path) => {
                Box::new(Guarded::new(Library::load(path)?).context("no memory for its buffers")?)
            }
            None => Box::new(Builtin::new()),
        };
        let output = &mut output();
        serve(testee.as_mut(), &mut io::stdin().lock(), output)?;
        Ok(true)
    }
}
