//! `castproof chain`: may a step between casts be dropped?

use super::args::AttributeArgs;
use super::print::print;
use super::values::{parse_dtype, parse_profile};
use crate::chain;
use anyhow::Result;
use castproof_vectors::{DType, Profile, Spec};
use clap::Args;

/// `castproof chain`
#[derive(Args)]
pub(super) struct Chain {
    /// Dtype of the input, those between, and that of the output: three for two casts, more for more.
    #[arg(value_name = "DTYPE", value_parser = parse_dtype, num_args = 3.., required = true)]
    dtypes: Vec<DType>,
    /// The operator set whose version of Cast all casts have.
    #[arg(long, default_value_t = castproof_vectors::NEWEST)]
    opset: u32,
    /// A specification other than ONNX's, like rust-as.
    #[arg(long, value_name = "NAME", value_parser = parse_profile)]
    #[arg(conflicts_with = "opset")]
    profile: Option<Profile>,
    #[command(flatten)]
    attributes: AttributeArgs,
}

impl Chain {
    pub(super) fn run(&self) -> Result<bool> {
        let spec = self.profile.map_or(Spec::cast(self.opset), Spec::Profile);
        print(&chain::text(&self.dtypes, spec, self.attributes.attributes())?)
    }
}
