//! Which implementation is tested, as the command line names it.

use super::within::Within;
use super::{adapter, builtin::Builtin, launch::Launch, library, process::Process, testee::Testee};
use anyhow::{Result, bail};
use castproof_io::program::Program;
use castproof_io::sink::{path_word, word};
use castproof_vectors::Profile;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Which implementation is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Castproof's own, in this process.
    Builtin,
    /// A command that speaks the testee protocol.
    Command(String),
    /// An adapter of the repository.
    Adapter(adapter::NamedAdapter),
    /// A shared library with the C function of `castproof.h`.
    Library(PathBuf),
}

impl Subject {
    /// Returns how it is started behind a pipe.
    ///
    /// # Errors
    /// If there is no such adapter, or the command is empty.
    pub fn launch(&self) -> Result<Launch> {
        match self {
            Subject::Builtin => {
                let testee = [OsString::from("testee")];
                Ok(Launch::of([&Program::this()?.command[..], &testee].concat()))
            }
            Subject::Command(line) => Launch::from_command_line(line),
            Subject::Adapter(name) => Ok(adapter::find(name)?.launch),
            Subject::Library(path) => library::launch(path),
        }
    }

    /// Returns the files under test that the command line names.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Subject::Builtin | Subject::Adapter(_) => Vec::new(),
            Subject::Library(path) => vec![path.clone()],
            Subject::Command(line) => {
                let launch = Launch::from_command_line(line);
                let words = launch.into_iter().flat_map(|launch| launch.command);
                words.map(PathBuf::from).filter(|file| file.is_file()).collect()
            }
        }
    }
}

impl fmt::Display for Subject {
    /// Writes the subject as the command line names it: `--adapter onnxruntime`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Builtin => f.write_str("--testee builtin"),
            Subject::Command(line) => write!(f, "--testee {}", word(line)),
            Subject::Library(path) => {
                write!(f, "--library {}", path_word(path))
            }
            Subject::Adapter(adapter::NamedAdapter { name, variant }) => {
                write!(f, "--adapter {}", word(name))?;
                let variant = variant.as_deref();
                variant.map_or(Ok(()), |variant| write!(f, " --variant {}", word(variant)))
            }
        }
    }
}

/// Starts the implementation under test. `timeout` is the longest wait for an answer.
///
/// # Errors
/// If there is no such adapter, or the testee does not start.
pub fn start(subject: &Subject, timeout: Duration) -> Result<Box<dyn Testee + Send>> {
    match subject {
        Subject::Builtin => Ok(Box::new(Builtin::new())),
        _ => start_by(subject.launch()?, timeout),
    }
}

/// Starts a testee behind a pipe.
///
/// # Errors
/// If it does not start.
pub fn start_by(launch: Launch, timeout: Duration) -> Result<Box<dyn Testee + Send>> {
    let process = Process::start(launch, timeout)?;
    let limits = process.limits();
    Ok(match limits.take_all() {
        true => Box::new(process),
        false => Box::new(Within::new(process, limits)),
    })
}

/// Checks that the hello of a testee lists the profile of a run.
///
/// # Errors
/// If it does not.
pub fn has_profile(profile: Option<Profile>, testee: &dyn Testee) -> Result<()> {
    let lacking = profile.filter(|profile| !testee.profiles().contains(profile));
    lacking.map_or(Ok(()), |profile| {
        let (identity, name) = (testee.identity(), profile.name());
        bail!("{identity} does not say that it has the profile {name}: its hello lists `profiles`")
    })
}
