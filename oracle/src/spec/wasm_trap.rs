//! WebAssembly's conversions, those that trap.

use super::axes::End;
use super::machine::{all, floats_to_words, truncating};
use super::record::Record;
use castproof_vectors::rule;
use std::sync::LazyLock;

/// The record of the profile `wasm-trap`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let by = rule::WA_02;
        let traps = ([End::Trap; 2], by);
        floats_to_words(all(truncating(by, traps, traps, (End::Trap, by))), rule::WA_11)
    });
    &RECORD
}
