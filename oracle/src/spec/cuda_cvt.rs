//! What CUDA makes of its numbers: conversions in C++ with the types of NVIDIA's headers, which `cvt`
//! of PTX computes on a device. Floats of at most 8 bits saturate, as their constructors do. The
//! headers' functions from floats of at least 16 bits take saturation and, to float8e8m0, a round
//! mode: these are attributes.

use super::axes::{
    AboveScale, BelowScale, End, Float8End, Float8Ends, Float8Nan, Float8Table, FloatToInteger,
    FromFloat8, FromScale, InfinityToNumber, IntegerRow, Nan, NanToNumber, NegativeScale, SameNan,
    ToFloat8, ToScale, ToSmallFloat, Twice,
};
use super::machine::{INTEGERS, Machine, saturating};
use super::onnx_groups::largest;
use super::record::{Attribute, Record};
use castproof_vectors::{DType, RoundMode, rule};
use std::sync::LazyLock;

/// The floats of at most 8 bits.
const SMALL: [DType; 6] = [
    DType::Float4E2M1,
    DType::Float6E2M3,
    DType::Float6E3M2,
    DType::Float8E4M3FN,
    DType::Float8E5M2,
    DType::Float8E8M0,
];

/// The record of the profile `cuda-cvt`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let machine = Machine {
            sources: dtypes(),
            targets: dtypes(),
            refused_pairs: (refused_pairs(), rule::CU_25),
            refused: rule::CU_26,
            refused_dtypes: vec![],
            float_to_integer: float_to_integer(),
            integer_to_integer: rule::CU_05,
            integer_to_float: rule::CU_06,
            float_to_float: rule::CU_07,
            nan: (Nan::AllOnesIn16Bits(rule::CU_08), rule::CU_09),
            same: rule::CU_24,
            same_nan: (SameNan::Copied, rule::CU_24),
            bool: rule::CU_23,
            byte: rule::CU_27,
        };
        let mut record = machine.record();
        record.saturate = Attribute {
            values: &[false, true],
            from: &WIDE,
            to: &[DType::Float8E4M3FN, DType::Float8E5M2, DType::Float8E8M0],
            ..record.saturate
        };
        record.round_mode = Attribute {
            values: &[RoundMode::Up, RoundMode::Down, RoundMode::Nearest],
            from: &WIDE,
            to: &[DType::Float8E8M0],
            ..record.round_mode
        };
        record.to_float8 = Some(TO_FLOAT8);
        record.from_float8 =
            Some(FromFloat8 { exact: rule::CU_22, negative_zero: rule::CU_22, nan: rule::CU_09 });
        record.to_float4 = Some(TO_SMALL_FLOAT);
        record.from_float4 = Some(rule::CU_22);
        record.to_float6 = Some(TO_SMALL_FLOAT);
        record.to_scale = Some(TO_SCALE);
        record.from_scale =
            Some(FromScale { exact: rule::CU_22, to_float16: rule::CU_07, truth: rule::CU_23 });
        record
    });
    &RECORD
}

/// The floats of at least 16 bits.
const WIDE: [DType; 4] = [DType::Float16, DType::Bfloat16, DType::Float32, DType::Float64];

fn dtypes() -> Vec<DType> {
    [DType::Bool].into_iter().chain(INTEGERS).chain(WIDE).chain(SMALL).collect()
}

/// No float of at most 8 bits is made from another one.
fn refused_pairs() -> Vec<(DType, DType)> {
    let pairs = SMALL.into_iter().flat_map(|from| SMALL.map(|to| (from, to)));
    pairs.filter(|(from, to)| from != to).collect()
}

/// NaN is zero, except from float64 and in 64 bits.
fn float_to_integer() -> Vec<IntegerRow> {
    let zero = saturating(rule::CU_01, rule::CU_02, rule::CU_03);
    let high_bit = FloatToInteger { nan: (End::HighBit, rule::CU_04), ..zero };
    vec![
        IntegerRow { from: &[DType::Float64], to: &[], mode: None, rules: high_bit },
        IntegerRow { from: &[], to: &[DType::Int64, DType::Uint64], mode: None, rules: high_bit },
        IntegerRow { from: &[], to: &[], mode: None, rules: zero },
    ]
}

const FLOAT8: Float8Table = Float8Table {
    nan: (Float8Nan::AllOnes, [rule::CU_13; 2]),
    zero: [rule::CU_10; 2],
    finite: rule::CU_10,
    infinity: largest(rule::CU_11),
    overflow: largest(rule::CU_11),
};

/// What lies beyond the largest number without saturation.
const UNSATURATED: Float8Ends = Float8Ends {
    with_infinity: (Float8End::Infinity, rule::CU_28),
    without: (Float8End::SignedNan, rule::CU_28),
    fnuz: (Float8End::Nan, rule::CU_28),
};

const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: FLOAT8,
    unsaturated: Float8Table { infinity: UNSATURATED, overflow: UNSATURATED, ..FLOAT8 },
    bool: rule::CU_23,
    integer: [rule::CU_10, rule::CU_11],
    float8: None,
    float4: None,
    scale: None,
    twice: (Twice::Wrong, rule::CU_10),
    nan_of_float64: Some((Float8Nan::Any, rule::CU_12)),
    by_mode: None,
};

const TO_SMALL_FLOAT: ToSmallFloat = ToSmallFloat {
    exact: rule::CU_14,
    zero: rule::CU_14,
    rounded: rule::CU_14,
    beyond: rule::CU_15,
    infinity: (InfinityToNumber::Largest, rule::CU_15),
    nan: (NanToNumber::OnlyLargest, rule::CU_16),
    twice: (Twice::Wrong, rule::CU_14),
    bool: rule::CU_23,
    integer: None,
};

/// The constructors round up and saturate. The range is tested after the rounding.
const TO_SCALE: ToScale = ToScale {
    zero: (BelowScale::Smallest, rule::CU_19),
    negative_zero: (NegativeScale::Magnitude, rule::CU_18),
    negative: (NegativeScale::Magnitude, rule::CU_18),
    nan: rule::CU_21,
    infinity: rule::CU_20,
    above: (AboveScale::AfterRoundingInFloat32(rule::CU_30), rule::CU_20),
    below: (BelowScale::Smallest, rule::CU_19),
    lowest: None,
    power: rule::CU_17,
    up: rule::CU_17,
    down: rule::CU_29,
    nearest: rule::CU_31,
    tie: rule::CU_31,
    twice: (Twice::Wrong, rule::CU_17),
    bool: None,
    other: None,
};
