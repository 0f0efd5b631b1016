//! What the entries of a baseline cover, and what they would.

use crate::asked::{Asked, Side};
use castproof_check::verdict::Counts;
use castproof_vectors::DType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An entry of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryKey {
    /// Its place in the file, from 0.
    pub entry: usize,
}

/// The outcome of an entry of the baseline.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tests that had the verdict of the entry.
    pub hits: u64,
    /// Tests that passed.
    pub passes: u64,
    /// Pairs of the hits.
    pub pairs: BTreeSet<(DType, Side)>,
    /// Ids of tests that passed although the entry names them, or the first few of those that
    /// it covers.
    pub passed: BTreeSet<String>,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        let Usage { hits, passes, pairs, passed } = other;
        self.hits += hits;
        self.passes += passes;
        self.pairs.extend(pairs);
        self.passed.extend(passed);
    }
}

/// Tests that one entry of a baseline would cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurpriseKey {
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// The clause of tests that failed; absent for an entry that covers all tests, of which some
    /// were not answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
}

/// Verdicts of the tests that one entry would cover.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Surprise {
    /// All of them.
    pub counts: Counts,
    /// The bad ones that no baseline expects and such an entry would.
    pub unexpected: Counts,
}
