//! LLVM's conversions between numbers, with `fptosi.sat` and `fptoui.sat`.

use super::axes::{Nan, SameNan};
use super::machine::{FLOATS, INTEGERS, Machine, all, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `llvm-fpto-sat`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let narrow = [DType::Int2, DType::Uint2, DType::Int4, DType::Uint4];
        let numbers: Vec<DType> = narrow.into_iter().chain(INTEGERS).chain(FLOATS).collect();
        Machine {
            sources: numbers.clone(),
            targets: numbers,
            refused_pairs: (vec![], rule::LL_08),
            refused: rule::LL_08,
            refused_dtypes: vec![],
            float_to_integer: all(saturating(rule::LL_02, rule::LL_02, rule::LL_02)),
            integer_to_integer: rule::LL_03,
            integer_to_float: rule::LL_04,
            float_to_float: rule::LL_05,
            nan: (Nan::Any, rule::LL_06),
            same: rule::LL_07,
            same_nan: (SameNan::Copied, rule::LL_07),
            bool: rule::LL_08,
            byte: rule::LL_08,
        }
        .record()
    });
    &RECORD
}
