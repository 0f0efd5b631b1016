//! The atlas: for every three dtypes, whether the middle dtype can be dropped.

use super::{Book, ChainDifference, ComparedChain};
use castproof_vectors::{DType, Hex, NEWEST, Spec};
use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::sync::LazyLock;

/// The `format` member of an atlas.
pub const ATLAS_FORMAT: &str = "castproof-atlas/1";

/// The atlas as the repository holds it.
static ATLAS_BYTES: &[u8] = castproof_vectors::data::ATLAS;

static CARRIED: LazyLock<AtlasFile> = LazyLock::new(|| {
    let mut text = Vec::new();
    let read = GzDecoder::new(ATLAS_BYTES).read_to_end(&mut text).map_err(|it| it.to_string());
    let parsed = read.and_then(|_| serde_json::from_slice(&text).map_err(|it| it.to_string()));
    parsed.unwrap_or_else(|error| panic!("the atlas of this program: {error}"))
});

impl AtlasFile {
    /// Returns the atlas that this program carries.
    pub fn carried() -> &'static AtlasFile {
        &CARRIED
    }
}

/// Every chain of two casts between numeric dtypes: `{"format": "castproof-atlas/1", ...}`,
/// compressed by gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AtlasFile {
    /// `castproof-atlas/1`
    pub format: String,
    /// The specification, like `onnx-cast-28`; no attributes are given.
    pub spec: String,
    /// One record for every three dtypes.
    pub chains: Vec<ChainRecord>,
}

/// A cast from the first dtype to the second and on to the third, compared with the direct cast
/// from the first to the third. If the first and the third are the same, the direct cast is the
/// identity, except for infinities that saturate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChainRecord {
    /// The three dtypes.
    pub dtypes: [DType; 3],
    /// The number of codes for which the direct cast may return what the two in a row may not, as a
    /// decimal number. If it is 0, the step between can be dropped.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    #[serde(with = "decimal")]
    pub differ: u128,
    /// The number of codes for which the two in a row leave the result open, so that the direct
    /// cast cannot be wrong.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    #[serde(with = "decimal")]
    pub open: u128,
    /// The positive code of the smallest magnitude where the results differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<Hex>,
    /// The negative code of the smallest magnitude where the results differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negative: Option<Hex>,
}

/// Counts reach 2^64, which not every JSON reader can read as a number.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(count: &u128, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(count)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u128, D::Error> {
        let text = String::deserialize(d)?;
        let count: u128 = text.parse().map_err(D::Error::custom)?;
        // Each number has exactly one spelling.
        let is_plain = count.to_string() == text;
        is_plain
            .then_some(count)
            .ok_or_else(|| D::Error::custom("a count must have no sign and no leading zeros"))
    }
}

impl ChainRecord {
    /// Computes the record of three dtypes from the pieces of a book, at the newest version.
    ///
    /// # Errors
    /// If a dtype is not numeric.
    pub fn new(book: &Book, dtypes: [DType; 3]) -> Result<ChainRecord, String> {
        let chain = ComparedChain::new(book, dtypes)?;
        Ok(ChainRecord::of(dtypes, |first, last| chain.difference(first, last)))
    }

    /// Computes the record of three dtypes from the difference over the codes of each sign.
    pub fn of(dtypes: [DType; 3], difference: impl Fn(u64, u64) -> ChainDifference) -> ChainRecord {
        let (from, mask) = (dtypes[0], dtypes[0].code_mask());
        let half = mask / 2;
        let signed = from.is_signed();
        let positive = difference(0, if signed { half } else { mask });
        let negative = if signed { difference(half + 1, mask) } else { ChainDifference::default() };
        let hex = |code| Hex::new(code, from);
        // In two's complement, magnitudes fall as negative codes grow.
        let nearest = |(first, last)| if from.is_integer() { last } else { first };
        ChainRecord {
            dtypes,
            differ: positive.differ.count + negative.differ.count,
            open: positive.open.count + negative.open.count,
            positive: positive.differ.ends.map(|(first, _)| hex(first)),
            negative: negative.differ.ends.map(nearest).map(hex),
        }
    }
}

/// Returns the name of the specification that an atlas covers.
pub fn atlas_spec() -> String {
    Spec::cast(NEWEST).to_string()
}
