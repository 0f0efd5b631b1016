//! What StableHLO's reference interpreter makes of `convert`: it rounds once, integers saturate, and
//! no float8 does. The specification itself leaves most of this open.

use super::axes::{
    Float8End, Float8Ends, Float8Nan, Float8Table, FromFloat8, InfinityToNumber, Nan, NanToNumber,
    SameNan, ToFloat8, ToSmallFloat, Twice,
};
use super::machine::{Machine, all, saturating};
use super::record::Record;
use castproof_vectors::{DType, rule};
use std::sync::LazyLock;

/// The record of the profile `stablehlo-interpreter`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let cast = dtypes();
        let machine = Machine {
            sources: cast.clone(),
            targets: cast,
            refused_pairs: (vec![], rule::SI_17),
            refused: rule::SI_17,
            refused_dtypes: vec![],
            float_to_integer: all(saturating(rule::SI_01, rule::SI_02, rule::SI_03)),
            integer_to_integer: rule::SI_04,
            integer_to_float: rule::SI_05,
            float_to_float: rule::SI_06,
            nan: (Nan::Any, rule::SI_07),
            same: rule::SI_16,
            same_nan: (SameNan::Copied, rule::SI_16),
            bool: rule::SI_15,
            byte: rule::SI_18,
        };
        let mut record = machine.record();
        record.saturate.default = false;
        record.to_float8 = Some(TO_FLOAT8);
        record.from_float8 =
            Some(FromFloat8 { exact: rule::SI_14, negative_zero: rule::SI_14, nan: rule::SI_07 });
        record.to_float4 = Some(TO_SMALL_FLOAT);
        record.from_float4 = Some(rule::SI_14);
        record.to_float6 = Some(TO_SMALL_FLOAT);
        record
    });
    &RECORD
}

/// The dtypes of StableHLO without float8e8m0, of which the interpreter makes unrelated numbers.
pub(super) fn dtypes() -> Vec<DType> {
    let numbers = DType::NUMERIC.iter().copied();
    numbers.filter(|&dtype| dtype != DType::Float8E8M0).collect()
}

const ENDS: Float8Ends = Float8Ends {
    with_infinity: (Float8End::Infinity, rule::SI_09),
    without: (Float8End::SignedNan, rule::SI_09),
    fnuz: (Float8End::Nan, rule::SI_09),
};

const FLOAT8: Float8Table = Float8Table {
    nan: (Float8Nan::Any, [rule::SI_10; 2]),
    zero: [rule::SI_08; 2],
    finite: rule::SI_08,
    infinity: ENDS,
    overflow: ENDS,
};

/// There is no `saturate`, so both tables are the same.
const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: FLOAT8,
    unsaturated: FLOAT8,
    bool: rule::SI_15,
    integer: [rule::SI_08, rule::SI_09],
    float8: None,
    float4: None,
    scale: None,
    twice: (Twice::Wrong, rule::SI_08),
    nan_of_float64: None,
    by_mode: None,
};

const TO_SMALL_FLOAT: ToSmallFloat = ToSmallFloat {
    exact: rule::SI_11,
    zero: rule::SI_11,
    rounded: rule::SI_11,
    beyond: rule::SI_11,
    infinity: (InfinityToNumber::Zero, rule::SI_12),
    nan: (NanToNumber::Zero, rule::SI_13),
    twice: (Twice::Wrong, rule::SI_11),
    bool: rule::SI_15,
    integer: None,
};
