//! What gcc's scalar casts of C do on x86-64, with the conversions of SSE2 and with those of AVX-512.

use super::axes::{End, FloatToInteger, IntegerRow, Kept, Nan, SameNan};
use super::machine::{Machine, c_numbers, truncating};
use super::record::Record;
use castproof_vectors::{DType, RuleId, rule};
use std::sync::LazyLock;

/// The record of the profile `x86-sse2`.
pub(super) fn sse2() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let through_int64 =
            FloatToInteger { kept: (Kept::Int64, rule::X8_06), ..one_code(rule::X8_06, End::Zero) };
        let (ends, high_bit) = ([End::Zero, End::HighBit], rule::X8_12);
        let twice = FloatToInteger {
            kept: (Kept::Int64AndUint64, high_bit),
            ..truncating(high_bit, (ends, high_bit), (ends, high_bit), (End::HighBit, high_bit))
        };
        record(vec![
            IntegerRow { from: &[], to: &[DType::Uint32], mode: None, rules: through_int64 },
            IntegerRow { from: &[], to: &[DType::Uint64], mode: None, rules: twice },
        ])
    });
    &RECORD
}

/// The record of the profile `x86-avx512`.
pub(super) fn avx512() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let all_ones = one_code(rule::X8_02, End::AllOnes);
        let to = &[DType::Uint32, DType::Uint64];
        record(vec![IntegerRow { from: &[], to, mode: None, rules: all_ones }])
    });
    &RECORD
}

/// `unsigned` has the rows of unsigned integers of 32 and 64 bits.
fn record(unsigned: Vec<IntegerRow>) -> Record {
    // Narrow integers are the low bits of an int32, whose code for all that it does not hold has
    // only its highest bit set.
    let narrow =
        FloatToInteger { kept: (Kept::Int32, rule::X8_05), ..one_code(rule::X8_05, End::Zero) };
    let signed = FloatToInteger { edge: rule::X8_03, ..one_code(rule::X8_01, End::HighBit) };
    let to = &[DType::Int8, DType::Uint8, DType::Int16, DType::Uint16];
    let narrow = IntegerRow { from: &[], to, mode: None, rules: narrow };
    let signed = IntegerRow { from: &[], to: &[], mode: None, rules: signed };
    Machine {
        sources: c_numbers(),
        targets: c_numbers(),
        refused_pairs: (vec![], rule::X8_17),
        refused: rule::X8_17,
        refused_dtypes: vec![],
        float_to_integer: [narrow].into_iter().chain(unsigned).chain([signed]).collect(),
        integer_to_integer: rule::X8_07,
        integer_to_float: rule::X8_14,
        float_to_float: rule::X8_10,
        nan: (Nan::Quieted, rule::X8_13),
        same: rule::X8_15,
        same_nan: (SameNan::Copied, rule::X8_15),
        bool: rule::X8_16,
        byte: rule::X8_18,
    }
    .record()
}

/// Toward zero; one code for all that is out of range, and for NaN.
const fn one_code(rule: RuleId, code: End) -> FloatToInteger {
    truncating(rule, ([code; 2], rule), ([code; 2], rule), (code, rule))
}
