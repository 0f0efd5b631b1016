//! The command line of sweeps and their certificates.

use crate::cli::{parse_seconds, subject};
use anyhow::Result;
use castproof::results::Filters;
use castproof::sweep::{Options, Shard};
use castproof_vectors::DType;
use clap::{ArgGroup, Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

/// `castproof sweep`
#[derive(Args)]
#[command(group(ArgGroup::new("swept").required(true).args(["testee", "adapter", "library"])))]
pub(crate) struct Sweep {
    #[command(subcommand)]
    pub(crate) merge: Option<SweepCommand>,
    /// `builtin`, or the command of a program that speaks the testee protocol.
    #[arg(long, value_name = "COMMAND")]
    testee: Option<String>,
    /// An adapter of the repository, by the name of its folder.
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// A shared library with the C function of `castproof.h`; it is loaded in child processes.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    #[command(flatten)]
    filters: FilterArgs,
    /// Only this share: 3/8 is the third of eight. `sweep merge` joins them.
    #[arg(long, value_name = "I/N", value_parser = parse_shard, default_value = "1/1")]
    shard: Shard,
    /// Threads, each with a testee of its own; by default one a core.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Where the certificate is written, and beside it the journal.
    #[arg(long, value_name = "FILE", default_value = "castproof-sweep.json")]
    certificate: PathBuf,
    /// The longest wait for an answer of the testee.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    timeout: Duration,
}

/// What to leave out.
#[derive(Args)]
pub(crate) struct FilterArgs {
    /// Only casts from this dtype.
    #[arg(long, value_name = "DTYPE")]
    from: Option<DType>,
    /// Only casts to this dtype.
    #[arg(long, value_name = "DTYPE")]
    to: Option<DType>,
    /// Only this operator set.
    #[arg(long)]
    opset: Option<u32>,
}

/// `castproof sweep merge`
#[derive(Subcommand)]
pub(crate) enum SweepCommand {
    /// Join the certificates or journals of all shares of a sweep.
    Merge {
        /// Certificates or journals.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where the joined certificate is written.
        #[arg(long, value_name = "FILE")]
        certificate: PathBuf,
    },
}

/// `castproof certify`
#[derive(Subcommand)]
pub(crate) enum Certify {
    /// Derive all expected elements again; fail on any edit of the certificate.
    Verify {
        /// The certificate.
        file: PathBuf,
        #[command(flatten)]
        filters: FilterArgs,
        /// Threads; by default one a core.
        #[arg(long, value_name = "N")]
        threads: Option<NonZeroUsize>,
    },
}

impl FilterArgs {
    /// What to leave out.
    pub(crate) fn filters(&self) -> Filters {
        Filters { from: self.from, to: self.to, opset: self.opset }
    }
}

impl Sweep {
    /// The options of the run.
    pub(crate) fn options(self, date: String) -> Result<Options> {
        let subject = subject(self.testee, self.adapter, self.library)?;
        Ok(Options {
            subject,
            filters: self.filters.filters(),
            shard: self.shard,
            threads: thread_count(self.threads),
            certificate: self.certificate,
            timeout: self.timeout,
            date,
        })
    }
}

/// As many as asked for, or one a core.
pub(crate) fn thread_count(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

fn parse_shard(text: &str) -> std::result::Result<Shard, String> {
    let parts = text
        .split_once('/')
        .and_then(|(index, of)| Some(Shard { index: index.parse().ok()?, of: of.parse().ok()? }));
    match parts {
        Some(shard) if (1..=shard.of).contains(&shard.index) => Ok(shard),
        _ => Err("it must be I/N with I from 1 to N, like 3/8".into()),
    }
}
