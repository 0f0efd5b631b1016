//! `castproof diff-spec` of two versions of Cast: what changes between them.

use anyhow::{Result, anyhow};
use castproof_check::verdict::counted;
use castproof_judge::answers;
use castproof_suites::{Changed, ChangedClass, ChangedExample, changes};
use castproof_vectors::{DType, Operator, Outcome, OutcomeRecord, defects, type_set};
use std::fmt::Write as _;

/// Lists the dtypes that the newer version adds, and every class of inputs whose meaning changes.
///
/// # Errors
/// If one of the numbers is not a version of Cast, or the versions are not in order.
pub fn text(before: u32, after: u32) -> Result<String> {
    let found = changes(answers::chosen(), before, after).map_err(|error| anyhow!(error))?;
    let mut text = format!("Cast-{before} to Cast-{after}\n\n");
    let old = type_set(Operator::Cast, before);
    let added = type_set(Operator::Cast, after).into_iter().filter(|dtype| !old.contains(dtype));
    let added: Vec<&str> = added.map(DType::name).collect();
    let added = if added.is_empty() { "none".into() } else { added.join(", ") };
    writeln!(text, "dtypes added: {added}")?;
    let (changed, reworded): (Vec<_>, Vec<_>) = found.iter().partition(|(class, _)| class.differs);
    if changed.is_empty() {
        writeln!(text, "no input of the dtypes of both changes its meaning")?;
    }
    for (class, found) in changed {
        describe(&mut text, class, found)?;
    }
    if !reworded.is_empty() {
        writeln!(text, "\nSame results, resting on another rule:")?;
    }
    for (class, found) in reworded {
        let ChangedClass { before, after, .. } = class;
        writeln!(text, "  {before} -> {after}  ({})", counted(found.pairs.len() as u64, "pair"))?;
    }
    Ok(text)
}

fn describe(text: &mut String, class: &ChangedClass, found: &Changed) -> Result<()> {
    let ChangedClass { before, after, .. } = class;
    writeln!(text, "\n{before} -> {after}  ({})", counted(found.pairs.len() as u64, "pair"))?;
    let [old, new] = [before, after].map(|rule| rule.rule().statement);
    writeln!(text, "  before: {old}\n  after:  {new}")?;
    let entries = defects().iter().filter(|defect| {
        defect
            .changes
            .iter()
            .any(|change| change.before == before.as_str() && change.after == after.as_str())
    });
    for entry in entries {
        writeln!(text, "  ledger: {} {}", entry.id, entry.title)?;
    }
    for ChangedExample { request, input, before, after } in &found.examples {
        let record = |outcome: &Outcome| {
            serde_json::to_string(&OutcomeRecord::new(outcome, request.to)).unwrap_or_default()
        };
        let said = |answer: &castproof_vectors::Expectation| match &answer.tolerate {
            Some(tolerate) => format!("{}, tolerated {}", record(&answer.expect), record(tolerate)),
            None => record(&answer.expect),
        };
        let input = castproof_check::words::element(request.from, input);
        let (from, to, attributes) = (request.from, request.to, request.attributes);
        let pair = format!("{from} -> {to} {attributes}");
        writeln!(text, "  {}: {input}: {}; now {}", pair.trim_end(), said(before), said(after))?;
    }
    Ok(())
}
