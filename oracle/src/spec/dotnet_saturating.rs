//! .NET's conversions from floats to integers of 32 and 64 bits, since .NET 9.

use super::axes::{IntegerRow, Nan, SameNan};
use super::machine::{FLOATS, Machine, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `dotnet-saturating`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        use DType::{Int32, Int64, Uint32, Uint64};
        let refused = rule::DN_04;
        let signed = saturating(rule::DN_01, rule::DN_01, rule::DN_02);
        let unsigned = saturating(rule::DN_01, rule::DN_01, rule::DN_03);
        Machine {
            sources: FLOATS.to_vec(),
            targets: vec![Int32, Uint32, Int64, Uint64],
            refused_pairs: (vec![], refused),
            refused,
            refused_dtypes: vec![],
            float_to_integer: vec![
                IntegerRow { from: &[], to: &[Int32, Int64], rules: signed },
                IntegerRow { from: &[], to: &[], rules: unsigned },
            ],
            // No integer is a source, and no float is a target.
            integer_to_integer: refused,
            integer_to_float: refused,
            float_to_float: refused,
            nan: (Nan::Any, refused),
            same: refused,
            same_nan: (SameNan::Any, refused),
            bool: refused,
            byte: refused,
        }
        .record()
    });
    &RECORD
}
