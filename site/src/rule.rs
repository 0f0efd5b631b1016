//! A rule: what it says, where it was read and where it holds.

use castproof_vectors::{Rule, find_rule};
use serde_json::{Value as Json, json};

/// Returns the rule with this id, in any case.
pub(crate) fn json(id: &str) -> Result<Json, String> {
    let rule = find_rule(&id.to_uppercase()).ok_or_else(|| format!("there is no rule '{id}'"))?;
    let Rule { name, specs, basis, statement, source, not_shown, .. } = rule;
    Ok(json!({
        "name": name,
        "statement": statement,
        "basis": basis.phrase(),
        "source": source.to_string(),
        "specs": specs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "notShown": not_shown,
    }))
}
