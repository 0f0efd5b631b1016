//! `castproof adapters`: the runtimes for which there is an adapter.

use super::print::print;
use crate::sink;
use crate::testee::adapter::{self, Listed};
use anyhow::Result;
use clap::Args;

/// `castproof adapters`
#[derive(Args)]
pub(super) struct Adapters {}

impl Adapters {
    pub(super) fn run(&self) -> Result<bool> {
        let adapters = adapter::list()?;
        let width = adapters.iter().map(|it| it.name.len()).max().unwrap_or(0);
        let lines = adapters.iter().map(|adapter| line(adapter, width));
        print(&lines.collect::<String>())
    }
}

/// Returns the line of an adapter; its variants and what it lacks follow it.
fn line(adapter: &Listed, width: usize) -> String {
    let Listed { name, description, variants, lacks } = adapter;
    let state = if lacks.is_none() { "ready" } else { "lacks" };
    let mut text = format!("{name:width$}  {state}  {}\n", sink::line(description));
    let mut add = |detail: &str| text += &format!("{:width$}         {}\n", "", sink::line(detail));
    if !variants.is_empty() {
        add(&format!("--variant {}", variants.join(", --variant ")));
    }
    if let Some(lacks) = lacks {
        add(lacks);
    }
    text
}
