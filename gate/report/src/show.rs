//! One finding in full, or all findings, one per line: `castproof show`.

use anyhow::{Result, bail};
use castproof_check::verdict::thousands;
use castproof_check::words::versions;
use castproof_results::asked::Asked;
use castproof_results::finding::{Finding, Kind};
use castproof_results::{Failure, ResultsFile};
use castproof_vectors::{Element, OutcomeRecord, find_rule};
use std::fmt::Write as _;

/// How many failing tests are listed.
const LISTED: usize = 20;

/// How many pairs are named.
const PAIRS: usize = 40;

/// Lists every finding, one per line; those that fail nothing come last.
///
/// # Errors
/// If writing to a text fails, which does not happen.
pub fn list(file: &ResultsFile) -> Result<String> {
    let mut text = String::new();
    let order = |finding: &&Finding| !finding.is_new();
    let mut findings: Vec<&Finding> = file.findings.iter().collect();
    findings.sort_by_key(order);
    for finding in &findings {
        let Finding { id, kind, .. } = finding;
        let known = finding.known.as_ref().map_or(String::new(), |why| format!(" (known: {why})"));
        writeln!(
            text,
            "{:<8} {}: {}{known}  {id}",
            kind.name(),
            finding.place(),
            finding.headline()
        )?;
    }
    if findings.is_empty() {
        text += "no findings\n";
    }
    Ok(text)
}

/// Returns everything that the results hold about one finding.
///
/// # Errors
/// If there is no finding with this id.
pub fn one(file: &ResultsFile, id: &str) -> Result<String> {
    let Some(finding) = file.findings.iter().find(|finding| finding.is_called(id)) else {
        bail!("the results hold no finding '{id}'; castproof show --results FILE lists them all");
    };
    let mut text = format!("{id}  {}  {}\n\n", finding.kind.name(), file.testee);
    let mut line = |name: &str, value: String| -> std::fmt::Result {
        if value.is_empty() { Ok(()) } else { writeln!(text, "{name:<10}{value}") }
    };
    line("where", finding.place())?;
    line("what", finding.headline())?;
    line("example", finding.example.sentence.clone())?;
    line("asked", finding.example.asked.to_string())?;
    if let Some(rule) = finding.rule.as_deref().and_then(find_rule) {
        line("rule", format!("{}: {}", rule.name, rule.statement))?;
        line("source", rule.source.to_string())?;
    }
    line("cause", cause(finding))?;
    if let Some(range) = &finding.range {
        let sure = match range.exact {
            true => {
                "both ends and all that was asked between are wrong, what was asked beyond is right"
            }
            false => "right and wrong values are mixed",
        };
        line("inputs", format!("{} ({} to {}; {sure})", range.sentence, range.first, range.last))?;
    }
    line("extent", finding.extent())?;
    line("versions", versions(finding.suite, &finding.versions).unwrap_or_default())?;
    line("pairs", pairs(finding))?;
    line("baseline", finding.known.clone().unwrap_or_default())?;
    for message in messages(file, finding) {
        line("message", message)?;
    }
    let members: Vec<&Failure> =
        file.results.failures.iter().filter(|failure| is_of(finding, failure)).collect();
    if !members.is_empty() {
        writeln!(
            text,
            "\ntests ({} of {})",
            members.len().min(LISTED),
            thousands(members.len() as u64)
        )?;
    }
    for failure in members.iter().take(LISTED) {
        let Failure { id, from, to, attributes, .. } = failure;
        let request = format!("{from} -> {to} {attributes}");
        writeln!(
            text,
            "  {id}  {}: {} [{}]",
            request.trim_end(),
            failure.sentence(),
            failure.clause
        )?;
    }
    Ok(text)
}

/// What the testee said to the requests of an error, each with its input.
fn messages(file: &ResultsFile, finding: &Finding) -> Vec<String> {
    let is_of = |asked: &Asked| finding.pairs.contains(&(asked.from, asked.to));
    let remarks = file.results.remarks.iter();
    let bad = remarks.filter(|(key, _)| {
        finding.kind == Kind::Error && key.verdict.is_bad() && is_of(&key.asked)
    });
    bad.map(|(key, remark)| {
        let input = match &remark.input {
            Some(Element::Text(text)) => format!(" of {text:?}"),
            Some(code) => format!(" of {code}"),
            None => String::new(),
        };
        format!("{}{input}: {}", key.asked, key.message)
    })
    .collect()
}

fn cause(finding: &Finding) -> String {
    let mut text = finding.cause.clone().unwrap_or_default();
    for other in &finding.alternatives {
        text += &format!(", or: {other}");
    }
    text
}

fn pairs(finding: &Finding) -> String {
    let shown = finding.pairs.iter().take(PAIRS).map(|(from, to)| format!("{from} -> {to}"));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if finding.pairs.len() > PAIRS {
        text += &format!(" and {} more", finding.pairs.len() - PAIRS);
    }
    text
}

/// Does the failing test belong to the finding?
fn is_of(finding: &Finding, failure: &Failure) -> bool {
    let refused = matches!(failure.expect, OutcomeRecord::Reject(_));
    let same = |asked: &Asked| {
        asked.suite == finding.suite
            && asked.opset.is_none_or(|opset| finding.versions.contains(&opset))
    };
    failure.asked().iter().any(same)
        && !finding.is_notice()
        && finding.pairs.contains(&(failure.from, failure.to.into()))
        && refused == (finding.kind == Kind::Refusal)
        && (refused || failure.cause == finding.cause)
}
