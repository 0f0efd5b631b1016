//! TOSA's CAST: integers are rounded to nearest, and a float may be rounded toward zero instead, or be
//! zero where it is subnormal. Its table lists the pairs that are cast.

use super::axes::{
    Accuracy, End, Float8End, Float8Ends, Float8Nan, Float8Table, FloatToInteger, FromFloat8, Kept,
    Nan, SameNan, ToFloat8, Twice,
};
use super::machine::{Machine, all};
use super::record::Record;
use crate::round::MagnitudeRounding;
use castproof_vectors::DType::{
    self, Bfloat16, Bool, Float8E4M3FN, Float8E5M2, Float16, Float32, Int8, Int16, Int32, Int64,
};
use castproof_vectors::rule;
use std::sync::LazyLock;

/// The sources, each with its targets. 64 bits are an extension.
const PAIRS: [(DType, &[DType]); 10] = [
    (Bool, &[Int8, Int16, Int32, Int64, Float32]),
    (Int8, &[Bool, Int16, Int32, Float16, Bfloat16, Float32]),
    (Int16, &[Bool, Int8, Int32, Float16, Bfloat16, Float32]),
    (Int32, &[Bool, Int8, Int16, Int64, Float16, Bfloat16, Float32]),
    (Int64, &[Bool, Int32]),
    (Float16, &[Int8, Int16, Int32, Float32, Float8E4M3FN, Float8E5M2]),
    (Bfloat16, &[Int8, Int16, Int32, Float32, Float8E4M3FN, Float8E5M2]),
    (Float32, &[Bool, Int8, Int16, Int32, Float16, Bfloat16, Float8E4M3FN, Float8E5M2]),
    (Float8E4M3FN, &[Float16, Bfloat16, Float32]),
    (Float8E5M2, &[Float16, Bfloat16, Float32]),
];

/// The record of the profile `tosa-cast`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let dtypes: Vec<DType> = PAIRS.iter().map(|(from, _)| *from).collect();
        let machine = Machine {
            sources: dtypes.clone(),
            targets: dtypes,
            refused_pairs: (refused_pairs(), rule::TO_15),
            refused: rule::TO_16,
            refused_dtypes: vec![],
            float_to_integer: all(TO_INTEGER),
            integer_to_integer: rule::TO_05,
            integer_to_float: rule::TO_06,
            float_to_float: rule::TO_08,
            nan: (Nan::Any, rule::TO_12),
            same: rule::TO_15,
            same_nan: (SameNan::Any, rule::TO_15),
            bool: rule::TO_14,
            byte: rule::TO_17,
        };
        let mut record = machine.record();
        record.saturate.default = false;
        record.to_float.integer[2] = rule::TO_07;
        record.to_float.float.rounded = rule::TO_09;
        record.to_float.float.back_to_largest = rule::TO_09;
        record.to_float.float.overflow = rule::TO_10;
        record.to_float.to_bfloat16.1 = rule::TO_09;
        record.accuracy = Some(Accuracy { reaching: rule::TO_07, subnormal: rule::TO_11 });
        record.to_float8 = Some(TO_FLOAT8);
        record.from_float8 =
            Some(FromFloat8 { exact: rule::TO_08, negative_zero: rule::TO_08, nan: rule::TO_12 });
        record
    });
    &RECORD
}

fn refused_pairs() -> Vec<(DType, DType)> {
    let refused = |(from, targets): (DType, &'static [DType])| {
        let others = PAIRS.iter().map(|(to, _)| *to).filter(|to| !targets.contains(to));
        others.map(move |to| (from, to))
    };
    PAIRS.into_iter().flat_map(refused).collect()
}

const TO_INTEGER: FloatToInteger = {
    const ENDS: [End; 2] = [End::Largest, End::Smallest];
    FloatToInteger {
        rounding: [MagnitudeRounding::NearestEven; 2],
        tolerated: &[],
        exact: rule::TO_01,
        fraction: rule::TO_01,
        edge: rule::TO_01,
        kept: (Kept::Target, rule::TO_01),
        beyond: (ENDS, rule::TO_02),
        infinity: (ENDS, rule::TO_03),
        nan: (End::Undefined, rule::TO_04),
    }
};

const BEYOND: Float8Ends = Float8Ends {
    with_infinity: (Float8End::Infinity, rule::TO_13),
    without: (Float8End::Nan, rule::TO_13),
    fnuz: (Float8End::Nan, rule::TO_13),
};

const FLOAT8: Float8Table = Float8Table {
    nan: (Float8Nan::Any, [rule::TO_12; 2]),
    zero: [rule::TO_08; 2],
    finite: rule::TO_09,
    infinity: BEYOND,
    overflow: BEYOND,
};

/// There is no `saturate`, so both tables are the same.
const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: FLOAT8,
    unsaturated: FLOAT8,
    bool: rule::TO_15,
    integer: [rule::TO_15; 2],
    float8: None,
    float4: None,
    scale: None,
    twice: (Twice::Wrong, rule::TO_09),
    nan_of_float64: None,
    by_mode: None,
};
