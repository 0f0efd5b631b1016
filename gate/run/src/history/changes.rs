//! What two versions of a runtime answer otherwise.

use super::{Answers, Cast, Judged, Version};
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_vectors::{Attributes, DType, Hex};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How an answer changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It was right or open, and is wrong.
    Broken,
    /// It was wrong, and is right.
    Mended,
    /// It was wrong, and is wrong in another way.
    Wrong,
    /// Both are allowed.
    Open,
    /// The cast was refused, and is carried out.
    New,
    /// The cast was carried out, and is refused.
    Gone,
}

impl Kind {
    /// Says it in the words of a table.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Broken => "wrong since",
            Kind::Mended => "right since",
            Kind::Wrong => "wrong in another way",
            Kind::Open => "both are allowed",
            Kind::New => "new",
            Kind::Gone => "refused since",
        }
    }
}

/// One input, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The source.
    pub from: DType,
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

/// What changed from one version to the next, of the casts to one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The version that changed it.
    pub version: String,
    /// How.
    pub kind: Kind,
    /// The sources.
    pub from: Vec<DType>,
    /// The targets: one, unless casts are new or gone.
    pub to: Vec<DType>,
    /// The attributes.
    #[serde(default)]
    pub attributes: Attributes,
    /// How many codes changed; 0 for casts that are new or gone.
    pub codes: u64,
    /// Of how many.
    pub of: u64,
    /// The code with the shortest decimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<Example>,
}

/// Returns what a newer version answers otherwise, by target.
pub fn changes(older: &Version, newer: &Version) -> Vec<Change> {
    let mut changes: Vec<Change> = moved(older, newer, Kind::New);
    changes.extend(moved(newer, older, Kind::Gone));
    let mut by_target: BTreeMap<(DType, Attributes, Kind), Change> = BTreeMap::new();
    for (cast, now) in &newer.casts {
        let Some(before) = older.casts.get(cast) else { continue };
        for (kind, (codes, example)) in differing(*cast, before, now) {
            let &(from, to, attributes) = cast;
            let change = by_target.entry((to, attributes, kind)).or_insert_with(|| Change {
                version: newer.name.clone(),
                kind,
                from: Vec::new(),
                to: vec![to],
                attributes,
                codes: 0,
                of: 0,
                example: None,
            });
            change.from.push(from);
            change.codes += codes;
            change.of += now.got.len() as u64;
            if change.example.as_ref().is_none_or(|known| length(&example) < length(known)) {
                change.example = Some(example);
            }
        }
    }
    changes.extend(by_target.into_values());
    for change in &mut changes {
        change.version.clone_from(&newer.name);
    }
    changes
}

/// How many characters the decimal of an example has.
fn length(example: &Example) -> usize {
    words::value(example.from, example.input.value()).len()
}

/// Returns the codes of one cast whose result changed: how many, and one of them.
fn differing(
    (from, to, _): Cast,
    before: &Answers,
    now: &Answers,
) -> BTreeMap<Kind, (u64, Example)> {
    let mut found: BTreeMap<Kind, (u64, Example)> = BTreeMap::new();
    let (Some(then), Some(today)) = (Judged::of(before), Judged::of(now)) else { return found };
    for (&code, &is) in &now.got {
        let Some(&was) = before.got.get(&code).filter(|was| **was != is) else { continue };
        let is_wrong =
            (then.verdict(code, was) == Verdict::Fail, today.verdict(code, is) == Verdict::Fail);
        let kind = match is_wrong {
            (false, true) => Kind::Broken,
            (true, false) => Kind::Mended,
            (true, true) => Kind::Wrong,
            (false, false) => Kind::Open,
        };
        let example = Example {
            from,
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
fn moved(before: &Version, after: &Version, kind: Kind) -> Vec<Change> {
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
        attributes: Attributes::default(),
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
