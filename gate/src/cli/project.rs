//! `castproof project`: which code of a float format a number becomes.

use super::asked::unmarked;
use super::print::print;
use crate::formats::{self, Input, ProjectionAsked};
use anyhow::{Result, bail};
use castproof_formats::{Format, Projection};
use castproof_oracle::read;
use clap::Args;

/// What a complete command looks like.
const EXAMPLE: &str = "castproof project 464 binary8p4se";

/// `castproof project`
#[derive(Args)]
#[command(override_usage = "castproof project [OPTIONS] <VALUE>... <FORMAT>")]
pub(super) struct Project {
    /// Numbers (464, -0.0, 1e20, 0x1.8p3, inf, nan), and the format that they become: a name as
    /// `castproof format` takes it.
    #[arg(value_name = "VALUE FORMAT")]
    words: Vec<String>,
    /// The values are of this format: codes in full width (0x3c00 of binary16), or numbers that it holds.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// nearest-even (the default), nearest-away, toward-zero, up (toward positive infinity), down, to-odd,
    /// stochastic-a, stochastic-b or stochastic-c. The names of PTX, LLVM, RISC-V and P3109 are understood.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    round: Option<String>,
    /// What becomes of numbers beyond the largest: finite, propagate or none (the default).
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    saturate: Option<String>,
    /// Which text of IEEE P3109 holds where two differ: p3109-4.0 (the default) or p3109-july-2026. Both are
    /// drafts.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    edition: Option<String>,
    /// How many random bits a stochastic rounding has.
    #[arg(long, value_name = "N")]
    random_bits: Option<u32>,
    /// The random bits as a number from 0 to 2^N - 1.
    #[arg(long, value_name = "R")]
    random: Option<String>,
    /// Each distinct result, and which roundings and saturations give it.
    #[arg(long)]
    all: bool,
    /// Print a JSON object for each value.
    #[arg(long)]
    json: bool,
}

impl Project {
    pub(super) fn run(&self) -> Result<bool> {
        let words: Vec<&str> = self.words.iter().map(|word| unmarked(word)).collect();
        let (from, values, to) = parted(&words)?;
        let from = match (self.from.as_deref(), from) {
            (Some(option), Some(word)) => {
                bail!("two formats of the input: {option} and {word}; leave one out")
            }
            (option, word) => option.or(word).map(formats::named).transpose()?,
        };
        let format = formats::named(to)?;
        let inputs: Result<Vec<Input>> =
            values.iter().map(|value| formats::input(value, from.as_ref())).collect();
        let bits = formats::random_bits(self.random_bits, self.random.as_deref())?;
        let projection = Projection {
            rounding: match self.all {
                true => castproof_formats::Rounding::default(),
                false => formats::rounding(self.round.as_deref().unwrap_or("nearest-even"), bits)?,
            },
            saturation: formats::saturation(self.saturate.as_deref().unwrap_or("none"))?,
            edition: self.edition(&format)?,
        };
        let asked = ProjectionAsked { format, inputs: inputs?, json: self.json };
        print(&match self.all {
            true => formats::all(&asked, bits)?,
            false => formats::projected(&asked, &projection)?,
        })
    }

    fn edition(&self, format: &Format) -> Result<castproof_formats::Edition> {
        match &self.edition {
            None => Ok(castproof_formats::Edition::default()),
            Some(_) if !format.is_p3109() => {
                bail!("--edition is of formats of P3109, and {} is none: leave it out", format.name)
            }
            Some(name) => formats::edition(name),
        }
    }
}

/// Reads `VALUE... FORMAT`, `FORMAT VALUE...` and, as `expect` takes its words, `FROM VALUE... TO`. A number is never a format.
fn parted<'a>(words: &[&'a str]) -> Result<(Option<&'a str>, Vec<&'a str>, &'a str)> {
    let is_format = |word: &str| read(word).is_none() && !word.starts_with("0x");
    let [first, .., last] = words else { bail!("a value and a format are due: write {EXAMPLE}") };
    let middle = words[1..words.len() - 1].to_vec();
    match (is_format(first), is_format(last)) {
        // A text that is neither number nor format is said to be no number.
        (true, true) if middle.is_empty() && formats::named(first).is_err() => {
            Ok((None, vec![*first], *last))
        }
        (true, true) if middle.is_empty() => {
            bail!("no value: write castproof project VALUE {last}, like {EXAMPLE}")
        }
        (true, true) => Ok((Some(*first), middle, *last)),
        (false, true) => Ok((None, words[..words.len() - 1].to_vec(), *last)),
        (true, false) => Ok((None, words[1..].to_vec(), *first)),
        (false, false) => {
            bail!("no format: write castproof project {} FORMAT, like {EXAMPLE}", words.join(" "))
        }
    }
}
