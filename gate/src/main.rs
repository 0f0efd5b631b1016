//! `castproof`: what a dtype cast must return, and whether an implementation does.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cli;
mod cli_fuzz;
mod cli_reproduce;
mod cli_rules;
mod cli_sweep;
mod cli_values;
mod cli_vectors;

use anyhow::{Context, Result, bail};
use castproof::answers::{self, Answering};
#[cfg(unix)]
use castproof::arrange::Guarded;
use castproof::results::ResultsFile;
use castproof::testee::{Testee, builtin::Builtin, library::Library, serve::serve};
use castproof::{ask, diff_spec, expect, explain, interrupt, sweep};
use castproof::{chain, export, fuzz, gate, plan_text, report, reproduce, sink};
use clap::Parser;
use clap::error::ErrorKind;
use cli::{Cli, Command};
use cli_sweep::SweepCommand;
use cli_vectors::Vectors;
use signal_hook::consts::{SIGABRT, SIGINT};
use signal_hook::flag;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version.
        Err(help) if !help.use_stderr() => return ended(print(&help.to_string())),
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
    answers::choose(cli.answers);
    // A testee that aborts must be seen to abort, so `testee` keeps the default.
    if !matches!(cli.command, Command::Testee { .. })
        && let Err(error) = without_abort()
    {
        return fail(&format!("{error:#}"));
    }
    ended(run(cli.command))
}

/// Makes an abort end the program with status 2, like everything else that it cannot carry out.
/// When memory cannot be allocated, std reports so in one line and aborts.
fn without_abort() -> Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(SIGABRT, 2, always).context("signals cannot be caught")?;
    Ok(())
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

/// Carries out the command. Returns `false` if the gate failed.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Expect(arguments) => {
            let request = arguments.request().context("name an input and an output dtype")?;
            answer(&request, arguments.code.as_deref())?;
            Ok(true)
        }
        Command::Explain(arguments) => {
            let text = explain::text(&arguments.request(), &arguments.code)?;
            print(&text)
        }
        Command::Promote(arguments) => print(&promoted(&arguments)?),
        Command::Bitcast(arguments) => {
            let cli::Bitcast { from, shape, to, system } = arguments;
            print(&ask::bitcast(system, from, to, &shape)?)
        }
        Command::DiffSpec(arguments) => print(&diff_spec::text(arguments.before, arguments.after)?),
        Command::Chain { from, between, to } => print(&chain::text([from, between, to])?),
        Command::Rules(arguments) => print(&arguments.text()?),
        Command::Gate(arguments) => {
            let (subject, timeout) = (arguments.subject()?, arguments.timeout());
            let make = || gate::start(&subject, timeout);
            gate::run_with(&arguments.options()?, &make, &mut output())
        }
        Command::Fuzz(arguments) => {
            let (subject, timeout) = (arguments.subject()?, arguments.timeout());
            let make = || gate::start(&subject, timeout);
            fuzz::run(&arguments.options()?, &make, interruption()?, &mut output())
        }
        Command::Show { id, results } => {
            let file = ResultsFile::read(&results)?;
            print(&match id {
                Some(id) => report::show::one(&file, &id)?,
                None => report::show::list(&file)?,
            })
        }
        Command::Report(arguments) => make_reports(&arguments),
        Command::Reproduce(arguments) => print(&reproduce::reproduce(&arguments.job())?),
        Command::Diff { before, after } => differs(&before, &after),
        Command::Sweep(arguments) => run_sweep(arguments),
        Command::Certify(certify) => certify.run(interruption()?, &mut output()),
        Command::Plan { from, to, backend } => {
            print(&plan_text::text(from, to, backend.as_deref())?)
        }
        Command::Testee { library } => serve_testee(library.as_deref()),
        Command::Vectors(Vectors::Export(arguments)) => {
            let output = &mut output();
            if let Some(line) = export::export(&arguments.job(), output)? {
                writeln!(output, "{line}")?;
                output.flush()?;
            }
            Ok(true)
        }
    }
}

fn differs(before: &Path, after: &Path) -> Result<bool> {
    let difference = report::diff(&ResultsFile::read(before)?, &ResultsFile::read(after)?)?;
    print(&difference.to_string())?;
    Ok(difference.is_no_worse())
}

fn serve_testee(library: Option<&Path>) -> Result<bool> {
    let mut testee: Box<dyn Testee> = match library {
        #[cfg(unix)]
        Some(path) => {
            Box::new(Guarded::new(Library::load(path)?).context("no memory for its buffers")?)
        }
        #[cfg(not(unix))]
        Some(path) => Box::new(Library::load(path)?),
        None => Box::new(Builtin::new()),
    };
    let output = &mut output();
    serve(testee.as_mut(), &mut io::stdin().lock(), output)?;
    Ok(true)
}

fn promoted(arguments: &cli::Promote) -> Result<String> {
    let cli::Promote { tensor, with, code, other_code } = arguments;
    match (code, other_code) {
        (Some(left), Some(right)) => ask::promote_elements(*tensor, *with, [left, right]),
        _ => Ok(ask::promote(*tensor, *with)),
    }
}

fn make_reports(arguments: &cli::Report) -> Result<bool> {
    let files: Result<Vec<ResultsFile>> =
        arguments.files.iter().map(|path| ResultsFile::read(path)).collect();
    let files = files?;
    if files.len() > 1 && !arguments.compare {
        bail!("to put several results files side by side, give --compare");
    }
    report::write(&files, &arguments.targets())?;
    let mut out = output();
    if arguments.compare {
        out.write_all(report::table(&files).as_bytes())?;
    }
    if arguments.annotations {
        for line in files.iter().flat_map(report::annotations) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(true)
}

fn run_sweep(mut arguments: cli_sweep::Sweep) -> Result<bool> {
    let out = &mut output();
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    if let Some(SweepCommand::Merge { files, certificate }) = arguments.merge.take() {
        return sweep::merge(&files, &certificate, &now, out);
    }
    sweep::run(&arguments.options(now)?, interruption()?, out)
}

/// Makes Ctrl-C set the flag that is returned, instead of ending the program.
fn interruption() -> Result<&'static AtomicBool> {
    flag::register(SIGINT, Arc::clone(interrupt::flag())).context("Ctrl-C cannot be caught")?;
    Ok(interrupt::flag())
}

fn print(text: &str) -> Result<bool> {
    let mut out = output();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(true)
}

/// Returns standard output. Its errors name it.
fn output() -> BufWriter<Printed> {
    BufWriter::new(Printed(io::stdout().lock()))
}

struct Printed(io::StdoutLock<'static>);

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

fn answer(request: &castproof_vectors::Request, code: Option<&str>) -> Result<()> {
    if let Some(note) = expect::version_note(request)? {
        let _ = writeln!(io::stderr(), "{note}");
    }
    // Refuses dtypes that are not cast before the first line is read.
    Answering::chosen(request)?;
    let mut output = output();
    match code {
        Some(code) => writeln!(output, "{}", expect::one(request, code)?)?,
        None => expect::stream(request, &mut io::stdin().lock(), &mut output)?,
    }
    Ok(output.flush()?)
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
