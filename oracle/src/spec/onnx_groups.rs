//! The rules of ONNX Cast that no version changes: of the small dtypes and of strings.

use super::axes::{
    AboveScale, BelowScale, End, Float8End, Float8Ends, Float8Nan, Float8Table, FloatToInteger,
    FromFloat8, FromScale, InfinityToNumber, IntegerRow, Kept, NanToNumber, NarrowIntegers,
    NegativeScale, ReadText, Text, ToFloat8, ToScale, ToSmallFloat, Twice, WriteText,
};
use crate::round::MagnitudeRounding;
use castproof_vectors::{DType, RuleId, rule};

/// The rows of floats to integers. The last one holds for all that the others leave.
pub(super) fn float_to_integer(rules: FloatToInteger) -> Vec<IntegerRow> {
    use DType::*;
    // Sources with a section of their own cite its row, which refers back to the rules of floats.
    let citing: [(&[DType], RuleId); 3] = [
        (
            &[Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float6E2M3, Float6E3M2],
            rule::FI_06,
        ),
        (&[Float4E2M1], rule::F4_09),
        (&[Float8E8M0], rule::E8_22),
    ];
    let narrow =
        IntegerRow { from: &[], to: &[Int2, Uint2, Int4, Uint4], mode: None, rules: TO_NARROW };
    let citing = citing.into_iter().map(|(from, rule)| IntegerRow {
        from,
        to: &[],
        mode: None,
        rules: rules.by(rule),
    });
    let rest = IntegerRow { from: &[], to: &[], mode: None, rules };
    [narrow].into_iter().chain(citing).chain([rest]).collect()
}

/// Toward zero; open beyond the range and for NaN.
pub(super) const fn truncated(
    fraction: RuleId,
    edge: RuleId,
    beyond: RuleId,
    nan: RuleId,
) -> FloatToInteger {
    FloatToInteger {
        rounding: [MagnitudeRounding::TowardZero; 2],
        tolerated: &[],
        exact: rule::FI_01,
        fraction,
        edge,
        kept: (Kept::Target, beyond),
        beyond: ([End::Undefined; 2], beyond),
        infinity: ([End::Undefined; 2], beyond),
        nan: (End::Undefined, nan),
    }
}

const TO_NARROW: FloatToInteger = FloatToInteger {
    rounding: [MagnitudeRounding::NearestEven; 2],
    tolerated: &[MagnitudeRounding::TowardZero, MagnitudeRounding::NearestAway],
    exact: rule::I4_01,
    fraction: rule::I4_02,
    edge: rule::I4_02,
    kept: (Kept::Target, rule::I4_03),
    beyond: ([End::Undefined; 2], rule::I4_03),
    infinity: ([End::Undefined; 2], rule::I4_03),
    nan: (End::Undefined, rule::I4_03),
};

pub(super) const NARROW_INTEGERS: NarrowIntegers = NarrowIntegers {
    from_wider: rule::I4_04,
    between: rule::I4_05,
    exact: rule::I4_06,
    truth: rule::I4_07,
};

/// The two tables of the text, one for each value of `saturate`.
pub(super) const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: Float8Table {
        nan: (Float8Nan::Any, [rule::F8_S03; 2]),
        zero: [rule::F8_S01, rule::F8_S02],
        finite: rule::F8_S10,
        infinity: Float8Ends {
            with_infinity: (Float8End::Largest, rule::F8_S05),
            without: (Float8End::Largest, rule::F8_S04),
            fnuz: (Float8End::NanOrLargest, rule::F8_S06),
        },
        overflow: largest(rule::F8_S09),
    },
    unsaturated: Float8Table {
        nan: (Float8Nan::Any, [rule::F8_N02, rule::F8_N03]),
        zero: [rule::F8_N01; 2],
        finite: rule::F8_N10,
        infinity: Float8Ends {
            with_infinity: (Float8End::Infinity, rule::F8_N05),
            without: (Float8End::Nan, rule::F8_N04),
            fnuz: (Float8End::Nan, rule::F8_N06),
        },
        overflow: Float8Ends {
            with_infinity: (Float8End::Infinity, rule::F8_N08),
            without: (Float8End::Nan, rule::F8_N07),
            fnuz: (Float8End::Nan, rule::F8_N09),
        },
    },
    bool: rule::B_09,
    // (F8-I03, "64-bit integers through float32", never differs: integers that float32 does not
    // hold are beyond every float8.)
    integer: [rule::F8_I01, rule::F8_I02],
    float8: Some(rule::F8_X01),
    float4: Some(rule::F8_X02),
    scale: Some(rule::F8_X03),
    // Every implementation at hand rounds float64 to float32 first.
    twice: (Twice::Tolerated, rule::F8_S11),
    nan_of_float64: None,
    by_mode: None,
};

/// The largest number in every format.
pub(super) const fn largest(rule: RuleId) -> Float8Ends {
    let end = (Float8End::Largest, rule);
    Float8Ends { with_infinity: end, without: end, fnuz: end }
}

pub(super) const FROM_FLOAT8: FromFloat8 =
    FromFloat8 { exact: rule::F8_U01, negative_zero: rule::F8_U03, nan: rule::F8_U02 };

pub(super) const TO_FLOAT4: ToSmallFloat = ToSmallFloat {
    exact: rule::F4_01,
    zero: rule::F4_02,
    rounded: rule::F4_01,
    beyond: rule::F4_03,
    infinity: (InfinityToNumber::Largest, rule::F4_04),
    nan: (NanToNumber::Largest, rule::F4_05),
    twice: (Twice::Wrong, rule::F4_01),
    bool: rule::B_10,
    integer: Some([rule::F4_06, rule::F4_07]),
};

pub(super) const TO_FLOAT6: ToSmallFloat = ToSmallFloat {
    exact: rule::F6_01,
    zero: rule::F6_01,
    rounded: rule::F6_02,
    beyond: rule::F6_03,
    infinity: (InfinityToNumber::Largest, rule::F6_03),
    nan: (NanToNumber::ZeroOrEnd, rule::F6_04),
    twice: (Twice::Wrong, rule::F6_02),
    bool: rule::B_06,
    integer: None,
};

pub(super) const TO_SCALE: ToScale = ToScale {
    zero: (BelowScale::ByAttributes, rule::E8_01),
    negative_zero: (NegativeScale::Undefined, rule::E8_02),
    negative: (NegativeScale::Undefined, rule::E8_03),
    nan: rule::E8_04,
    infinity: rule::E8_05,
    above: (AboveScale::BeforeRounding, rule::E8_06),
    below: (BelowScale::ByAttributes, rule::E8_07),
    lowest: None,
    power: rule::E8_08,
    up: rule::E8_09,
    down: rule::E8_10,
    nearest: rule::E8_11,
    tie: rule::E8_12,
    twice: (Twice::Tolerated, rule::E8_13),
    bool: Some(rule::B_11),
    other: Some(rule::E8_14),
};

pub(super) const FROM_SCALE: FromScale =
    FromScale { exact: rule::E8_20, to_float16: rule::E8_21, truth: rule::B_03 };

pub(super) const TEXT: Text = Text {
    read: ReadText {
        number: rule::S_01,
        infinity: [rule::S_02, rule::S_03, rule::S_04],
        nan: rule::S_05,
        no_numeral: rule::S_06,
        overflow: rule::S_07,
        to_integer: rule::S_08,
        no_integer: rule::S_09,
        out_of_range: rule::S_10,
        to_bool: rule::S_11,
        unnamed: rule::S_18,
    },
    write: WriteText {
        bool: rule::S_12,
        finite: rule::S_13,
        special: rule::S_14,
        negative_zero: rule::S_15,
        integer: rule::S_16,
        unnamed: rule::S_19,
    },
    same: rule::S_17,
};
