//! `castproof certify`: what a certificate of a sweep is worth.

use super::args::{FilterArgs, SubjectArgs, thread_count};
use super::print::{interruption, output};
use super::values::{parse_count, parse_time};
use crate::sweep::{self, Check, Conclusion};
use crate::testee;
use anyhow::Result;
use clap::Subcommand;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// `castproof certify`
///
/// The seal in a certificate shows that the file was damaged; it does not show who wrote it.
#[derive(Subcommand)]
pub(super) enum Certify {
    /// Check a certificate against everything that can be derived again, and print what it claims and what
    /// of its sweep it does not cover. Exit status 1: it claims failures, or nothing; 3: nothing failed, but
    /// it is of a share, or chunks are missing.
    ///
    /// This protects against damage, against edits that contradict the rules, and against removed
    /// requests. It does not protect against invented results. `certify sign` protects against
    /// anyone but the signer; `certify replay` needs no trust.
    Verify {
        /// The certificate.
        file: PathBuf,
        #[command(flatten)]
        filters: FilterArgs,
        /// Accept a valid certificate that claims failures: exit status 0, or 3 if it is not of a whole sweep.
        #[arg(long)]
        allow_failures: bool,
        /// The minisign public key that must have signed it: the key itself, or a file.
        #[arg(long, value_name = "KEY")]
        public_key: Option<String>,
        /// The signature [default: FILE.minisig].
        #[arg(long, value_name = "SIGNATURE", requires = "public_key")]
        signature: Option<PathBuf>,
        /// Threads [default: one per core].
        #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
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
        #[arg(long, value_name = "N", default_value = "64", value_parser = parse_count, allow_negative_numbers = true)]
        blocks: NonZeroUsize,
        /// The seed of the draw [default: random].
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
        /// How long to wait for an answer of the testee.
        #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true)]
        timeout: Duration,
    },
}

impl Certify {
    /// Carries out the command. Returns what the certificate comes to; a false claim fails.
    pub(super) fn run(self) -> Result<Conclusion> {
        let (interrupted, out) = (interruption()?, &mut output());
        match self {
            Certify::Verify { file, filters, allow_failures, public_key, signature, threads } => {
                let filters = filters.filters();
                let check = Check { filters, allow_failures, public_key, signature };
                sweep::verify(&file, &check, thread_count(threads), interrupted, out)
            }
            Certify::Sign { file, key } => {
                sweep::sign(&file, &key, out)?;
                Ok(Conclusion::Clean)
            }
            Certify::Replay { file, subject, blocks, seed, timeout } => {
                let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(0));
                let mut testee = testee::start(&subject.subject()?, timeout)?;
                let draws = (blocks.get(), seed);
                let is_so = sweep::replay(&file, testee.as_mut(), draws, interrupted, out)?;
                Ok(if is_so { Conclusion::Clean } else { Conclusion::Fails })
            }
        }
    }
}
