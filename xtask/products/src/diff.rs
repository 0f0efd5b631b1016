//! Compares the tests of a vector file with those of the oracle.

use castproof_vectors::{Group, Test, VectorFile};
use std::collections::BTreeMap;

/// Returns one line for each test that is missing, unexpected, repeated or edited, and for the
/// header.
pub(crate) fn differences(expected: &VectorFile, found: &VectorFile) -> Vec<String> {
    let mut problems = Vec::new();
    let (wanted, present) = (by_id(expected), by_id(found));
    for (id, places) in &wanted {
        if !present.contains_key(id) {
            problems.push(format!("test {id} is missing ({})", describe(places[0])));
        }
    }
    for (id, places) in &present {
        if places.len() > 1 {
            problems.push(format!("test {id} stands {} times", places.len()));
        }
        match wanted.get(id) {
            None => problems
                .push(format!("test {id} is not one of the oracle's ({})", describe(places[0]))),
            Some(there) => problems.extend(edits(id, there[0], places[0])),
        }
    }
    if problems.is_empty() && header(expected) != header(found) {
        problems.push("header, notes or order of the groups differ from the oracle's".into());
    }
    problems
}

type Place<'a> = (&'a Group, &'a Test);

fn by_id(file: &VectorFile) -> BTreeMap<&str, Vec<Place<'_>>> {
    let mut tests: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
    for group in &file.groups {
        for test in &group.tests {
            tests.entry(&test.id).or_default().push((group, test));
        }
    }
    tests
}

fn header(file: &VectorFile) -> VectorFile {
    VectorFile { groups: vec![], ..file.clone() }
}

fn describe((group, test): Place<'_>) -> String {
    format!("input {}, opsets {:?} {}", test.input, group.opsets, group.attributes)
}

fn edits(id: &str, (group, test): Place<'_>, (found_group, found): Place<'_>) -> Vec<String> {
    let json = |value: &dyn std::fmt::Debug| format!("{value:?}");
    let members = [
        ("input", json(&test.input), json(&found.input)),
        ("expect", json(&test.expect), json(&found.expect)),
        ("tolerate", json(&test.tolerate), json(&found.tolerate)),
        ("clause", json(&test.clause), json(&found.clause)),
        ("flags", json(&test.flags), json(&found.flags)),
        ("opsets", json(&group.opsets), json(&found_group.opsets)),
        ("attributes", json(&group.attributes), json(&found_group.attributes)),
    ];
    members
        .into_iter()
        .filter(|(_, expected, found)| expected != found)
        .map(|(name, expected, found)| format!("test {id}: {name} is {found}, not {expected}"))
        .collect()
}
