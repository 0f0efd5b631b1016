//! SARIF 2.1.0: a rule for each clause, a result for each finding. Findings that the baseline
//! expects are included, suppressed with their reason.

use super::words::{extent, rule_address};
use anyhow::Result;
use castproof_io::sink::sarif;
use castproof_judge::source::committed_file;
use castproof_results::ResultsFile;
use castproof_results::finding::{Finding, Kind};
use castproof_results::standing::Standing;
use castproof_vectors::find_rule;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn text(file: &ResultsFile) -> Result<String> {
    let clauses: BTreeSet<&str> =
        file.findings.iter().filter_map(|finding| finding.rule.as_deref()).collect();
    let results: Vec<Value> = file.findings.iter().map(result).collect();
    let rules: Vec<Value> =
        clauses.into_iter().map(rule).chain([request_rule(), place_rule(), open_rule()]).collect();
    let fails = file.standing() == Standing::Failing;
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
            "invocations": [{"executionSuccessful": true, "exitCode": i32::from(fails)}],
            "properties": {"testee": file.testee.to_string(), "level": extent(file)},
            "results": results,
        }]
    });
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

/// The rule that a request without an answer breaks.
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
        "helpUri": rule_address(id),
    })
}

fn result(finding: &Finding) -> Value {
    let rule = match (&finding.rule, finding.kind) {
        (_, Kind::Error) => NO_ANSWER,
        (_, Kind::Place) => PLACE,
        (_, Kind::Open) => OPEN,
        (Some(rule), _) => rule,
        (None, _) => NO_ANSWER,
    };
    let text = format!(
        "{}: {}; {} ({})",
        finding.place(),
        finding.headline(),
        finding.example.sentence,
        finding.extent()
    );
    let (from, to) = finding.example.asked.pair();
    let vectors = match finding.suite {
        suite if suite.is_casts() => committed_file(suite, (from, to)),
        suite => suite.question_file(),
    };
    let mut result = json!({
        "ruleId": rule,
        "level": if finding.is_notice() { "note" } else { "error" },
        "message": {"text": sarif(&text)},
        "locations": [location(&vectors)],
        "partialFingerprints": {"finding/v1": finding.id},
    });
    if let Some(reason) = &finding.known {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

/// The rule that elements break that are wrong at some places, although right alone, or at codes
/// beyond the vectors.
const PLACE: &str = "place";

fn place_rule() -> Value {
    let text = "Elements are right at every place, and at codes beyond the vectors.";
    json!({"id": PLACE, "shortDescription": {"text": text}})
}

/// The rule of notices. No specification has it.
const OPEN: &str = "open";

fn open_rule() -> Value {
    let text = "A result that the specification leaves open is the same at every place.";
    json!({"id": OPEN, "shortDescription": {"text": text}})
}

/// Returns the vector file that holds the test, because code hosts require a location.
fn location(name: &str) -> Value {
    json!({"physicalLocation": {"artifactLocation": {"uri": format!("vectors/data/{name}")}}})
}
