//! Judges elements that are not the expected ones.

use super::coverage::{Run, Word};
use super::prepared::Prepared;
use super::record::{Digest, RANGES, Range, Tally};
use anyhow::{Result, bail};
use castproof_check::verdict::{Verdict, admits, judge};
use castproof_vectors::{DType, Formula, Hex, Outcome, OutcomeRecord, Request, code_at, piece_of};

/// What was found in a chunk so far.
#[derive(Default)]
pub(super) struct ChunkTally {
    /// Digests of the blocks of expected elements, and of those of observed elements.
    pub(super) expected: Vec<Digest>,
    pub(super) observed: Vec<Digest>,
    pub(super) tally: Tally,
}

/// Packed elements.
#[derive(Clone, Copy)]
struct Elements<'a> {
    bytes: &'a [u8],
    dtype: DType,
}

impl Prepared {
    /// Is every result of these elements right? So it is too where they must be refused: others are asked in
    /// their place.
    pub(super) fn is_undefined(&self, run: &Run) -> bool {
        // For bool only 0 and 1 are right; for all other dtypes every code is an element.
        match self.stretches[run.stretch].formula {
            Formula::Constant(Outcome::Any) => self.request.to != DType::Bool,
            Formula::Constant(Outcome::Reject) => true,
            _ => false,
        }
    }

    /// Returns how many of these elements have no result that could be wrong.
    pub(super) fn undefined<W: Word>(&self, codes: &[W], runs: &[Run]) -> u64 {
        let mut piece = &self.pieces[0];
        let mut is_open = |code: &&W| {
            let code = code.code();
            if !(piece.first..=piece.last).contains(&code) {
                piece = piece_of(&self.pieces, code);
            }
            piece.is_open_at(self.request.from, code)
        };
        let of_run = |run: &Run| match self.stretches[run.stretch].formula {
            _ if self.is_undefined(run) => run.end - run.start,
            Formula::Shift(_) if self.is_open_in_part => {
                codes[run.start..run.end].iter().filter(&mut is_open).count()
            }
            _ => 0,
        };
        runs.iter().map(of_run).sum::<usize>() as u64
    }

    /// Judges every element of a block that is not the expected one.
    ///
    /// # Errors
    /// If oracle and pieces contradict each other.
    pub(super) fn differences<W: Word>(
        &self,
        codes: &[W],
        runs: &[Run],
        (observed, expected): (&[u8], &[u8]),
        found: &mut ChunkTally,
    ) -> Result<()> {
        let elements = |bytes| Elements { bytes, dtype: self.request.to };
        let (observed, expected) = (elements(observed), elements(expected));
        for run in runs.iter().filter(|run| !self.is_undefined(run)) {
            if observed.part(run) == expected.part(run) {
                continue;
            }
            let stretch = &self.stretches[run.stretch];
            let constant = matches!(stretch.formula, Formula::Constant(_));
            if constant && let Some(got) = observed.only(run) {
                // One verdict holds for the whole run of equal elements.
                let verdict = self.verdict(codes[run.start].code(), got);
                self.record_run(&codes[run.start..run.end], got, verdict, found)?;
                continue;
            }
            for (index, code) in (run.start..).zip(&codes[run.start..run.end]) {
                let got = observed.get(index);
                if got != expected.get(index) {
                    let verdict = self.verdict(code.code(), got);
                    self.record(code.code(), got, verdict, found)?;
                }
            }
        }
        Ok(())
    }

    /// Judges an element that is not the expected one: the rules may allow others, too.
    fn verdict(&self, code: u64, got: u64) -> Verdict {
        let Request { from, to, .. } = self.request;
        let answer = piece_of(&self.pieces, code).expectation(from, to, code);
        judge(&answer.expect, answer.tolerate.as_ref(), got, self.target, false)
    }

    /// Counts elements of one verdict.
    fn record_run<W: Word>(
        &self,
        codes: &[W],
        got: u64,
        verdict: Verdict,
        found: &mut ChunkTally,
    ) -> Result<()> {
        if verdict == Verdict::Tolerated {
            found.tally.tolerated += codes.len() as u64;
        } else if verdict.is_bad() {
            for code in codes {
                self.record(code.code(), got, verdict, found)?;
            }
        }
        Ok(())
    }

    fn record(&self, code: u64, got: u64, verdict: Verdict, found: &mut ChunkTally) -> Result<()> {
        let tally = &mut found.tally;
        if verdict == Verdict::Tolerated {
            tally.tolerated += 1;
        } else if verdict.is_bad() {
            tally.fail += 1;
            self.list(code, got, tally)?;
        }
        Ok(())
    }

    /// Lists a failing element; the oracle confirms the first of each range.
    fn list(&self, code: u64, got: u64, tally: &mut Tally) -> Result<()> {
        let Request { from, to, .. } = self.request;
        let hex = Hex::new(code, from);
        if tally.unlisted == 0 && tally.extend(code, hex, 1) {
            return Ok(());
        }
        if tally.unlisted > 0 || tally.failures.len() == RANGES {
            tally.unlisted += 1;
            return Ok(());
        }
        let answer = self.caster.cast(code)?;
        if admits(&answer.expect, got, self.target) {
            bail!(
                "{}: the pieces and the oracle contradict each other at {hex}; please report this",
                self.request
            );
        }
        tally.failures.push(Range {
            first: hex,
            last: hex,
            elements: 1,
            got: Hex::new(got, to),
            expect: OutcomeRecord::new(&answer.expect, to),
            clause: answer.rule.as_str().into(),
        });
        Ok(())
    }
}

impl<'a> Elements<'a> {
    /// Returns one element.
    fn get(&self, index: usize) -> u64 {
        code_at(self.dtype, self.bytes, index)
    }

    /// Returns the whole bytes that hold a run. They may include bits of its neighbours.
    fn part(&self, run: &Run) -> &'a [u8] {
        let bits = self.dtype.bits() as usize;
        &self.bytes[run.start * bits / 8..(run.end * bits).div_ceil(8)]
    }

    /// Returns the code of all elements of a run if they are known to be equal. Packed elements are
    /// examined only if the run is the whole block.
    fn only(&self, run: &Run) -> Option<u64> {
        let bits = self.dtype.bits() as usize;
        let part = self.part(run);
        if bits < 8 && (run.start > 0 || part.len() != self.bytes.len()) {
            return None;
        }
        // The shortest run that ends with a byte: it repeats if all elements are equal.
        let (group, bytes) = match bits {
            2 => (4, 1),
            4 => (2, 1),
            6 => (4, 3),
            _ => (1, bits / 8),
        };
        if run.end - run.start < group || part[bytes..] != part[..part.len() - bytes] {
            return None;
        }
        let first = self.get(run.start);
        (1..group).all(|next| self.get(run.start + next) == first).then_some(first)
    }
}
