//! `castproof fuzz`: drawn tensors through an implementation.

use super::args::{SubjectArgs, apart, reproducing};
use super::print::{interruption, output};
use super::values::{has_colours, parse_count, parse_pair, parse_profile, parse_time};
use crate::fuzz::{self, FuzzOptions};
use crate::testee;
use anyhow::Result;
use castproof_vectors::{DType, Profile};
use clap::Args;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// `castproof fuzz`
#[derive(Args)]
pub(super) struct Fuzz {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Fuzz only these pairs, like float32:float16,int8:int4. Can be repeated. By default, every
    /// pair but string:string.
    #[arg(long = "pair", value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    pairs: Vec<(DType, DType)>,
    /// Fuzz only this operator set. By default, every version that has the pair; half of the tensors
    /// are of the newest.
    #[arg(long)]
    opset: Option<u32>,
    /// Fuzz the casts of a profile, like rust-as, instead of those of ONNX. The testee's hello must
    /// list it.
    #[arg(long, value_name = "NAME", value_parser = parse_profile, conflicts_with = "opset")]
    profile: Option<Profile>,
    /// Stop after this time, like 60s or 10m [default: 60s, unless --tensors is given].
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Stop after this many tensors.
    #[arg(long, value_name = "N")]
    tensors: Option<u64>,
    /// The seed of the sequence of tensors [default: random].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads, each with a testee of its own.
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count, allow_negative_numbers = true)]
    jobs: NonZeroUsize,
    /// Count tolerated results as failures.
    #[arg(long)]
    strict: bool,
    /// Keep findings in this folder as vectors, which `castproof gate --vectors DIR` replays. Each is
    /// written as soon as it is found. Vectors that the folder holds already stay.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write a results file, the input of `castproof show`, `report` and `reproduce`.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// How long to wait for an answer of the testee. No answer in this time is a finding.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
    /// Print at most this many lines of findings.
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit_list: usize,
}

impl Fuzz {
    pub(super) fn run(self) -> Result<bool> {
        let (subject, timeout) = (self.subject.subject()?, self.timeout);
        apart(&[self.json.as_ref(), self.out.as_ref()], subject.files())?;
        let make = || testee::start(&subject, timeout);
        fuzz::run(&self.options()?, &make, interruption()?, &mut output())
    }

    /// The options of the run.
    fn options(self) -> Result<FuzzOptions> {
        let subject = self.subject.subject()?;
        Ok(FuzzOptions {
            subject: subject.to_string(),
            pairs: self.pairs,
            opset: self.opset,
            profile: self.profile,
            seed: self.seed.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32),
            time: self.time,
            tensors: self.tensors,
            jobs: self.jobs.get(),
            strict: self.strict,
            out: self.out,
            json: self.json,
            limit_list: self.limit_list,
            colour: has_colours(),
            reproducing: reproducing(subject),
        })
    }
}
