//! WebAssembly's conversions, those that saturate.

use super::axes::{Nan, SameNan};
use super::machine::{FLOATS, Machine, all, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `wasm-sat`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let integers = [DType::Int32, DType::Uint32, DType::Int64, DType::Uint64];
        let numbers: Vec<DType> = integers.into_iter().chain(FLOATS).collect();
        Machine {
            sources: numbers.clone(),
            targets: numbers,
            refused_pairs: (vec![], rule::WA_10),
            refused: rule::WA_10,
            refused_dtypes: vec![],
            float_to_integer: all(saturating(rule::WA_01, rule::WA_01, rule::WA_01)),
            integer_to_integer: rule::WA_04,
            integer_to_float: rule::WA_05,
            float_to_float: rule::WA_06,
            nan: (Nan::CanonicalStays, rule::WA_07),
            same: rule::WA_09,
            same_nan: (SameNan::Copied, rule::WA_09),
            bool: rule::WA_10,
            byte: rule::WA_10,
        }
        .record()
    });
    &RECORD
}
