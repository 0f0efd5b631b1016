//! What every part of the `castproof` program reads, writes and prints with: input files, output
//! files that are written whole or not at all, journals, safe text, interrupts, threads, and progress.
#![deny(unsafe_code)]

mod beside;
pub mod folder;
pub mod input;
pub mod interrupt;
pub mod journal;
pub mod output;
pub mod pool;
pub mod program;
#[cfg(feature = "progress")]
pub mod progress;
pub mod sink;
pub mod style;
