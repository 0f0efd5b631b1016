//! Rust's `as` between numbers: toward zero, saturating, NaN to 0; low bits of integers.

use super::{
    Beyond, Bool, FloatToFloat, FloatToInteger, FnuzInfinity, IntegerToInteger, NanToInteger,
    Record, Refusals, SameDtype, SameNan, SaturatedInfinity, ToFloat, TowardZero,
};
use castproof_vectors::{DType, rule};
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
        saturate: false,
        round_mode: false,
        refused_pairs: FLOATS.map(|to| (DType::Bool, to)).into(),
        refusals: Refusals {
            dtype: rule::RS_09,
            dtypes: vec![(DType::Bool, rule::RS_07)],
            pair: rule::RS_07,
            attribute: rule::RS_09,
        },
        float_to_integer: FloatToInteger {
            exact: rule::RS_01,
            fraction: rule::RS_01,
            edge: rule::RS_01,
            beyond: (Beyond::Saturates, rule::RS_02),
            nan: (NanToInteger::Zero, rule::RS_03),
        },
        integer_to_integer: IntegerToInteger { in_range: rule::RS_04, wrapped: rule::RS_04 },
        to_float: ToFloat {
            float: FloatToFloat {
                exact: rule::RS_06,
                zero: rule::RS_06,
                infinity: rule::RS_06,
                nan: rule::RS_08,
                rounded: rule::RS_06,
                back_to_largest: rule::RS_06,
                overflow: rule::RS_06,
                twice: rule::RS_06,
            },
            integer: [rule::RS_05; 3],
            to_bfloat16: (TowardZero::Wrong, rule::RS_09),
        },
        same_dtype: SameDtype {
            float: rule::RS_06,
            nan: (SameNan::Any, rule::RS_08),
            integer: rule::RS_04,
        },
        bool: Bool {
            float: [rule::RS_07; 2],
            integer: [rule::RS_07; 2],
            same: rule::RS_07,
            to_float: rule::RS_07,
            to_integer: rule::RS_07,
        },
        // No dtype of 8 bits is a float here.
        saturated_infinity: SaturatedInfinity {
            with_infinity: rule::RS_09,
            without: rule::RS_09,
            fnuz: (FnuzInfinity::Largest, rule::RS_09),
        },
        drops_round_mode: false,
    });
    &RECORD
}
