//! How a testee is started.

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;

/// How a testee is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments; never empty.
    pub command: Vec<OsString>,
    /// The folder to start it in; `None`: the current one.
    pub folder: Option<PathBuf>,
    /// What people call it; `None`: its words.
    pub name: Option<String>,
}

impl Launch {
    /// Makes a launch of these words in the current folder.
    pub fn of(command: Vec<OsString>) -> Launch {
        Launch { command, folder: None, name: None }
    }

    /// Returns the command for people to read: its words, with blanks between them.
    pub fn shown(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let words: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    /// Splits a command line as a POSIX shell would, without running one.
    ///
    /// # Errors
    /// If it is empty or its quotes do not match.
    pub fn from_command_line(line: &str) -> Result<Launch> {
        let command = shell_words::split(line)
            .with_context(|| format!("the testee's command '{line}' cannot be split"))?;
        if command.is_empty() {
            bail!("the testee's command is empty; name a program, or 'builtin'");
        }
        Ok(Launch::of(command.into_iter().map(OsString::from).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_like_a_shell_splits_them() {
        let launch = Launch::from_command_line("python3 'my testee.py' --x=1").expect("splits");
        assert_eq!(launch.command, ["python3", "my testee.py", "--x=1"]);
        assert!(Launch::from_command_line("  ").is_err());
        assert!(Launch::from_command_line("python3 'x").is_err());
    }
}
