//! `--update-baseline`: adapts the file to a run, and leaves the rest of it as it was.

use super::entry::{BaselineShare, Entry, has_versions};
use super::extent::Extent;
use super::file::{Baseline, NOT_REVIEWED};
use crate::asked::{Asked, Side};
use crate::place::Place;
use crate::{EntryKey, Results, Surprise, SurpriseKey, Usage};
use anyhow::{Context, Result, anyhow};
use castproof_check::verdict::{Verdict, counted};
use castproof_io::input;
use castproof_io::output::Output;
use castproof_vectors::{Attributes, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

/// What an update changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updated {
    /// Entries that were added, to be reviewed.
    pub added: usize,
    /// Entries that matched no failure and were removed.
    pub removed: usize,
    /// Entries that cover some passes and were narrowed.
    pub narrowed: usize,
}

impl Updated {
    /// Returns `2 entries added, 1 removed, 0 narrowed`.
    pub fn counts(&self) -> String {
        let Updated { added, removed, narrowed } = self;
        let added = counted(*added as u64, "entry");
        format!("{added} added, {removed} removed, {narrowed} narrowed")
    }
}

impl fmt::Display for Updated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.counts())?;
        if self.added > 0 {
            write!(f, "; say why in those whose reason is '{NOT_REVIEWED}'")?;
        }
        Ok(())
    }
}

/// Rewrites the baseline's file so that the same run would pass: stale entries are removed,
/// unexpected failures get entries with the reason [`NOT_REVIEWED`], and entries that rule out
/// passes are narrowed. The reasons, links, comments and order of the other entries stay.
///
/// # Errors
/// If the file is not TOML, or cannot be written.
pub fn update(
    output: Output,
    baseline: &Baseline,
    results: &Results,
    extent: &Extent,
) -> Result<Updated> {
    let path = &baseline.path;
    let place = || format!("baseline {}", path.display());
    let (title, text) = if path.exists() {
        ("", input::read(path).with_context(place)?)
    } else {
        ("# Known failures: each entry says which tests fail, and why.\n", String::new())
    };
    let mut document: DocumentMut =
        text.parse().map_err(|error| anyhow!("{}: {error}", place()))?;
    if let Some(profile) = baseline.profile {
        document["profile"] = value(profile.name());
    }
    let entries = document.entry("expect").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let entries = entries
        .as_array_of_tables_mut()
        .with_context(|| format!("{}: 'expect' must be written as [[expect]]", place()))?;

    let mut updated = Updated::default();
    let stale = baseline.stale(results, extent);
    for (index, table) in entries.iter_mut().enumerate() {
        let kept = baseline.entries.get(index).filter(|_| !stale.contains(&index));
        if let (Some(entry), Some(usage)) = (kept, results.usage.get(&EntryKey { entry: index })) {
            updated.narrowed += usize::from(narrow(table, entry, usage, extent));
        }
    }
    for index in stale.into_iter().rev() {
        entries.remove(index);
        updated.removed += 1;
    }
    for table in new_entries(results) {
        entries.push(table);
        updated.added += 1;
    }
    if entries.is_empty() {
        document.remove("expect");
    }
    output.commit(format!("{title}{document}"))?;
    Ok(updated)
}

/// Narrows an entry that rules out tests that passed. Returns whether it changed.
fn narrow(table: &mut Table, entry: &Entry, usage: &Usage, extent: &Extent) -> bool {
    if usage.passed.is_empty() || entry.share != BaselineShare::All {
        return false;
    }
    match &entry.tests {
        // A test that passes here may fail where a reduced run did not ask.
        Some(tests) if entry.is_within(extent) => {
            let left = tests.iter().filter(|id| !usage.passed.contains(*id));
            table["tests"] = value(left.map(String::as_str).collect::<Array>());
        }
        _ => table["share"] = value("some"),
    }
    true
}

/// What the tests of one entry have in common, except their dtypes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// The same as in [`super::Entry`].
    suite: Option<Suite>,
    /// `None` if whole requests failed.
    clause: Option<String>,
    verdict: Verdict,
    attributes: Attributes,
    opsets: BTreeSet<u32>,
    all: bool,
}

/// Returns entries for the unexpected failures. Pairs whose failures agree in everything else share
/// an entry.
fn new_entries(results: &Results) -> Vec<Table> {
    let mut by_pair: BTreeMap<_, (BTreeSet<u32>, bool)> = BTreeMap::new();
    for (key, surprise) in &results.surprises {
        let Asked { opset, from, to, attributes, .. } = key.asked;
        for verdict in Verdict::BAD.into_iter().filter(|&bad| surprise.unexpected.of(bad) > 0) {
            let suite = suite_of(key, verdict, results);
            let place = (suite, key.clause.clone(), verdict, attributes, from, to);
            let (opsets, all) = by_pair.entry(place).or_insert_with(|| (BTreeSet::new(), true));
            opsets.extend(opset);
            let like = in_suite(Suite::OnnxCastlike, key, results).filter(|_| suite.is_none());
            *all &= surprise.counts.good() + like.map_or(0, |it| it.counts.good()) == 0;
        }
    }
    let mut by_target: BTreeMap<(Kind, Side), BTreeSet<Side>> = BTreeMap::new();
    for ((suite, clause, verdict, attributes, from, to), (opsets, all)) in by_pair {
        let kind = Kind { suite, clause, verdict, attributes, opsets, all };
        by_target.entry((kind, to)).or_default().insert(from.into());
    }
    let mut blocks: BTreeMap<(Kind, BTreeSet<Side>), BTreeSet<Side>> = BTreeMap::new();
    for ((kind, to), from) in by_target {
        blocks.entry((kind, from)).or_default().insert(to);
    }
    let tests = blocks.iter().map(|((kind, from), to)| table(kind, from, to));
    tests.chain(new_places(results)).collect()
}

/// Returns entries for findings of places and of codes beyond the vectors. Requests of one pair and
/// place share an entry. Entries for codes beyond the vectors name their rule.
fn new_places(results: &Results) -> Vec<Table> {
    let unexpected = results.misplaced.iter().filter(|found| found.known.is_none());
    let pairs: BTreeSet<_> = unexpected
        .map(|found| {
            let clause = found.clause.as_ref().filter(|_| found.place == Place::BeyondVectors);
            (found.asked.suite, found.asked.from, found.asked.to, &found.place, clause)
        })
        .collect();
    let entries = pairs.into_iter().map(|(suite, from, to, place, clause)| {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        if suite != Suite::OnnxCast {
            table["suite"] = value(suite.name());
        }
        table["from"] = value(from.name());
        table["to"] = value(to.to_string());
        table["place"] = value(place.to_string());
        if let Some(clause) = clause {
            table["clause"] = value(clause);
        }
        table["reason"] = value(NOT_REVIEWED);
        table
    });
    entries.collect()
}

/// Returns the suite that an entry names. An entry that names none covers `Cast` and `CastLike`.
fn suite_of(key: &SurpriseKey, verdict: Verdict, results: &Results) -> Option<Suite> {
    let cast_too =
        || in_suite(Suite::OnnxCast, key, results).is_some_and(|it| it.unexpected.of(verdict) > 0);
    match key.asked.suite {
        Suite::OnnxCast => None,
        Suite::OnnxCastlike if cast_too() => None,
        suite => Some(suite),
    }
}

/// Returns the surprise of the same request in another suite.
fn in_suite<'a>(suite: Suite, key: &SurpriseKey, results: &'a Results) -> Option<&'a Surprise> {
    let asked = Asked { suite, ..key.asked };
    results.surprises.get(&SurpriseKey { asked, clause: key.clause.clone() })
}

fn table(kind: &Kind, from: &BTreeSet<Side>, to: &BTreeSet<Side>) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    if let Some(suite) = kind.suite {
        table["suite"] = value(suite.name());
    }
    if kind.verdict != Verdict::Fail {
        table["verdict"] = value(kind.verdict.name());
    }
    table["from"] = sides(from);
    table["to"] = sides(to);
    if kind.suite.is_none_or(has_versions) {
        let opsets = kind.opsets.iter().map(|&opset| i64::from(opset));
        table["opsets"] = value(opsets.collect::<Array>());
        table["attributes"] = value(attributes(kind.attributes));
    }
    if let Some(clause) = &kind.clause {
        table["clause"] = value(clause);
    }
    if !kind.all {
        table["share"] = value("some");
    }
    table["reason"] = value(NOT_REVIEWED);
    table
}

fn sides(sides: &BTreeSet<Side>) -> Item {
    match sides.first() {
        Some(one) if sides.len() == 1 => value(one.to_string()),
        _ => value(sides.iter().map(Side::to_string).collect::<Array>()),
    }
}

fn attributes(attributes: Attributes) -> InlineTable {
    let mut table = InlineTable::new();
    if let Some(on) = attributes.saturate {
        table.insert("saturate", i64::from(on).into());
    }
    if let Some(mode) = attributes.round_mode {
        table.insert("roundMode", mode.name().into());
    }
    table
}
