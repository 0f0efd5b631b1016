//! The rule book in its file format.

use super::{Basis, Rule, rules};
use serde::{Deserialize, Serialize};

/// The `format` member of `rules.json`.
pub const RULES_FORMAT: &str = "castproof-rules/1";

/// Every rule: `{"format": "castproof-rules/1", "rules": [...]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RulesFile {
    /// `castproof-rules/1`
    pub format: String,
    /// The rules, in the order of the book.
    pub rules: Vec<RuleRecord>,
}

/// One numbered statement of a specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleRecord {
    /// The id that test vectors cite as `clause`.
    pub id: String,
    /// The specifications in which the rule holds.
    pub specs: Vec<RangeRecord>,
    /// How firmly it stands.
    pub basis: Basis,
    /// What it says.
    pub statement: String,
    /// The place where it was read.
    pub source: SourceRecord,
    /// The reason why no test vector cites it; absent if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_shown: Option<String>,
}

/// A specification, and the versions of it in which a rule holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RangeRecord {
    /// The name without version: `onnx-cast`. A rule that holds in a version of `onnx-cast` holds
    /// in the same version of `onnx-castlike` (CL-01).
    pub name: String,
    /// The first version; absent for a specification without versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
    /// The last version; absent if no known version ends the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u32>,
}

/// The place where a rule was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SourceRecord {
    /// The document, or the programs that were run.
    pub document: String,
    /// The version of the document, or the versions of the programs.
    pub version: String,
    /// The place in the document; absent for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

impl RulesFile {
    /// Returns the rules of this crate.
    pub fn current() -> RulesFile {
        let rules = rules().iter().map(RuleRecord::from).collect();
        RulesFile { format: RULES_FORMAT.into(), rules }
    }

    /// Returns the file's text, one rule per line.
    pub fn render(&self) -> String {
        let line = |rule| serde_json::to_string(rule).expect("a rule serialises");
        let rules: Vec<String> = self.rules.iter().map(line).collect();
        let format = serde_json::Value::from(self.format.as_str());
        format!("{{\n  \"format\": {format},\n  \"rules\": [\n{}\n]}}\n", rules.join(",\n"))
    }
}

impl From<&Rule> for RuleRecord {
    fn from(rule: &Rule) -> RuleRecord {
        let owned = |text: Option<&str>| text.map(String::from);
        let range = |range: &super::SpecRange| RangeRecord {
            name: range.name.into(),
            first: range.first,
            last: range.last,
        };
        RuleRecord {
            id: rule.name.into(),
            specs: rule.specs.iter().map(range).collect(),
            basis: rule.basis,
            statement: rule.statement.into(),
            source: SourceRecord {
                document: rule.source.document.into(),
                version: rule.source.version.into(),
                section: owned(rule.source.section),
            },
            not_shown: owned(rule.not_shown),
        }
    }
}
