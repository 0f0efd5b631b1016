//! Standard output, and Ctrl-C.

use crate::interrupt;
use anyhow::{Context, Result};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Makes Ctrl-C set the flag that is returned, instead of ending the program.
pub(super) fn interruption() -> Result<&'static AtomicBool> {
    flag::register(SIGINT, Arc::clone(interrupt::flag())).context("Ctrl-C cannot be caught")?;
    Ok(interrupt::flag())
}

/// Prints a text. Returns `true`, for nothing failed.
pub(super) fn print(text: &str) -> Result<bool> {
    let mut out = output();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(true)
}

/// Returns standard output. Its errors name it.
pub(super) fn output() -> BufWriter<Printed> {
    BufWriter::new(Printed(io::stdout().lock()))
}

pub(super) struct Printed(io::StdoutLock<'static>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| unprinted(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| unprinted(&error))
    }
}

fn unprinted(error: &io::Error) -> io::Error {
    // The writer that calls this repeats the write on `Interrupted`.
    io::Error::new(error.kind(), format!("standard output cannot be written: {error}"))
}
