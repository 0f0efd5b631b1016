//! `castproof recognise`: which specification an implementation casts as where ONNX is silent, and which
//! rule its quantiser of blocks follows.

use super::args::SubjectArgs;
use super::print::print;
use super::values::{parse_block_profile, parse_dtype, parse_pair, parse_time};
use crate::recognise::{recognise, table};
use crate::recognise_blocks::{self, Followed};
use crate::testee;
use anyhow::Result;
use castproof_testee::Testee;
use castproof_vectors::{BlockProfile, DType};
use clap::Args;
use std::fmt::Write;
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
    /// Ask for blocks that share a scale instead, and say which rule of docs/blocks.md their quantiser
    /// follows.
    #[arg(long, conflicts_with = "pairs")]
    block: bool,
    /// With --block: ask only for elements of these dtypes, like float8e4m3fn,float4e2m1. Can be repeated.
    #[arg(long, requires = "block", value_name = "DTYPE", value_parser = parse_dtype, value_delimiter = ',')]
    to: Vec<DType>,
    /// With --block: ask under the name of this profile. Without it, under the first that is answered of
    /// those for MX formats, from mx-floor on, and the first of those for NVFP4.
    #[arg(long = "as", requires = "block", value_name = "PROFILE", value_parser = parse_block_profile)]
    name: Option<BlockProfile>,
    /// How long to wait for an answer of the testee.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
}

impl Recognise {
    pub(super) fn run(&self) -> Result<bool> {
        let mut testee = testee::start(&self.subject.subject()?, self.timeout)?;
        if self.block {
            return print(&self.blocks(testee.as_mut())?);
        }
        let results = recognise(&self.pairs, testee.as_mut())?;
        print(&table(testee.identity(), &results))
    }

    /// Returns a line for each dtype of elements.
    fn blocks(&self, testee: &mut dyn Testee) -> Result<String> {
        let found = recognise_blocks::recognise(&self.to, self.name, testee)?;
        let mut text = format!("castproof recognise: {}\n", testee.identity());
        for Followed { asked, rules } in found {
            let _ = writeln!(text, "\nblocks of float32, asked as {}", asked.name());
            for (to, rule) in rules {
                let rule = rule.unwrap_or_else(|said| format!("not answered: {said}"));
                let _ = writeln!(text, "{to}: {rule}");
            }
        }
        Ok(text)
    }
}
