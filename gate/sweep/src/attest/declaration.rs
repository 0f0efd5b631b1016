//! What an attestation says: for P3109 a list in YAML, for people a page and lines of a terminal.

use super::record::{Attestation, Example, Operation};
use anyhow::Result;
use castproof_check::verdict::thousands;
use castproof_io::sink::line;
use std::fmt::Write as _;
use std::io::Write;

/// What every text says of the standard.
const DRAFT: &str = "IEEE P3109 is a draft; nothing here claims conformance to a standard";

/// The declaration of P3109, clause 4.6: a list of the operation specialisations whose results are right for all operands.
pub(super) fn yaml(made: &Attestation) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let heading = &made.heading;
    let mut text = format!("# {DRAFT}.\n");
    let mut member = |name: &str, value: &str| {
        let _ = writeln!(text, "{name}: {}", quoted(value));
    };
    member("Standard", "IEEE P3109");
    member("Edition", &heading.edition);
    member("Implementation", &heading.testee.to_string());
    member("Build", &format!("{} ({})", String::from(heading.tested.digest), heading.tested.of));
    member("Date", &made.date);
    member(
        "Proof",
        &format!("every operand was computed and compared, by castproof {}", heading.tool),
    );
    let (right, others): (Vec<&Operation>, Vec<&Operation>) =
        made.operations.iter().partition(|it| it.is_right());
    for (name, operations) in [("Operations", right), ("NotDeclared", others)] {
        if operations.is_empty() {
            let _ = writeln!(text, "{name}: []");
            continue;
        }
        let _ = writeln!(text, "{name}:");
        for it in operations {
            let _ = writeln!(text, "  - identifier: {}", quoted(&it.identifier));
            let _ = writeln!(text, "    operands: {}", it.operands);
            match &it.stopped {
                Some(stopped) => {
                    let _ = writeln!(text, "    stopped: {}", quoted(stopped));
                }
                None => {
                    let _ = writeln!(text, "    wrong: {}", it.wrong);
                    if let Some(cause) = &it.cause {
                        let _ = writeln!(text, "    cause: {}", quoted(cause));
                    }
                    let _ = writeln!(text, "    digest: {}", String::from(it.digest));
                }
            }
        }
    }
    text
}

/// A page in Markdown.
pub(super) fn page(made: &Attestation) -> Result<String> {
    let heading = &made.heading;
    let plain = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
    let mut text = format!("# Conversions of {}\n\n", plain(&heading.testee.to_string()));
    writeln!(
        text,
        "Every operand of each conversion was asked on {} and compared with the exact result, by castproof {}, rules of `{}`. {DRAFT}.\n",
        made.date, heading.tool, heading.edition
    )?;
    writeln!(
        text,
        "| conversion | operands | wrong | cause | first wrong result |\n|---|--:|--:|---|---|"
    )?;
    for it in &made.operations {
        let first =
            it.stopped.as_deref().map(String::from).or_else(|| it.examples.first().map(said));
        let wrong = it.stopped.as_ref().map_or_else(|| thousands(it.wrong), |_| "-".into());
        let (name, first) = (&it.identifier, plain(&first.unwrap_or_default()));
        let cause = plain(it.cause.as_deref().unwrap_or_default());
        writeln!(text, "| `{name}` | {} | {wrong} | {cause} | {first} |", thousands(it.operands))?;
    }
    writeln!(
        text,
        "\n`castproof certify verify` derives again from the attestation what is due, and `castproof certify replay` asks again."
    )?;
    Ok(text)
}

fn said(example: &Example) -> String {
    let Example { input, random, got, expected } = example;
    let random = random.map_or(String::new(), |it| format!(" with the random number {it}"));
    format!("{input}{random}: {got}, due {expected}")
}

/// Prints what came of each conversion, those that are wrong first. Returns whether none is.
///
/// # Errors
/// If it cannot be printed.
pub(super) fn print(made: &Attestation, out: &mut dyn Write) -> Result<bool> {
    let wrong: Vec<&Operation> = made.operations.iter().filter(|it| !it.is_right()).collect();
    for it in &wrong {
        match (&it.stopped, it.examples.first()) {
            (Some(stopped), _) => writeln!(out, "{}: {}", it.identifier, line(stopped))?,
            (None, first) => writeln!(
                out,
                "{}{}: {} of {} results are wrong, first {}",
                it.identifier,
                it.cause.as_ref().map_or(String::new(), |cause| format!(": {}", line(cause))),
                thousands(it.wrong),
                thousands(it.operands),
                first.map(said).unwrap_or_default()
            )?,
        }
    }
    let operands: u64 =
        made.operations.iter().filter(|it| it.is_right()).map(|it| it.operands).sum();
    let word = if wrong.is_empty() { "PASS" } else { "FAIL" };
    writeln!(
        out,
        "{word}  {} of {} conversions give what is due, for all of {} operands; {}",
        made.operations.len() - wrong.len(),
        made.operations.len(),
        thousands(operands),
        made.heading.edition
    )?;
    Ok(wrong.is_empty())
}
