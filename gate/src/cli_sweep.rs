//! The command line of sweeps and their certificates.

use crate::cli::{FilterArgs, JournalArgs, SubjectArgs, parse_seconds, thread_count};
use anyhow::Result;
use castproof::sweep::{Options, Shard};
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// `castproof sweep`
#[derive(Args)]
pub(crate) struct Sweep {
    #[command(subcommand)]
    pub(crate) merge: Option<SweepCommand>,
    #[command(flatten)]
    subject: SubjectArgs,
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
    #[command(flatten)]
    terms: JournalArgs,
    /// The longest wait for an answer of the testee.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    timeout: Duration,
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

impl Sweep {
    /// The options of the run.
    pub(crate) fn options(self, date: String) -> Result<Options> {
        Ok(Options {
            subject: self.subject.subject()?,
            filters: self.filters.filters(),
            shard: self.shard,
            threads: thread_count(self.threads),
            certificate: self.certificate,
            terms: self.terms.terms(),
            timeout: self.timeout,
            date,
        })
    }
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
