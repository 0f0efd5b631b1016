//! A file of known failures, and how a run meets it.

use super::entry::{BaselineShare, Entry};
use super::extent::Extent;
use crate::asked::Asked;
use crate::{EntryKey, Misplaced, Results, Usage};
use anyhow::{Context, Result, anyhow, bail};
use castproof_check::verdict::{Verdict, counted, thousands};
use castproof_io::{input, sink};
use castproof_vectors::Profile;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The reason of entries that `--update-baseline` added.
pub const NOT_REVIEWED: &str = "not reviewed";

/// A file of known failures.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The file.
    pub path: PathBuf,
    /// The profile by which the runs are judged where ONNX is silent.
    pub profile: Option<Profile>,
    /// Its entries, in order.
    pub entries: Vec<Entry>,
}

/// `expectations.toml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    profile: Option<Profile>,
    #[serde(default)]
    expect: Vec<Entry>,
}

impl Baseline {
    /// Reads a file of known failures.
    ///
    /// # Errors
    /// If it cannot be read, or an entry makes no sense.
    pub fn read(path: &Path) -> Result<Baseline> {
        let place = || format!("baseline {}", path.display());
        let text = input::read(path).with_context(place)?;
        let mut document: Document = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = text[..start].lines().count().max(1);
            anyhow!("{}, line {line}: {}", place(), error.message())
        })?;
        for (index, entry) in document.expect.iter_mut().enumerate() {
            entry.reason = sink::line(&entry.reason);
            if let Err(problem) = entry.check() {
                bail!("{}, entry {}: {problem}", place(), index + 1);
            }
        }
        Ok(Baseline {
            path: path.to_path_buf(),
            profile: document.profile,
            entries: document.expect,
        })
    }

    /// Checks that the file is for runs that are judged by this profile where ONNX is silent.
    /// `is_updated`: the run changes the file.
    ///
    /// # Errors
    /// If it is not.
    pub fn check_profile(&self, silent_as: Option<Profile>, is_updated: bool) -> Result<()> {
        let place = self.path.display();
        match self.profile {
            Some(profile) if silent_as != Some(profile) => {
                let name = profile.name();
                bail!(
                    "baseline {place} is of runs with --profile {name} where ONNX is silent: add --spec \
                     onnx-cast-VERSION --profile {name}, or name another --baseline"
                )
            }
            None if silent_as.is_some() && is_updated => bail!(
                "baseline {place} is of runs without --profile beside --spec; name another --baseline to \
                 update, or a new file"
            ),
            _ => Ok(()),
        }
    }

    /// Returns the entries that cover some tests of this request.
    pub fn of_request(&self, asked: &Asked) -> Vec<(EntryKey, &Entry)> {
        let numbered = self.entries.iter().enumerate();
        let numbered = numbered.map(|(entry, it)| (EntryKey { entry }, it));
        numbered.filter(|(_, entry)| entry.covers_request(asked)).collect()
    }

    /// Returns the entry that expects a request to be wrong at these places, or at codes beyond the
    /// vectors.
    pub fn of_place(&self, found: &Misplaced) -> Option<(EntryKey, &Entry)> {
        let mut numbered = self.entries.iter().enumerate();
        let found = numbered.find(|(_, entry)| entry.covers_place(found));
        found.map(|(entry, it)| (EntryKey { entry }, it))
    }

    /// Returns the entries that matched no failure although a run of this extent asked everything
    /// that they cover.
    pub fn stale(&self, results: &Results, extent: &Extent) -> Vec<usize> {
        let is_stale = |&entry: &usize| {
            let hits = results.usage.get(&EntryKey { entry }).map_or(0, |usage| usage.hits);
            let entry = &self.entries[entry];
            hits == 0 && entry.share != BaselineShare::Any && entry.is_within(extent)
        };
        (0..self.entries.len()).filter(is_stale).collect()
    }

    /// Returns the entries whose wildcard covers more pairs than its bound.
    pub fn too_wide(&self, results: &Results) -> Vec<usize> {
        let is_too_wide = |&entry: &usize| {
            let pairs = results.usage.get(&EntryKey { entry }).map_or(0, |usage| usage.pairs.len());
            self.entries[entry].pairs.is_some_and(|bound| pairs > bound)
        };
        (0..self.entries.len()).filter(is_too_wide).collect()
    }
}

/// The entries that cover some request, and the counter of their hits and passes.
pub struct Watch<'a> {
    asked: Asked,
    entries: &'a [(EntryKey, &'a Entry)],
}

impl<'a> Watch<'a> {
    /// Watches tests of this key by these entries, which cover it.
    pub fn new(asked: Asked, entries: &'a [(EntryKey, &'a Entry)]) -> Watch<'a> {
        Watch { asked, entries }
    }

    /// Records the verdict of one test. For a bad verdict, returns the entry that expects it, if
    /// there is one. For a good verdict, returns an entry that rules it out, if there is one.
    pub fn note(
        &self,
        (clause, id): (&str, &str),
        verdict: Verdict,
        results: &mut Results,
    ) -> Option<&'a Entry> {
        let covering = self.entries.iter().filter(|(_, entry)| entry.covers_test(clause, id));
        if verdict.is_bad() {
            let mut matching = covering.filter(|(_, entry)| entry.verdict == verdict);
            return matching.find_map(|(key, entry)| self.hit(*key, entry, results));
        }
        if verdict == Verdict::Unsupported {
            return None;
        }
        let mut ruled_out = None;
        for (key, entry) in covering {
            let usage = results.usage.entry(*key).or_default();
            usage.passes += 1;
            if entry.share == BaselineShare::All {
                if entry.tests.is_some() || usage.passed.len() < PASSED_KEPT {
                    usage.passed.insert(id.to_string());
                }
                ruled_out = Some(*entry);
            }
        }
        ruled_out
    }

    fn hit(&self, key: EntryKey, entry: &'a Entry, results: &mut Results) -> Option<&'a Entry> {
        let usage: &mut Usage = results.usage.entry(key).or_default();
        usage.pairs.insert((self.asked.from, self.asked.to));
        usage.hits += 1;
        Some(entry)
    }
}

/// How many ids of unexpected passes are kept for an entry that names no ids.
const PASSED_KEPT: usize = 5;

/// Returns what a baseline says about a run, as lines: known failures by reason, then what is wrong
/// with the baseline itself.
pub fn lines(baseline: &Baseline, results: &Results, extent: &Extent) -> Vec<String> {
    let mut known: BTreeMap<(Verdict, &str), Usage> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (index, entry) in baseline.entries.iter().enumerate() {
        let Some(usage) = results.usage.get(&EntryKey { entry: index }) else { continue };
        if usage.hits > 0 {
            let sum = known.entry((entry.verdict, &entry.reason)).or_default();
            sum.hits += usage.hits;
            sum.pairs.extend(&usage.pairs);
        }
        if entry.share == BaselineShare::All && !usage.passed.is_empty() {
            let ids: Vec<&str> =
                usage.passed.iter().take(PASSED_KEPT).map(String::as_str).collect();
            wrong.push(format!(
                "unexpected pass: entry {} ({}) rules out {} that passed, among them {}",
                index + 1,
                entry.reason,
                counted(usage.passes, "test"),
                ids.join(" ")
            ));
        }
    }
    let mut lines: Vec<String> = known
        .into_iter()
        .map(|((verdict, reason), usage)| {
            let (kind, hits, pairs) = (verdict.name(), thousands(usage.hits), usage.pairs.len());
            format!("known {kind:<8}{hits:>8} tests of {pairs:>3} pairs: {reason}")
        })
        .collect();
    lines.append(&mut wrong);
    for (indices, kind, problem) in [
        (baseline.stale(results, extent), "stale", "matches no failure"),
        (baseline.too_wide(results), "too wide", "covers more pairs than it says"),
    ] {
        for index in indices {
            let reason = &baseline.entries[index].reason;
            lines.push(format!("{kind}: entry {} ({reason}) {problem}", index + 1));
        }
    }
    lines
}
