//! Java's casts between its primitive numbers; `char` is uint16.

use super::axes::{End, FloatToInteger, IntegerRow, Kept, Nan, SameNan};
use super::machine::{Machine, saturating, truncating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `java-cast`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        use DType::{Float32, Float64, Int8, Int16, Int32, Int64, Uint16};
        let numbers = vec![Int8, Int16, Uint16, Int32, Int64, Float32, Float64];
        // The low bits of the largest and of the smallest int.
        let (ends, by) = ([End::AllOnes, End::Zero], rule::JV_02);
        let narrow = FloatToInteger {
            kept: (Kept::Int32, by),
            ..truncating(by, (ends, by), (ends, by), (End::Zero, by))
        };
        Machine {
            sources: numbers.clone(),
            targets: numbers,
            refused_pairs: (vec![], rule::JV_07),
            refused: rule::JV_07,
            refused_dtypes: vec![],
            float_to_integer: vec![
                IntegerRow { from: &[], to: &[Int8, Int16, Uint16], mode: None, rules: narrow },
                IntegerRow {
                    from: &[],
                    to: &[],
                    mode: None,
                    rules: saturating(rule::JV_01, rule::JV_01, rule::JV_01),
                },
            ],
            integer_to_integer: rule::JV_03,
            integer_to_float: rule::JV_04,
            float_to_float: rule::JV_05,
            nan: (Nan::Any, rule::JV_06),
            same: rule::JV_08,
            same_nan: (SameNan::Any, rule::JV_06),
            bool: rule::JV_07,
            byte: rule::JV_07,
        }
        .record()
    });
    &RECORD
}
