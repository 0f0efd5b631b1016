//! `castproof diff-spec`: what changed between two versions of Cast, or where two specifications
//! differ.

use super::print::print;
use anyhow::Result;
use castproof::diff_spec::{between, versions};
use castproof_vectors::Spec;
use clap::Args;
use std::str::FromStr;

/// `castproof diff-spec`
#[derive(Args)]
pub(super) struct DiffSpec {
    /// The older version of Cast, like 23, or a specification, like onnx-cast-25 or x86-sse2.
    before: Named,
    /// The newer version, like 24, or the other specification.
    after: Named,
}

/// A version of Cast, or a specification.
#[derive(Clone, Copy)]
enum Named {
    Version(u32),
    Spec(Spec),
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        match text.parse() {
            Ok(version) => Ok(Named::Version(version)),
            Err(_) => text.parse().map(Named::Spec),
        }
    }
}

impl Named {
    fn spec(self) -> Result<Spec> {
        match self {
            Named::Version(version) => {
                format!("onnx-cast-{version}").parse().map_err(anyhow::Error::msg)
            }
            Named::Spec(spec) => Ok(spec),
        }
    }
}

impl DiffSpec {
    pub(super) fn run(&self) -> Result<bool> {
        print(&match (self.before, self.after) {
            (Named::Version(before), Named::Version(after)) => versions::text(before, after)?,
            (one, other) => between::text(one.spec()?, other.spec()?)?,
        })
    }
}
