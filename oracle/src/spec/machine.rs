//! The records of processors and languages: integers, and floats of at least 16 bits.

use super::axes::{
    Bool, Chosen, End, FloatToFloat, FloatToInteger, IntegerRow, IntegerToInteger, Kept, Nan,
    NarrowIntegers, Narrowed, SameDtype, SameNan, ToFloat, TowardZero, Twice,
};
use super::record::{Attribute, Record, Refusals};
use crate::round::MagnitudeRounding;
use castproof_vectors::{DType, RoundMode, RuleId};

/// What such a specification says. It has no attributes unless its record adds them, rounds once, to nearest even, and keeps the
/// low bits of integers.
pub(super) struct Machine {
    pub(super) sources: Vec<DType>,
    pub(super) targets: Vec<DType>,
    /// Pairs that are refused though both dtypes are cast, by one rule.
    pub(super) refused_pairs: Chosen<Vec<(DType, DType)>>,
    /// The rule of everything else that is refused.
    pub(super) refused: RuleId,
    /// Dtypes whose refusal has a rule of its own.
    pub(super) refused_dtypes: Vec<(DType, RuleId)>,
    pub(super) float_to_integer: Vec<IntegerRow>,
    pub(super) integer_to_integer: RuleId,
    pub(super) integer_to_float: RuleId,
    pub(super) float_to_float: RuleId,
    pub(super) nan: Chosen<Nan>,
    pub(super) same: RuleId,
    pub(super) same_nan: Chosen<SameNan>,
    /// To bool and from it; the rule of its refusal where it is not cast.
    pub(super) bool: RuleId,
    /// A byte of bool other than 0 and 1.
    pub(super) byte: RuleId,
}

impl Machine {
    pub(super) fn record(self) -> Record {
        let Machine { integer_to_integer: integers, float_to_float: floats, bool, .. } = self;
        let beyond = (Narrowed::LowBits, integers);
        Record {
            sources: self.sources,
            targets: self.targets,
            saturate: lacking(true),
            round_mode: lacking(RoundMode::Up),
            refused_pairs: self.refused_pairs.0,
            refusals: Refusals {
                dtype: self.refused,
                dtypes: self.refused_dtypes,
                pair: self.refused_pairs.1,
                attribute: self.refused,
            },
            float_to_integer: self.float_to_integer,
            integer_to_integer: IntegerToInteger { in_range: integers, beyond },
            narrow_integers: Some(NarrowIntegers {
                from_wider: integers,
                between: integers,
                exact: integers,
                truth: bool,
            }),
            to_float: ToFloat {
                float: FloatToFloat {
                    exact: floats,
                    zero: floats,
                    infinity: floats,
                    nan: self.nan,
                    rounded: floats,
                    back_to_largest: floats,
                    overflow: floats,
                    twice: (Twice::Wrong, floats),
                },
                integer: [self.integer_to_float; 3],
                to_bfloat16: (TowardZero::Wrong, floats),
            },
            accuracy: None,
            only_exact: None,
            to_float8: None,
            from_float8: None,
            to_float4: None,
            from_float4: None,
            to_float6: None,
            to_scale: None,
            from_scale: None,
            same_dtype: SameDtype {
                float: self.same,
                nan: self.same_nan,
                integer: self.same,
                saturated_infinity: None,
            },
            bool: all_by(bool, self.byte),
            text: None,
            drops_round_mode: None,
        }
    }
}

/// The record of casts from float32 and float64 to integers of 32 and 64 bits. Every other cast is refused, by
/// this rule.
pub(super) fn floats_to_words(float_to_integer: Vec<IntegerRow>, refused: RuleId) -> Record {
    let words = vec![DType::Int32, DType::Uint32, DType::Int64, DType::Uint64];
    floats_to(words, float_to_integer, refused)
}

/// The same to these integers.
pub(super) fn floats_to(
    targets: Vec<DType>,
    float_to_integer: Vec<IntegerRow>,
    refused: RuleId,
) -> Record {
    Machine {
        sources: FLOATS.to_vec(),
        targets,
        refused_pairs: (vec![], refused),
        refused,
        refused_dtypes: vec![],
        float_to_integer,
        // No integer is a source, and no float is a target.
        integer_to_integer: refused,
        integer_to_float: refused,
        float_to_float: refused,
        nan: (Nan::Any, refused),
        same: refused,
        same_nan: (SameNan::Any, refused),
        bool: refused,
        byte: refused,
    }
    .record()
}

/// An attribute that requests may not give.
const fn lacking<T>(default: T) -> Attribute<T> {
    Attribute { values: &[], default, from: &[], to: &[], ignored: None }
}

/// To and from bool by one rule, but for a byte that is no bool.
const fn all_by(rule: RuleId, byte: RuleId) -> Bool {
    Bool {
        float: [rule; 2],
        integer: [rule; 2],
        same: rule,
        to_float: rule,
        to_integer: rule,
        invalid: byte,
    }
}

/// Toward zero; what is out of the target's range and NaN become these ends.
pub(super) const fn truncating(
    rounded: RuleId,
    beyond: Chosen<[End; 2]>,
    infinity: Chosen<[End; 2]>,
    nan: Chosen<End>,
) -> FloatToInteger {
    FloatToInteger {
        rounding: [MagnitudeRounding::TowardZero; 2],
        tolerated: &[],
        exact: rounded,
        fraction: rounded,
        edge: rounded,
        kept: (Kept::Target, rounded),
        beyond,
        infinity,
        nan,
    }
}

/// Toward zero; out of range becomes the nearest end, NaN zero.
pub(super) const fn saturating(rounded: RuleId, beyond: RuleId, nan: RuleId) -> FloatToInteger {
    const ENDS: [End; 2] = [End::Largest, End::Smallest];
    truncating(rounded, (ENDS, beyond), (ENDS, beyond), (End::Zero, nan))
}

/// All targets in one row.
pub(super) fn all(rules: FloatToInteger) -> Vec<IntegerRow> {
    vec![IntegerRow { from: &[], to: &[], mode: None, rules }]
}

/// The same of integers of 32 and 64 bits. A narrower one is the low bits of one of 32 bits with the
/// same sign, by this rule.
pub(super) fn saturating_words(rules: FloatToInteger, narrow: RuleId) -> Vec<IntegerRow> {
    // The low bits of the largest and of the smallest integer of 32 bits.
    let ends = [End::AllOnes, End::Zero];
    let nan = if rules.nan.0 == End::Largest { End::AllOnes } else { rules.nan.0 };
    let through = |kept| FloatToInteger {
        kept: (kept, narrow),
        ..truncating(narrow, (ends, narrow), (ends, narrow), (nan, narrow))
    };
    let signed = &[DType::Int8, DType::Int16];
    let unsigned = &[DType::Uint8, DType::Uint16];
    vec![
        IntegerRow { from: &[], to: signed, mode: None, rules: through(Kept::Int32) },
        IntegerRow { from: &[], to: unsigned, mode: None, rules: through(Kept::Uint32) },
        IntegerRow { from: &[], to: &[], mode: None, rules },
    ]
}

/// The integers of 8 to 64 bits.
pub(super) const INTEGERS: [DType; 8] = [
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
    DType::Int32,
    DType::Uint32,
    DType::Int64,
    DType::Uint64,
];

/// The floats of most processors and languages.
pub(super) const FLOATS: [DType; 2] = [DType::Float32, DType::Float64];

/// bool, the integers of 8 to 64 bits and the floats of most processors: the numbers of C.
pub(super) fn c_numbers() -> Vec<DType> {
    [DType::Bool].into_iter().chain(INTEGERS).chain(FLOATS).collect()
}
