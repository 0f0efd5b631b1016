//! The progress bar of every operation that may take long.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

/// The template of a bar that counts pairs.
pub const PAIRS: &str = "{pos}/{len} pairs";

/// Makes a bar on standard error, if that is a terminal and there is more than one thing to count.
/// `counts` is a template of indicatif, such as `{pos}/{len} pairs`; an estimate of the time that is left follows it.
///
/// # Errors
/// If `counts` is not a template.
pub fn bar(length: u64, counts: &str) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!("{{bar:30}} {counts}, {{eta}} left"));
    let bar = if length < 2 { ProgressBar::hidden() } else { ProgressBar::new(length) };
    Ok(bar.with_style(style.context("the progress bar's template")?))
}
