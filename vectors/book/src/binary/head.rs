//! The head of the binary form: every name once, and how long each part behind it is.
//!
//! It is a row of lists, each its number of entries and then these:
//!
//! ```text
//! dtypes         text, number: its name and its bits         "bool" 8
//! specs          text                                        "onnx-cast-28"
//! attributes     text: a set of attributes                   "saturate=0 round_mode=up", ""
//! rules          text                                        "FF-03"
//! sets of specs        list of numbers: indices of specs
//! sets of attributes   list of numbers: indices of attributes
//! sets of rules        three numbers: the rule, then the rule of inexact codes and that of rounding
//!                      twice, each 1 + the index of a rule, or 0 for none
//! kinds of rows        three numbers: which set of specs, which set of attributes, and the rule that
//!                      replaces those of the pieces (1 + its index, or 0)
//! pairs          three numbers: from, to (indices of dtypes), and the length of its rows
//! columns        four lists of numbers: the length of each column of firsts, formulas, tolerated, rules
//! answers        number: the length of each
//! ```
//!
//! Parts stand behind the head in the order of the last three, without gaps. Lengths of rows and of answers
//! count their checksums.

use super::super::row::Kind;
use super::form::{BINARY_FORMAT, CHECKSUM, FAMILY, FIRST_BINARY_FORMAT, damaged};
use super::numbers::{Cursor, checksum};
use castproof_vectors::{Attributes, DType, RoundMode, RuleId, Spec};
use std::ops::Range;
use std::sync::Arc;

/// The head, read.
pub(super) struct Head {
    pub(super) kinds: Vec<Arc<Kind>>,
    /// Names of rules.
    pub(super) rules: Vec<String>,
    /// What [`RuleSet`] says, by index.
    pub(super) rule_sets: Vec<RuleSet>,
    pub(super) pairs: Vec<(DType, DType)>,
    /// Where the rows of each pair stand.
    pub(super) rows: Places,
    /// Where the columns of each kind stand.
    pub(super) columns: [Places; 4],
    /// Where the answers stand.
    pub(super) answers: Places,
}

/// The rules of a piece, as indices of the list of rules: always, of inexact codes, of codes for which
/// rounding twice gives another result.
pub(super) type RuleSet = (usize, Option<usize>, Option<usize>);

/// Parts that stand one behind the other.
pub(super) struct Places {
    /// The end of each part; in front, the beginning of the first.
    ends: Vec<usize>,
}

impl Places {
    /// Places parts of these lengths from `start` on.
    fn new(start: usize, lengths: Vec<usize>) -> Result<Places, String> {
        let mut ends = vec![start];
        for length in lengths {
            let end = ends[ends.len() - 1].checked_add(length);
            ends.push(end.ok_or("its parts are longer than any file")?);
        }
        Ok(Places { ends })
    }

    fn end(&self) -> usize {
        self.ends[self.ends.len() - 1]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns the place of a part, if there is one of this number.
    pub(super) fn find(&self, number: u64) -> Option<Range<usize>> {
        let index = usize::try_from(number).ok().filter(|index| *index < self.len())?;
        Some(self.range(index))
    }

    /// Returns the place of a part. There must be one of this index.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        self.ends[index]..self.ends[index + 1]
    }
}

impl Head {
    /// Reads the head of a book. All parts that it names are within the bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Head, String> {
        let mut cursor = Cursor::new(bytes);
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if ![BINARY_FORMAT, FIRST_BINARY_FORMAT].map(str::as_bytes).contains(&line) {
            let other = String::from_utf8_lossy(&line[..line.len().min(FAMILY.len() + 8)]);
            return Err(format!(
                "its format is '{other}': give {FIRST_BINARY_FORMAT} or {BINARY_FORMAT}"
            ));
        }
        cursor.bytes(line.len() + 1)?;
        let cut = |_| damaged("its head");
        let length = cursor.index().map_err(cut)?;
        let head = cursor.bytes(length).map_err(cut)?;
        if checksum(&[head]) != cursor.bytes(CHECKSUM).map_err(cut)? {
            return Err(damaged("its head"));
        }
        let start = bytes.len() - cursor.left();
        let head = lists(&mut Cursor::new(head), start);
        let head = head.map_err(|problem| format!("its head: {problem}"))?;
        let due = head.answers.end().saturating_add(CHECKSUM);
        if due != bytes.len() {
            return Err(format!(
                "the book has {} bytes and should have {due}: get the book anew",
                bytes.len()
            ));
        }
        Ok(head)
    }
}

fn lists(cursor: &mut Cursor, start: usize) -> Result<Head, String> {
    let dtypes = cursor.list(dtype)?;
    let specs = cursor.list(|cursor| cursor.text()?.parse::<Spec>())?;
    let attributes = cursor.list(|cursor| attributes(cursor.text()?))?;
    let rules = cursor.list(|cursor| cursor.text().map(str::to_owned))?;
    let spec_sets = cursor.list(|cursor| cursor.list(|cursor| one(&specs, cursor.index()?)))?;
    let attribute_sets =
        cursor.list(|cursor| cursor.list(|cursor| one(&attributes, cursor.index()?)))?;
    let rule_sets = cursor.list(|cursor| {
        Ok((cursor.index()?, cursor.index()?.checked_sub(1), cursor.index()?.checked_sub(1)))
    })?;
    let kinds = cursor.list(|cursor| {
        let specs = one(&spec_sets, cursor.index()?)?;
        let attributes = one(&attribute_sets, cursor.index()?)?;
        let rule = cursor.index()?.checked_sub(1).map(|index| rule(&rules, index)).transpose()?;
        Ok(Arc::new(Kind { specs, attributes, rule }))
    })?;
    let pairs = cursor.list(|cursor| {
        let (from, to) = (one(&dtypes, cursor.index()?)?, one(&dtypes, cursor.index()?)?);
        Ok(((from, to), cursor.index()?))
    })?;
    let (pairs, lengths): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let rows = Places::new(start, lengths)?;
    let mut end = rows.end();
    let mut places = || -> Result<Places, String> {
        let places = Places::new(end, cursor.list(Cursor::index)?)?;
        end = places.end();
        Ok(places)
    };
    let columns = [places()?, places()?, places()?, places()?];
    let answers = places()?;
    if !cursor.is_empty() {
        return Err("it has more than its lists".into());
    }
    Ok(Head { kinds, rules, rule_sets, pairs, rows, columns, answers })
}

fn one<T: Clone>(all: &[T], index: usize) -> Result<T, String> {
    all.get(index).cloned().ok_or_else(|| format!("it has no name {index}"))
}

/// Returns the rule of an index of the list of rules.
pub(super) fn rule(rules: &[String], index: usize) -> Result<RuleId, String> {
    rules.get(index).ok_or_else(|| format!("it has no rule {index}"))?.parse()
}

fn dtype(cursor: &mut Cursor) -> Result<DType, String> {
    let dtype: DType = cursor.text()?.parse()?;
    match cursor.number()? {
        bits if bits == u64::from(dtype.bits()) => Ok(dtype),
        bits => Err(format!("{dtype} has {bits} bits: it has {}", dtype.bits())),
    }
}

/// Reads a set of attributes as [`Attributes`] are displayed.
fn attributes(text: &str) -> Result<Attributes, String> {
    let mut set = Attributes::default();
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some(("saturate", "0")) => set.saturate = Some(false),
            Some(("saturate", "1")) => set.saturate = Some(true),
            Some(("round_mode", mode)) => set.round_mode = Some(mode.parse::<RoundMode>()?),
            _ => return Err(format!("the attributes '{text}' are unknown")),
        }
    }
    Ok(set)
}
