//! The versions of ONNX Cast and CastLike, each as a change of the one before it.

use super::axes::{
    Bool, FloatToFloat, IntegerToInteger, Nan, Narrowed, SameDtype, SameNan, ToFloat, TowardZero,
    Twice,
};
use super::onnx_groups::{
    FROM_FLOAT8, FROM_SCALE, NARROW_INTEGERS, TEXT, TO_FLOAT4, TO_FLOAT6, TO_FLOAT8, TO_SCALE,
    float_to_integer, largest, truncated,
};
use super::record::{Attribute, Record, Refusals};
use castproof_vectors::{
    DType, Operator, RoundMode, RuleId, cast_version, rule, type_set, versions,
};
use std::sync::LazyLock;

/// A version of Cast.
struct Version {
    number: u32,
    /// The version before it; `None` of the first.
    after: Option<u32>,
    /// What it changed, besides the dtypes that it added. Those are listed with the version's name
    /// in `vectors/src/labels/version.rs`, which the gate needs without the oracle.
    changes: &'static [Change],
}

/// What a version changed.
enum Change {
    /// The attribute `saturate`.
    Saturate,
    /// The attribute `round_mode`.
    RoundMode,
    /// A dtype is refused by this rule from here on.
    Refuses(&'static [DType], RuleId),
    /// The rules of casts change.
    Rules(fn(&mut Record)),
}

#[rustfmt::skip]
const CAST: [Version; 10] = [
    Version { number: 1, after: None, changes: &[Change::Refuses(&[DType::String], rule::T_02)] },
    Version { number: 6, after: Some(1), changes: &[] },
    Version { number: 9, after: Some(6), changes: &[
        Change::Refuses(&[DType::Complex64, DType::Complex128], rule::T_03),
        Change::Rules(|record| record.bool.integer[1] = rule::B_05),
    ] },
    Version { number: 13, after: Some(9), changes: &[Change::Rules(numeric_rules)] },
    Version { number: 19, after: Some(13), changes: &[Change::Saturate] },
    Version { number: 21, after: Some(19), changes: &[] },
    Version { number: 23, after: Some(21), changes: &[] },
    Version { number: 24, after: Some(23), changes: &[
        Change::RoundMode,
        Change::Rules(|record| record.to_float.to_bfloat16 = (TowardZero::Wrong, rule::FF_04)),
        Change::Rules(|record| {
            if let Some(float8) = &mut record.to_float8 {
                float8.saturated.infinity = largest(rule::F8_S07);
            }
        }),
    ] },
    Version { number: 25, after: Some(24), changes: &[] },
    Version { number: 28, after: Some(25), changes: &[] },
];

/// The rules of CastLike besides those of Cast in the same operator set (CL-01), from an operator
/// set on.
#[rustfmt::skip]
const CAST_LIKE: [(u32, Change); 2] = [
    (24, Change::Rules(|record| record.drops_round_mode = Some(rule::CL_04))),
    // The operator set added float6 to Cast, but no version of CastLike.
    (28, Change::Refuses(&[DType::Float6E2M3, DType::Float6E3M2], rule::CL_05)),
];

// If the table lacked a version, that version would silently get the answers of the one before it.
const _: () = {
    let known = versions(Operator::Cast);
    assert!(
        known.len() == CAST.len(),
        "oracle/src/spec/onnx.rs and vectors/src/labels/version.rs have not the same versions of Cast"
    );
    let mut place = 0;
    while place < CAST.len() {
        let Version { number, after, .. } = CAST[place];
        assert!(
            number == known[place],
            "oracle/src/spec/onnx.rs and vectors/src/labels/version.rs have not the same versions of Cast"
        );
        let follows = match after {
            None => place == 0,
            Some(after) => place > 0 && after == known[place - 1],
        };
        assert!(follows, "oracle/src/spec/onnx.rs: a version names another one before it");
        place += 1;
    }
};

/// Returns the rules of an operator in an operator set; `None` if it has no version there.
pub(super) fn record(op: Operator, opset: u32) -> Option<&'static Record> {
    let records = match op {
        Operator::Cast => &*CAST_RECORDS,
        Operator::CastLike => &*CAST_LIKE_RECORDS,
    };
    records.iter().rev().find(|(since, _)| *since <= opset).map(|(_, record)| record)
}

/// Can an answer differ in this version of `Cast` from that of the version before it? Dtypes and
/// attributes that a version adds change no answer of requests that both versions have.
pub fn answers_change(version: u32) -> bool {
    let row = CAST.iter().find(|row| row.number == version);
    let changes_answers = |change: &Change| matches!(change, Change::Rules(_));
    row.is_none_or(|row| row.after.is_none() || row.changes.iter().any(changes_answers))
}

static CAST_RECORDS: LazyLock<Vec<(u32, Record)>> = LazyLock::new(|| {
    let mut record = first();
    let versions = CAST.iter().map(|version| {
        version.changes.iter().for_each(|change| change.apply(&mut record));
        let dtypes = type_set(Operator::Cast, version.number);
        (record.sources, record.targets) = (dtypes.clone(), dtypes);
        (version.number, record.clone())
    });
    versions.collect()
});

static CAST_LIKE_RECORDS: LazyLock<Vec<(u32, Record)>> = LazyLock::new(|| {
    let op = Operator::CastLike;
    let later = CAST_LIKE.iter().map(|(since, _)| *since);
    let mut since: Vec<u32> = versions(op).iter().copied().chain(later).collect();
    since.sort_unstable();
    since.dedup();
    let records = since.into_iter().filter_map(|opset| {
        let version = castproof_vectors::resolve(op, opset).ok()?;
        let mut record = record(Operator::Cast, cast_version(op, version))?.clone();
        let changes = CAST_LIKE.iter().filter(|(since, _)| *since <= opset);
        changes.for_each(|(_, change)| change.apply(&mut record));
        Some((opset, record))
    });
    records.collect()
});

impl Change {
    fn apply(&self, record: &mut Record) {
        match self {
            Change::Saturate => record.saturate.values = &[false, true],
            Change::RoundMode => record.round_mode.values = &RoundMode::CAST,
            Change::Refuses(dtypes, rule) => {
                record.refusals.dtypes.extend(dtypes.iter().map(|&dtype| (dtype, *rule)));
            }
            Change::Rules(change) => change(record),
        }
    }
}

/// The attributes before the versions that add their values.
const SATURATE: Attribute<bool> = Attribute {
    values: &[],
    default: true,
    from: &[],
    to: &[
        DType::Float8E4M3FN,
        DType::Float8E4M3FNUZ,
        DType::Float8E5M2,
        DType::Float8E5M2FNUZ,
        DType::Float8E8M0,
    ],
    ignored: Some(rule::T_06),
};
const ROUND_MODE: Attribute<RoundMode> = Attribute {
    values: &[],
    default: RoundMode::Up,
    from: &[],
    to: &[DType::Float8E8M0],
    ignored: Some(rule::T_07),
};

/// Version 1 states no numeric rule: everything inexact rests on later practice.
fn first() -> Record {
    const OPEN: RuleId = rule::V9_01;
    Record {
        sources: vec![],
        targets: vec![],
        saturate: SATURATE,
        round_mode: ROUND_MODE,
        refused_pairs: vec![],
        refusals: Refusals {
            dtype: rule::T_01,
            dtypes: vec![],
            pair: rule::T_01,
            attribute: rule::T_05,
        },
        float_to_integer: float_to_integer(truncated(OPEN, OPEN, OPEN, OPEN)),
        integer_to_integer: IntegerToInteger {
            in_range: rule::II_01,
            beyond: (Narrowed::LowBits, rule::II_03),
        },
        narrow_integers: Some(NARROW_INTEGERS),
        to_float: ToFloat {
            float: FloatToFloat {
                exact: rule::FF_01,
                zero: rule::FF_09,
                infinity: OPEN,
                nan: (Nan::Any, rule::FF_08),
                rounded: OPEN,
                back_to_largest: OPEN,
                overflow: OPEN,
                twice: (Twice::Tolerated, OPEN),
            },
            integer: [rule::IF_01, OPEN, OPEN],
            to_bfloat16: (TowardZero::Tolerated, rule::FF_03),
        },
        accuracy: None,
        only_exact: None,
        to_float8: Some(TO_FLOAT8),
        from_float8: Some(FROM_FLOAT8),
        to_float4: Some(TO_FLOAT4),
        from_float4: Some(rule::F4_08),
        to_float6: Some(TO_FLOAT6),
        to_scale: Some(TO_SCALE),
        from_scale: Some(FROM_SCALE),
        same_dtype: SameDtype {
            float: rule::FF_11,
            nan: (SameNan::Kept, rule::FF_11),
            integer: rule::II_01,
            saturated_infinity: Some(rule::F8_S08),
        },
        bool: Bool {
            float: [OPEN; 2],
            integer: [OPEN; 2],
            same: OPEN,
            to_float: OPEN,
            to_integer: OPEN,
            invalid: rule::B_08,
        },
        text: Some(TEXT),
        drops_round_mode: None,
    }
}

/// Version 13 states the rules between numerical types.
fn numeric_rules(record: &mut Record) {
    record.float_to_integer =
        float_to_integer(truncated(rule::FI_02, rule::FI_03, rule::FI_04, rule::FI_05));
    record.integer_to_integer.beyond = (Narrowed::LowBits, rule::II_02);
    record.to_float.float = FloatToFloat {
        infinity: rule::FF_07,
        rounded: rule::FF_02,
        back_to_largest: rule::FF_06,
        overflow: rule::FF_05,
        twice: (Twice::Tolerated, rule::FF_10),
        ..record.to_float.float
    };
    record.to_float.integer = [rule::IF_01, rule::IF_02, rule::IF_03];
    record.bool = Bool {
        float: [rule::B_01, rule::B_02],
        integer: [rule::B_04; 2],
        same: rule::B_08,
        to_float: rule::B_06,
        to_integer: rule::B_07,
        invalid: rule::B_08,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules of a record differ from those of the record before it exactly where its row says
    /// so: every listed change must change something, and every change must be listed.
    #[test]
    fn rows_say_what_changes() {
        let said = |record: &Record| Record {
            sources: vec![],
            targets: vec![],
            saturate: first().saturate,
            round_mode: first().round_mode,
            refusals: first().refusals,
            ..record.clone()
        };
        for pair in CAST_RECORDS.windows(2) {
            let [(_, before), (version, after)] = pair else { unreachable!("windows of two") };
            assert_eq!(said(before) != said(after), answers_change(*version), "Cast-{version}");
        }
    }

    #[test]
    fn castlike_follows_cast() {
        let record = |op, opset| record(op, opset).expect("a version");
        for opset in [15, 19, 21, 23] {
            let expected = record(Operator::Cast, if opset == 15 { 13 } else { opset });
            assert_eq!(record(Operator::CastLike, opset), expected, "{opset}");
        }
        assert!(record(Operator::CastLike, 24).drops_round_mode.is_some());
        let refused = |opset| {
            let pair = (DType::Float32, DType::Float6E2M3);
            record(Operator::CastLike, opset).refusal(pair, Default::default())
        };
        assert_eq!((refused(25), refused(28)), (Some(rule::T_01), Some(rule::CL_05)));
        assert!(super::record(Operator::CastLike, 14).is_none());
    }
}
