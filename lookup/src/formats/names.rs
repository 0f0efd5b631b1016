//! Names of formats as people type them.

use anyhow::{Result, anyhow, bail};
use castproof_formats::{Format, NAMED};
use castproof_vectors::{DType, did_you_mean};

/// Reads the name of a format: one of the table or of P3109, in any case, or any name of a dtype of floats.
///
/// # Errors
/// One line that says what there is.
pub fn named(text: &str) -> Result<Format> {
    let text = text.trim();
    if let Some(read) = Format::p3109(text) {
        return read.map_err(|error| anyhow!(error));
    }
    if let Some(format) = Format::listed(text) {
        return Ok(format);
    }
    if let Ok(dtype) = DType::named(text) {
        let no_float = || anyhow!("{dtype} is no float; `castproof format` lists the formats");
        return Format::listed(dtype.name()).ok_or_else(no_float);
    }
    let known = NAMED.iter().map(|it| (it.name, it.name)).chain([("binary8p3se", "binary8p3se")]);
    let mean = did_you_mean(&text.to_lowercase(), known);
    let mark = if mean.is_empty() { ";" } else { "" };
    bail!(
        "unknown format '{text}'{mean}{mark} `castproof format` lists those with names of their own, and names of P3109 are like \
         binary8p3se"
    )
}
