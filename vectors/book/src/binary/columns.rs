//! The four columns of an answer: where its pieces begin, what is expected, what is tolerated, and the
//! rules. Each is a row of entries, one for each piece, written one after the other.
//!
//! An entry begins with a number of 1 or more. A 0 and a number n stand for the entry before them, n times
//! more. An entry that holds a difference is then applied again, so that codes in equal steps are one entry
//! and a count: the codes 4, 6, 8, 10, 12 are `01 08` (a code, 4 more than 0), `01 04` (2 more), `00 03`
//! (that three times more).

use super::super::record::{checked_practice, checked_shift};
use super::numbers::{Cursor, put_difference, put_number};
use castproof_vectors::{Formula, Outcome, Practice, Shift, Tolerate};

/// The most pieces of an answer, so that a foreign count cannot fill the memory.
const MOST: u64 = 1 << 20;

/// The first numbers of entries.
mod first {
    /// A code, by its difference from the code before.
    pub(super) const CODE: u64 = 1;
    pub(super) const ONE_OF: u64 = 2;
    pub(super) const ANY_NAN: u64 = 3;
    pub(super) const ANY: u64 = 4;
    pub(super) const REJECT: u64 = 5;
    /// Since the second version of the form. Flags take the numbers from 8 to 15.
    pub(super) const QUIET_NAN: u64 = 16;
    /// In the column of what is expected: a shift. Its three flags are added.
    pub(super) const SHIFT: u64 = 8;
    /// In the column of what is tolerated: nothing.
    pub(super) const NOTHING: u64 = 6;
    /// In the column of what is tolerated: any result of an inexact code is expected.
    pub(super) const ANY_IF_INEXACT: u64 = 7;
    /// In the column of what is tolerated: other ways to convert. Its three flags are added.
    pub(super) const PRACTICE: u64 = 8;
}

/// Writes entries as a column. Neighbours that are the same bytes become one with a count, where that is
/// shorter.
fn column(entries: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut entries = entries.peekable();
    while let Some(entry) = entries.next() {
        let mut more = 0;
        while entries.next_if_eq(&entry).is_some() {
            more += 1;
        }
        out.extend(&entry);
        let mut count = vec![0];
        put_number(&mut count, more);
        let again = entry.repeat(more as usize);
        out.extend(if count.len() < again.len() { count } else { again });
    }
    out
}

/// Reads the entries of a column, each by its first number, and hands each to `take`, as often as it counts.
fn entries<E>(
    column: &[u8],
    read: impl Fn(u64, &mut Cursor) -> Result<E, String>,
    mut take: impl FnMut(&E) -> Result<(), String>,
) -> Result<(), String> {
    let mut cursor = Cursor::new(column);
    let mut last: Option<E> = None;
    let mut count = 0u64;
    while !cursor.is_empty() {
        let times = match cursor.number()? {
            0 => cursor.number()?,
            first => {
                last = Some(read(first, &mut cursor)?);
                1
            }
        };
        count = count.saturating_add(times);
        if count > MOST {
            return Err(format!("it has more than {MOST} pieces"));
        }
        let entry = last.as_ref().ok_or("a column begins with a count")?;
        (0..times).try_for_each(|_| take(entry))?;
    }
    Ok(())
}

/// Writes the first codes of pieces: of each but the first, which begins at 0, the distance from the one
/// before.
pub(super) fn put_firsts(firsts: &[u64]) -> Vec<u8> {
    column(firsts.windows(2).map(|pair| {
        let mut entry = Vec::new();
        put_number(&mut entry, pair[1] - pair[0]);
        entry
    }))
}

pub(super) fn firsts(column: &[u8]) -> Result<Vec<u64>, String> {
    let mut firsts = vec![0u64];
    entries(
        column,
        |distance, _| Ok(distance),
        |distance| {
            let before = firsts[firsts.len() - 1];
            let first = before.checked_add(*distance);
            firsts.push(first.ok_or("a piece begins beyond 64 bits")?);
            Ok(())
        },
    )?;
    Ok(firsts)
}

/// Writes the sets of rules of pieces, by their indices.
pub(super) fn put_rules(sets: &[usize]) -> Vec<u8> {
    column(sets.iter().map(|&set| {
        let mut entry = Vec::new();
        put_number(&mut entry, set as u64 + 1);
        entry
    }))
}

pub(super) fn rules(column: &[u8]) -> Result<Vec<u64>, String> {
    let mut sets = Vec::new();
    entries(
        column,
        |first, _| Ok(first - 1),
        |&set| {
            sets.push(set);
            Ok(())
        },
    )?;
    Ok(sets)
}

/// What differences are taken from: the last code, and the origin and the base of the last shift. All are 0
/// at first.
#[derive(Default)]
struct Last {
    code: u64,
    origin: u64,
    base: u64,
}

/// An entry of the columns of what is expected and of what is tolerated.
enum Entry<T> {
    /// The code that is this far from the last one.
    Code(u64),
    /// A shift whose origin and base are this far from those of the last one.
    Shift(Shift),
    /// Something without a difference.
    Whole(T),
}

fn put_outcome(outcome: &Outcome, last: &mut Last) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    match outcome {
        Outcome::Code(code) => {
            put_number(&mut out, first::CODE);
            put_difference(&mut out, last.code, *code);
            last.code = *code;
        }
        Outcome::OneOf(codes) => {
            put_number(&mut out, first::ONE_OF);
            put_number(&mut out, codes.len() as u64);
            let mut before = 0;
            for &code in codes {
                put_difference(&mut out, before, code);
                before = code;
            }
        }
        Outcome::AnyNan => put_number(&mut out, first::ANY_NAN),
        Outcome::QuietNan => put_number(&mut out, first::QUIET_NAN),
        Outcome::Any => put_number(&mut out, first::ANY),
        Outcome::Reject => put_number(&mut out, first::REJECT),
        Outcome::Text(_) => return Err("a book holds no texts: leave casts to string out".into()),
    }
    Ok(out)
}

/// Reads an outcome without a difference.
fn outcome(kind: u64, cursor: &mut Cursor) -> Result<Outcome, String> {
    match kind {
        first::ONE_OF => {
            let mut code = 0u64;
            let codes = cursor.list(|cursor| {
                code = code.wrapping_add(cursor.difference()?);
                Ok(code)
            })?;
            Ok(Outcome::OneOf(codes))
        }
        first::ANY_NAN => Ok(Outcome::AnyNan),
        first::QUIET_NAN => Ok(Outcome::QuietNan),
        first::ANY => Ok(Outcome::Any),
        first::REJECT => Ok(Outcome::Reject),
        _ => Err(format!("an entry of the unknown kind {kind}")),
    }
}

/// Three flags as a number below 8.
fn flags(flags: [bool; 3]) -> u64 {
    (0..3).map(|bit| u64::from(flags[bit]) << bit).sum()
}

fn flag(kind: u64, bit: u32) -> bool {
    kind >> bit & 1 == 1
}

/// Writes what is expected of pieces.
pub(super) fn put_formulas<'a>(
    formulas: impl Iterator<Item = &'a Formula>,
) -> Result<Vec<u8>, String> {
    let mut last = Last::default();
    let entry = |formula: &Formula| {
        let shift = match formula {
            Formula::Constant(outcome) => return put_outcome(outcome, &mut last),
            Formula::Shift(shift) => shift,
        };
        let mut out = Vec::new();
        let &Shift { origin, descending, bits, nearest, base, subtract } = shift;
        put_number(&mut out, first::SHIFT + flags([descending, nearest, subtract]));
        put_difference(&mut out, 0, i64::from(bits).cast_unsigned());
        put_difference(&mut out, last.origin, origin);
        put_difference(&mut out, last.base, base);
        (last.origin, last.base) = (origin, base);
        Ok(out)
    };
    Ok(column(formulas.map(entry).collect::<Result<Vec<_>, String>>()?.into_iter()))
}

pub(super) fn formulas(column: &[u8]) -> Result<Vec<Formula>, String> {
    let read = |kind, cursor: &mut Cursor| match kind {
        first::CODE => cursor.difference().map(Entry::Code),
        first::SHIFT..=15 => {
            let bits = cursor.difference()?.cast_signed();
            let bits = i32::try_from(bits).map_err(|_| format!("a shift of {bits} bits"))?;
            checked_shift(Shift {
                origin: cursor.difference()?,
                descending: flag(kind, 0),
                bits,
                nearest: flag(kind, 1),
                base: cursor.difference()?,
                subtract: flag(kind, 2),
            })
            .map(Entry::Shift)
        }
        _ => outcome(kind, cursor).map(Entry::Whole),
    };
    let (mut last, mut formulas) = (Last::default(), Vec::new());
    entries(column, read, |entry| {
        formulas.push(match entry {
            Entry::Code(difference) => {
                last.code = last.code.wrapping_add(*difference);
                Formula::Constant(Outcome::Code(last.code))
            }
            Entry::Shift(shift) => {
                last.origin = last.origin.wrapping_add(shift.origin);
                last.base = last.base.wrapping_add(shift.base);
                Formula::Shift(Shift { origin: last.origin, base: last.base, ..*shift })
            }
            Entry::Whole(outcome) => Formula::Constant(outcome.clone()),
        });
        Ok(())
    })?;
    Ok(formulas)
}

/// Writes what is tolerated of pieces.
pub(super) fn put_tolerated<'a>(
    tolerated: impl Iterator<Item = &'a Tolerate>,
) -> Result<Vec<u8>, String> {
    let mut last = Last::default();
    let entry = |tolerate: &Tolerate| {
        let mut out = Vec::new();
        match tolerate {
            Tolerate::Uniform(Some(outcome)) => return put_outcome(outcome, &mut last),
            Tolerate::Uniform(None) => put_number(&mut out, first::NOTHING),
            Tolerate::AnyIfInexact => put_number(&mut out, first::ANY_IF_INEXACT),
            &Tolerate::Practice(Practice { truncated, tie, flushed, twice }) => {
                put_number(&mut out, first::PRACTICE + flags([truncated, tie, flushed]));
                put_number(&mut out, u64::from(twice.unwrap_or(0)));
            }
        }
        Ok(out)
    };
    Ok(column(tolerated.map(entry).collect::<Result<Vec<_>, String>>()?.into_iter()))
}

/// Reads what is tolerated of pieces with these formulas.
pub(super) fn tolerated(column: &[u8], formulas: &[Formula]) -> Result<Vec<Tolerate>, String> {
    let read = |kind, cursor: &mut Cursor| match kind {
        first::CODE => cursor.difference().map(Entry::Code),
        first::NOTHING => Ok(Entry::Whole(Tolerate::Uniform(None))),
        first::ANY_IF_INEXACT => Ok(Entry::Whole(Tolerate::AnyIfInexact)),
        first::PRACTICE..=15 => {
            let twice = cursor.number()?;
            let bits = u32::try_from(twice).map_err(|_| format!("twice is {twice}"))?;
            Ok(Entry::Whole(Tolerate::Practice(Practice {
                truncated: flag(kind, 0),
                tie: flag(kind, 1),
                flushed: flag(kind, 2),
                twice: (bits > 0).then_some(bits),
            })))
        }
        _ => outcome(kind, cursor).map(|it| Entry::Whole(Tolerate::Uniform(Some(it)))),
    };
    let (mut last, mut tolerated) = (0u64, Vec::new());
    entries(column, read, |entry| {
        let tolerate = match entry {
            Entry::Code(difference) => {
                last = last.wrapping_add(*difference);
                Tolerate::Uniform(Some(Outcome::Code(last)))
            }
            Entry::Whole(whole) => whole.clone(),
            Entry::Shift(_) => return Err("a shift is tolerated".into()),
        };
        match (&tolerate, formulas.get(tolerated.len())) {
            (_, None) => return Err("more is tolerated than is expected".into()),
            (&Tolerate::Practice(practice), Some(formula)) => {
                checked_practice(practice, formula)?;
            }
            (Tolerate::AnyIfInexact, Some(Formula::Constant(_))) => {
                return Err("a constant result is open where it is not exact".into());
            }
            _ => {}
        }
        tolerated.push(tolerate);
        Ok(())
    })?;
    Ok(tolerated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_are_one_entry_with_a_count() {
        let constant = |code| Formula::Constant(Outcome::Code(code));
        let all = [4, 6, 8, 10, 12].map(constant);
        let column = put_formulas(all.iter()).expect("codes");
        assert_eq!(column, [1, 8, 1, 4, 0, 3]);
        assert_eq!(formulas(&column).expect("codes"), all);
        assert_eq!(put_firsts(&[0, 1, 2, 3, 4, 9]), [1, 0, 3, 5]);
        assert_eq!(firsts(&[1, 0, 3, 5]), Ok(vec![0, 1, 2, 3, 4, 9]));
        assert_eq!(firsts(&[]), Ok(vec![0]));
    }

    #[test]
    fn every_entry_is_read_as_it_is_written() {
        let shift = |origin, bits, nearest, base| {
            let (descending, subtract) = (base > 4, origin > 4);
            Formula::Shift(Shift { origin, descending, bits, nearest, base, subtract })
        };
        let outcomes = [
            Outcome::Code(u64::MAX),
            Outcome::OneOf(vec![3, 1 << 63]),
            Outcome::AnyNan,
            Outcome::QuietNan,
            Outcome::Any,
            Outcome::Reject,
            Outcome::Code(0),
        ];
        let shifts = [shift(0, 63, true, 9), shift(1 << 63, -63, false, 3), shift(5, 4, true, 0)];
        let all: Vec<Formula> =
            outcomes.clone().map(Formula::Constant).into_iter().chain(shifts.clone()).collect();
        let column = put_formulas(all.iter()).expect("no text");
        assert_eq!(formulas(&column).expect("formulas"), all);
        let all: Vec<Tolerate> = outcomes.map(|it| Tolerate::Uniform(Some(it))).to_vec();
        let column = put_tolerated(all.iter()).expect("no text");
        let beside = vec![shifts[0].clone(); all.len()];
        assert_eq!(tolerated(&column, &beside).expect("outcomes"), all);
        let twice = Practice { twice: Some(62), tie: true, ..Practice::default() };
        let all = [twice, Practice { flushed: true, truncated: true, ..Practice::default() }];
        let mut all = all.map(Tolerate::Practice).to_vec();
        all.extend([Tolerate::Uniform(None), Tolerate::AnyIfInexact, Tolerate::AnyIfInexact]);
        let column = put_tolerated(all.iter()).expect("no text");
        assert_eq!(tolerated(&column, &beside).expect("ways"), all);
        assert!(tolerated(&column, &beside[..4]).is_err());
    }

    #[test]
    fn a_count_cannot_fill_the_memory() {
        let mut column = vec![1, 0];
        put_number(&mut column, u64::MAX);
        assert_eq!(firsts(&column), Err(format!("it has more than {MOST} pieces")));
        assert_eq!(firsts(&[0, 1]), Err("a column begins with a count".into()));
        assert!(firsts(&[0xff]).is_err(), "it is cut off");
    }
}
