//! The manifest of a folder of vector files.

use crate::Level;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// `manifest.json`: every file with its digest and its number of tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Always `castproof-vectors/1`.
    pub format: String,
    /// Version of the program that generated the files.
    pub generator_version: String,
    /// The level of the files.
    pub level: Level,
    /// The sum of the tests in all files.
    pub number_of_tests: usize,
    /// Files by path relative to the manifest, with `/` between folders.
    pub files: BTreeMap<String, ManifestEntry>,
}

/// One file of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManifestEntry {
    /// SHA-256 of the file's bytes, in hex.
    pub sha256: String,
    /// Tests in the file.
    pub number_of_tests: usize,
}

impl ManifestEntry {
    /// Makes the entry of a file with this text and this many tests.
    pub fn new(text: &str, number_of_tests: usize) -> ManifestEntry {
        ManifestEntry { sha256: sha256_hex(text.as_bytes()), number_of_tests }
    }
}

/// Returns the SHA-256 in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    // Every question computes its id with this, so digits are not formatted one by one.
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    Sha256::digest(bytes).iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}
