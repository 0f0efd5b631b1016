//! A report for the maintainers of a runtime, who need not know Castproof.

use super::case::{Case, Graph};
use super::question::Asked;
use castproof_io::sink::markdown;
use castproof_vectors::{Basis, Rule};
use std::fmt::{Result, Write as _};

/// Returns `issue.md`: what was asked, what came back and what is due, the rule, the versions, and
/// how to run `code`, which stands in a block of its `language`.
pub(super) fn text(case: &Case, language: &str, how: &str, code: &str) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, case, language, how, code);
    text
}

fn write(text: &mut String, case: &Case, language: &str, how: &str, code: &str) -> Result {
    let Case { from, to, rule, .. } = case;
    let [input, got, due] =
        [case.input_words(), case.got_words(), case.expect_words()].map(|words| markdown(&words));
    let what = match case.graph {
        Graph::Cast => format!("Cast from {from} to {to}"),
        _ => markdown(&case.title()),
    };
    writeln!(text, "# {what}: {input} gives {got}, expected {due}\n")?;
    writeln!(text, "## What happens\n")?;
    writeln!(text, "| | |\n|---|---|")?;
    writeln!(text, "| asked | {} |", markdown(&case.title()))?;
    writeln!(text, "| input | {input} |")?;
    if case.count > 1 {
        writeln!(text, "| tensor | {} |", case.extent_words())?;
    }
    writeln!(text, "| got | {got} |")?;
    writeln!(text, "| expected | {due} |")?;
    writeln!(text, "| runtime | {} |", markdown(&case.testee.to_string()))?;
    let versions: Vec<String> = case.versions.iter().map(|it| format!("Cast-{it}")).collect();
    if !versions.is_empty() {
        writeln!(text, "| seen in | {} |", versions.join(", "))?;
    }
    for finding in &case.findings {
        writeln!(text, "\n{}", markdown(finding))?;
    }
    why(text, rule, how, (language, code))?;
    found(text, &case.id, rule)
}

/// Writes the rule, and how to run the code.
fn why(text: &mut String, rule: &Rule, how: &str, (language, code): (&str, &str)) -> Result {
    writeln!(text, "\n## Why that is expected\n")?;
    writeln!(text, "{}\n", markdown(rule.statement))?;
    writeln!(text, "Source: {}. {}", markdown(&rule.source.to_string()), basis(rule.basis))?;
    writeln!(text, "\n## How to run\n\n{how}\n")?;
    writeln!(text, "```{language}\n{}\n```\n", code.trim_end())
}

fn found(text: &mut String, id: &str, rule: &Rule) -> Result {
    writeln!(
        text,
        "Found by [castproof]({}) {}, which derives every answer with exact arithmetic; there this is \
         `{id}`, rule {}.",
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_VERSION"),
        rule.name
    )
}

/// Returns `issue.md` of a question, whose script in Python is `code`.
pub(super) fn of_question(asked: &Asked, how: &str, code: &str) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_question(&mut text, asked, how, code);
    text
}

fn write_question(text: &mut String, asked: &Asked, how: &str, code: &str) -> Result {
    let [title, got, due] = [&asked.title(), &asked.got, &asked.expected].map(|it| markdown(it));
    writeln!(text, "# {title} gives a wrong answer\n")?;
    writeln!(text, "## What happens\n")?;
    writeln!(text, "| | |\n|---|---|")?;
    writeln!(text, "| asked | {title} |")?;
    writeln!(text, "| got | {got} |")?;
    writeln!(text, "| expected | {due} |")?;
    writeln!(text, "| runtime | {} |", markdown(&asked.testee.to_string()))?;
    for finding in &asked.findings {
        writeln!(text, "\n{}", markdown(finding))?;
    }
    why(text, asked.rule, how, ("python", code))?;
    found(text, &asked.id, asked.rule)
}

/// Says how firmly the rule stands.
fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Text => "The specification says so in its text.",
        Basis::TechnicalDoc => "A technical document of the specification says so.",
        Basis::Practice => "The specification leaves it open; implementations agree on it.",
        Basis::Undefined => "The specification leaves it undefined.",
    }
}
