//! Baselines: reviewed files of known failures, `expectations.toml`.
//!
//! An entry says which tests fail, how, and why. A failure that no entry expects is unexpected,
//! and so is a pass that an entry rules out; an entry that matches no failure is stale. All three
//! fail a run, so that the file stays true.

mod update;

pub use update::{Updated, update};

use crate::results::{CellKey, EntryKey, Results, Usage};
use crate::verdict::{Verdict, thousands};
use anyhow::{Context, Result, anyhow, bail};
use castproof_vectors::{Attributes, DType, Level, Suite};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands as the reason of entries that `--update-baseline` added.
pub const NOT_REVIEWED: &str = "not reviewed";

/// A file of known failures.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The file.
    pub path: PathBuf,
    /// Its entries, in order.
    pub entries: Vec<Entry>,
}

/// `expectations.toml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    expect: Vec<Entry>,
}

/// Tests that fail, how, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The suite whose questions they are; absent: they are casts, or CastLike.
    pub suite: Option<Suite>,
    /// How they fail.
    #[serde(default = "fail")]
    pub verdict: Verdict,
    /// Dtypes of the inputs.
    pub from: Dtypes,
    /// Dtypes of the outputs.
    pub to: Dtypes,
    /// How many pairs a wildcard may cover; required where `from` or `to` is one.
    pub pairs: Option<usize>,
    /// Operator versions; absent: any.
    pub opsets: Option<Vec<u32>>,
    /// The attributes that are given; absent: any.
    pub attributes: Option<Attributes>,
    /// The clause; absent: any.
    pub clause: Option<String>,
    /// Ids of tests; absent: any.
    pub tests: Option<Vec<String>>,
    /// The smallest level whose vectors show the failure; absent: every level does.
    pub level: Option<Level>,
    /// Do all of these tests fail, or only some?
    #[serde(default)]
    pub share: Share,
    /// Why, for people.
    pub reason: String,
    /// Where more is said.
    pub link: Option<String>,
}

/// How many of the tests that an entry covers fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// Every one: a pass is unexpected.
    #[default]
    All,
    /// At least one.
    Some,
}

/// One dtype, several, or any.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Dtypes {
    /// Exactly this one.
    One(DType),
    /// Any of these.
    Several(Vec<DType>),
    /// `"*"`
    Any(Wildcard),
}

/// Any dtype, written `*`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Wildcard {
    /// `*`
    #[serde(rename = "*")]
    Star,
}

impl Dtypes {
    fn covers(&self, dtype: DType) -> bool {
        match self {
            Dtypes::One(one) => *one == dtype,
            Dtypes::Several(several) => several.contains(&dtype),
            Dtypes::Any(Wildcard::Star) => true,
        }
    }
}

fn fail() -> Verdict {
    Verdict::Fail
}

impl Entry {
    fn covers_pair(&self, suite: Option<Suite>, (from, to): (DType, DType)) -> bool {
        self.suite == suite && self.from.covers(from) && self.to.covers(to)
    }

    fn covers_request(&self, key: &CellKey) -> bool {
        self.covers_pair(None, (key.from, key.to))
            && self.opsets.as_ref().is_none_or(|opsets| opsets.contains(&key.version))
            && self.attributes.is_none_or(|attributes| attributes == key.attributes)
    }

    fn covers_test(&self, clause: &str, id: &str) -> bool {
        self.clause.as_deref().is_none_or(|only| only == clause)
            && self.tests.as_ref().is_none_or(|tests| tests.iter().any(|test| test == id))
    }

    fn check(&self) -> Result<(), String> {
        if !self.verdict.is_bad() {
            return Err(format!(
                "verdict is '{}'; known failures are fail, error, crash or timeout",
                self.verdict.name()
            ));
        }
        if self.reason.trim().is_empty() {
            return Err("the reason is empty; say why these tests fail".into());
        }
        let wild = [&self.from, &self.to].iter().any(|side| matches!(side, Dtypes::Any(_)));
        if wild && self.pairs.is_none() {
            return Err("a wildcard needs its bound: pairs = N, the pairs it may cover".into());
        }
        match self.suite {
            Some(Suite::OnnxCast | Suite::OnnxCastlike) => {
                return Err("an entry of casts and CastLike names no suite; leave it away".into());
            }
            Some(Suite::MindsporePromotion) => {
                return Err("no entry speaks of mindspore-promotion, which has no pairs".into());
            }
            Some(suite) if self.opsets.is_some() || self.attributes.is_some() => {
                let name = suite.name();
                return Err(format!("{name} has no opsets and attributes; leave them away"));
            }
            _ => {}
        }
        if let Some(clause) = &self.clause
            && castproof_vectors::clause(clause).is_none()
        {
            return Err(format!("unknown clause '{clause}'"));
        }
        Ok(())
    }
}

impl Baseline {
    /// Reads a file of known failures.
    ///
    /// # Errors
    /// If it cannot be read, or an entry makes no sense.
    pub fn read(path: &Path) -> Result<Baseline> {
        let place = || format!("baseline {}", path.display());
        let text = fs::read_to_string(path).with_context(place)?;
        let document: Document = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = text[..start].lines().count().max(1);
            anyhow!("{}, line {line}: {}", place(), error.message())
        })?;
        for (index, entry) in document.expect.iter().enumerate() {
            if let Err(problem) = entry.check() {
                bail!("{}, entry {}: {problem}", place(), index + 1);
            }
        }
        Ok(Baseline { path: path.to_path_buf(), entries: document.expect })
    }

    /// The entries that speak of some tests of this request.
    pub(crate) fn of_request(&self, key: &CellKey) -> Vec<(EntryKey, &Entry)> {
        self.entries_that(|entry| entry.covers_request(key))
    }

    /// The entries that speak of some questions of this suite between these dtypes.
    pub(crate) fn of_question(
        &self,
        suite: Suite,
        pair: (DType, DType),
    ) -> Vec<(EntryKey, &Entry)> {
        self.entries_that(|entry| entry.covers_pair(Some(suite), pair))
    }

    fn entries_that(&self, cover: impl Fn(&Entry) -> bool) -> Vec<(EntryKey, &Entry)> {
        let numbered = self.entries.iter().enumerate();
        let numbered = numbered.map(|(entry, it)| (EntryKey { entry }, it));
        numbered.filter(|(_, entry)| cover(entry)).collect()
    }

    /// Entries that matched no failure, as far as a run of this extent reached them.
    pub fn stale(&self, results: &Results, extent: Extent) -> Vec<usize> {
        let is_stale = |&entry: &usize| {
            let (passes, hits) = results
                .usage
                .get(&EntryKey { entry })
                .map_or((0, 0), |usage| (usage.passes, usage.hits));
            let reached = extent.whole || passes > 0;
            let shows = self.entries[entry].level.is_none_or(|level| extent.level >= level);
            hits == 0 && reached && shows
        };
        (0..self.entries.len()).filter(is_stale).collect()
    }

    /// Entries whose wildcard covers more pairs than its bound.
    pub fn too_wide(&self, results: &Results) -> Vec<usize> {
        let is_too_wide = |&entry: &usize| {
            let pairs = results.usage.get(&EntryKey { entry }).map_or(0, |usage| usage.pairs.len());
            self.entries[entry].pairs.is_some_and(|bound| pairs > bound)
        };
        (0..self.entries.len()).filter(is_too_wide).collect()
    }
}

/// How much a run covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The level of its vectors.
    pub level: Level,
    /// Every pair and version?
    pub whole: bool,
}

/// The entries that cover some request or question, and how they fare.
pub(crate) struct Watch<'a> {
    pair: (DType, DType),
    entries: &'a [(EntryKey, &'a Entry)],
}

impl<'a> Watch<'a> {
    pub(crate) fn new(pair: (DType, DType), entries: &'a [(EntryKey, &'a Entry)]) -> Watch<'a> {
        Watch { pair, entries }
    }

    /// Notes the verdict of one test. A bad verdict: the entry that expects it, if one does. A
    /// good one: an entry that rules it out.
    pub(crate) fn note(
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
            if entry.share == Share::All {
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
        usage.pairs.insert(self.pair);
        usage.hits += 1;
        Some(entry)
    }
}

/// How many ids of unexpected passes are kept for an entry that names no ids.
const PASSED_KEPT: usize = 5;

/// What a baseline has to say of a run, as lines: known failures by reason, then what is wrong
/// with the baseline itself.
pub(crate) fn lines(baseline: &Baseline, results: &Results, extent: Extent) -> Vec<String> {
    let mut known: BTreeMap<(Verdict, &str), Usage> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (index, entry) in baseline.entries.iter().enumerate() {
        let Some(usage) = results.usage.get(&EntryKey { entry: index }) else { continue };
        if usage.hits > 0 {
            let sum = known.entry((entry.verdict, &entry.reason)).or_default();
            sum.hits += usage.hits;
            sum.pairs.extend(&usage.pairs);
        }
        if entry.share == Share::All && !usage.passed.is_empty() {
            let ids: Vec<&str> =
                usage.passed.iter().take(PASSED_KEPT).map(String::as_str).collect();
            wrong.push(format!(
                "unexpected pass: entry {} ({}) rules out {} tests that passed, among them {}",
                index + 1,
                entry.reason,
                thousands(usage.passes),
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
