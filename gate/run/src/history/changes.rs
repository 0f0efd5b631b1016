//! What two versions of a runtime answer otherwise.

use super::version::{Judged, Version, VersionAnswers, VersionlessCast};
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_vectors::{Attributes, DType, Hex};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How an answer changed. Tables have the kinds in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The cast was refused, and is carried out.
    New,
    /// The cast was carried out, and is refused.
    Gone,
    /// It was right or open, and is wrong.
    Broken,
    /// It was wrong, and is right.
    Mended,
    /// It was wrong, and is wrong in another way.
    Wrong,
    /// Both are allowed.
    Open,
}

impl ChangeKind {
    /// Every kind.
    pub const ALL: [ChangeKind; 6] = [
        ChangeKind::New,
        ChangeKind::Gone,
        ChangeKind::Broken,
        ChangeKind::Mended,
        ChangeKind::Wrong,
        ChangeKind::Open,
    ];

    /// Says it in the words of a table. The page of answers has the same words, which a test of xtask holds.
    pub fn words(self) -> &'static str {
        match self {
            ChangeKind::Broken => "wrong since",
            ChangeKind::Mended => "right since",
            ChangeKind::Wrong => "wrong in another way",
            ChangeKind::Open => "both are allowed",
            ChangeKind::New => "new",
            ChangeKind::Gone => "refused since",
        }
    }
}

/// One input, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeExample {
    /// The source.
    pub from: DType,
    /// The target.
    pub to: DType,
    /// The code that is cast.
    pub input: Hex,
    /// What the older version gave.
    pub was: Hex,
    /// What the newer version gives.
    pub is: Hex,
    /// The rule that decides it.
    pub rule: String,
    /// The same in words: `float32 0x43e80000 (464) gave 0x7e (448), gives 0x7f (NaN)`.
    pub said: String,
}

/// What changed from one version to the next, of casts from each of some sources to each of some targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The version that changed it.
    pub version: String,
    /// How.
    pub kind: ChangeKind,
    /// The sources.
    pub from: Vec<DType>,
    /// The targets.
    pub to: Vec<DType>,
    /// The attributes with which it shows; empty for casts that are new or gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Attributes>,
    /// How many codes changed; 0 for casts that are new or gone.
    pub codes: u64,
    /// Of how many.
    pub of: u64,
    /// The code with the shortest decimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<ChangeExample>,
}

/// Returns what a newer version answers otherwise. Casts with the same kind of change share a row where they are each of
/// its sources to each of its targets, with each of its attributes.
pub fn changes(older: &Version, newer: &Version) -> Vec<Change> {
    let mut changes: Vec<Change> = moved(older, newer, ChangeKind::New);
    changes.extend(moved(newer, older, ChangeKind::Gone));
    let mut found = Vec::new();
    for (cast, now) in &newer.casts {
        let Some(before) = older.casts.get(cast) else { continue };
        for (kind, (codes, example)) in differing(*cast, before, now) {
            let &(from, to, attributes) = cast;
            found.push(Change {
                version: String::new(),
                kind,
                from: vec![from],
                to: vec![to],
                attributes: vec![attributes],
                codes,
                of: now.got.len() as u64,
                example: Some(example),
            });
        }
    }
    let found =
        joined(found, |it| (it.kind, it.to.clone(), it.attributes.clone()), |it| &mut it.from);
    let found =
        joined(found, |it| (it.kind, it.from.clone(), it.attributes.clone()), |it| &mut it.to);
    let found =
        joined(found, |it| (it.kind, it.from.clone(), it.to.clone()), |it| &mut it.attributes);
    changes.extend(found);
    changes.sort_by_key(|change| change.kind);
    for change in &mut changes {
        change.version.clone_from(&newer.name);
    }
    changes
}

/// Makes one change of those with the same key: what differs is gathered in one list.
fn joined<Key: Ord, Item: Clone>(
    changes: Vec<Change>,
    key: impl Fn(&Change) -> Key,
    list: impl Fn(&mut Change) -> &mut Vec<Item>,
) -> Vec<Change> {
    let mut joined: Vec<Change> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for mut change in changes {
        let Some(&place) = places.get(&key(&change)) else {
            places.insert(key(&change), joined.len());
            joined.push(change);
            continue;
        };
        let items = list(&mut change).clone();
        let known = &mut joined[place];
        list(known).extend(items);
        known.codes += change.codes;
        known.of += change.of;
        let is_shorter = |one: &ChangeExample, other: &ChangeExample| length(one) < length(other);
        if let (Some(one), Some(other)) = (&change.example, &known.example)
            && is_shorter(one, other)
        {
            known.example = change.example;
        }
    }
    joined
}

/// How many characters the decimal of an example has.
fn length(example: &ChangeExample) -> usize {
    words::value(example.from, example.input.value()).len()
}

/// Returns the codes of one cast whose result changed: how many, and one of them.
fn differing(
    (from, to, _): VersionlessCast,
    before: &VersionAnswers,
    now: &VersionAnswers,
) -> BTreeMap<ChangeKind, (u64, ChangeExample)> {
    let mut found: BTreeMap<ChangeKind, (u64, ChangeExample)> = BTreeMap::new();
    let (Some(then), Some(today)) = (Judged::of(before), Judged::of(now)) else { return found };
    for (&code, &is) in &now.got {
        let Some(&was) = before.got.get(&code).filter(|was| **was != is) else { continue };
        let is_wrong =
            (then.verdict(code, was) == Verdict::Fail, today.verdict(code, is) == Verdict::Fail);
        let kind = match is_wrong {
            (false, true) => ChangeKind::Broken,
            (true, false) => ChangeKind::Mended,
            (true, true) => ChangeKind::Wrong,
            (false, false) => ChangeKind::Open,
        };
        let example = ChangeExample {
            from,
            to,
            input: Hex::new(code, from),
            was: Hex::new(was, to),
            is: Hex::new(is, to),
            rule: today.draw.expectation(code).rule.to_string(),
            said: format!(
                "{from} {} gave {}, gives {}",
                words::value(from, code),
                words::value(to, was),
                words::value(to, is)
            ),
        };
        match found.get_mut(&kind) {
            None => {
                found.insert(kind, (1, example));
            }
            Some((codes, shortest)) => {
                *codes += 1;
                if length(&example) < length(shortest) {
                    *shortest = example;
                }
            }
        }
    }
    found
}

/// Returns the pairs that `after` casts and `before` does not: those of dtypes that are new as a whole, then others by
/// their sources.
fn moved(before: &Version, after: &Version, kind: ChangeKind) -> Vec<Change> {
    let pairs = |version: &Version| -> BTreeSet<(DType, DType)> {
        version.casts.keys().map(|&(from, to, _)| (from, to)).collect()
    };
    let (old, new) = (pairs(before), pairs(after));
    let dtypes = |pairs: &BTreeSet<(DType, DType)>| -> BTreeSet<DType> {
        pairs.iter().flat_map(|&(from, to)| [from, to]).collect()
    };
    let whole: BTreeSet<DType> = dtypes(&new).difference(&dtypes(&old)).copied().collect();
    let change = |from: Vec<DType>, to: Vec<DType>| Change {
        version: String::new(),
        kind,
        from,
        to,
        attributes: Vec::new(),
        codes: 0,
        of: 0,
        example: None,
    };
    let mut changes = Vec::new();
    if !whole.is_empty() {
        let whole: Vec<DType> = whole.iter().copied().collect();
        changes.push(change(whole.clone(), whole));
    }
    let mut by_target: BTreeMap<DType, Vec<DType>> = BTreeMap::new();
    for &(from, to) in new.difference(&old) {
        if !whole.contains(&from) && !whole.contains(&to) {
            by_target.entry(to).or_default().push(from);
        }
    }
    // Targets with the same sources share a row.
    let mut by_sources: BTreeMap<Vec<DType>, Vec<DType>> = BTreeMap::new();
    for (to, from) in by_target {
        by_sources.entry(from).or_default().push(to);
    }
    changes.extend(by_sources.into_iter().map(|(from, to)| change(from, to)));
    changes
}
