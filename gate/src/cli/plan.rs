//! `castproof plan`: the loops of a cast of Castproof's own implementation.

use super::print::print;
use super::values::{parse_dtype, parse_pair};
use crate::plan_text;
use anyhow::{Error, Result, bail};
use castproof_vectors::DType;
use clap::Args;

/// `castproof plan`
#[derive(Args)]
#[command(override_usage = "castproof plan [OPTIONS] <FROM> <TO>")]
pub(super) struct Plan {
    /// Dtypes of the input and of the output.
    #[arg(value_name = "FROM TO", required = true)]
    words: Vec<String>,
    /// The name of a backend, like portable; this machine need not have it. Without it, the
    /// backend that casts use on this machine.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

impl Plan {
    pub(super) fn run(&self) -> Result<bool> {
        let (from, to) = self.pair()?;
        print(&plan_text::text(from, to, self.backend.as_deref())?)
    }

    fn pair(&self) -> Result<(DType, DType)> {
        match &self.words[..] {
            [pair] if pair.contains(':') => parse_pair(pair).map_err(Error::msg),
            [from, to] => {
                Ok((parse_dtype(from).map_err(Error::msg)?, parse_dtype(to).map_err(Error::msg)?))
            }
            words => bail!(
                "a plan is of two dtypes, the same for every value: castproof plan float32 float16 shows one; \
                 castproof explain {} explains a value",
                if words.len() > 2 { words.join(" ") } else { "float32 464 float16".into() }
            ),
        }
    }
}
