//! The command line of fuzzing.

use crate::cli::SubjectArgs;
use crate::cli_values::{parse_pair, parse_seconds};
use anyhow::Result;
use castproof::fuzz::Options;
use castproof::gate::Subject;
use castproof::style;
use castproof_vectors::DType;
use clap::Args;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// `castproof fuzz`
#[derive(Args)]
pub(crate) struct Fuzz {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Fuzz only these pairs, like float32:float16,int8:int4. Can be repeated. By default, every
    /// numeric pair.
    #[arg(long = "pair", value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    pairs: Vec<(DType, DType)>,
    /// Fuzz only this operator set. By default, every version that has the pair; half of the tensors
    /// are of the newest.
    #[arg(long)]
    opset: Option<u32>,
    /// Stop after this time, like 60s or 10m [default: 60s, unless --tensors is given].
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// Stop after this many tensors.
    #[arg(long, value_name = "N")]
    tensors: Option<u64>,
    /// The seed of the sequence of tensors [default: random].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads, each with a testee of its own.
    #[arg(long, value_name = "N", default_value = "1")]
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
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    timeout: Duration,
    /// Print at most this many lines of findings.
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit_list: usize,
}

impl Fuzz {
    /// Which implementation is fuzzed.
    pub(crate) fn subject(&self) -> Result<Subject> {
        self.subject.subject()
    }

    /// The longest wait for an answer.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The options of the run.
    pub(crate) fn options(self) -> Result<Options> {
        Ok(Options {
            subject: self.subject()?.to_string(),
            pairs: self.pairs,
            opset: self.opset,
            seed: self.seed.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32),
            time: self.time,
            tensors: self.tensors,
            jobs: self.jobs.get(),
            strict: self.strict,
            out: self.out,
            json: self.json,
            limit_list: self.limit_list,
            colour: style::standard_output_has_colours(),
        })
    }
}

/// `90s`, `10m`, `1h 30m`, or a number of seconds.
fn parse_time(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = parse_seconds(text) {
        return Ok(seconds);
    }
    match humantime::parse_duration(text) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("it must be a time above 0, like 60s or 10m".into()),
    }
}
