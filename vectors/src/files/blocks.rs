//! The file of blocks: when the scale of a block changes, and when an element does.

use crate::{BlockProfile, DType, Hex};
use serde::{Deserialize, Serialize};

/// The `format` member of the file of blocks.
pub const BLOCKS_FORMAT: &str = "castproof-blocks/1";

/// Tables from which every answer of a profile whose scale is a power of two follows:
/// `{"format": "castproof-blocks/1", ...}`, compressed by gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlocksFile {
    /// `castproof-blocks/1`
    pub format: String,
    /// For each profile and each dtype of its elements: the scale.
    pub scales: Vec<ScaleTable>,
    /// For each dtype of elements: the elements.
    pub elements: Vec<ElementTable>,
}

/// The scale of a block as a step function of its largest magnitude.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScaleTable {
    /// The profile.
    pub profile: BlockProfile,
    /// How many numbers share a scale.
    pub size: usize,
    /// The dtype of the elements.
    pub element: DType,
    /// The dtype of the scale.
    pub scale: DType,
    /// The exponent of the power of two by which numbers are divided under the scale 0x00; under a
    /// scale code c above it, that is c - 127.
    pub divisor_of_scale0: i32,
    /// The code of the element that a NaN becomes, where it does not enter the largest magnitude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nan_element: Option<Hex>,
    /// Pairs, both ascending: the first largest magnitude, a code of float32 without sign, and the
    /// code of the scale that it and all greater ones up to the next pair have, those of infinity
    /// and of a NaN that enters last. A number of float16 or bfloat16 counts as the same number of float32.
    pub steps: Vec<(Hex, Hex)>,
}

/// The elements of one dtype. A zero keeps its sign, and the sign of a number is that of its element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ElementTable {
    /// The dtype.
    pub element: DType,
    /// The midpoint below each element but zero, ascending. What is beyond the last one has the
    /// last element.
    pub midpoints: Vec<MidpointRecord>,
}

/// Where rounding begins to give an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MidpointRecord {
    /// The code of the element, without sign.
    pub code: Hex,
    /// The midpoint between the element before and this one, a code of float32. Where numbers are
    /// divided by 2^e, it stands for 2^e times its number.
    pub midpoint: Hex,
    /// Does the midpoint itself become this element? Otherwise it becomes the one before.
    pub taken: bool,
}
