//! The command line: a command a file, each with its arguments and what carries it out.

mod args;
mod bitcast;
mod certify;
mod chain;
mod diff;
mod diff_spec;
mod expect;
mod explain;
mod fuzz;
mod gate;
mod plan;
mod print;
mod promote;
mod report;
mod reproduce;
mod rules;
mod show;
mod sweep;
mod testee;
mod values;
mod vectors;

use anyhow::Result;
use clap::{Parser, Subcommand};
use values::Author;

pub(crate) use print::print;

/// Exact expectations of tensor dtype casts, and a gate that holds implementations to them.
///
/// Exit status: 0 all is well, 1 the gate failed, 2 the command could not be carried out.
#[derive(Parser)]
#[command(name = "castproof", version)]
pub(crate) struct Cli {
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
    /// Carries out the command. Returns `false` if the gate failed.
    pub(crate) fn run(self) -> Result<bool> {
        castproof::answers::choose(self.answers.into());
        match self.command {
            Command::Expect(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Promote(command) => command.run(),
            Command::Bitcast(command) => command.run(),
            Command::DiffSpec(command) => command.run(),
            Command::Rules(command) => command.run(),
            Command::Chain(command) => command.run(),
            Command::Gate(command) => command.run(),
            Command::Fuzz(command) => command.run(),
            Command::Show(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Reproduce(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Sweep(command) => command.run(),
            Command::Certify(command) => command.run(),
            Command::Plan(command) => command.run(),
            Command::Testee(command) => command.run(),
            Command::Vectors(command) => command.run(),
        }
    }

    /// Is it the command that is a testee?
    pub(crate) fn is_testee(&self) -> bool {
        matches!(self.command, Command::Testee(_))
    }
}

/// What to do.
#[derive(Subcommand)]
enum Command {
    /// Say what to expect of a cast: of one code, or of each line of standard input.
    Expect(expect::Expect),
    /// Explain the cast of one element: its value, its neighbours in the target, the rule, the
    /// result, and what common wrong methods give.
    Explain(explain::Explain),
    /// Show the dtype to which MindSpore promotes two operands: two tensor dtypes, or a tensor
    /// dtype and number:bool, number:int or number:float. With two codes, cast one element of each.
    Promote(promote::Promote),
    /// Show the shape that a bitcast gives a tensor.
    Bitcast(bitcast::Bitcast),
    /// List the inputs whose results differ between two versions of Cast, or between two
    /// specifications, with examples.
    DiffSpec(diff_spec::DiffSpec),
    /// Show rules, with their basis and their source: one rule, those of a specification, or those
    /// that decide a cast.
    Rules(rules::Rules),
    /// Show whether the middle dtype of two casts in a row can be dropped: how many codes would
    /// differ, and the smallest of either sign. docs/atlas.html shows all chains at a glance.
    Chain(chain::Chain),
    /// Run test vectors through an implementation and report what differs.
    Gate(gate::Gate),
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
    /// Check the certificate of a sweep.
    #[command(subcommand)]
    Certify(certify::Certify),
    /// Show which loops Castproof's own implementation runs a cast through, and why.
    Plan(plan::Plan),
    /// Serve Castproof's own implementation, or a shared library, over the testee protocol.
    Testee(testee::Testee),
    /// Export test vectors in formats that other tools read.
    #[command(subcommand)]
    Vectors(vectors::Vectors),
}
