//! The journal of a gate: a record for each pair and each suite of questions that is done.

use super::options::Options;
use super::plan::Plan;
use anyhow::{Context, Result, bail};
use castproof_io::journal::{Journal, records, this_program};
use castproof_io::{input, sink};
use castproof_judge::source::Source;
use castproof_results::Results;
use castproof_testee::Testee;
use castproof_testee::judged::{Judged, Known};
use castproof_vectors::{DType, Suite, sha256_hex};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a run has done, and the journal that records it, if one is asked for.
#[derive(Default)]
pub(super) struct Progress {
    journal: Option<Journal>,
    /// What the journal is bound to.
    run: Value,
    done: BTreeMap<Part, Results>,
    /// The line that says what was taken over.
    resumed: String,
    /// Does the user say that nothing has changed?
    unchanged: bool,
}

/// A part of a run, which is done as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Part {
    /// Casts of a pair.
    Pair(DType, DType),
    /// A suite of questions.
    Suite(Suite),
}

/// A part that is done.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record<R> {
    part: Part,
    results: R,
}

impl Progress {
    /// Opens the journal that the options name. The returned lines say what is to be known of it.
    ///
    /// # Errors
    /// If it belongs to another run, or cannot be written.
    pub(super) fn open(
        options: &Options,
        testee: &dyn Testee,
        source: &Source,
        plan: &Plan,
    ) -> Result<(Progress, Vec<String>)> {
        let Some(path) = &options.journal else {
            return Ok((Progress::default(), vec![]));
        };
        let Judged { known, untold, unwatched } = testee.judged()?;
        let run = run(testee, &known, source, plan, options)?;
        let (journal, past) = Journal::open(path, &run, options.terms, untold.as_deref())?;
        let mut done = BTreeMap::new();
        let counted = past.records.iter().try_for_each(input::counts);
        counted.with_context(|| format!("journal {}", path.display()))?;
        for Record { part, results } in records(path, past.records)? {
            let due = match part {
                Part::Pair(from, to) => plan.scope.pairs.contains(&(from, to)),
                Part::Suite(suite) => plan.scope.suites.contains(&suite),
            };
            if !due || done.insert(part, results).is_some() {
                bail!("journal {}: it holds {part:?}, which this run has not", path.display());
            }
        }
        let mut lines = past.notes;
        let path = sink::path(path);
        lines.extend(unwatched.map(|what| format!("journal {path}: {what}")));
        let (taken, all) = (done.len(), plan.scope.pairs.len() + plan.scope.questions().count());
        let resumed = format!("resumed: {taken} of {all} pairs and suites are from {path}");
        let unchanged = options.terms.unchanged;
        Ok((Progress { journal: Some(journal), run, done, resumed, unchanged }, lines))
    }

    /// Returns what was taken over.
    pub(super) fn done(&self) -> &BTreeMap<Part, Results> {
        &self.done
    }

    /// Returns the line that says what was taken over.
    pub(super) fn resumed(&self) -> &str {
        &self.resumed
    }

    /// Does the user say that nothing has changed?
    pub(super) fn is_unchanged(&self) -> bool {
        self.unchanged
    }

    /// Takes nothing over and begins the journal anew. Returns a line for people.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub(super) fn restart(&mut self, why: &str) -> Result<Option<String>> {
        self.done.clear();
        self.journal.as_mut().map(|journal| journal.restart(&self.run, why)).transpose()
    }

    /// Takes the results of a part, if it was done before.
    pub(super) fn take(&mut self, part: Part) -> Option<Results> {
        self.done.remove(&part)
    }

    /// Notes a part as done.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(&mut self, part: Part, results: &Results) -> Result<()> {
        match &mut self.journal {
            Some(journal) => journal.add(&Record { part, results }),
            None => Ok(()),
        }
    }

    /// Removes the journal, after the results have been written.
    ///
    /// # Errors
    /// If the journal cannot be removed.
    pub(super) fn finish(self) -> Result<()> {
        self.journal.map_or(Ok(()), Journal::remove)
    }
}

/// Everything that the results of a run depend on.
fn run(
    testee: &dyn Testee,
    known: &Known,
    source: &Source,
    plan: &Plan,
    options: &Options,
) -> Result<Value> {
    let baseline = match &options.baseline {
        Some(path) if path.is_file() => {
            let bytes =
                input::bytes(path).with_context(|| format!("baseline {}", path.display()))?;
            sha256_hex(&bytes)
        }
        _ => "none".into(),
    };
    Ok(json!({
        "kind": "gate",
        "program": this_program()?,
        "testee": testee.identity(),
        "files or settings of the testee": known,
        "vectors": source.fingerprint(),
        "filters": plan.scope.filters,
        "suites": plan.scope.suites,
        "pairs": plan.scope.named,
        "rules of blocks": plan.scope.rules,
        "kernel": plan.scope.kernel,
        "arrangements": plan.arranging.to_string(),
        "every vector in every version": plan.scope.every_vector,
        "strictness": plan.scope.judgement.strict,
        "where ONNX is silent": plan.scope.judgement.silent_as,
        "baseline": baseline,
    }))
}
