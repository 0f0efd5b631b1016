//! An answer of the binary form, read.

use super::super::parsed::fits;
use super::columns::{firsts, formulas, rules, tolerated};
use super::head::{Head, RuleSet, rule};
use super::numbers::{Cursor, checksum};
use super::{CHECKSUM, damaged};
use crate::book::Answer;
use crate::{Piece, Rules};

/// Reads the answer of an index, which the head must have. `bytes` is the whole book.
pub(super) fn answer(bytes: &[u8], head: &Head, index: usize) -> Result<Answer, String> {
    let part = &bytes[head.answers.range(index)];
    let (record, sum) = part.split_last_chunk::<CHECKSUM>().ok_or_else(|| damaged("the answer"))?;
    let mut cursor = Cursor::new(record);
    let widths = (|| Ok::<_, String>([cursor.number()?, cursor.number()?]))();
    let mut columns = [&[][..]; 4];
    let mut found = widths.is_ok();
    for (column, places) in columns.iter_mut().zip(&head.columns) {
        match cursor.index() {
            Ok(number) if number < places.len() => *column = &bytes[places.range(number)],
            _ => found = false,
        }
    }
    let [first, formula, tolerate, rule] = columns;
    if !found || checksum(&[record, first, formula, tolerate, rule]) != *sum {
        return Err(damaged("the answer"));
    }
    let [from_bits, to_bits] = widths?;
    if !(1..=64).contains(&from_bits) || !(1..=64).contains(&to_bits) || !cursor.is_empty() {
        return Err(format!("it is of {from_bits} to {to_bits} bits: give 1 to 64, and no more"));
    }
    let (from_bits, to_bits) = (from_bits as u32, to_bits as u32);
    let pieces = pieces(head, columns, (from_bits, to_bits))?;
    Ok(Answer { from_bits, to_bits, pieces })
}

/// Reads the pieces of four columns.
fn pieces(head: &Head, columns: [&[u8]; 4], widths: (u32, u32)) -> Result<Vec<Piece>, String> {
    let (greatest, mask) = (u64::MAX >> (64 - widths.0), u64::MAX >> (64 - widths.1));
    let [first, formula, tolerate, rule] = columns;
    let firsts = firsts(first)?;
    let formulas = formulas(formula)?;
    let tolerated = tolerated(tolerate, &formulas)?;
    let sets = rules(rule)?;
    let counts = [firsts.len(), formulas.len(), tolerated.len(), sets.len()];
    if counts != [firsts.len(); 4] {
        return Err(format!(
            "its columns have {counts:?} entries, and should have the same number"
        ));
    }
    if firsts.last().is_some_and(|&first| first > greatest) {
        return Err(format!("a piece begins beyond the greatest code {greatest:#x}"));
    }
    let mut known = Known { head, sets: Vec::new() };
    let mut pieces = Vec::with_capacity(firsts.len());
    for (place, ((formula, tolerate), set)) in
        formulas.into_iter().zip(tolerated).zip(sets).enumerate()
    {
        let first = firsts[place];
        let last = firsts.get(place + 1).map_or(greatest, |next| next - 1);
        let piece = Piece { first, last, formula, tolerate, rules: known.rules(set)? };
        if last < first || !fits(&piece, mask) {
            return Err(format!("the piece at {first:#x} is empty, or its codes are too wide"));
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

/// Sets of rules whose names were looked up; an answer has few.
struct Known<'a> {
    head: &'a Head,
    sets: Vec<(u64, Rules)>,
}

impl Known<'_> {
    fn rules(&mut self, set: u64) -> Result<Rules, String> {
        if let Some((_, rules)) = self.sets.iter().find(|(known, _)| *known == set) {
            return Ok(*rules);
        }
        let found = usize::try_from(set).ok().and_then(|set| self.head.rule_sets.get(set));
        let &(always, inexact, twice): &RuleSet =
            found.ok_or_else(|| format!("there is no set of rules {set}"))?;
        let one = |index| rule(&self.head.rules, index);
        let rules = Rules {
            rule: one(always)?,
            inexact: inexact.map(one).transpose()?,
            twice: twice.map(one).transpose()?,
        };
        self.sets.push((set, rules));
        Ok(rules)
    }
}
