//! The pipes through which a child of the gate speaks, kept from the library that it loads: what a kernel prints
//! must not stand among the answers, nor must what it reads be a request.

use std::io::{self, BufRead, Write};

/// Returns standard input and standard output. From then on, who reads standard input finds its end, and what is
/// printed goes to standard error, whose last line the gate shows if the child dies.
///
/// # Errors
/// If the system has no file descriptor left.
#[cfg(unix)]
pub fn taken() -> io::Result<(impl BufRead, impl Write)> {
    use nix::unistd::{dup2_stdin, dup2_stdout};
    use std::fs::File;
    use std::os::fd::AsFd;

    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((io::BufReader::new(input), io::BufWriter::new(output)))
}

/// Returns standard input and standard output.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn taken() -> io::Result<(impl BufRead, impl Write)> {
    Ok((io::stdin().lock(), io::BufWriter::new(io::stdout())))
}
