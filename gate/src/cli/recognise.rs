//! `castproof recognise`: which specification an implementation casts as where ONNX is silent.

use super::args::SubjectArgs;
use super::print::print;
use super::values::{parse_pair, parse_time};
use crate::recognise::{recognise, table};
use crate::testee;
use anyhow::Result;
use castproof_vectors::DType;
use clap::Args;
use std::time::Duration;

/// `castproof recognise`
#[derive(Args)]
pub(super) struct Recognise {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Ask only these pairs of a float and an integer, like float32:int32,float16:uint8. Can be
    /// repeated.
    #[arg(long = "pair", value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    pairs: Vec<(DType, DType)>,
    /// How long to wait for an answer of the testee.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
}

impl Recognise {
    pub(super) fn run(&self) -> Result<bool> {
        let mut testee = testee::start(&self.subject.subject()?, self.timeout)?;
        let results = recognise(&self.pairs, testee.as_mut())?;
        print(&table(testee.identity(), &results))
    }
}
