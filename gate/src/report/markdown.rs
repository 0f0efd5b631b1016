//! Markdown, as a GitHub job summary takes it, and workflow commands that annotate the run.

use super::compare;
use super::words::{extent, sentence, title, versions};
use crate::results::{Failure, ResultsFile, SuiteRun};
use crate::sink::{command, markdown, property};
use crate::verdict::{Verdict, thousands};
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
    let (mark, reasons) = if file.passed {
        ("✅", String::new())
    } else {
        ("❌", format!(": {}", file.reasons.join(", ")))
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
        "Level {}, {} tests, {} executed.\n",
        markdown(&extent(file)),
        thousands(totals.judged()),
        thousands(totals.executed)
    )?;
    let shown: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|&verdict| totals.of(verdict) > 0).collect();
    let heads: Vec<&str> = shown.iter().map(|verdict| verdict.name()).collect();
    writeln!(text, "| version | {} | known |", heads.join(" | "))?;
    writeln!(text, "|---|{}---:|", "---:|".repeat(shown.len()))?;
    for version in versions(file) {
        let cell = file.results.sum(|key| key.opset == Some(version));
        let counts: Vec<String> =
            shown.iter().map(|&verdict| thousands(cell.counts.of(verdict))).collect();
        writeln!(
            text,
            "| Cast-{version} | {} | {} |",
            counts.join(" | "),
            thousands(cell.expected)
        )?;
    }
    for run in &file.results.suites {
        let counts: Vec<String> =
            shown.iter().map(|&verdict| thousands(run.counts.of(verdict))).collect();
        let (name, known) = (run.suite.name(), thousands(run.expected));
        writeln!(text, "| {name} | {} | {known} |", counts.join(" | "))?;
    }
    unexpected(text, file)?;
    answers(text, file)?;
    places(text, file)?;
    if !file.results.diagnoses.is_empty() {
        writeln!(text, "\n<details><summary>Diagnoses</summary>\n")?;
        for diagnosis in &file.results.diagnoses {
            writeln!(text, "- {}", markdown(&diagnosis.to_string()))?;
        }
        writeln!(text, "\n</details>\n")?;
    }
    Ok(())
}

fn unexpected(text: &mut String, file: &ResultsFile) -> std::fmt::Result {
    let unexpected: Vec<&Failure> =
        file.results.failures.iter().filter(|finding| finding.known.is_none()).collect();
    if unexpected.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n| cast | clause | what happened |\n|---|---|---|")?;
    for finding in unexpected.iter().take(ROWS) {
        let (title, sentence) = (markdown(&title(finding)), markdown(&sentence(finding)));
        writeln!(text, "| {title} | {} | {sentence} |", markdown(&finding.clause))?;
    }
    if unexpected.len() > ROWS {
        writeln!(text, "\n{} more are in the results file.", unexpected.len() - ROWS)?;
    }
    Ok(())
}

/// What is right alone and wrong at some places.
fn places(text: &mut String, file: &ResultsFile) -> std::fmt::Result {
    let found: Vec<_> = file.results.misplaced.iter().filter(|it| it.known.is_none()).collect();
    if found.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n| cast | wrong in | what happened |\n|---|---|---|")?;
    for it in found.iter().take(ROWS) {
        let [asked, place] = [it.asked.to_string(), it.place.clone()].map(|text| markdown(&text));
        writeln!(text, "| {asked} | {place} | {} |", markdown(&it.sentence))?;
    }
    if found.len() > ROWS {
        writeln!(text, "\n{} more are in the results file.", found.len() - ROWS)?;
    }
    Ok(())
}

/// Questions that were not answered as they should be.
fn answers(text: &mut String, file: &ResultsFile) -> std::fmt::Result {
    let surprises: Vec<_> = file.results.suites.iter().flat_map(SuiteRun::surprises).collect();
    if surprises.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n| clause | question and answer |\n|---|---|")?;
    for deviation in surprises.iter().take(ROWS) {
        let (clause, said) = (markdown(&deviation.clause), markdown(&deviation.to_string()));
        writeln!(text, "| {clause} | {said} |")?;
    }
    if surprises.len() > ROWS {
        writeln!(text, "\n{} more are in the results file.", surprises.len() - ROWS)?;
    }
    Ok(())
}

/// How many annotations a step may have, as GitHub counts.
const ANNOTATIONS: usize = 10;

pub(super) fn annotations(file: &ResultsFile) -> Vec<String> {
    let unexpected = file.results.failures.iter().filter(|finding| finding.known.is_none());
    let mut lines: Vec<String> = unexpected
        .take(ANNOTATIONS)
        .map(|finding| {
            let text = format!("{}: {}", title(finding), sentence(finding));
            format!("::error title=castproof {}::{}", property(&finding.clause), command(&text))
        })
        .collect();
    let room = ANNOTATIONS - lines.len();
    let answers = file.results.suites.iter().flat_map(SuiteRun::surprises).take(room);
    lines.extend(answers.map(|deviation| {
        let text = command(&deviation.to_string());
        format!("::error title=castproof {}::{text}", property(&deviation.clause))
    }));
    let reasons = file.reasons.join(", ");
    if !file.passed && lines.len() < ANNOTATIONS {
        lines.push(format!("::error title=castproof::{}", command(&reasons)));
    }
    lines
}
