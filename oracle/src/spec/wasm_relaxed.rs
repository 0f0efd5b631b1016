//! WebAssembly's conversions of relaxed vectors: each has several results for what is not in range.

use super::axes::{End, FloatToInteger, IntegerRow};
use super::machine::{floats_to, truncating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `wasm-relaxed`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let row = |to, rules| IntegerRow { from: &[], to, mode: None, rules };
        let rows = vec![row(&[DType::Int32], SIGNED), row(&[DType::Uint32], UNSIGNED)];
        floats_to(vec![DType::Int32, DType::Uint32], rows, rule::WA_12)
    });
    &RECORD
}

/// The prose of the specification lists the codes of uint32 here too. Its formula has these, and the parameter that
/// chooses has two values.
const SIGNED: FloatToInteger =
    either([&[End::Largest, End::HighBit], &[End::HighBit], &[End::Zero, End::HighBit]]);

const UNSIGNED: FloatToInteger = either([
    &[End::AllOnes, End::AllOnesButLowest, End::HighBit],
    &[End::Zero, End::AllOnes, End::AllOnesButLowest, End::HighBit],
    &[End::Zero, End::AllOnes, End::AllOnesButLowest, End::HighBit],
]);

/// Toward zero, and these results above the range, below it, and of NaN.
const fn either([above, below, nan]: [&'static [End]; 3]) -> FloatToInteger {
    let ends = ([End::OneOf(above), End::OneOf(below)], rule::WA_03);
    truncating(rule::WA_03, ends, ends, (End::OneOf(nan), rule::WA_03))
}
