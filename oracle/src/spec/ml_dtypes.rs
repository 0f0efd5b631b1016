//! What numpy makes of the dtypes of ml_dtypes: no cast saturates to float8, and most casts of a
//! wide source to them round to float32 first.

use super::axes::{
    AboveScale, BelowScale, Chosen, End, Float8End, Float8Ends, Float8Nan, Float8Table,
    FloatToInteger, FromFloat8, FromScale, InfinityToNumber, IntegerRow, Kept, Nan, NanToNumber,
    NarrowIntegers, NegativeScale, SameNan, ToFloat8, ToScale, ToSmallFloat, Twice,
};
use super::machine::{Machine, truncating};
use super::record::Record;
use castproof_vectors::{DType, RoundMode, rule};
use std::sync::LazyLock;

/// The record of the profile `ml-dtypes`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let machine = Machine {
            sources: DType::NUMERIC.to_vec(),
            targets: DType::NUMERIC.to_vec(),
            refused_pairs: (refused_pairs(), rule::ML_24),
            refused: rule::ML_25,
            refused_dtypes: vec![],
            float_to_integer: float_to_integer(),
            integer_to_integer: rule::ML_06,
            integer_to_float: rule::ML_07,
            float_to_float: rule::ML_08,
            nan: (Nan::Any, rule::ML_09),
            same: rule::ML_23,
            same_nan: (SameNan::Copied, rule::ML_23),
            bool: rule::ML_22,
            byte: rule::ML_26,
        };
        let mut record = machine.record();
        record.saturate.default = false;
        record.round_mode.default = RoundMode::Nearest;
        record.narrow_integers = Some(NarrowIntegers {
            from_wider: rule::ML_06,
            between: rule::ML_06,
            exact: rule::ML_21,
            truth: rule::ML_22,
        });
        record.to_float.float.twice = (Twice::ToleratedToBfloat16, rule::ML_10);
        record.to_float8 = Some(TO_FLOAT8);
        record.from_float8 =
            Some(FromFloat8 { exact: rule::ML_21, negative_zero: rule::ML_21, nan: rule::ML_09 });
        record.to_float4 = Some(TO_SMALL_FLOAT);
        record.from_float4 = Some(rule::ML_21);
        record.to_float6 = Some(TO_SMALL_FLOAT);
        record.to_scale = Some(TO_SCALE);
        record.from_scale =
            Some(FromScale { exact: rule::ML_21, to_float16: rule::ML_08, truth: rule::ML_22 });
        record
    });
    &RECORD
}

/// The pairs of which numpy says that it has no cast.
fn refused_pairs() -> Vec<(DType, DType)> {
    use DType::*;
    const SMALL: [DType; 7] = [
        Float4E2M1,
        Float6E2M3,
        Float6E3M2,
        Float8E4M3FN,
        Float8E4M3FNUZ,
        Float8E5M2,
        Float8E5M2FNUZ,
    ];
    let mut pairs = vec![(Int2, Uint2), (Int2, Uint4), (Uint2, Int2), (Uint2, Int4)];
    pairs.extend([(Int4, Int2), (Int4, Uint2), (Int4, Uint4)]);
    pairs.extend([(Uint4, Int2), (Uint4, Uint2), (Uint4, Int4)]);
    for narrow in [Int4, Uint4] {
        pairs.extend([(narrow, Float6E2M3), (Float6E2M3, narrow)]);
    }
    for other in [Int2, Uint2, Int4, Uint4].into_iter().chain(SMALL) {
        pairs.extend([(other, Float8E8M0), (Float8E8M0, other)]);
    }
    pairs
}

fn float_to_integer() -> Vec<IntegerRow> {
    const fn open(rule: castproof_vectors::RuleId) -> Chosen<[End; 2]> {
        ([End::Undefined; 2], rule)
    }
    let nan = (End::Undefined, rule::ML_02);
    let wide = truncating(rule::ML_01, open(rule::ML_02), open(rule::ML_02), nan);
    let (beyond, nan) = (open(rule::ML_05), (End::Undefined, rule::ML_05));
    let narrow = |kept| FloatToInteger {
        kept: (kept, rule::ML_04),
        ..truncating(rule::ML_03, beyond, beyond, nan)
    };
    let (signed, unsigned) = (&[DType::Int2, DType::Int4], &[DType::Uint2, DType::Uint4]);
    vec![
        IntegerRow { from: &[], to: signed, mode: None, rules: narrow(Kept::Int8) },
        IntegerRow { from: &[], to: unsigned, mode: None, rules: narrow(Kept::Uint8) },
        IntegerRow { from: &[], to: &[], mode: None, rules: wide },
    ]
}

const ENDS: Float8Ends = Float8Ends {
    with_infinity: (Float8End::Infinity, rule::ML_12),
    without: (Float8End::SignedNan, rule::ML_12),
    fnuz: (Float8End::Nan, rule::ML_12),
};

const FLOAT8: Float8Table = Float8Table {
    nan: (Float8Nan::Signed, [rule::ML_13; 2]),
    zero: [rule::ML_11; 2],
    finite: rule::ML_11,
    infinity: ENDS,
    overflow: ENDS,
};

/// There is no `saturate`, so both tables are the same.
const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: FLOAT8,
    unsaturated: FLOAT8,
    bool: rule::ML_22,
    integer: [rule::ML_11, rule::ML_12],
    float8: None,
    float4: None,
    scale: None,
    twice: (Twice::Always, rule::ML_14),
    nan_of_float64: None,
    by_mode: None,
};

const TO_SMALL_FLOAT: ToSmallFloat = ToSmallFloat {
    exact: rule::ML_15,
    zero: rule::ML_15,
    rounded: rule::ML_15,
    beyond: rule::ML_15,
    infinity: (InfinityToNumber::Largest, rule::ML_15),
    nan: (NanToNumber::ZeroOfOtherSign, rule::ML_16),
    twice: (Twice::Always, rule::ML_14),
    bool: rule::ML_22,
    integer: None,
};

const TO_SCALE: ToScale = ToScale {
    zero: (BelowScale::Nan, rule::ML_17),
    negative_zero: (NegativeScale::Nan, rule::ML_17),
    negative: (NegativeScale::Nan, rule::ML_17),
    nan: rule::ML_17,
    infinity: rule::ML_17,
    above: (AboveScale::AfterRounding, rule::ML_18),
    below: (BelowScale::Smallest, rule::ML_19),
    lowest: Some(rule::ML_20),
    power: rule::ML_18,
    up: rule::ML_18,
    down: rule::ML_18,
    nearest: rule::ML_18,
    tie: rule::ML_18,
    twice: (Twice::Always, rule::ML_14),
    bool: None,
    other: None,
};
