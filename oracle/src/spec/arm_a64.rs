//! What gcc's scalar casts of C do on 64-bit Arm, with default settings of the floating-point control register.

use super::axes::{Nan, SameNan};
use super::machine::{Machine, c_numbers, saturating, saturating_words};
use super::record::Record;
use castproof_vectors::rule;
use std::sync::LazyLock;

/// The record of the profile `arm-a64`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let rules = saturating(rule::AR_01, rule::AR_02, rule::AR_03);
        Machine {
            sources: c_numbers(),
            targets: c_numbers(),
            refused_pairs: (vec![], rule::AR_11),
            refused: rule::AR_11,
            refused_dtypes: vec![],
            float_to_integer: saturating_words(rules, rule::AR_04),
            integer_to_integer: rule::AR_05,
            integer_to_float: rule::AR_06,
            float_to_float: rule::AR_07,
            nan: (Nan::Quieted, rule::AR_08),
            same: rule::AR_09,
            same_nan: (SameNan::Copied, rule::AR_09),
            bool: rule::AR_10,
            byte: rule::AR_12,
        }
        .record()
    });
    &RECORD
}
