//! OpenCL's conversions between numbers: `convert` with `_sat` to integers, without it to floats.

use super::axes::{Nan, Narrowed, SameNan};
use super::machine::{FLOATS, INTEGERS, Machine, all, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `opencl-sat`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let numbers: Vec<DType> = INTEGERS.into_iter().chain(FLOATS).collect();
        let machine = Machine {
            sources: numbers.clone(),
            targets: numbers,
            refused_pairs: (vec![], rule::OL_08),
            refused: rule::OL_08,
            refused_dtypes: vec![],
            float_to_integer: all(saturating(rule::OL_01, rule::OL_02, rule::OL_02)),
            integer_to_integer: rule::OL_03,
            integer_to_float: rule::OL_04,
            float_to_float: rule::OL_05,
            nan: (Nan::Any, rule::OL_06),
            same: rule::OL_07,
            same_nan: (SameNan::Copied, rule::OL_07),
            bool: rule::OL_08,
            byte: rule::OL_08,
        };
        let mut record = machine.record();
        record.integer_to_integer.beyond = (Narrowed::NearestEnd, rule::OL_03);
        record
    });
    &RECORD
}
