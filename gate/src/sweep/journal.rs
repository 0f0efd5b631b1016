//! The journal of a sweep: a line for each finished chunk, written as soon as it is known, so
//! that a sweep that was stopped in whatever way goes on where it was.

use super::record::Heading;
use super::state::{Event, RequestState, State};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The `format` member of a journal's first line.
const FORMAT: &str = "castproof-sweep-journal/1";

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FirstLine {
    format: String,
    heading: Heading,
    /// Nothing done of any.
    requests: Vec<RequestState>,
    shard: String,
}

/// A journal that is written to.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of this sweep, or begins one. What an earlier run wrote is added to
    /// `state`. A last line that was cut off is dropped.
    ///
    /// # Errors
    /// If the file is of another sweep, or broken, or cannot be written.
    pub(super) fn open(path: &Path, shard: &str, state: &mut State) -> Result<Journal> {
        let failed = || format!("journal {} cannot be written", path.display());
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(failed)?;
        if file.try_lock().is_err() {
            bail!("journal {} is being written by another sweep", path.display());
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .with_context(|| format!("journal {} cannot be read", path.display()))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let first = first_line(shard, state)?;
        match text[..whole].split_once('\n') {
            None => {
                file.set_len(0).with_context(failed)?;
                file.seek(SeekFrom::Start(0)).with_context(failed)?;
                file.write_all(first.as_bytes()).with_context(failed)?;
            }
            Some((found, lines)) => {
                if found != first.trim_end() {
                    bail!(
                        "journal {} is of another sweep; delete it, or name another --certificate",
                        path.display()
                    );
                }
                let events = read_events(path, lines, state)?;
                state.fold(events);
                file.set_len(whole as u64).with_context(failed)?;
                file.seek(SeekFrom::Start(whole as u64)).with_context(failed)?;
            }
        }
        Ok(Journal { path: path.to_path_buf(), file })
    }

    /// Writes down what came of a chunk.
    ///
    /// # Errors
    /// If it cannot be written, for example because the disk is full.
    pub(super) fn add(&mut self, event: &Event) -> Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.file
            .write_all(&line)
            .with_context(|| format!("journal {} cannot be written", self.path.display()))
    }

    /// Removes the file; its content is in a certificate now.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path)
            .with_context(|| format!("journal {} cannot be removed", self.path.display()))
    }
}

/// Reads the journal of any share of a sweep.
///
/// # Errors
/// If it is no journal, or broken.
pub(super) fn read(path: &Path, text: &str) -> Result<State> {
    let broken = || format!("{} is no journal of a sweep", path.display());
    let (first, lines) = text.split_once('\n').with_context(broken)?;
    let first: FirstLine = serde_json::from_str(first).with_context(broken)?;
    if first.format != FORMAT {
        bail!("{}: its format is '{}', not {FORMAT}", path.display(), first.format);
    }
    let mut state = State { heading: first.heading, requests: first.requests };
    let whole = lines.rfind('\n').map_or(0, |end| end + 1);
    let events = read_events(path, &lines[..whole], &state)?;
    state.fold(events);
    Ok(state)
}

fn first_line(shard: &str, state: &State) -> Result<String> {
    let line = FirstLine {
        format: FORMAT.into(),
        heading: state.heading.clone(),
        requests: state.requests.clone(),
        shard: shard.into(),
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

fn read_events(path: &Path, lines: &str, state: &State) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for (number, line) in (2..).zip(lines.lines()) {
        let event: Event = serde_json::from_str(line)
            .with_context(|| format!("journal {}, line {number}", path.display()))?;
        if event.request >= state.requests.len() {
            bail!("journal {}, line {number}: no request {}", path.display(), event.request);
        }
        events.push(event);
    }
    Ok(events)
}
