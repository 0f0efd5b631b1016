//! OpenCL's conversions between numbers: `convert` with `_sat` to integers, without it to floats.
//! The round mode of a float to an integer is an attribute.

use super::axes::{FloatToInteger, IntegerRow, Nan, Narrowed, SameNan};
use super::machine::{FLOATS, INTEGERS, Machine, saturating};
use super::record::{Attribute, Record};
use crate::round::MagnitudeRounding;
use castproof_vectors::{DType, RoundMode, rule};
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
            float_to_integer: float_to_integer(),
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
        record.round_mode = Attribute {
            values: &RoundMode::CAST,
            from: &FLOATS,
            to: &INTEGERS,
            ..record.round_mode
        };
        record
    });
    &RECORD
}

/// Toward zero without a mode, otherwise as the mode says.
fn float_to_integer() -> Vec<IntegerRow> {
    use MagnitudeRounding::{AwayFromZero, NearestEven, TowardZero};
    let row = |mode, rules| IntegerRow { from: &[], to: &[], mode, rules };
    let by_mode = |(mode, rounding)| {
        let rules = saturating(rule::OL_09, rule::OL_02, rule::OL_02);
        row(Some(mode), FloatToInteger { rounding, ..rules })
    };
    let modes = [
        (RoundMode::Nearest, [NearestEven; 2]),
        (RoundMode::Up, [AwayFromZero, TowardZero]),
        (RoundMode::Down, [TowardZero, AwayFromZero]),
    ];
    let without = row(None, saturating(rule::OL_01, rule::OL_02, rule::OL_02));
    [without].into_iter().chain(modes.map(by_mode)).collect()
}
