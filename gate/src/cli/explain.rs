//! `castproof explain`: why a cast returns what it does.

use super::args::OperatorArgs;
use super::asked::asked;
use super::print::print;
use crate::explain;
use anyhow::Result;
use clap::Args;

/// `castproof explain`
#[derive(Args)]
#[command(override_usage = "castproof explain [OPTIONS] <FROM> <VALUE>... <TO>")]
pub(super) struct Explain {
    /// Input dtype, values, output dtype. A value is a number (464, -0.0, 1e20, 0x1.8p3, inf, nan), or a
    /// code in full width (0x43e80000); of string, the text. FROM TO VALUE and FROM:TO VALUE are
    /// understood too.
    #[arg(value_name = "FROM VALUE TO")]
    words: Vec<String>,
    /// Round a number that the input dtype does not hold to the nearest that it holds, of two to the even one.
    #[arg(long)]
    nearest: bool,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Explain {
    pub(super) fn run(&self) -> Result<bool> {
        let asked = asked("explain", &self.words)?;
        let request = self.operator.request(asked.from, asked.to);
        print(&explain::text(&request, &asked.values, self.nearest)?)
    }
}
