//! The command line of sweeps and their certificates.

use crate::cli::{FilterArgs, JournalArgs, SubjectArgs, thread_count};
use crate::cli_values::{parse_profile, parse_seconds};
use anyhow::Result;
use castproof::gate;
use castproof::sweep::{self, Check, Options, Shard};
use castproof_vectors::Profile;
use clap::{Args, Subcommand};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// `castproof sweep`
#[derive(Args)]
pub(crate) struct Sweep {
    #[command(subcommand)]
    pub(crate) merge: Option<SweepCommand>,
    #[command(flatten)]
    subject: SubjectArgs,
    /// Sweep the casts of a profile instead of those of ONNX. The testee must list it.
    #[arg(long, value_name = "NAME", value_parser = parse_profile, conflicts_with = "opset")]
    profile: Option<Profile>,
    #[command(flatten)]
    filters: FilterArgs,
    /// Sweep only this share: 3/8 is the third of eight. `sweep merge` joins the shares.
    #[arg(long, value_name = "I/N", value_parser = parse_shard, default_value = "1/1")]
    shard: Shard,
    /// Threads, each with a testee of its own [default: one per core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// The certificate to write. The journal is written beside it.
    #[arg(long, value_name = "FILE", default_value = "castproof-sweep.json")]
    certificate: PathBuf,
    #[command(flatten)]
    terms: JournalArgs,
    /// How long to wait for an answer of the testee.
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
        /// The joined certificate to write.
        #[arg(long, value_name = "FILE")]
        certificate: PathBuf,
    },
}

/// `castproof certify`
///
/// The seal in a certificate shows that the file was damaged; it does not show who wrote it.
#[derive(Subcommand)]
pub(crate) enum Certify {
    /// Check a certificate against everything that can be derived again, and print what it claims.
    /// Exit status 1: it claims failures, or nothing.
    ///
    /// This protects against damage, against edits that contradict the rules, and against removed
    /// requests. It does not protect against invented results. `certify sign` protects against
    /// anyone but the signer; `certify replay` needs no trust.
    Verify {
        /// The certificate.
        file: PathBuf,
        #[command(flatten)]
        filters: FilterArgs,
        /// Accept a valid certificate that claims failures: exit status 0.
        #[arg(long)]
        allow_failures: bool,
        /// The minisign public key that must have signed it: the key itself, or a file.
        #[arg(long, value_name = "KEY")]
        public_key: Option<String>,
        /// The signature [default: FILE.minisig].
        #[arg(long, value_name = "SIGNATURE", requires = "public_key")]
        signature: Option<PathBuf>,
        /// Threads [default: one per core].
        #[arg(long, value_name = "N")]
        threads: Option<NonZeroUsize>,
    },
    /// Sign a certificate with a minisign secret key and write FILE.minisig. The signature says that
    /// the owner of the key vouches for the file, and no more.
    Sign {
        /// The certificate.
        file: PathBuf,
        /// The secret key, as `minisign -G` makes it.
        #[arg(long, value_name = "SECRET_KEY")]
        key: PathBuf,
    },
    /// Run randomly drawn blocks of a certificate again and compare digests. Exit status 1: one
    /// differs.
    ///
    /// This needs no trust in the author of the certificate, only in the testee. If a share p of
    /// the blocks is false, N blocks show it with a probability of 1 - (1 - p)^N.
    Replay {
        /// The certificate.
        file: PathBuf,
        #[command(flatten)]
        subject: SubjectArgs,
        /// How many blocks.
        #[arg(long, value_name = "N", default_value = "64")]
        blocks: NonZeroUsize,
        /// The seed of the draw [default: random].
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
        /// How long to wait for an answer of the testee.
        #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
        timeout: Duration,
    },
}

impl Certify {
    /// Carries out the command. Returns `false` if the certificate claims failures or nothing, or
    /// if a claim is false.
    pub(crate) fn run(self, interrupted: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
        match self {
            Certify::Verify { file, filters, allow_failures, public_key, signature, threads } => {
                let filters = filters.filters();
                let check = Check { filters, allow_failures, public_key, signature };
                sweep::verify(&file, &check, thread_count(threads), interrupted, out)
            }
            Certify::Sign { file, key } => {
                sweep::sign(&file, &key, out)?;
                Ok(true)
            }
            Certify::Replay { file, subject, blocks, seed, timeout } => {
                let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(0));
                let mut testee = gate::start(&subject.subject()?, timeout)?;
                let draws = (blocks.get(), seed);
                sweep::replay(&file, testee.as_mut(), draws, interrupted, out)
            }
        }
    }
}

impl Sweep {
    /// The options of the run.
    pub(crate) fn options(self, date: String) -> Result<Options> {
        Ok(Options {
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

fn parse_shard(text: &str) -> std::result::Result<Shard, String> {
    let parts = text
        .split_once('/')
        .and_then(|(index, of)| Some(Shard { index: index.parse().ok()?, of: of.parse().ok()? }));
    match parts {
        Some(shard) if (1..=shard.of).contains(&shard.index) => Ok(shard),
        _ => Err("it must be I/N with I from 1 to N, like 3/8".into()),
    }
}
