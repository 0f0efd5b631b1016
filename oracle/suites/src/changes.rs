//! What changes between two versions of `Cast`: every class of inputs whose answer differs.

use crate::cases::chosen;
use castproof_oracle::{Answers, Caster, CodeError, attribute_sets};
use castproof_vectors::{
    DType, Element, Expectation, Level, Operator, Request, RuleId, Spec, type_set, versions,
};
use std::collections::BTreeMap;

/// A class of inputs: those that one rule decides in the older version and another in the newer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedClass {
    /// The rule of the older version.
    pub before: RuleId,
    /// The rule of the newer version.
    pub after: RuleId,
    /// Does what is expected or tolerated differ? Otherwise only the rule does.
    pub differs: bool,
}

/// An input of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedExample {
    /// The request, in the older version.
    pub request: Request,
    /// The element.
    pub input: Element,
    /// What the older version makes of it.
    pub before: Expectation,
    /// What the newer version makes of it.
    pub after: Expectation,
}

/// The inputs of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Pairs in which there are such inputs.
    pub pairs: Vec<(DType, DType)>,
    /// The first input of the first pairs.
    pub examples: Vec<ChangedExample>,
}

/// The number of examples that are kept of a class.
const EXAMPLES: usize = 3;

/// Returns every class of inputs whose rule or answer differs between two versions, over the pairs
/// that both have. The inputs are all codes of narrow sources and the boundaries of the others.
///
/// # Errors
/// If one is not a version of `Cast`, or they are not in order.
pub fn changes(
    answers: Answers,
    before: u32,
    after: u32,
) -> Result<BTreeMap<ChangedClass, Changed>, String> {
    let known = versions(Operator::Cast);
    if let Some(version) = [before, after].iter().find(|version| !known.contains(version)) {
        return Err(format!("{version} is not a version of Cast; its versions are {known:?}"));
    }
    if before >= after {
        return Err(format!("{before} is not older than {after}; name the older version first"));
    }
    let mut found = BTreeMap::new();
    let set = type_set(Operator::Cast, before);
    for &from in &set {
        for &to in &set {
            changes_of_pair(answers, (from, to), (before, after), &mut found)?;
        }
    }
    Ok(found)
}

fn changes_of_pair(
    answers: Answers,
    (from, to): (DType, DType),
    (before, after): (u32, u32),
    found: &mut BTreeMap<ChangedClass, Changed>,
) -> Result<(), String> {
    let said = |error: CodeError| error.to_string();
    let mut elements = None;
    for attributes in attribute_sets(to, before) {
        let request = Request::cast(from, to, before).with(attributes);
        let newer = Request { spec: Spec::cast(after), ..request };
        let numeric = from.is_numeric() && to.is_numeric();
        let pieces = |request| (answers.pieces)(request).map_err(said);
        if numeric && pieces(&request)? == pieces(&newer)? {
            continue;
        }
        let answer = |request: &Request, input: &Element| match input.as_code() {
            Some(code) if numeric => (answers.cast)(request, code),
            _ => Caster::new(request)?.cast_element(input),
        };
        for (input, _) in elements.get_or_insert_with(|| chosen(from, to, Level::Standard)) {
            let before = answer(&request, input).map_err(said)?;
            let after = answer(&newer, input).map_err(said)?;
            if before == after {
                continue;
            }
            let differs = (&before.expect, &before.tolerate) != (&after.expect, &after.tolerate);
            let class = ChangedClass { before: before.rule, after: after.rule, differs };
            let entry = found.entry(class).or_default();
            if entry.pairs.last() != Some(&(from, to)) {
                entry.pairs.push((from, to));
                if entry.examples.len() < EXAMPLES {
                    entry.examples.push(ChangedExample {
                        request,
                        input: input.clone(),
                        before,
                        after,
                    });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_oracle::answers_change;
    use castproof_vectors::{defects, rule};
    use std::collections::BTreeSet;

    /// The ledger lists every change of answers between two neighbouring versions.
    #[test]
    fn the_ledger_lists_every_change() {
        let listed: BTreeSet<((u32, u32), String, String)> = defects()
            .iter()
            .flat_map(|defect| &defect.changes)
            .map(|change| (change.between, change.before.clone(), change.after.clone()))
            .collect();
        let mut found = BTreeSet::new();
        for pair in versions(Operator::Cast).windows(2) {
            let between = (pair[0], pair[1]);
            let classes = changes(Answers::ORACLE, pair[0], pair[1]).expect("neighbours");
            // The record of a version tells exactly where answers change.
            assert_eq!(!classes.is_empty(), answers_change(pair[1]), "Cast-{}", pair[1]);
            for class in classes.into_keys() {
                if class.differs {
                    found.insert((between, class.before.to_string(), class.after.to_string()));
                } else {
                    // Only the rule differs: the older rule ends where the newer version begins.
                    let ended = !class.before.rule().holds_in("onnx-cast", Some(pair[1]));
                    assert!(ended || class.before == rule::V9_01, "{class:?}");
                }
            }
        }
        assert_eq!(found, listed);
    }

    #[test]
    fn versions_are_checked() {
        assert!(changes(Answers::ORACLE, 23, 22).unwrap_err().contains("not a version"));
        assert!(changes(Answers::ORACLE, 24, 23).unwrap_err().contains("not older"));
    }
}
