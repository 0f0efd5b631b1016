//! The command line of the program `castproof`: a command a file, each with its arguments and what
//! carries it out.

mod adapters;
mod args;
mod asked;
mod attest;
mod bitcast;
mod certify;
mod chain;
mod diff;
mod diff_spec;
mod dtypes;
mod expect;
mod explain;
mod explore;
mod export;
mod format;
mod fuzz;
mod gate;
mod hints;
mod history;
mod plan;
mod print;
mod project;
mod promote;
mod quantize;
mod recognise;
mod record;
mod report;
mod reproduce;
mod rules;
mod show;
mod sweep;
mod testee;
mod values;
mod vectors;

use crate::sink;
use crate::sweep::Conclusion;
use anyhow::{Context, Result};
use castproof_impl::Backend;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use print::print;
use signal_hook::consts::SIGABRT;
use signal_hook::flag;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use values::Author;

/// The exit status of what could not be carried out.
const NOT_CARRIED_OUT: u8 = 2;

/// The exit status of a sweep that found nothing wrong and is a share, or of its certificate.
const NOT_WHOLE: u8 = 3;

/// Does what the words say, the first of which is the name of the program, and returns its exit
/// status: 0 all is well, 1 something failed, 2 the command could not be carried out, 3 nothing failed in
/// a share of a sweep. Errors are printed on standard error, in one line.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words = asked::marked(words);
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        // Help and version.
        Err(help) if !help.use_stderr() => return ended(print(&help.to_string()).map(status)),
        // Help that was not asked for: the command line was incomplete, and nothing was done.
        Err(help) if help.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(io::stderr(), "{help}");
            return NOT_CARRIED_OUT;
        }
        Err(error) => {
            let hint = hints::hint(&words)
                .map_or_else(|| usage_line(&error.to_string()), |hint| hinted(&hint));
            return fail(&asked::without_marks(&hint));
        }
    };
    if let Err(error) = Backend::from_env() {
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

/// Exact expectations of tensor dtype casts, and a gate that holds implementations to them.
///
/// Exit status: 0 all is well, 1 the gate failed, 2 the command could not be carried out, 3 nothing failed
/// in a share of a sweep, which is not the whole.
#[derive(Parser)]
#[command(name = "castproof", version)]
struct Cli {
    /// Where expectations come from: the book that the program carries, or the oracle, which
    /// computes each answer. The book holds no strings, so those are always computed.
    #[arg(long, global = true, value_name = "book|oracle", default_value = "book")]
    #[arg(hide_default_value = true)]
    answers: Author,
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// Carries out the command. Returns its exit status.
    fn run(self) -> Result<u8> {
        crate::answers::choose(self.answers.into());
        let passed = match self.command {
            Command::Expect(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Explore(command) => command.run(),
            Command::Format(command) => command.run(),
            Command::Project(command) => command.run(),
            Command::Promote(command) => command.run(),
            Command::Bitcast(command) => command.run(),
            Command::Quantize(command) => command.run(),
            Command::Dequantize(command) => command.run(),
            Command::QuantizeLinear(command) => command.run(),
            Command::DequantizeLinear(command) => command.run(),
            Command::DiffSpec(command) => command.run(),
            Command::Dtypes(command) => command.run(),
            Command::Rules(command) => command.run(),
            Command::Chain(command) => command.run(),
            Command::Gate(command) => command.run(),
            Command::Record(command) => command.run(),
            Command::History(command) => command.run(),
            Command::Adapters(command) => command.run(),
            Command::Fuzz(command) => command.run(),
            Command::Recognise(command) => command.run(),
            Command::Show(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Reproduce(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Sweep(command) => return command.run().map(concluded),
            Command::Attest(command) => command.run(),
            Command::Certify(command) => return command.run().map(concluded),
            Command::Plan(command) => command.run(),
            Command::Testee(command) => command.run(),
            Command::Vectors(command) => command.run(),
            Command::Export(command) => command.run(),
        };
        passed.map(status)
    }

    /// Is it the command that is a testee?
    fn is_testee(&self) -> bool {
        matches!(self.command, Command::Testee(_))
    }
}

/// What to do.
#[derive(Subcommand)]
enum Command {
    /// Say what to expect of a cast: of numbers, or of each line of standard input.
    Expect(expect::Expect),
    /// Explain the cast of one element: its value, its neighbours in the target, the rule, the
    /// result, and what common wrong methods give.
    Explain(explain::Explain),
    /// Open the page of answers in a browser: an element, a pair, a format, a rule, a block.
    Explore(explore::Explore),
    /// Describe a float format by its parameters: one of the table, or of IEEE P3109 (a draft), such as
    /// binary8p3se. Without a name, list the table.
    Format(format::Format),
    /// Show which code of a float format a number becomes, under a rounding and a saturation, or under
    /// all of them. docs/formats-and-rounding.md says what they mean.
    Project(project::Project),
    /// Show the dtype to which MindSpore promotes two operands: two tensor dtypes, or a tensor
    /// dtype and number:bool, number:int or number:float. With two codes, cast one element of each.
    Promote(promote::Promote),
    /// Show the shape that a bitcast gives a tensor.
    Bitcast(bitcast::Bitcast),
    /// Quantise numbers to blocks that share a scale (MX, NVFP4): scale and elements under each rule,
    /// side by side. docs/blocks.md says who uses which.
    Quantize(quantize::Quantize),
    /// Show the numbers that elements under a scale stand for.
    Dequantize(quantize::DequantizeBlock),
    /// Show what ONNX's QuantizeLinear must make of numbers under one scale.
    QuantizeLinear(quantize::QuantizeLinear),
    /// Show what ONNX's DequantizeLinear must make of elements under one scale.
    DequantizeLinear(quantize::DequantizeLinear),
    /// List the inputs whose results differ between two versions of Cast, or between two
    /// specifications, with examples.
    DiffSpec(diff_spec::DiffSpec),
    /// List the dtypes with their facts, and their names in other projects.
    Dtypes(dtypes::Dtypes),
    /// Show rules, with their basis and their source: one rule, those of a specification, or those
    /// that decide a cast.
    Rules(rules::Rules),
    /// Show whether the middle dtype of two casts in a row can be dropped: how many codes would
    /// differ, and the smallest of either sign. Of more casts, which of the dtypes between can be,
    /// the fewest casts that may stand for all, and whether that is proved or sampled: of dtypes up
    /// to 16 bits every code is compared, of wider ones drawn codes. docs/atlas.html shows all
    /// chains of two at a glance.
    Chain(chain::Chain),
    /// Run test vectors through an implementation and report what differs.
    Gate(Box<gate::Gate>),
    /// Record what an implementation answers to all questions of the gate, as a file that `gate
    /// --recorded` judges in seconds, on any machine.
    Record(record::Record),
    /// Ask several versions of a runtime, each in a Python environment of its own, and say what changed from one to the
    /// next. What was recorded once is not asked again.
    History(history::History),
    /// List the runtimes that `--adapter` knows, and what those lack that cannot run here.
    Adapters(adapters::Adapters),
    /// Say which specification an implementation casts as where ONNX leaves the result open: NaN,
    /// infinities and large numbers cast to integers. With --block, which rule it quantises blocks by.
    Recognise(recognise::Recognise),
    /// Fuzz an implementation with codes drawn from the answers, shrink each failing tensor, and keep
    /// it as a vector. Exit status 1: something was found.
    Fuzz(fuzz::Fuzz),
    /// Show a finding of a results file in full. Without an id, list all findings, one per line.
    Show(show::Show),
    /// Make reports from results files.
    Report(report::Report),
    /// Write a finding as files that run without Castproof: an ONNX model of one node with its input
    /// and a short script, a script for an array library, or a program in C or Rust.
    Reproduce(reproduce::Reproduce),
    /// Compare two runs: findings that are new, gone, grown or shrunk, and how many tests newly
    /// fail, pass or are unsupported. Exit status 1: something is worse.
    Diff(diff::Diff),
    /// Sweep an implementation: ask every code of sources up to 32 bits, and every boundary of
    /// wider sources. Writes a certificate. After an interruption, the same command continues.
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Sweep(sweep::Sweep),
    /// Ask every operand of conversions between formats by parameters, and write which of them give what is
    /// due for all: the declaration of IEEE P3109 (a draft), with a certificate. After an interruption, the
    /// same command continues.
    Attest(attest::Attest),
    /// Check the certificate of a sweep, or an attestation.
    #[command(subcommand)]
    Certify(certify::Certify),
    /// Show which loops Castproof's own implementation runs a cast through, and why.
    Plan(plan::Plan),
    /// Serve Castproof's own implementation, or a shared library, over the testee protocol.
    Testee(testee::Testee),
    /// Export test vectors in formats that other tools read.
    #[command(subcommand)]
    Vectors(vectors::Vectors),
    /// Write ONNX's node tests as archives, or the lists in which runners of such tests keep what
    /// passes.
    #[command(subcommand)]
    Export(export::Export),
}

/// Makes an abort end the program with status 2, like everything else that it cannot carry out: when
/// memory cannot be allocated, std reports so in one line and aborts. A file beyond the limit of its
/// size becomes an error of writing it, where it would end the program without a word.
fn catch_signals() -> Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    let caught = flag::register_conditional_shutdown(SIGABRT, NOT_CARRIED_OUT.into(), always);
    #[cfg(unix)]
    let caught = caught.and_then(|_| flag::register(signal_hook::consts::SIGXFSZ, Arc::default()));
    caught.map(drop).context("signals cannot be caught")
}

fn status(passed: bool) -> u8 {
    u8::from(!passed)
}

fn concluded(conclusion: Conclusion) -> u8 {
    match conclusion {
        Conclusion::Clean => 0,
        Conclusion::Fails => 1,
        Conclusion::Part => NOT_WHOLE,
    }
}

/// Returns the exit status of a command, and prints its error.
fn ended(result: Result<u8>) -> u8 {
    match result {
        Ok(status) => status,
        // The reader of our output has gone; there is no one to tell.
        Err(error) if is_broken_pipe(&error) => NOT_CARRIED_OUT,
        Err(error) => fail(&format!("{error:#}")),
    }
}

fn fail(message: &str) -> u8 {
    let line = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    // If standard error is closed or full, the exit status still tells.
    let _ = writeln!(io::stderr(), "castproof: {}", sink::line(&line));
    NOT_CARRIED_OUT
}

fn hinted(hint: &str) -> String {
    format!("{hint} (castproof --help shows how)")
}

/// Returns clap's message about a wrong command line, without the usage that clap adds.
fn usage_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let said =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = said.collect::<Vec<_>>().join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    hinted(line)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(broken))
}
