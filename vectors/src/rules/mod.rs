//! The rule book: every numbered statement that an expectation can cite.
//!
//! The entries are in `spec/rules`, one file for each family. `cargo xtask rules generate`
//! generates from them the constants of [`ids`], the table behind [`RuleId::rule`],
//! `data/rules.json` with its schema, and `docs/rules.md`.

#[rustfmt::skip]
pub mod ids;
mod record;
#[rustfmt::skip]
mod table;

pub use record::{RULES_FORMAT, RangeRecord, RuleRecord, RulesFile, SourceRecord};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use table::TABLE;

/// A rule of the book. Only the constants of [`ids`] and [`RuleId::from_str`] make one, so that
/// every rule that is cited exists.
///
/// Ids have the order of the book. The order is for lists; where several rules apply, the code that
/// cites one of them says which.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(u16);

impl RuleId {
    /// Returns the entry of the book.
    pub fn rule(self) -> &'static Rule {
        &TABLE[usize::from(self.0)]
    }

    /// Returns the id as files write it: `FF-03`.
    pub fn as_str(self) -> &'static str {
        self.rule().name
    }
}

/// Returns every rule, in the order of the book.
pub fn rules() -> &'static [Rule] {
    TABLE
}

/// Returns the rule whose id files write in this way, if there is one.
pub fn find_rule(name: &str) -> Option<&'static Rule> {
    TABLE.iter().find(|rule| rule.name == name)
}

impl FromStr for RuleId {
    type Err = String;

    fn from_str(name: &str) -> Result<RuleId, String> {
        let found = find_rule(name).map(|rule| rule.id);
        found.ok_or_else(|| format!("there is no rule '{name}'"))
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RuleId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RuleId, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// One numbered statement of a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The id.
    pub id: RuleId,
    /// The id as files write it: `FF-03`.
    pub name: &'static str,
    /// The specifications in which it holds.
    pub specs: &'static [SpecRange],
    /// How firmly it stands.
    pub basis: Basis,
    /// What it says, in our own words.
    pub statement: &'static str,
    /// The place where it was read.
    pub source: Source,
    /// The reason why no test vector cites it; `None` if one does.
    pub not_shown: Option<&'static str>,
}

impl Rule {
    /// Does it hold in this version of this specification? A rule of `onnx-cast` holds in
    /// `onnx-castlike` too (CL-01), which the caller must take into account.
    pub fn holds_in(&self, spec: &str, version: Option<u32>) -> bool {
        self.specs.iter().any(|range| range.name == spec && range.contains(version))
    }
}

/// A specification, and the versions of it in which a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecRange {
    /// The name without version: `onnx-cast`.
    pub name: &'static str,
    /// The first version; `None` for a specification without versions.
    pub first: Option<u32>,
    /// The last version; `None` if no known version ends the rule.
    pub last: Option<u32>,
}

impl SpecRange {
    /// Does it contain this version?
    pub fn contains(&self, version: Option<u32>) -> bool {
        version.is_none_or(|version| {
            self.first.is_none_or(|first| first <= version)
                && self.last.is_none_or(|last| version <= last)
        })
    }
}

impl fmt::Display for SpecRange {
    /// `onnx-cast 13 to 23`, `onnx-cast from 24`, `onnx-cast 9`, `numpy-astype`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.last) {
            (None, _) => f.write_str(self.name),
            (Some(first), None) => write!(f, "{} from {first}", self.name),
            (Some(first), Some(last)) if first == last => write!(f, "{} {first}", self.name),
            (Some(first), Some(last)) => write!(f, "{} {first} to {last}", self.name),
        }
    }
}

/// The place where a rule was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The document, or the programs that were run.
    pub document: &'static str,
    /// The version of the document, or the versions of the programs.
    pub version: &'static str,
    /// The place in the document.
    pub section: Option<&'static str>,
}

impl fmt::Display for Source {
    /// `onnx docs/Changelog.md (commit f7546912), Cast-9`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.document, self.version)?;
        self.section.map_or(Ok(()), |section| write!(f, ", {section}"))
    }
}

/// How firmly a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The operator's text.
    Text,
    /// A technical page beside the operator's text.
    TechnicalDoc,
    /// The text leaves it open; implementations agree, or nearly so.
    Practice,
    /// The text leaves it open and implementations differ.
    Undefined,
}

impl Basis {
    /// Returns the name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Text => "text",
            Basis::TechnicalDoc => "technical-doc",
            Basis::Practice => "practice",
            Basis::Undefined => "undefined",
        }
    }

    /// Returns the basis as a phrase: `practice, where the text is silent`.
    pub const fn phrase(self) -> &'static str {
        match self {
            Basis::Text => "the operator's text",
            Basis::TechnicalDoc => "a technical page of the specification",
            Basis::Practice => "practice, where the text is silent",
            Basis::Undefined => "undefined",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_to_its_entry_and_back() {
        for (place, rule) in rules().iter().enumerate() {
            assert_eq!(usize::from(rule.id.0), place, "{}", rule.name);
            assert_eq!(rule.name.parse(), Ok(rule.id));
            assert_eq!(serde_json::to_string(&rule.id).unwrap(), format!("\"{}\"", rule.name));
        }
        assert_eq!(ids::FF_03.rule().name, "FF-03");
        assert!("F8-S99".parse::<RuleId>().unwrap_err().contains("F8-S99"));
        assert!(serde_json::from_str::<RuleId>("\"F8-S99\"").is_err());
    }

    #[test]
    fn ranges_hold_where_they_say() {
        let rule = ids::FF_03.rule();
        let holds = |version| rule.holds_in("onnx-cast", Some(version));
        assert_eq!([12, 13, 23, 24].map(holds), [false, true, true, false]);
        assert!(!rule.holds_in("tf-cast", None));
        assert_eq!(rule.specs[0].to_string(), "onnx-cast 13 to 23");
        assert!(ids::NP_02.rule().holds_in("numpy-astype", None));
    }
}
