//! What the text of StableHLO fixes of `convert`: numbers that the target has, and the integral part of floats.
//! All else is open there. The reference interpreter says more, in a profile of its own.

use super::axes::{
    Float8End, Float8Ends, Float8Nan, Float8Table, FromFloat8, InfinityToNumber, Nan, NanToNumber,
    SameNan, ToFloat8, ToSmallFloat, Twice,
};
use super::machine::{Machine, all, saturating};
use super::record::Record;
use super::stablehlo_interpreter;
use castproof_vectors::{RuleId, rule};
use std::sync::LazyLock;

/// A number that the target has.
const EXACT: RuleId = rule::SH_02;

/// The record of the profile `stablehlo-convert`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let cast = stablehlo_interpreter::dtypes();
        let machine = Machine {
            sources: cast.clone(),
            targets: cast,
            refused_pairs: (vec![], rule::SH_06),
            refused: rule::SH_06,
            refused_dtypes: vec![],
            float_to_integer: all(saturating(rule::SH_01, rule::SH_03, rule::SH_03)),
            integer_to_integer: EXACT,
            integer_to_float: EXACT,
            float_to_float: EXACT,
            nan: (Nan::Any, EXACT),
            same: rule::SH_05,
            same_nan: (SameNan::Any, rule::SH_05),
            bool: rule::SH_04,
            byte: rule::SH_07,
        };
        let mut record = machine.record();
        record.only_exact = Some(rule::SH_03);
        record.to_float8 = Some(TO_FLOAT8);
        record.from_float8 = Some(FromFloat8 { exact: EXACT, negative_zero: EXACT, nan: EXACT });
        record.to_float4 = Some(TO_SMALL_FLOAT);
        record.from_float4 = Some(EXACT);
        record.to_float6 = Some(TO_SMALL_FLOAT);
        record
    });
    &RECORD
}

/// What lies beyond the largest number is open where the dtype has no infinity.
const ENDS: Float8Ends = Float8Ends {
    with_infinity: (Float8End::Infinity, EXACT),
    without: (Float8End::Nan, rule::SH_03),
    fnuz: (Float8End::Nan, rule::SH_03),
};

const FLOAT8: Float8Table = Float8Table {
    nan: (Float8Nan::Any, [EXACT; 2]),
    zero: [EXACT; 2],
    finite: EXACT,
    infinity: ENDS,
    overflow: ENDS,
};

/// There is no `saturate`, so both tables are the same.
const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: FLOAT8,
    unsaturated: FLOAT8,
    bool: rule::SH_04,
    integer: [EXACT; 2],
    float8: None,
    float4: None,
    scale: None,
    twice: (Twice::Wrong, EXACT),
    nan_of_float64: None,
    by_mode: None,
};

const TO_SMALL_FLOAT: ToSmallFloat = ToSmallFloat {
    exact: EXACT,
    zero: EXACT,
    rounded: rule::SH_03,
    beyond: rule::SH_03,
    infinity: (InfinityToNumber::Zero, rule::SH_03),
    nan: (NanToNumber::Zero, rule::SH_03),
    twice: (Twice::Wrong, rule::SH_03),
    bool: rule::SH_04,
    integer: None,
};
