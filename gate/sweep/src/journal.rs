//! The journal of a sweep: a record for each finished chunk, written as soon as it is known.

use super::record::Heading;
use super::state::{Event, RequestState, State};
use super::work::Shard;
use anyhow::{Context, Result, anyhow, bail};
use castproof_io::journal;
use castproof_io::journal::{Journal, JournalTerms};
use castproof_io::{input, sink};
use castproof_testee::judged::{Judged, Known};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Everything that the results of a sweep depend on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    kind: String,
    program: String,
    #[serde(rename = "files or settings of the testee")]
    judged: Known,
    heading: Heading,
    /// The requests, with nothing done.
    requests: Vec<RequestState>,
    share: String,
}

const KIND: &str = "sweep";

/// The journal of a sweep.
pub(super) struct Opened {
    pub(super) journal: Journal,
    /// What it is bound to.
    run: Value,
    /// The records of an earlier run.
    pub(super) events: Vec<Event>,
    /// Notes for the report.
    pub(super) notes: Vec<String>,
}

impl Opened {
    /// Begins the journal anew, because its records are not true any more.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn restart(&mut self, why: &str) -> Result<()> {
        self.notes.push(self.journal.restart(&self.run, why)?);
        self.events.clear();
        Ok(())
    }
}

/// Opens the journal of this sweep, or begins one. `state` is one of which nothing is done.
///
/// # Errors
/// If it belongs to another sweep, or cannot be written.
pub(super) fn open(
    path: &Path,
    shard: Shard,
    terms: JournalTerms,
    judged: Judged,
    state: &State,
) -> Result<Opened> {
    let run = Run {
        kind: KIND.into(),
        program: journal::this_program()?,
        judged: judged.known,
        heading: state.heading.clone(),
        requests: state.requests.clone(),
        share: shard.to_string(),
    };
    let run = serde_json::to_value(&run)?;
    let (journal, past) = Journal::open(path, &run, terms, judged.untold.as_deref())?;
    let events = events(path, past.records, state)?;
    let mut notes = past.notes;
    notes.extend(judged.unwatched.map(|what| format!("journal {}: {what}", sink::path(path))));
    Ok(Opened { journal, run, events, notes })
}

/// Reads the journal of any share of a sweep.
///
/// # Errors
/// If it is not such a journal, or was changed.
pub(super) fn read(path: &Path) -> Result<(State, Shard)> {
    let (run, past) = journal::read(path)?;
    let place = || format!("journal {}", path.display());
    input::counts(&run).with_context(place)?;
    let run: Run = serde_json::from_value(run)
        .with_context(|| format!("journal {} is not one of a sweep", path.display()))?;
    let share =
        run.share.parse().map_err(|problem: String| anyhow!(problem)).with_context(place)?;
    let mut state = State { heading: run.heading, requests: run.requests };
    state.check().with_context(place)?;
    let events = events(path, past.records, &state)?;
    state.fold(events).with_context(place)?;
    Ok((state, share))
}

/// Reads the records of a journal.
fn events(path: &Path, records: Vec<Value>, state: &State) -> Result<Vec<Event>> {
    let place = || format!("journal {}", path.display());
    records.iter().try_for_each(input::counts).with_context(place)?;
    let events: Vec<Event> = journal::records(path, records)?;
    if let Some(event) = events.iter().find(|event| event.request >= state.requests.len()) {
        bail!("journal {}: no request {}", path.display(), event.request);
    }
    Ok(events)
}
