//! Rust's `as` between numbers: toward zero, saturating, NaN to 0; low bits of integers.

use super::axes::{
    Bool, End, FloatToFloat, FloatToInteger, IntegerRow, IntegerToInteger, Kept, Nan, SameDtype,
    SameNan, ToFloat, TowardZero, Twice,
};
use super::record::{Attribute, Record, Refusals};
use crate::round::Rounding;
use castproof_vectors::{DType, RoundMode, rule};
use std::sync::LazyLock;

const NUMBERS: [DType; 10] = [
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
    DType::Int32,
    DType::Uint32,
    DType::Int64,
    DType::Uint64,
    DType::Float32,
    DType::Float64,
];

const FLOATS: [DType; 2] = [DType::Float32, DType::Float64];

/// The record of the profile `rust-as`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| Record {
        sources: [DType::Bool].into_iter().chain(NUMBERS).collect(),
        targets: NUMBERS.into(),
        saturate: Attribute { known: false, default: true, ignored: rule::RS_09 },
        round_mode: Attribute { known: false, default: RoundMode::Up, ignored: rule::RS_09 },
        refused_pairs: FLOATS.map(|to| (DType::Bool, to)).into(),
        refusals: Refusals {
            dtype: rule::RS_09,
            dtypes: vec![(DType::Bool, rule::RS_07)],
            pair: rule::RS_07,
            attribute: rule::RS_09,
        },
        float_to_integer: vec![IntegerRow {
            from: &[],
            to: &[],
            rules: FloatToInteger {
                rounding: Rounding::TowardZero,
                tolerated: &[],
                exact: rule::RS_01,
                fraction: rule::RS_01,
                edge: rule::RS_01,
                kept: (Kept::Target, rule::RS_02),
                beyond: ([End::Largest, End::Smallest], rule::RS_02),
                infinity: ([End::Largest, End::Smallest], rule::RS_02),
                nan: (End::Zero, rule::RS_03),
            },
        }],
        integer_to_integer: IntegerToInteger { in_range: rule::RS_04, wrapped: rule::RS_04 },
        narrow_integers: None,
        to_float: ToFloat {
            float: FloatToFloat {
                exact: rule::RS_06,
                zero: rule::RS_06,
                infinity: rule::RS_06,
                nan: (Nan::Any, rule::RS_08),
                rounded: rule::RS_06,
                back_to_largest: rule::RS_06,
                overflow: rule::RS_06,
                twice: (Twice::Wrong, rule::RS_06),
            },
            integer: [rule::RS_05; 3],
            to_bfloat16: (TowardZero::Wrong, rule::RS_09),
        },
        to_float8: None,
        from_float8: None,
        to_float4: None,
        from_float4: None,
        to_float6: None,
        to_scale: None,
        from_scale: None,
        same_dtype: SameDtype {
            float: rule::RS_06,
            nan: (SameNan::Any, rule::RS_08),
            integer: rule::RS_04,
            saturated_infinity: None,
        },
        bool: Bool {
            float: [rule::RS_07; 2],
            integer: [rule::RS_07; 2],
            same: rule::RS_07,
            to_float: rule::RS_07,
            to_integer: rule::RS_07,
            invalid: rule::RS_10,
        },
        text: None,
        drops_round_mode: None,
    });
    &RECORD
}
