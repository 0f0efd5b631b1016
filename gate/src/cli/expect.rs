//! `castproof expect`: what a cast must return.

use super::args::OperatorArgs;
use super::asked::{Asked, asked, unmarked};
use super::print::{output, print};
use super::values::parse_dtype;
use crate::answers::Answering;
use crate::element::ElementForm;
use crate::{all, expect};
use anyhow::{Result, bail};
use castproof_vectors::{DType, Request};
use clap::Args;
use std::io::{self, Write};

/// `castproof expect`
#[derive(Args)]
#[command(override_usage = "castproof expect [OPTIONS] <FROM> <VALUE>... <TO>
       castproof expect [OPTIONS] --from <DTYPE> --to <DTYPE> < VALUES")]
pub(super) struct Expect {
    /// Input dtype, values, output dtype. A value is a number (464, -0.0, 1e20, 0x1.8p3, inf, nan), or a
    /// code in full width (0x43e80000); of string, the text. FROM TO VALUE and FROM:TO VALUE are
    /// understood too.
    #[arg(value_name = "FROM VALUE TO")]
    words: Vec<String>,
    /// Input dtype of the elements on standard input: one number or code per line, or one JSON string per
    /// line.
    #[arg(long, value_name = "DTYPE", requires = "to", value_parser = parse_dtype)]
    from: Option<DType>,
    /// Output dtype of the elements on standard input.
    #[arg(long, value_name = "DTYPE", requires = "from", value_parser = parse_dtype)]
    to: Option<DType>,
    /// Round a number that the input dtype does not hold to the nearest that it holds, of two to the even one.
    #[arg(long)]
    nearest: bool,
    /// Print a JSON object for each element. Answers to standard input always are.
    #[arg(long)]
    json: bool,
    /// One table: each distinct result, and which specifications, versions and attributes give it.
    #[arg(long, conflicts_with_all = ["opset", "op", "profile", "saturate", "round_mode"])]
    all: bool,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Expect {
    pub(super) fn run(&self) -> Result<bool> {
        let form = ElementForm { nearest: self.nearest, json: self.json };
        let (asked, request) = match (self.from, self.to, &self.words[..]) {
            (Some(from), Some(to), []) => {
                return self.stream(&self.operator.request(from, to), form);
            }
            (Some(from), Some(to), words) => {
                let values = words.iter().map(|word| unmarked(word).to_string()).collect();
                (Asked { from, to, values }, self.operator.request(from, to))
            }
            (_, _, words) => {
                let asked = asked("expect", words)?;
                let request = self.operator.request(asked.from, asked.to);
                (asked, request)
            }
        };
        if self.all {
            return print(&all::texts(asked.from, asked.to, &asked.values, form)?);
        }
        note(&request)?;
        print(&expect::texts(&request, &asked.values, form)?)
    }

    fn stream(&self, request: &Request, form: ElementForm) -> Result<bool> {
        if self.all {
            bail!(
                "--all takes its values as words: castproof expect float32 464 float8e4m3fn --all"
            )
        }
        note(request)?;
        // Refuses dtypes that are not cast before the first line is read.
        Answering::chosen(request)?;
        let mut output = output();
        expect::stream(request, form, &mut io::stdin().lock(), &mut output)?;
        output.flush()?;
        Ok(true)
    }
}

/// Says on standard error which version is in force, where that is another than the one asked for.
fn note(request: &Request) -> Result<()> {
    if let Some(note) = expect::version_note(request)? {
        let _ = writeln!(io::stderr(), "{note}");
    }
    Ok(())
}
