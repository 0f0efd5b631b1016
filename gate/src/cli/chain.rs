//! `castproof chain`: may the step between two casts be dropped?

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
    /// Dtype of the input.
    #[arg(value_parser = parse_dtype)]
    from: DType,
    /// Dtype between.
    #[arg(value_parser = parse_dtype)]
    between: DType,
    /// Dtype of the output.
    #[arg(value_parser = parse_dtype)]
    to: DType,
    /// The operator set whose version of Cast all three casts have.
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
        let dtypes = [self.from, self.between, self.to];
        let spec = self.profile.map_or(Spec::cast(self.opset), Spec::Profile);
        print(&chain::text(dtypes, spec, self.attributes.attributes())?)
    }
}
