//! The conversions of RISC-V's vector extension Zvfofp8min from float32 and bfloat16 to float8. The round
//! mode is that of `frm`, and `saturate` chooses the instructions with `.sat`.

use super::axes::{
    Float8ByMode, Float8End, Float8Ends, Float8Nan, Float8Table, Nan, SameNan, ToFloat8, Twice,
};
use super::machine::Machine;
use super::onnx_groups::largest;
use super::record::{Attribute, Record};
use castproof_vectors::{DType, RoundMode, RuleId, rule};
use std::sync::LazyLock;

const SOURCES: [DType; 2] = [DType::Bfloat16, DType::Float32];
const TARGETS: [DType; 2] = [DType::Float8E4M3FN, DType::Float8E5M2];

/// The record of the profile `riscv-ofp8`.
pub(super) fn record() -> &'static Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| {
        let machine = Machine {
            sources: SOURCES.to_vec(),
            targets: TARGETS.to_vec(),
            refused_pairs: (vec![], rule::RO_09),
            refused: rule::RO_09,
            refused_dtypes: vec![],
            // Nothing but a float8 is a target.
            float_to_integer: vec![],
            integer_to_integer: rule::RO_09,
            integer_to_float: rule::RO_09,
            float_to_float: rule::RO_09,
            nan: (Nan::Any, rule::RO_09),
            same: rule::RO_09,
            same_nan: (SameNan::Any, rule::RO_09),
            bool: rule::RO_09,
            byte: rule::RO_09,
        };
        let mut record = machine.record();
        record.saturate = Attribute {
            values: &[false, true],
            default: false,
            from: &SOURCES,
            to: &TARGETS,
            ignored: None,
        };
        record.round_mode = Attribute {
            values: &RoundMode::ALL,
            default: RoundMode::Nearest,
            from: &SOURCES,
            to: &TARGETS,
            ignored: None,
        };
        record.to_float8 = Some(TO_FLOAT8);
        record
    });
    &RECORD
}

const SATURATED: Float8Table = Float8Table {
    nan: (Float8Nan::AllOnes, [rule::RO_08; 2]),
    zero: [rule::RO_01; 2],
    finite: rule::RO_01,
    infinity: largest(rule::RO_07),
    overflow: largest(rule::RO_07),
};

/// What lies beyond the largest number without saturation. No target is an FNUZ dtype.
const fn beyond(with_infinity: Float8End, without: Float8End, rules: [RuleId; 2]) -> Float8Ends {
    Float8Ends {
        with_infinity: (with_infinity, rules[0]),
        without: (without, rules[1]),
        fnuz: (Float8End::Nan, rules[1]),
    }
}

const TO_FLOAT8: ToFloat8 = ToFloat8 {
    saturated: SATURATED,
    unsaturated: Float8Table {
        infinity: beyond(Float8End::Infinity, Float8End::AllOnesNan, [rule::RO_04; 2]),
        overflow: beyond(Float8End::Infinity, Float8End::AllOnesNan, [rule::RO_03; 2]),
        ..SATURATED
    },
    bool: rule::RO_09,
    integer: [rule::RO_09; 2],
    float8: None,
    float4: None,
    scale: None,
    twice: (Twice::Wrong, rule::RO_02),
    nan_of_float64: None,
    by_mode: Some(Float8ByMode {
        rounded: rule::RO_02,
        inward: beyond(
            Float8End::Largest,
            Float8End::LargestOrAllOnesNan,
            [rule::RO_05, rule::RO_06],
        ),
    }),
};
