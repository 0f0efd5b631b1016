//! SARIF 2.1.0: a rule for each clause, a result for each failing test. What the baseline
//! expects is there too, suppressed with its reason.

use super::words::{extent, sentence, title};
use crate::results::{Deviation, Failure, Misplaced, ResultsFile};
use crate::sink::sarif;
use anyhow::Result;
use castproof_vectors::{Suite, file_name, find_rule};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn text(file: &ResultsFile) -> Result<String> {
    let findings = &file.results.failures;
    let mut clauses: BTreeSet<&str> =
        findings.iter().map(|finding| finding.clause.as_str()).collect();
    let mut results: Vec<Value> = findings.iter().map(result).collect();
    results.extend(remarks(file));
    results.extend(file.results.misplaced.iter().map(misplaced));
    for run in &file.results.suites {
        let bad = run.deviations.iter().filter(|deviation| deviation.verdict.is_bad());
        clauses.extend(bad.clone().map(|deviation| deviation.clause.as_str()));
        results.extend(bad.map(|deviation| answer(run.suite, deviation)));
    }
    let rules: Vec<Value> =
        clauses.into_iter().map(rule).chain([request_rule(), place_rule()]).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "castproof",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "properties": {"testee": file.testee.to_string(), "level": extent(file)},
            "results": results,
        }]
    });
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

/// The rule that requests without an answer break.
const NO_ANSWER: &str = "no-answer";

fn request_rule() -> Value {
    json!({"id": NO_ANSWER, "shortDescription": {"text": "Every supported request is answered."}})
}

fn rule(id: &str) -> Value {
    let rule = find_rule(id);
    let source = rule.map_or(String::new(), |rule| rule.source.to_string());
    let rule = rule.map_or("", |rule| rule.statement);
    json!({
        "id": id,
        "shortDescription": {"text": sarif(if rule.is_empty() { id } else { rule })},
        "help": {"text": format!("Source: {source}")},
    })
}

fn result(finding: &Failure) -> Value {
    let opsets: Vec<String> = finding.opsets.iter().map(u32::to_string).collect();
    let text = format!("{}: {} (opset {})", title(finding), sentence(finding), opsets.join(" "));
    let mut result = json!({
        "ruleId": finding.clause,
        "level": "error",
        "message": {"text": sarif(&text)},
        "locations": [location(&file_name(Suite::OnnxCast, finding.from, finding.to))],
        "partialFingerprints": {"testId/v1": finding.id},
    });
    if let Some(reason) = &finding.known {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

/// The rule that what is right alone and wrong elsewhere breaks.
const PLACE: &str = "place";

fn place_rule() -> Value {
    json!({"id": PLACE, "shortDescription": {"text": "What is right alone is right at every place."}})
}

fn misplaced(found: &Misplaced) -> Value {
    let (from, to) = found.asked.pair();
    let mut result = json!({
        "ruleId": PLACE,
        "level": "error",
        "message": {"text": sarif(&found.to_string())},
        "locations": [location(&file_name(Suite::OnnxCast, from, to))],
        "partialFingerprints": {"place/v1": format!("{} {}", found.asked, found.place)},
    });
    if let Some(reason) = &found.known {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

/// A question that was not answered as it should be.
fn answer(suite: Suite, deviation: &Deviation) -> Value {
    let mut result = json!({
        "ruleId": deviation.clause,
        "level": "error",
        "message": {"text": sarif(&deviation.to_string())},
        "locations": [location(&suite.question_file())],
        "partialFingerprints": {"testId/v1": deviation.id},
    });
    if let Some(reason) = &deviation.known {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

/// Requests that were not answered with elements: errors, crashes, timeouts.
fn remarks(file: &ResultsFile) -> impl Iterator<Item = Value> {
    let bad = file.results.remarks.iter().filter(|(key, _)| key.verdict.is_bad());
    bad.map(|(key, remark)| {
        let (from, to) = key.asked.pair();
        let text = format!("{from} -> {to}: {}: {}", key.verdict.name(), key.message);
        let mut result = json!({
            "ruleId": NO_ANSWER,
            "level": "error",
            "message": {"text": sarif(&text)},
            "locations": [location(&file_name(Suite::OnnxCast, from, to))],
        });
        if remark.expected == remark.tests {
            result["suppressions"] = json!([{"kind": "external"}]);
        }
        result
    })
}

/// The file of vectors that holds the test: code hosts want a place.
fn location(name: &str) -> Value {
    json!({"physicalLocation": {"artifactLocation": {"uri": format!("vectors/data/{name}")}}})
}
