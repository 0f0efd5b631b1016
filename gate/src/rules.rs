//! `castproof rules`: what the rules say and where they were read, for people.

use anyhow::{Result, anyhow, bail};
use castproof_judge::answers;
use castproof_vectors::{
    BlockProfile, DType, Operator, Request, Rule, RuleId, Spec, cast_version, find_rule, rules,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::str::FromStr;

/// What has rules: a specification of casts, or a rule of blocks.
#[derive(Clone, Copy, Debug)]
pub enum Ruled {
    /// A version of an operator, or a profile of casts.
    Casts(Spec),
    /// A profile of blocks.
    Blocks(BlockProfile),
}

impl FromStr for Ruled {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Ruled, String> {
        let blocks = BlockProfile::ALL.into_iter().find(|profile| profile.name() == name);
        blocks.map_or_else(|| name.parse().map(Ruled::Casts), |it| Ok(Ruled::Blocks(it)))
    }
}

/// Returns one rule, with everything that the book says of it.
///
/// # Errors
/// If there is no such rule.
pub fn one(id: &str) -> Result<String> {
    let Some(rule) = find_rule(id) else {
        bail!("there is no rule '{id}'; castproof rules lists them all");
    };
    whole(rule)
}

/// Lists every rule, or every rule that holds in a specification or in a profile of blocks, one per line.
///
/// # Errors
/// If the specification has no such version.
pub fn list(of: Option<Ruled>) -> Result<String> {
    let mut text = String::new();
    for rule in rules() {
        let holds = match of {
            None => true,
            Some(Ruled::Casts(spec)) => holds(rule, spec)?,
            Some(Ruled::Blocks(profile)) => rule.holds_in(profile.name(), None),
        };
        if holds {
            writeln!(text, "{:<8} {}", rule.name, rule.statement)?;
        }
    }
    Ok(text)
}

/// Lists the rules that decide the casts of a pair's elements, with any code and any attributes.
///
/// # Errors
/// If a dtype is not numeric, or the specification does not cast single elements.
pub fn of_pair(spec: Spec, from: DType, to: DType) -> Result<String> {
    let mut decide: BTreeSet<RuleId> = BTreeSet::new();
    for attributes in castproof_oracle::attribute_sets_of(spec, (from, to)) {
        for piece in (answers::chosen().pieces)(&Request::new(spec, from, to).with(attributes))? {
            let castproof_vectors::Rules { rule, inexact, twice } = piece.rules;
            decide.extend([Some(rule), inexact, twice].into_iter().flatten());
        }
    }
    let mut text = format!("{spec}: {from} to {to}\n");
    for id in decide {
        text += "\n";
        text += &whole(id.rule())?;
    }
    Ok(text)
}

/// Does a rule hold in a specification? A rule that holds in a version of Cast holds in CastLike
/// (CL-01).
fn holds(rule: &Rule, spec: Spec) -> Result<bool> {
    let version = spec.version().map_err(|error| anyhow!(error))?;
    let cast_like = match (spec.op(), version) {
        (Some(op @ Operator::CastLike), Some(version)) => Some(cast_version(op, version)),
        _ => None,
    };
    Ok(rule.holds_in(spec.family(), version)
        || cast_like
            .is_some_and(|version| rule.holds_in(Spec::cast(version).family(), Some(version))))
}

fn whole(rule: &Rule) -> Result<String> {
    let Rule { id, specs, basis, statement, source, not_shown, .. } = rule;
    let specs: Vec<String> = specs.iter().map(ToString::to_string).collect();
    let mut text = format!("{id}  {statement}\n");
    writeln!(text, "  holds in  {}", specs.join("; "))?;
    writeln!(text, "  basis     {}", basis.phrase())?;
    writeln!(text, "  source    {source}")?;
    if let Some(why) = not_shown {
        writeln!(text, "  no vector {why}")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_told_with_its_source() {
        let text = one("FF-03").expect("a rule");
        for part in ["bfloat16", "onnx-cast 13 to 23", "practice", "onnx.in.proto"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(one("FF-99").unwrap_err().to_string().contains("no rule 'FF-99'"));
    }

    #[test]
    fn a_list_holds_what_holds_in_a_version() {
        let list = |spec: &str| list(Some(spec.parse().expect("a spec"))).expect("a list");
        assert!(list("onnx-cast-23").contains("FF-03") && !list("onnx-cast-24").contains("FF-03"));
        assert!(list("onnx-castlike-15").contains("FF-03") && list("rust-as").contains("RS-03"));
        assert!(list("mx-rceil").contains("MX-06") && !list("mx-rceil").contains("MX-04"));
        assert!(!list("rust-as").contains("FF-03") && !list("onnx-cast-24").contains("CL-04"));
    }

    #[test]
    fn a_pair_has_the_rules_that_decide_it() {
        let (from, to) = (DType::Float32, DType::Bfloat16);
        let rules = |spec| of_pair(spec, from, to).expect("numeric");
        assert!(
            rules(Spec::cast(23)).contains("FF-03") && !rules(Spec::cast(23)).contains("FF-04")
        );
        assert!(
            rules(Spec::cast(24)).contains("FF-04") && !rules(Spec::cast(24)).contains("II-01")
        );
        assert!(of_pair(Spec::cast(24), DType::String, to).is_err());
    }
}
