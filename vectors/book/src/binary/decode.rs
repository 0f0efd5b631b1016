//! An answer of the binary form, read.

use super::super::parsed::fits;
use super::columns::{firsts, formulas, rules, tolerated};
use super::form::{CHECKSUM, damaged};
use super::head::{Head, RuleSet, rule};
use super::numbers::{Cursor, checksum};
use crate::SourceAnswer;
use castproof_vectors::{Piece, Rules};

/// Reads the answer of an index, which the head must have. `bytes` is the whole book.
pub(super) fn answer(bytes: &[u8], head: &Head, index: usize) -> Result<SourceAnswer, String> {
    let damage = || damaged("the answer");
    let part = &bytes[head.answers.range(index)];
    let (record, sum) = part.split_last_chunk::<CHECKSUM>().ok_or_else(damage)?;
    // A record that is no six numbers, or names a column that is not there, has no checksum that could be right.
    let [from_bits, to_bits, which @ ..] = numbers(record).map_err(|_| damage())?;
    let mut columns = [&[][..]; 4];
    for ((column, places), which) in columns.iter_mut().zip(&head.columns).zip(which) {
        *column = &bytes[places.find(which).ok_or_else(damage)?];
    }
    let [first, formula, tolerate, rule] = columns;
    if checksum(&[record, first, formula, tolerate, rule]) != *sum {
        return Err(damage());
    }
    let width = |bits| {
        let width = u32::try_from(bits).ok().filter(|width| (1..=64).contains(width));
        width.ok_or_else(|| format!("it is of codes of {bits} bits: give 1 to 64"))
    };
    let (from_bits, to_bits) = (width(from_bits)?, width(to_bits)?);
    let pieces = pieces(head, columns, (from_bits, to_bits))?;
    Ok(SourceAnswer { from_bits, to_bits, pieces })
}

/// Reads the six numbers of a record.
fn numbers(record: &[u8]) -> Result<[u64; 6], String> {
    let mut cursor = Cursor::new(record);
    let mut numbers = [0; 6];
    for number in &mut numbers {
        *number = cursor.number()?;
    }
    Ok(numbers)
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
