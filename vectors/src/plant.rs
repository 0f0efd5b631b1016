//! Deliberate faults in the readers of files and messages, to measure how soon fuzzing finds them
//! (`cargo xtask fuzz-score`).
//!
//! Like `plant.rs` of castproof-impl, this file is compiled only with
//! `RUSTFLAGS="--cfg castproof_plant"`, refuses to be compiled without debug assertions, and is left
//! out of the published crate.

extern crate std;

use std::string::String;
use std::sync::OnceLock;

#[cfg(not(debug_assertions))]
compile_error!(
    "faults are planted in builds with debug assertions only: leave castproof_plant out"
);

/// The name of every fault of a reader. The code of a fault asks [`is_planted`] for its name.
pub const READERS: [&str; 13] = [
    // Of vector files.
    "count-unchecked",
    "id-unchecked",
    "flag-unexplained",
    "opset-twice",
    "tolerance-lost",
    "tab-in-an-error",
    // Of packed elements.
    "odd-nibble",
    "six-bits-across",
    // Of messages.
    "announced-memory",
    "sequence-of-32-bits",
    "delete-in-a-message",
    "payload-too-short",
    "mode-of-castlike",
];

/// Returns the fault that is planted, in any crate.
pub fn planted() -> Option<&'static str> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(|| std::env::var("CASTPROOF_PLANT").ok()).as_deref()
}

/// Is this fault planted?
pub fn is_planted(name: &str) -> bool {
    debug_assert!(READERS.contains(&name));
    planted() == Some(name)
}
