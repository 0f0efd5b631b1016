//! `castproof format`: a float format by its parameters.

use super::print::print;
use crate::formats;
use anyhow::{Result, bail};
use clap::Args;

/// `castproof format`
#[derive(Args)]
pub(super) struct Format {
    /// Its name: float8e4m3, FM-02, a dtype of floats by any of its names, or a name of IEEE P3109 (a draft),
    /// such as binary8p3se. Without a name, all formats that have names of their own.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// List every code with its value, of a format of up to 16 bits.
    #[arg(long)]
    codes: bool,
    /// Print a JSON object.
    #[arg(long, requires = "name")]
    json: bool,
}

impl Format {
    pub(super) fn run(&self) -> Result<bool> {
        let Some(name) = &self.name else {
            if self.codes {
                bail!(
                    "--codes lists the codes of one format: write castproof format binary8p3se --codes"
                )
            }
            return print(&formats::list());
        };
        let format = formats::named(name)?;
        print(&match self.json {
            true => formats::json(&format, self.codes)?,
            false => formats::text(&format, self.codes)?,
        })
    }
}
