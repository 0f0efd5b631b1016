//! `castproof rules`: rules with their basis and source.

use super::print::print;
use super::values::parse_dtype;
use anyhow::Result;
use castproof::rules;
use castproof_vectors::DType;
use castproof_vectors::Spec;
use clap::Args;

/// `castproof rules`
#[derive(Args)]
pub(super) struct Rules {
    /// The rule, like FF-03; without it, all rules are listed.
    #[arg(value_name = "ID", conflicts_with = "spec")]
    id: Option<String>,
    /// Only rules of this specification, like onnx-cast-19, onnx-castlike-25 or rust-as.
    #[arg(long, visible_alias = "profile", value_name = "NAME")]
    spec: Option<Spec>,
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
        if let (Some(spec), Some(from), Some(to)) = (self.spec, self.from, self.to) {
            return rules::of_pair(spec, from, to);
        }
        match &self.id {
            Some(id) => rules::one(id),
            None => rules::list(self.spec),
        }
    }
}
