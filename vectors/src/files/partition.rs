//! The partition format: every code of a cast, as a few pieces, for any language to expand.

use crate::{Attributes, DType, Hex, Operator, OutcomeRecord, Shift};
use serde::{Deserialize, Serialize};

/// The `format` member of every partition file.
pub const PARTITION_FORMAT: &str = "castproof-partition/1";

/// What a cast must make of every code of its source: `{"format": "castproof-partition/1", ...}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartitionFile {
    /// `castproof-partition/1`
    pub format: String,
    /// The operator.
    pub op: Operator,
    /// The operator set.
    pub opset: u32,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// Width of the input's codes.
    pub from_bits: u32,
    /// Width of the output's codes.
    pub to_bits: u32,
    /// The attributes that are given.
    pub attributes: Attributes,
    /// How many pieces there are.
    pub number_of_pieces: usize,
    /// Ascending, from code 0 to the last code, without gap or overlap.
    pub pieces: Vec<PieceRecord>,
}

/// A run of codes with one rule: exactly one of `expect` and `shift`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PieceRecord {
    /// The first code.
    pub first: Hex,
    /// The last code.
    pub last: Hex,
    /// What is expected of each code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<OutcomeRecord>,
    /// How the expected code follows from the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<ShiftRecord>,
    /// What is tolerated of each code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerate: Option<OutcomeRecord>,
    /// The tolerated results differ from code to code and are not in this file.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tolerate_by_code: bool,
}

/// With c for the code: d = c - origin, or origin - c if `descending`, in the bits of the input's
/// width; q = d >> bits, rounded to nearest if `nearest` is set, a tie to an even result, or
/// d << -bits if `bits` is negative; the result is base + q, or base - q if `subtract`, in the
/// bits of the output's width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShiftRecord {
    /// The code from which distances are measured.
    pub origin: Hex,
    /// Do distances grow towards smaller codes?
    #[serde(default, skip_serializing_if = "is_false")]
    pub descending: bool,
    /// Bits to drop, or to append if negative.
    pub bits: i32,
    /// Are dropped bits rounded to nearest even?
    #[serde(default, skip_serializing_if = "is_false")]
    pub nearest: bool,
    /// The result at distance 0.
    pub base: Hex,
    /// Do results fall as the distance grows?
    #[serde(default, skip_serializing_if = "is_false")]
    pub subtract: bool,
}

impl ShiftRecord {
    /// Makes the record of a shift of a cast from `from` to `to`.
    pub fn new(shift: &Shift, from: DType, to: DType) -> ShiftRecord {
        let Shift { origin, descending, bits, nearest, base, subtract } = *shift;
        let (origin, base) = (Hex::new(origin, from), Hex::new(base, to));
        ShiftRecord { origin, descending, bits, nearest, base, subtract }
    }
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}
