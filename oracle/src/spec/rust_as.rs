//! Rust's `as` between numbers: toward zero, saturating, NaN to 0; low bits of integers.

use super::axes::{Nan, SameNan};
use super::machine::{FLOATS, INTEGERS, Machine, all, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `rust-as`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let numbers = || INTEGERS.into_iter().chain(FLOATS);
        let machine = Machine {
            sources: [DType::Bool].into_iter().chain(numbers()).collect(),
            targets: numbers().collect(),
            refused_pairs: (FLOATS.map(|to| (DType::Bool, to)).into(), rule::RS_07),
            refused: rule::RS_09,
            refused_dtypes: vec![(DType::Bool, rule::RS_07)],
            float_to_integer: all(saturating(rule::RS_01, rule::RS_02, rule::RS_03)),
            integer_to_integer: rule::RS_04,
            integer_to_float: rule::RS_05,
            float_to_float: rule::RS_06,
            nan: (Nan::Any, rule::RS_08),
            same: rule::RS_06,
            same_nan: (SameNan::Any, rule::RS_08),
            bool: rule::RS_07,
            byte: rule::RS_10,
        };
        let mut record = machine.record();
        record.same_dtype.integer = rule::RS_04;
        record
    });
    &RECORD
}
