//! `castproof expect`: what a cast must return.

use super::args::OperatorArgs;
use super::print::output;
use super::values::parse_dtype;
use crate::answers::Answering;
use crate::expect;
use anyhow::{Context, Result};
use castproof_vectors::{DType, Request};
use clap::Args;
use std::io::{self, Write};

/// `castproof expect`
#[derive(Args)]
#[command(override_usage = "castproof expect [OPTIONS] <FROM> <CODE> <TO>
       castproof expect [OPTIONS] --from <DTYPE> --to <DTYPE> < CODES")]
#[command(group(clap::ArgGroup::new("input").required(true).args(["from", "from_one"])))]
#[command(group(clap::ArgGroup::new("output").required(true).args(["to", "to_one"])))]
pub(super) struct Expect {
    /// Input dtype of one element.
    #[arg(value_name = "FROM", requires = "code", value_parser = parse_dtype)]
    from_one: Option<DType>,
    /// The code, like 0x43e80001; of string, the text.
    #[arg(value_name = "CODE", requires = "to_one", allow_hyphen_values = true)]
    code: Option<String>,
    /// Output dtype of the one code.
    #[arg(value_name = "TO", value_parser = parse_dtype)]
    to_one: Option<DType>,
    /// Input dtype of the elements on standard input: one code per line, or one JSON string per
    /// line.
    #[arg(long, value_name = "DTYPE", requires = "to", value_parser = parse_dtype)]
    from: Option<DType>,
    /// Output dtype of the elements on standard input.
    #[arg(long, value_name = "DTYPE", requires = "from", value_parser = parse_dtype)]
    to: Option<DType>,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Expect {
    pub(super) fn run(&self) -> Result<bool> {
        let request = self.request().context("name an input and an output dtype")?;
        if let Some(note) = expect::version_note(&request)? {
            let _ = writeln!(io::stderr(), "{note}");
        }
        // Refuses dtypes that are not cast before the first line is read.
        Answering::chosen(&request)?;
        let mut output = output();
        match &self.code {
            Some(code) => writeln!(output, "{}", expect::one(&request, code)?)?,
            None => expect::stream(&request, &mut io::stdin().lock(), &mut output)?,
        }
        output.flush()?;
        Ok(true)
    }

    /// Returns the request; `None` if the command line names no dtypes, which clap refuses.
    fn request(&self) -> Option<Request> {
        Some(self.operator.request(self.from.or(self.from_one)?, self.to.or(self.to_one)?))
    }
}
