//! JavaScript's typed arrays: an element of one is stored in another. Numbers are float64 on the way,
//! and integers of 64 bits are BigInts.

use super::axes::{End, FloatToInteger, Kept, Nan, SameNan};
use super::machine::{FLOATS, INTEGERS, Machine, all, truncating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `js-typed-array`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let floats = [DType::Float16].into_iter().chain(FLOATS);
        let elements: Vec<DType> = INTEGERS.into_iter().chain(floats).collect();
        let is_big = |dtype: DType| matches!(dtype, DType::Int64 | DType::Uint64);
        let pairs = elements.iter().flat_map(|from| elements.iter().map(|to| (*from, *to)));
        let mixed = pairs.filter(|&(from, to)| is_big(from) != is_big(to)).collect();
        let (ends, by) = ([End::Zero; 2], rule::JS_02);
        let modulo = FloatToInteger {
            kept: (Kept::All, rule::JS_01),
            ..truncating(rule::JS_01, (ends, by), (ends, by), (End::Zero, by))
        };
        Machine {
            sources: elements.clone(),
            targets: elements,
            refused_pairs: (mixed, rule::JS_05),
            refused: rule::JS_10,
            refused_dtypes: vec![],
            float_to_integer: all(modulo),
            integer_to_integer: rule::JS_04,
            integer_to_float: rule::JS_09,
            float_to_float: rule::JS_06,
            nan: (Nan::Any, rule::JS_07),
            same: rule::JS_08,
            same_nan: (SameNan::Any, rule::JS_07),
            bool: rule::JS_10,
            byte: rule::JS_10,
        }
        .record()
    });
    &RECORD
}
