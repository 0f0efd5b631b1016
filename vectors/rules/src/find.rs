//! From the id of a rule to its entry, and from its name to its id.

use super::entry::{Rule, RuleId};
use super::table::TABLE;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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
        found
            .ok_or_else(|| format!("there is no rule '{name}': vectors/data/rules.json lists them"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids;

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
