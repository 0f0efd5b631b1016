//! `castproof`: what a dtype cast must return, and whether an implementation does.

mod cli;

use anyhow::{Context, Result};
use castproof::testee::{builtin::Builtin, serve::serve};
use castproof::{ask, diff_spec, expect, explain, gate};
use clap::Parser;
use cli::{Cli, Command};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return fail(&usage_line(&error.to_string())),
        // Help and version, which go to standard output.
        Err(help) => return if help.print().is_ok() { ExitCode::SUCCESS } else { 2.into() },
    };
    match run(cli.command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => 1.into(),
        // The reader of our output has gone; there is no one to tell.
        Err(error) if is_broken_pipe(&error) => 2.into(),
        Err(error) => fail(&format!("{error:#}")),
    }
}

/// Carries out the command. `false`: the gate failed.
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
        Command::Promote(arguments) => print(&ask::promote(arguments.tensor, arguments.with)),
        Command::Bitcast(arguments) => {
            let cli::Bitcast { from, shape, to, system } = arguments;
            print(&ask::bitcast(system, from, to, &shape)?)
        }
        Command::DiffSpec(arguments) => print(&diff_spec::text(arguments.before, arguments.after)?),
        Command::Gate(arguments) => {
            let options = arguments.options().context("name a testee or an adapter")?;
            gate::run(&options, &mut BufWriter::new(io::stdout().lock()))
        }
        Command::Testee => {
            let output = &mut BufWriter::new(io::stdout().lock());
            serve(&mut Builtin::new(), &mut io::stdin().lock(), output)?;
            Ok(true)
        }
    }
}

fn print(text: &str) -> Result<bool> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(true)
}

fn answer(request: &castproof_vectors::Request, code: Option<&str>) -> Result<()> {
    if let Some(note) = expect::version_note(request)? {
        eprintln!("{note}");
    }
    // Refuses dtypes that are not cast before the first line is read.
    castproof_oracle::Caster::new(request)?;
    let mut output = BufWriter::new(io::stdout().lock());
    match code {
        Some(code) => writeln!(output, "{}", expect::one(request, code)?)?,
        None => expect::stream(request, &mut io::stdin().lock(), &mut output)?,
    }
    Ok(output.flush()?)
}

fn fail(message: &str) -> ExitCode {
    let line = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    eprintln!("castproof: {line}");
    2.into()
}

/// What clap says of a wrong command line, without the usage that it adds.
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
