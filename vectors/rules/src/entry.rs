//! What the rule book says of a rule.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A rule of the book. Only the constants of [`ids`](crate::ids) and parsing a name make one, so
/// that every rule that is cited exists.
///
/// Ids have the order of the book. The order is for lists; where several rules apply, the code that
/// cites one of them says which.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub(super) u16);

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
    pub source: RuleSource,
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
pub struct RuleSource {
    /// The document, or the programs that were run.
    pub document: &'static str,
    /// The version of the document, or the versions of the programs.
    pub version: &'static str,
    /// The place in the document.
    pub section: Option<&'static str>,
}

impl fmt::Display for RuleSource {
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
