//! The ledger of specification defects: contradictions and holes, and what is expected there.

use crate::DType;
use serde::Deserialize;
use std::sync::LazyLock;

/// One contradiction or hole of a specification.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// `D-01`
    pub id: String,
    /// The flag of the vectors that show it.
    pub flag: String,
    /// What is wrong, in a few words.
    pub title: String,
    /// Where it was read.
    pub sources: Vec<String>,
    /// What contradicts what, or what is missing.
    pub problem: String,
    /// The expectation that was chosen.
    pub chosen: String,
    /// Why.
    pub why: String,
    /// The clauses whose vectors have the flag.
    pub clauses: Vec<String>,
    /// Only vectors of these input dtypes have the flag, which keeps files short; empty for all.
    #[serde(default)]
    pub from: Vec<DType>,
    /// Changes of meaning between versions that follow from it.
    #[serde(default)]
    pub changes: Vec<DefectChange>,
}

/// A change of meaning between two neighbouring versions of `Cast`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefectChange {
    /// The older and the newer version.
    pub between: (u32, u32),
    /// The clause that decides in the older version.
    pub before: String,
    /// The clause that decides in the newer version.
    pub after: String,
}

impl Defect {
    /// Does a vector of this clause and input dtype have the defect's flag?
    pub fn is_carried(&self, clause: &str, from: Option<DType>) -> bool {
        let listed = self.from.is_empty() || from.is_some_and(|from| self.from.contains(&from));
        listed && self.clauses.iter().any(|id| id == clause)
    }
}

/// The text of the ledger.
const LEDGER: &str = include_str!("../../spec/defects.json");

/// Returns every defect, by id.
pub fn defects() -> &'static [Defect] {
    static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
        serde_json::from_str(LEDGER).unwrap_or_else(|error| panic!("spec/defects.json: {error}"))
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn entries_are_whole_and_unique() {
        let (mut ids, mut flags) = (BTreeSet::new(), BTreeSet::new());
        for defect in defects() {
            assert!(ids.insert(&defect.id) && flags.insert(&defect.flag), "{}", defect.id);
            assert!(defect.flag.starts_with("defect-"), "{}", defect.id);
            assert!(!defect.clauses.is_empty() && !defect.sources.is_empty(), "{}", defect.id);
            for text in [&defect.title, &defect.problem, &defect.chosen, &defect.why] {
                assert!(text.ends_with('.'), "{}: {text}", defect.id);
            }
        }
        assert!(ids.len() > 20);
    }
}
