//! The witnesses of chains: the codes by which a rewritten chain is told from the right casts.

use castproof_vectors::{Attributes, DType, Hex};
use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::sync::LazyLock;

/// The `format` member of a file of witnesses.
pub const CHAINS_FORMAT: &str = "castproof-chains/1";

/// The file as the repository holds it.
static CHAINS_BYTES: &[u8] = castproof_vectors::data::CHAINS;

static CARRIED: LazyLock<ChainsFile> = LazyLock::new(|| {
    let mut text = Vec::new();
    let read = GzDecoder::new(CHAINS_BYTES).read_to_end(&mut text).map_err(|it| it.to_string());
    let parsed = read.and_then(|_| serde_json::from_slice(&text).map_err(|it| it.to_string()));
    parsed.unwrap_or_else(|error| panic!("the witnesses of this program: {error}"))
});

impl ChainsFile {
    /// Returns the file that this program carries.
    pub fn carried() -> &'static ChainsFile {
        &CARRIED
    }
}

/// Witnesses of every chain of two casts between numeric dtypes: `{"format": "castproof-chains/1",
/// ...}`, compressed by gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChainsFile {
    /// `castproof-chains/1`
    pub format: String,
    /// The specification, like `onnx-cast-28`.
    pub spec: String,
    /// One record for every three dtypes and the sets of attributes that matter to them.
    pub chains: Vec<WitnessRecord>,
}

/// A cast from the first dtype to the second and on to the third, and codes of the first. For every
/// rewrite of the casts that changes a result, such as a middle dtype that is dropped or computed as
/// another one, a code is among them that tells the rewrite from the right casts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WitnessRecord {
    /// The three dtypes.
    pub dtypes: [DType; 3],
    /// The attributes of each cast.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub attributes: [Attributes; 2],
    /// The codes.
    pub codes: Vec<Hex>,
}

fn is_plain(attributes: &[Attributes; 2]) -> bool {
    *attributes == [Attributes::default(); 2]
}
