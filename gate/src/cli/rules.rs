//! `castproof rules`: rules with their basis and source.

use super::print::print;
use super::values::parse_dtype;
use crate::rules::{self, Ruled};
use anyhow::{Result, bail};
use castproof_vectors::DType;
use clap::Args;

/// `castproof rules`
#[derive(Args)]
pub(super) struct Rules {
    /// The rule, like FF-03; without it, all rules are listed.
    #[arg(value_name = "ID", conflicts_with = "spec")]
    id: Option<String>,
    /// Only rules of this specification, like onnx-cast-19, onnx-castlike-25, rust-as or mx-rceil.
    #[arg(long, visible_alias = "profile", value_name = "NAME")]
    spec: Option<Ruled>,
    /// Only rules that decide a cast from this dtype.
    #[arg(long, value_name = "DTYPE", requires_all = ["spec", "to"], value_parser = parse_dtype)]
    from: Option<DType>,
    /// Only rules that decide a cast to this dtype.
    #[arg(long, value_name = "DTYPE", requires_all = ["spec", "from"], value_parser = parse_dtype)]
    to: Option<DType>,
}

impl Rules {
    pub(super) fn run(&self) -> Result<bool> {
        print(&self.text()?)
    }

    fn text(&self) -> Result<String> {
        if let (Some(ruled), Some(from), Some(to)) = (self.spec, self.from, self.to) {
            return match ruled {
                Ruled::Casts(spec) => rules::of_pair(spec, from, to),
                Ruled::Blocks(profile) => bail!(
                    "{0} casts no single elements: leave --from and --to out, or quantise numbers with castproof \
                     quantize --elements {to} --rule {0}",
                    profile.name()
                ),
            };
        }
        match &self.id {
            Some(id) => rules::one(id),
            None => rules::list(self.spec),
        }
    }
}
