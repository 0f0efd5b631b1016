//! `castproof attest`: whole conversions between formats by parameters, with a declaration.

use super::args::{JournalArgs, SubjectArgs, apart};
use super::print::{interruption, output};
use super::values::parse_time;
use crate::formats::edition;
use crate::sweep::attest::{self, AttestOptions};
use anyhow::Result;
use castproof_vectors::{Conversion, Edition};
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// `castproof attest`
#[derive(Args)]
pub(super) struct Attest {
    #[command(flatten)]
    subject: SubjectArgs,
    /// The standard: p3109.
    #[arg(long, value_name = "NAME", default_value = "p3109", value_parser = ["p3109"])]
    profile: String,
    /// A conversion to attest, as P3109 writes it: 'Convert<Binary8p3se, Binary8p4se, (NearestTiesToEven, SatFinite)>',
    /// with the number of random bits behind a stochastic rounding: StochasticA(8). May be given several times [default: those
    /// that the hello claims, or else the 16 that P3109 asks of everybody].
    #[arg(long = "operation", value_name = "CONVERSION")]
    operations: Vec<Conversion>,
    /// The text of the draft: p3109-4.0 or p3109-july-2026.
    #[arg(long, value_name = "NAME", default_value = Edition::Report4.name(), value_parser = edition)]
    edition: Edition,
    /// The attestation to write. The declaration (.yaml), a page (.md) and the journal are written beside it.
    #[arg(long, value_name = "FILE", default_value = "castproof-attestation.json")]
    out: PathBuf,
    #[command(flatten)]
    terms: JournalArgs,
    /// How long to wait for an answer of the testee.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
}

impl Attest {
    pub(super) fn run(self) -> Result<bool> {
        let options = AttestOptions {
            subject: self.subject.subject()?,
            conversions: self.operations,
            edition: self.edition,
            out: self.out,
            terms: self.terms.terms(),
            timeout: self.timeout,
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        };
        let files = options.files();
        apart(&files.each_ref().map(Some), options.subject.files())?;
        attest::run(&options, interruption()?, &mut output())
    }
}
