//! Writes a book in the binary form.

use super::columns::{put_firsts, put_formulas, put_rules, put_tolerated};
use super::form::BINARY_FORMAT;
use super::numbers::{checksum, put_difference, put_number, put_text};
use crate::{Contents, RequestRecord, SourceAnswer};
use castproof_vectors::{Attributes, DType, RuleId, Rules};
use std::collections::HashMap;
use std::hash::Hash;

/// Things that are written once each and named by their index, in the order in which they came up.
struct Table<T> {
    places: HashMap<T, usize>,
    all: Vec<T>,
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn new() -> Table<T> {
        Table { places: HashMap::new(), all: Vec::new() }
    }

    /// Returns the index of a thing.
    fn index(&mut self, thing: T) -> usize {
        if let Some(&place) = self.places.get(&thing) {
            return place;
        }
        self.all.push(thing.clone());
        self.places.insert(thing, self.all.len() - 1);
        self.all.len() - 1
    }

    /// Appends the list of all things.
    fn put(&self, out: &mut Vec<u8>, entry: impl Fn(&mut Vec<u8>, &T)) {
        put_number(out, self.all.len() as u64);
        self.all.iter().for_each(|thing| entry(out, thing));
    }
}

/// What the head lists.
struct Names {
    dtypes: Table<DType>,
    specs: Table<String>,
    attributes: Table<Attributes>,
    rules: Table<String>,
    spec_sets: Table<Vec<usize>>,
    attribute_sets: Table<Vec<usize>>,
    /// Numbers as the head writes them: 0 for no rule.
    rule_sets: Table<[usize; 3]>,
    kinds: Table<[usize; 3]>,
}

/// Writes a book in the binary form. The same contents give the same bytes.
///
/// # Errors
/// If it holds a text, or the requests of a pair do not stand together.
pub fn encode(contents: &Contents) -> Result<Vec<u8>, String> {
    let mut names = Names {
        dtypes: Table::new(),
        specs: Table::new(),
        attributes: Table::new(),
        rules: Table::new(),
        spec_sets: Table::new(),
        attribute_sets: Table::new(),
        rule_sets: Table::new(),
        kinds: Table::new(),
    };
    let pairs = rows(&contents.requests, &mut names)?;
    let mut columns: [Table<Vec<u8>>; 4] = std::array::from_fn(|_| Table::new());
    let mut answers = Vec::with_capacity(contents.answers.len());
    for (index, answer) in contents.answers.iter().enumerate() {
        let written = put_answer(answer, &mut columns, &mut names);
        answers.push(written.map_err(|problem| format!("answer {index}: {problem}"))?);
    }
    let head = head(&names, &pairs, &columns, &answers);
    let mut out = format!("{BINARY_FORMAT}\n").into_bytes();
    put_number(&mut out, head.len() as u64);
    out.extend(&head);
    out.extend(checksum(&[&head]));
    pairs.iter().for_each(|(.., rows)| out.extend(rows));
    columns.iter().flat_map(|table| &table.all).for_each(|column| out.extend(column));
    answers.iter().for_each(|answer| out.extend(answer));
    out.extend(checksum(&[&out]));
    Ok(out)
}

/// Returns each pair with the bytes of its rows.
fn rows(
    requests: &[RequestRecord],
    names: &mut Names,
) -> Result<Vec<(usize, usize, Vec<u8>)>, String> {
    let mut pairs: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for rows in requests.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)) {
        let (from, to) = (rows[0].from, rows[0].to);
        let pair = (names.dtypes.index(from), names.dtypes.index(to));
        if pairs.iter().any(|(from, to, _)| (*from, *to) == pair) {
            return Err(format!("the requests of {from} to {to} do not stand together"));
        }
        let (mut bytes, mut before) = (Vec::new(), 0);
        for row in rows {
            put_number(&mut bytes, names.kind(row) as u64);
            put_difference(&mut bytes, before, row.answer as u64);
            before = row.answer as u64;
        }
        bytes.extend(checksum(&[&bytes]));
        pairs.push((pair.0, pair.1, bytes));
    }
    Ok(pairs)
}

impl Names {
    /// Returns the index of the kind of a row.
    fn kind(&mut self, row: &RequestRecord) -> usize {
        let specs = row.specs.iter().map(|spec| self.specs.index(spec.clone())).collect();
        let sets = row.attributes.iter().map(|set| self.attributes.index(*set)).collect();
        let rule = row.rule.as_ref().map_or(0, |rule| self.rules.index(rule.clone()) + 1);
        let kind = [self.spec_sets.index(specs), self.attribute_sets.index(sets), rule];
        self.kinds.index(kind)
    }

    /// Returns the index of a set of rules.
    fn rule_set(&mut self, rules: Rules) -> usize {
        let Rules { rule, inexact, twice } = rules;
        let mut one = |rule: RuleId| self.rules.index(rule.to_string());
        let always = one(rule);
        let [inexact, twice] = [inexact, twice].map(|rule| rule.map_or(0, |rule| one(rule) + 1));
        self.rule_sets.index([always, inexact, twice])
    }
}

/// Returns the bytes of an answer, whose columns are put into the tables.
fn put_answer(
    answer: &SourceAnswer,
    tables: &mut [Table<Vec<u8>>; 4],
    names: &mut Names,
) -> Result<Vec<u8>, String> {
    let SourceAnswer { from_bits, to_bits, pieces } = answer;
    let firsts: Vec<u64> = pieces.iter().map(|piece| piece.first).collect();
    let sets: Vec<usize> = pieces.iter().map(|piece| names.rule_set(piece.rules)).collect();
    let columns = [
        put_firsts(&firsts),
        put_formulas(pieces.iter().map(|piece| &piece.formula))?,
        put_tolerated(pieces.iter().map(|piece| &piece.tolerate))?,
        put_rules(&sets),
    ];
    let mut record = Vec::new();
    put_number(&mut record, u64::from(*from_bits));
    put_number(&mut record, u64::from(*to_bits));
    for (table, column) in tables.iter_mut().zip(&columns) {
        put_number(&mut record, table.index(column.clone()) as u64);
    }
    let [first, formula, tolerate, rule] = &columns;
    let sum = checksum(&[&record, first, formula, tolerate, rule]);
    record.extend(sum);
    Ok(record)
}

fn head(
    names: &Names,
    pairs: &[(usize, usize, Vec<u8>)],
    columns: &[Table<Vec<u8>>; 4],
    answers: &[Vec<u8>],
) -> Vec<u8> {
    let mut out = Vec::new();
    let numbers = |out: &mut Vec<u8>, numbers: &[usize]| {
        numbers.iter().for_each(|&number| put_number(out, number as u64));
    };
    let set = |out: &mut Vec<u8>, set: &Vec<usize>| {
        put_number(out, set.len() as u64);
        numbers(out, set);
    };
    names.dtypes.put(&mut out, |out, dtype| {
        put_text(out, dtype.name());
        put_number(out, u64::from(dtype.bits()));
    });
    names.specs.put(&mut out, |out, spec| put_text(out, spec));
    names.attributes.put(&mut out, |out, set| put_text(out, &set.to_string()));
    names.rules.put(&mut out, |out, rule| put_text(out, rule));
    names.spec_sets.put(&mut out, set);
    names.attribute_sets.put(&mut out, set);
    names.rule_sets.put(&mut out, |out, set| numbers(out, set));
    names.kinds.put(&mut out, |out, kind| numbers(out, kind));
    put_number(&mut out, pairs.len() as u64);
    pairs.iter().for_each(|(from, to, rows)| numbers(&mut out, &[*from, *to, rows.len()]));
    for table in columns {
        table.put(&mut out, |out, column| put_number(out, column.len() as u64));
    }
    put_number(&mut out, answers.len() as u64);
    answers.iter().for_each(|answer| put_number(&mut out, answer.len() as u64));
    out
}
