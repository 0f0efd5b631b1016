//! `castproof chain`: may a step between casts be dropped?

use super::args::AttributeArgs;
use super::asked::unmarked;
use super::print::print;
use super::values::{parse_dtype, parse_profile};
use crate::chain;
use anyhow::{Context, Error, Result};
use castproof_oracle::read;
use castproof_vectors::{DType, Profile, Spec};
use clap::Args;

/// `castproof chain`
#[derive(Args)]
#[command(override_usage = "castproof chain [OPTIONS] <FROM> <BETWEEN>... <TO> [VALUE]...")]
pub(super) struct Chain {
    /// Dtype of the input, those between, and that of the output: three for two casts, up to ten for more. Then values,
    /// each a number or a code: their steps are shown.
    #[arg(value_name = "FROM BETWEEN TO", required = true)]
    words: Vec<String>,
    /// The operator set whose version of Cast all casts have.
    #[arg(long, default_value_t = castproof_vectors::NEWEST)]
    opset: u32,
    /// A specification other than ONNX's, like rust-as.
    #[arg(long, value_name = "NAME", value_parser = parse_profile)]
    #[arg(conflicts_with = "opset")]
    profile: Option<Profile>,
    #[command(flatten)]
    attributes: AttributeArgs,
    /// Round a value that the first dtype does not hold to the nearest that it holds.
    #[arg(long)]
    nearest: bool,
}

impl Chain {
    pub(super) fn run(&self) -> Result<bool> {
        let (first, rest) = self.words.split_first().context("no dtypes")?;
        let words = first.split(':').chain(rest.iter().map(String::as_str));
        let words: Vec<&str> = words.map(unmarked).collect();
        // Of the first three, a number is ONNX's number of a dtype.
        let is_value = |word: &&str| read(word).is_some() || word.starts_with("0x");
        let values = words.iter().skip(3).position(is_value).map_or(words.len(), |at| at + 3);
        let (dtypes, values) = words.split_at(values);
        let named = |word: &&str| parse_dtype(word).map_err(Error::msg);
        let dtypes = dtypes.iter().map(named).collect::<Result<Vec<DType>>>()?;
        let spec = self.profile.map_or(Spec::cast(self.opset), Spec::Profile);
        let attributes = self.attributes.attributes();
        let mut text = chain::text(&dtypes, spec, attributes)?;
        if !values.is_empty() {
            let values: Vec<String> = values.iter().copied().map(String::from).collect();
            text += &chain::steps(&dtypes, spec, attributes, (&values, self.nearest))?;
        }
        print(&text)
    }
}
