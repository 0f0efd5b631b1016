//! What gcc's scalar casts of C do on 64-bit RISC-V with the extensions F and D.

use super::axes::{End, FloatToInteger, Nan, SameNan};
use super::machine::{Machine, c_numbers, saturating, saturating_words};
use super::record::Record;
use castproof_vectors::rule;
use std::sync::LazyLock;

/// The record of the profile `riscv-fcvt`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let rules = FloatToInteger {
            edge: rule::RV_02,
            nan: (End::Largest, rule::RV_03),
            ..saturating(rule::RV_01, rule::RV_02, rule::RV_03)
        };
        Machine {
            sources: c_numbers(),
            targets: c_numbers(),
            refused_pairs: (vec![], rule::RV_13),
            refused: rule::RV_13,
            refused_dtypes: vec![],
            float_to_integer: saturating_words(rules, rule::RV_09),
            integer_to_integer: rule::RV_10,
            integer_to_float: rule::RV_08,
            float_to_float: rule::RV_07,
            nan: (Nan::Canonical, rule::RV_06),
            same: rule::RV_11,
            same_nan: (SameNan::Copied, rule::RV_11),
            bool: rule::RV_12,
            byte: rule::RV_14,
        }
        .record()
    });
    &RECORD
}
