//! The binary form of the book, `castproof-book-binary/2`. A program looks up in it what it is asked, and
//! reads nothing else: a head of some kilobytes, the rows of one pair, one answer.
//!
//! ```text
//! "castproof-book-binary/2\n"
//! head       number of bytes, bytes, checksum    [`head`]: names, and how long each part below is
//! rows       of each pair, with a checksum       which request has which answer
//! columns    of each of four kinds               [`columns`]: what pieces consist of, each column once
//! answers    each with a checksum                the four columns of an answer
//! checksum   of all bytes above
//! ```
//!
//! The checksum of an answer covers its columns too. Every byte that something is read from is under a checksum that is
//! compared when it is read; [`Binary::check`] compares that of the whole file.
//!
//! By example, a book whose only answer is one of 8 bits to 16: 0 at 0x00, a shift by -7 bits from the base 0x3f00 at
//! 0x01, any value from 0x02 on. Its columns and its answer are:
//!
//! ```text
//! 01 01                firsts: pieces at 0, 0 + 1, 1 + 1
//! 01 00                formulas: the code 0 + 0
//! 08 0d 00 80 fc 01    a shift without flags: -7 bits, origin 0 + 0, base 0 + 0x3f00
//! 04                   any
//! 06 06 06             tolerated: nothing, three times
//! 01 01 01             rules: the first set of rules, three times
//! 08 10 00 00 00 00    the record: 8 bits, 16 bits, the first column of each kind
//! 19 41 f9 32          the checksum of the record and the four columns
//! ```
//!
//! docs/formats.md describes every byte. [`encode`] writes the form, [`decode`] reads an answer.

mod columns;
mod decode;
mod encode;
mod form;
mod head;
mod numbers;

pub use encode::encode;
pub(super) use form::FAMILY;
pub use form::{BINARY_FORMAT, FIRST_BINARY_FORMAT};

use super::contents::SourceAnswer;
use super::parsed::suits;
use super::row::Row;
use castproof_vectors::DType;
use form::{CHECKSUM, damaged};
use head::Head;
use numbers::{Cursor, checksum};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A book in the binary form.
pub(super) struct Binary {
    bytes: Cow<'static, [u8]>,
    head: Head,
    /// The index of each pair.
    places: HashMap<(DType, DType), usize>,
    /// What was read, by pair and by answer.
    rows: Vec<OnceLock<Vec<Row>>>,
    answers: Vec<OnceLock<SourceAnswer>>,
}

impl Binary {
    /// Reads the head.
    pub(super) fn open(bytes: Cow<'static, [u8]>) -> Result<Binary, String> {
        let head = Head::read(&bytes)?;
        let places = head.pairs.iter().enumerate().map(|(place, pair)| (*pair, place)).collect();
        let rows = head.pairs.iter().map(|_| OnceLock::new()).collect();
        let answers = (0..head.answers.len()).map(|_| OnceLock::new()).collect();
        Ok(Binary { bytes, head, places, rows, answers })
    }

    /// Reads everything.
    pub(super) fn check(&self) -> Result<(), String> {
        let (all, sum) = self.bytes.split_at(self.bytes.len() - CHECKSUM);
        if checksum(&[all]) != sum {
            return Err(damaged("the whole book"));
        }
        for &(from, to) in &self.head.pairs {
            for row in self.rows(from, to)? {
                suits(self.answer(row.answer)?, row.answer, from, to)?;
            }
        }
        (0..self.answers.len()).try_for_each(|index| self.answer(index).map(|_| ()))
    }

    pub(super) fn pairs(&self) -> Vec<(DType, DType)> {
        self.head.pairs.clone()
    }

    pub(super) fn number_of_answers(&self) -> usize {
        self.answers.len()
    }

    /// Returns the rows of a pair: none, if the book does not hold it.
    pub(super) fn rows(&self, from: DType, to: DType) -> Result<&[Row], String> {
        let Some(&place) = self.places.get(&(from, to)) else { return Ok(&[]) };
        let slot = &self.rows[place];
        if let Some(rows) = slot.get() {
            return Ok(rows);
        }
        let what = || format!("the requests of {from} to {to}");
        let bytes = self.whole(self.head.rows.range(place), what)?;
        let rows = self.read_rows(bytes).map_err(|problem| format!("{}: {problem}", what()))?;
        Ok(slot.get_or_init(|| rows))
    }

    fn read_rows(&self, bytes: &[u8]) -> Result<Vec<Row>, String> {
        let mut cursor = Cursor::new(bytes);
        let (mut rows, mut answer) = (Vec::new(), 0u64);
        while !cursor.is_empty() {
            let kind = cursor.index()?;
            let kind = self.head.kinds.get(kind);
            let kind = Arc::clone(kind.ok_or("a row is of an unknown kind")?);
            answer = answer.wrapping_add(cursor.difference()?);
            let answer = usize::try_from(answer).unwrap_or(usize::MAX);
            rows.push(Row { kind, answer });
        }
        Ok(rows)
    }

    /// Returns an answer.
    pub(super) fn answer(&self, index: usize) -> Result<Option<&SourceAnswer>, String> {
        let Some(slot) = self.answers.get(index) else { return Ok(None) };
        if let Some(answer) = slot.get() {
            return Ok(Some(answer));
        }
        let what = |problem| format!("answer {index}: {problem}");
        let answer = decode::answer(&self.bytes, &self.head, index).map_err(what)?;
        Ok(Some(slot.get_or_init(|| answer)))
    }

    /// Returns the bytes of a part without the checksum at their end, which must be right.
    fn whole(&self, range: Range<usize>, what: impl Fn() -> String) -> Result<&[u8], String> {
        let part = self.bytes[range].split_last_chunk::<CHECKSUM>();
        match part {
            Some((bytes, sum)) if checksum(&[bytes]) == *sum => Ok(bytes),
            _ => Err(damaged(&what())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::BOOK_BYTES;
    use super::super::{Book, Contents, RequestRecord};
    use super::*;
    use castproof_vectors::random::Random;
    use castproof_vectors::{Attributes, Formula, Outcome, Piece, Rules, Shift, Tolerate};

    fn small() -> Contents {
        let piece = |first, last, formula| Piece {
            first,
            last,
            formula,
            tolerate: Tolerate::Uniform(None),
            rules: Rules { rule: castproof_vectors::rule::B_08, inexact: None, twice: None },
        };
        let shift = Shift {
            origin: 0,
            descending: false,
            bits: -7,
            nearest: false,
            base: 0x3f00,
            subtract: false,
        };
        let pieces = vec![
            piece(0, 0, Formula::Constant(Outcome::Code(0))),
            piece(1, 1, Formula::Shift(shift)),
            piece(2, 0xff, Formula::Constant(Outcome::Any)),
        ];
        let request = RequestRecord {
            specs: vec!["rust-as".into()],
            from: DType::Bool,
            to: DType::Bfloat16,
            attributes: vec![Attributes::default()],
            answer: 0,
            rule: None,
        };
        let answers = vec![SourceAnswer { from_bits: 8, to_bits: 16, pieces }];
        Contents { requests: vec![request], answers }
    }

    /// Puts right checksums into a book whose parts were changed, so that only what they say can be refused.
    fn seal(bytes: &mut [u8], head: &Head) {
        for place in 0..head.pairs.len() {
            let range = head.rows.range(place);
            let sum = checksum(&[&bytes[range.start..range.end - CHECKSUM]]);
            bytes[range.end - CHECKSUM..range.end].copy_from_slice(&sum);
        }
        for index in 0..head.answers.len() {
            let range = head.answers.range(index);
            let record = bytes[range.start..range.end - CHECKSUM].to_vec();
            let mut cursor = Cursor::new(&record);
            let mut parts: Vec<&[u8]> = vec![&record];
            let _ = (cursor.number(), cursor.number());
            for places in &head.columns {
                let place = cursor.number().ok().and_then(|which| places.find(which));
                parts.extend(place.map(|place| &bytes[place]));
            }
            let sum = checksum(&parts);
            bytes[range.end - CHECKSUM..range.end].copy_from_slice(&sum);
        }
        let end = bytes.len() - CHECKSUM;
        let sum = checksum(&[&bytes[..end]]);
        bytes[end..].copy_from_slice(&sum);
    }

    /// A foreign book may say anything under right checksums.
    #[test]
    fn a_sealed_book_that_says_nonsense_is_refused_or_read_without_panic() {
        let mut contents = Book::read(BOOK_BYTES).and_then(|book| book.contents()).expect("a book");
        contents.answers.truncate(60);
        contents.requests.retain(|request| request.answer < 60);
        let original = encode(&contents).expect("a book");
        let head = Head::read(&original).expect("a head");
        let parts = head.rows.range(0).start..original.len() - CHECKSUM;
        let mut random = Random::new(49);
        let mut refused = 0;
        for _ in 0..3000 {
            let mut bytes = original.clone();
            for _ in 0..=random.below(2) {
                let place = parts.start + random.below(parts.len());
                bytes[place] = random.number() as u8;
            }
            seal(&mut bytes, &head);
            let read = Binary::open(bytes.into()).expect("its head is right").check();
            if let Err(problem) = read {
                assert!(problem.len() < 300 && !problem.contains('\n'), "{problem}");
                refused += 1;
            }
        }
        assert!(refused > 1000, "{refused} refused");
    }

    /// The same of the head.
    #[test]
    fn a_sealed_head_that_says_nonsense_is_refused_or_read_without_panic() {
        let original = encode(&small()).expect("a book");
        let start = BINARY_FORMAT.len() + 2;
        let length = usize::from(original[start - 1]);
        assert!(length < 0x80, "its length is one byte");
        let mut random = Random::new(50);
        let mut refused = 0;
        for _ in 0..3000 {
            let mut bytes = original.clone();
            bytes[start + random.below(length)] = random.number() as u8;
            let sum = checksum(&[&bytes[start..start + length]]);
            bytes[start + length..][..CHECKSUM].copy_from_slice(&sum);
            let read = Binary::open(bytes.into()).and_then(|book| book.check());
            refused += usize::from(read.is_err());
        }
        assert!(refused > 2000, "{refused} refused");
    }
}
