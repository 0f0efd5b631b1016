//! Several elements of a pair: a row for each group of specifications that give the same results.

use crate::element::{answer, read, result, rules};
use castproof_check::words;
use castproof_lookup::table::{SpecGiven, add, givers, specs};
use castproof_oracle::attribute_sets_of;
use castproof_vectors::{DType, Element, Expectation, Outcome, Request};
use serde_json::{Value as Json, json};

/// Results of the elements, the same for each of these specifications.
struct Group {
    results: Vec<Expectation>,
    by: Vec<SpecGiven>,
}

/// Returns the elements, and each distinct list of results with who gives it. Elements are a line each.
pub(crate) fn json(pair: (DType, DType), texts: &str) -> Result<Json, String> {
    let (from, to) = pair;
    let elements = texts.split('\n').map(|text| Ok(read(from, text)?.0));
    let elements: Vec<Element> = elements.collect::<Result<_, String>>()?;
    let groups = groups(pair, &elements);
    let used = groups.iter().flat_map(|group| &group.results).map(|it| it.rule);
    let rows = groups.iter().map(|group| {
        let by = givers(&group.by, pair).into_iter();
        let by: Vec<Json> = by.map(|it| json!({ "name": it.name, "title": it.title })).collect();
        let results = group.results.iter().map(|it| {
            let mut result = result(to, it);
            result["rule"] = json!(it.rule.rule().name);
            result
        });
        json!({ "by": by, "results": results.collect::<Vec<_>>() })
    });
    Ok(json!({
        "from": from.name(),
        "to": to.name(),
        "inputs": elements.iter().map(|it| words::element(from, it)).collect::<Vec<_>>(),
        "codes": elements.iter().map(|it| it.text().to_string()).collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "rules": rules(used),
    }))
}

fn groups(pair: (DType, DType), elements: &[Element]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for spec in specs() {
        for attributes in attribute_sets_of(spec, pair) {
            let request = Request::new(spec, pair.0, pair.1).with(attributes);
            let results = elements.iter().map(|element| answer(&request, element));
            let Ok(results) = results.collect::<Result<Vec<_>, _>>() else { continue };
            // What does not cast the pair has nothing to compare.
            let Some(first) = results.iter().find(|it| it.expect != Outcome::Reject) else {
                continue;
            };
            let given = (attributes, first.rule);
            let same = |group: &&mut Group| {
                let each = group.results.iter().zip(&results);
                each.into_iter().all(|(a, b)| (&a.expect, &a.tolerate) == (&b.expect, &b.tolerate))
            };
            match groups.iter_mut().find(same) {
                Some(group) => add(&mut group.by, spec, given),
                None => groups.push(Group { results, by: vec![(spec, vec![given])] }),
            }
        }
    }
    groups
}
