//! .NET's conversions from floats to integers of 32 and 64 bits, since .NET 9.

use super::axes::IntegerRow;
use super::machine::{floats_to_words, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `dotnet-saturating`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let signed = saturating(rule::DN_01, rule::DN_01, rule::DN_02);
        let unsigned = saturating(rule::DN_01, rule::DN_01, rule::DN_03);
        let rows = vec![
            IntegerRow { from: &[], to: &[DType::Int32, DType::Int64], mode: None, rules: signed },
            IntegerRow { from: &[], to: &[], mode: None, rules: unsigned },
        ];
        floats_to_words(rows, rule::DN_04)
    });
    &RECORD
}
