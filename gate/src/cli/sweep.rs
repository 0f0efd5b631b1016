//! `castproof sweep`: every code through an implementation, with a certificate.

use super::args::{FilterArgs, JournalArgs, SubjectArgs, apart, thread_count};
use super::print::{interruption, output};
use super::values::{parse_count, parse_profile, parse_time};
use crate::sweep::{self, Conclusion, Shard, SweepOptions};
use anyhow::Result;
use castproof_vectors::Profile;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// `castproof sweep`
#[derive(Args)]
pub(super) struct Sweep {
    #[command(subcommand)]
    merge: Option<SweepCommand>,
    #[command(flatten)]
    subject: SubjectArgs,
    /// Sweep the casts of a profile instead of those of ONNX. The testee must list it.
    #[arg(long, value_name = "NAME", value_parser = parse_profile, conflicts_with = "opset")]
    profile: Option<Profile>,
    #[command(flatten)]
    filters: FilterArgs,
    /// Sweep only this share: 3/8 is the third of eight. `sweep merge` joins the shares. Exit status 3:
    /// nothing in the share failed.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Threads, each with a testee of its own [default: one per core].
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// The certificate to write. The journal is written beside it.
    #[arg(long, value_name = "FILE", default_value = "castproof-sweep.json")]
    certificate: PathBuf,
    #[command(flatten)]
    terms: JournalArgs,
    /// How long to wait for an answer of the testee.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
}

/// `castproof sweep merge`
#[derive(Subcommand)]
enum SweepCommand {
    /// Join the certificates or journals of all shares of a sweep.
    Merge {
        /// Certificates or journals.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The joined certificate to write.
        #[arg(long, value_name = "FILE")]
        certificate: PathBuf,
    },
}

impl Sweep {
    pub(super) fn run(mut self) -> Result<Conclusion> {
        let out = &mut output();
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        if let Some(SweepCommand::Merge { files, certificate }) = self.merge.take() {
            apart(&[Some(&certificate)], files.iter().cloned())?;
            let work = (thread_count(None), interruption()?);
            return sweep::merge(&files, &certificate, &now, work, out);
        }
        let options = self.options(now)?;
        let journal = options.journal();
        apart(&[Some(&options.certificate), Some(&journal)], options.subject.files())?;
        sweep::run(&options, interruption()?, out)
    }

    /// The options of the run.
    fn options(self, date: String) -> Result<SweepOptions> {
        Ok(SweepOptions {
            subject: self.subject.subject()?,
            profile: self.profile,
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
