//! The data about dtypes and versions that a reader of vectors needs.

use crate::{Attributes, DType, Hex};
use serde::{Deserialize, Serialize};

/// The `format` member of the file of dtypes.
pub const DTYPES_FORMAT: &str = "castproof-dtypes/1";

/// The data about dtypes and versions that a reader of vectors needs:
/// `{"format": "castproof-dtypes/1", ...}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DTypesFile {
    /// `castproof-dtypes/1`
    pub format: String,
    /// Every numeric dtype.
    pub dtypes: Vec<DTypeRecord>,
    /// Every version of the operators, oldest first.
    pub versions: Vec<VersionRecord>,
}

/// A numeric dtype. Codes are bit patterns, right-aligned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DTypeRecord {
    /// Its name.
    pub name: DType,
    /// Width of a code.
    pub bits: u32,
    /// How codes are read.
    pub kind: DTypeKind,
    /// Is the top bit the sign? Signed integers are in two's complement.
    pub signed: bool,
    /// How the codes of a float are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub float: Option<FloatRecord>,
    /// Codes that are valid elements: inclusive ranges.
    pub valid: Vec<[Hex; 2]>,
    /// Codes that are NaN: inclusive ranges.
    pub nan: Vec<[Hex; 2]>,
    /// Codes of the infinities, positive first.
    pub infinities: Vec<Hex>,
    /// Codes of zero, positive first.
    pub zeros: Vec<Hex>,
    /// The largest finite number.
    pub largest: NumberRecord,
    /// The smallest finite number; negative if the dtype has negative numbers.
    pub smallest: NumberRecord,
    /// The smallest number above zero.
    pub smallest_positive: NumberRecord,
}

/// How the codes of a dtype are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DTypeKind {
    /// One byte, 0 or 1.
    Bool,
    /// A binary integer.
    Integer,
    /// Sign, exponent field, significand field, from the top bit down.
    Float,
}

/// How the codes of a float are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FloatRecord {
    /// Width of the exponent field.
    pub exponent_bits: u32,
    /// Width of the significand field; the leading bit of a normal number is not stored.
    pub significand_bits: u32,
    /// Exponent field of 1.0.
    pub bias: i32,
    /// Does exponent field 0 mean subnormal numbers? If not, it is a binade like any other.
    pub subnormals: bool,
}

/// A number and its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NumberRecord {
    /// Its code.
    pub code: Hex,
    /// Its exact value: a decimal, or an integer times a power of two, like `1 * 2^-149`.
    pub value: String,
}

/// A version of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VersionRecord {
    /// Its name, like `onnx-cast-19`.
    pub spec: String,
    /// Its number, as in `opsets` of vectors. It is in force in every operator set from this number
    /// up to the next version.
    pub version: u32,
    /// The dtypes that it casts from and to.
    pub dtypes: Vec<DType>,
    /// The attributes that it has, each with its default value.
    pub defaults: Attributes,
}
