//! `castproof plan`: the loops of a cast of Castproof's own implementation.

use super::asked::asked;
use super::print::print;
use super::values::{parse_dtype, parse_pair};
use crate::plan_text;
use anyhow::{Error, Result, bail};
use castproof_vectors::DType;
use clap::Args;

/// `castproof plan`
#[derive(Args)]
#[command(override_usage = "castproof plan [OPTIONS] <FROM> [VALUE]... <TO>")]
pub(super) struct Plan {
    /// Dtypes of the input and of the output; and numbers or codes, of which the results of this machine's loops
    /// are shown below the plan.
    #[arg(value_name = "FROM VALUE TO", required = true)]
    words: Vec<String>,
    /// The name of a backend, like portable; this machine need not have it. Without it, the
    /// backend that casts use on this machine.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Round a number that the input dtype does not hold to the nearest that it holds, of two to the even one.
    #[arg(long)]
    nearest: bool,
}

impl Plan {
    pub(super) fn run(&self) -> Result<bool> {
        let ((from, to), values) = self.asked()?;
        if let (Some(name), false) = (&self.backend, values.is_empty()) {
            bail!(
                "the loops of {name} may be of another machine, and cast no value here; leave the values or --backend out"
            );
        }
        let plan = plan_text::text(from, to, self.backend.as_deref())?;
        print(&(plan + &plan_text::results((from, to), &values, self.nearest)?))
    }

    /// Returns the pair, and the values, of which there may be none.
    fn asked(&self) -> Result<((DType, DType), Vec<String>)> {
        let dtype = |word: &String| parse_dtype(word).map_err(Error::msg);
        match &self.words[..] {
            [pair] if pair.contains(':') => Ok((parse_pair(pair).map_err(Error::msg)?, vec![])),
            [from, to] if !from.contains(':') && !to.contains(':') => {
                Ok(((dtype(from)?, dtype(to)?), vec![]))
            }
            [_] => bail!("a plan is of two dtypes: castproof plan float32 float16 shows one"),
            words => asked("plan", words).map(|it| ((it.from, it.to), it.values)),
        }
    }
}
