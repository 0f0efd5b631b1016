//! Markdown for GitHub job summaries, and workflow commands that annotate a run.

use super::compare;
use super::words::{extent, rule_address, version, versions};
use castproof_check::verdict::{Counts, counted, thousands};
use castproof_io::sink::{command, markdown, property};
use castproof_results::ResultsFile;
use castproof_results::finding::{Finding, Kind};
use castproof_results::standing::Standing;
use castproof_vectors::find_rule;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many rows a table has at most.
const ROWS: usize = 40;

pub(super) fn text(files: &[ResultsFile]) -> String {
    let mut text = String::new();
    if files.len() > 1 {
        text += "## Castproof: side by side\n\n";
        text += &compare::table(files);
        text.push('\n');
    }
    for file in files {
        // Writing to a string does not fail.
        let _ = summary(&mut text, file);
    }
    text
}

fn summary(text: &mut String, file: &ResultsFile) -> std::fmt::Result {
    let (mark, reasons) = match file.standing() {
        Standing::Failing => ("❌", format!(": {}", file.reasons.join(", "))),
        _ => ("✅", String::new()),
    };
    let totals = &file.totals;
    writeln!(
        text,
        "## {mark} castproof: {}{}\n",
        markdown(&file.testee.to_string()),
        markdown(&reasons)
    )?;
    writeln!(
        text,
        "Level {}, {}, {} executed.\n",
        markdown(&extent(file)),
        counted(totals.judged(), "test"),
        thousands(totals.executed)
    )?;
    if let Some(sentence) = file.not_asked() {
        writeln!(text, "{sentence}.\n")?;
    }
    for sentence in &file.coverage {
        writeln!(text, "{}.\n", markdown(sentence))?;
    }
    findings(text, file)?;
    let heads: Vec<&str> = totals.shown().into_iter().map(|(name, _)| name).collect();
    let row = |counts: &Counts| {
        let shown: BTreeMap<&str, u64> = counts.shown().into_iter().collect();
        let of = |name: &&str| thousands(shown.get(name).copied().unwrap_or_default());
        heads.iter().map(of).collect::<Vec<_>>().join(" | ")
    };
    writeln!(text, "| version | {} | known |", heads.join(" | "))?;
    writeln!(text, "|---|{}---:|", "---:|".repeat(heads.len()))?;
    for (suite, opset) in versions(file) {
        let cell = file.results.sum(|key| key.opset == opset);
        writeln!(
            text,
            "| {} | {} | {} |",
            version(suite, opset),
            row(&cell.counts),
            thousands(cell.expected)
        )?;
    }
    for run in &file.results.suites {
        let (name, known) = (run.suite.name(), thousands(run.expected));
        writeln!(text, "| {name} | {} | {known} |", row(&run.counts))?;
    }
    Ok(())
}

/// Writes a row for each finding that no baseline expects. A version that accepts what it refuses
/// gets a line instead, and so does a notice.
fn findings(text: &mut String, file: &ResultsFile) -> std::fmt::Result {
    let new: Vec<&Finding> = file.findings.iter().filter(|finding| finding.is_new()).collect();
    let known = file.findings.iter().filter(|finding| finding.known.is_some()).count();
    let (refusals, others): (Vec<&Finding>, Vec<&Finding>) =
        new.iter().partition(|finding| finding.kind == Kind::Refusal);
    if !others.is_empty() {
        writeln!(text, "| finding | what | example | rule | tests |\n|---|---|---|---|---|")?;
    }
    for finding in others.iter().take(ROWS) {
        let place = markdown(&finding.place());
        let what = markdown(&finding.headline());
        let example = markdown(&finding.example.sentence);
        let (id, kind, rule) = (&finding.id, finding.kind.name(), rule_link(finding));
        let extent = markdown(&finding.extent());
        writeln!(text, "| {id} {kind} | {place}: {what} | {example} | {rule} | {extent} |")?;
    }
    if others.len() > ROWS {
        writeln!(text, "\n{} more are in the results file.", others.len() - ROWS)?;
    }
    if !refusals.is_empty() {
        writeln!(text)?;
    }
    for finding in refusals {
        let (pairs, what) =
            (counted(finding.pairs.len() as u64, "pair"), markdown(&finding.headline()));
        writeln!(text, "- {} {what}: {pairs} ({})", finding.id, rule_link(finding))?;
    }
    let notices: Vec<&Finding> = file.findings.iter().filter(|it| it.is_notice()).collect();
    if !notices.is_empty() {
        writeln!(text, "\nNotices, which fail nothing:\n")?;
    }
    for notice in notices {
        let place = markdown(&notice.place());
        let (what, example) = (markdown(&notice.headline()), markdown(&notice.example.sentence));
        writeln!(text, "- {} {place}: {what}; {example} ({})", notice.id, rule_link(notice))?;
    }
    if known > 0 {
        writeln!(text, "\n{known} more findings are known: the baseline expects them.")?;
    }
    writeln!(text)
}

/// Returns the rule, with a link to its statement.
fn rule_link(finding: &Finding) -> String {
    let known = finding.rule.as_deref().and_then(find_rule);
    known.map_or(String::new(), |rule| format!("[{}]({})", rule.name, rule_address(rule.name)))
}

/// The largest number of annotations that GitHub allows a step.
const ANNOTATIONS: usize = 10;

pub(super) fn annotations(file: &ResultsFile) -> Vec<String> {
    let new = file.findings.iter().filter(|finding| finding.is_new());
    let mut lines: Vec<String> = new
        .take(ANNOTATIONS)
        .map(|finding| {
            let Finding { id, kind, .. } = finding;
            let what = format!("{}: {}", finding.place(), finding.headline());
            let text = match kind {
                Kind::Error => what,
                _ => format!("{what}; {}", finding.example.sentence),
            };
            let rule = finding.rule.as_deref().unwrap_or_default();
            let title = property(format!("castproof {id} {rule}").trim_end());
            format!("::error title={title}::{}", command(&text))
        })
        .collect();
    let reasons = file.reasons.join(", ");
    if file.standing() == Standing::Failing && lines.len() < ANNOTATIONS {
        lines.push(format!("::error title=castproof::{}", command(&reasons)));
    }
    lines
}
