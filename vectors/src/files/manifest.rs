//! The manifest of a folder of vector files.

use super::digest::sha256_hex;
use super::file::{VectorFile, file_name};
use crate::{DType, Level, Profile, Suite};
use serde::{Deserialize, Serialize};
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

impl Manifest {
    /// Returns the file that holds the tests of a pair of a suite of casts: that of the suite, or
    /// that of another profile with the same answers.
    pub fn file_of(&self, suite: Suite, (from, to): (DType, DType)) -> Option<(Suite, String)> {
        let listed = |suite: Suite| {
            let name = file_name(suite, from, to);
            self.files.get(&name).map(|entry| (suite, name, entry))
        };
        if let Some((suite, name, _)) = listed(suite) {
            return Some((suite, name));
        }
        let Suite::Profile(profile) = suite else { return None };
        let mut others = Profile::numeric().filter_map(|other| listed(Suite::Profile(other)));
        let found = others.find(|(.., entry)| entry.serves_too.contains(&profile));
        found.map(|(suite, name, _)| (suite, name))
    }
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
    /// The other profiles whose tests the file holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serves_too: Vec<Profile>,
}

impl ManifestEntry {
    /// Makes the entry of a file with this text and this many tests.
    pub fn new(text: &str, number_of_tests: usize) -> ManifestEntry {
        let sha256 = sha256_hex(text.as_bytes());
        ManifestEntry { sha256, number_of_tests, serves_too: vec![] }
    }

    /// Makes the entry of a vector file, of which this is the text.
    pub fn of(file: &VectorFile, text: &str) -> ManifestEntry {
        let serves_too = file.serves_too.keys().copied().collect();
        ManifestEntry { serves_too, ..ManifestEntry::new(text, file.number_of_tests) }
    }
}
