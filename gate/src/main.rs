//! `castproof`: what a dtype cast must return, and whether an implementation does.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cli;

use anyhow::{Context, Result};
use castproof::sink;
use clap::Parser;
use clap::error::ErrorKind;
use cli::Cli;
use signal_hook::consts::SIGABRT;
use signal_hook::flag;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version.
        Err(help) if !help.use_stderr() => return ended(cli::print(&help.to_string())),
        // Help that was not asked for: the command line was incomplete, and nothing was done.
        Err(help) if help.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(io::stderr(), "{help}");
            return 2.into();
        }
        Err(error) => return fail(&usage_line(&error.to_string())),
    };
    if let Err(error) = castproof_impl::Backend::from_env() {
        return fail(&error.to_string());
    }
    // A testee that aborts must be seen to abort, so `testee` keeps the default.
    if !cli.is_testee()
        && let Err(error) = catch_signals()
    {
        return fail(&format!("{error:#}"));
    }
    ended(cli.run())
}

/// Makes an abort end the program with status 2, like everything else that it cannot carry out: when
/// memory cannot be allocated, std reports so in one line and aborts. A file beyond the limit of its
/// size becomes an error of writing it, where it would end the program without a word.
fn catch_signals() -> Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    let caught = flag::register_conditional_shutdown(SIGABRT, 2, always);
    #[cfg(unix)]
    let caught = caught.and_then(|_| flag::register(signal_hook::consts::SIGXFSZ, Arc::default()));
    caught.map(drop).context("signals cannot be caught")
}

/// Returns the exit status of a command, and prints its error.
fn ended(result: Result<bool>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => 1.into(),
        // The reader of our output has gone; there is no one to tell.
        Err(error) if is_broken_pipe(&error) => 2.into(),
        Err(error) => fail(&format!("{error:#}")),
    }
}

fn fail(message: &str) -> ExitCode {
    let line = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    // If standard error is closed or full, the exit status still tells.
    let _ = writeln!(io::stderr(), "castproof: {}", sink::line(&line));
    2.into()
}

/// Returns clap's message about a wrong command line, without the usage that clap adds.
fn usage_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let said =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = said.collect::<Vec<_>>().join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    format!("{line} (castproof --help shows how)")
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(broken))
}
