//! One chunk: its codes are made, cast, and compared with the expected elements block by block.

use super::asking::{Asking, Swept, packed, packed_bytes, tensors};
use super::compare::ChunkTally;
use super::coverage::{Run, SEED, Word, scaled};
use super::expand::Expander;
use super::prepared::Prepared;
use super::record::{Chunk, Digest};
use super::tensors::Tensors;
use anyhow::{Result, anyhow};
use castproof_check::random;
use castproof_io::interrupt;
use castproof_testee::Testee;
use castproof_vectors::{Formula, pack, unpack};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

/// Fills the output before a cast, so that elements that a kernel leaves unwritten show.
const UNWRITTEN: u8 = 0xa5;

/// Codes that are asked for one by one if the first tensor of a chunk was refused.
const SINGLES: u64 = 16;

/// A chunk of at most this many codes is never taken for refused before each of its tensors was.
const ASKED_IN_FULL: u64 = 1 << 16;

/// The expected result of a chunk.
pub(super) struct ChunkDigests {
    /// Digest of the expected elements.
    pub(super) expected: Digest,
    /// Digest of the expected elements after some were replaced by wrong ones.
    pub(super) rebuilt: Digest,
    /// Elements whose result is left open by the rules.
    pub(super) undefined: u64,
}

/// Sweeps chunks of one request.
pub(super) struct Sweeper<'a> {
    prepared: &'a Prepared,
    expander: Expander,
    /// The answer, length and digest of the last block if it had a single answer: most blocks equal
    /// the one before.
    uniform: Option<(u64, usize, Digest)>,
    tensors: Tensors,
}

impl<'a> Sweeper<'a> {
    pub(super) fn new(prepared: &'a Prepared, tensors: Tensors) -> Sweeper<'a> {
        let expander = Expander::new(prepared.request.from, prepared.target);
        Sweeper { prepared, expander, uniform: None, tensors }
    }

    /// Sweeps one chunk.
    ///
    /// # Errors
    /// If oracle and pieces contradict each other; what the testee does is never an error.
    pub(super) fn sweep(&mut self, chunk: u64, testee: &mut dyn Testee) -> Result<Swept> {
        if self.prepared.request.from.bits() <= 32 {
            self.sweep_words::<u32>(chunk, testee)
        } else {
            self.sweep_words::<u64>(chunk, testee)
        }
    }

    /// Derives the expected result of a chunk. `wrong` holds codes, with the elements that came
    /// instead of the expected ones; it is used only if every code of the source is swept.
    ///
    /// # Errors
    /// If an element does not fit the target.
    pub(super) fn due(&mut self, chunk: u64, wrong: &BTreeMap<u64, u64>) -> Result<ChunkDigests> {
        if self.prepared.request.from.bits() <= 32 {
            self.due_words::<u32>(chunk, wrong)
        } else {
            self.due_words::<u64>(chunk, wrong)
        }
    }

    fn due_words<W: Word>(
        &mut self,
        chunk: u64,
        wrong: &BTreeMap<u64, u64>,
    ) -> Result<ChunkDigests> {
        let Prepared { coverage, stretches, .. } = self.prepared;
        let (first, elements) = coverage.chunk_range(chunk);
        let (mut codes, mut runs) = (Vec::new(), Vec::new());
        let (mut expected, mut rebuilt, mut undefined) = (Vec::new(), Vec::new(), 0);
        for block in (0..elements).step_by(coverage.block as usize) {
            let count = coverage.block.min(elements - block) as usize;
            let start = first + block;
            codes.resize(count, W::default());
            coverage.fill(stretches, start, &mut codes, &mut runs);
            undefined += self.prepared.undefined(&codes, &runs);
            let to = self.prepared.request.to;
            let due = self.expect(&codes, &runs);
            expected.push(due.digest);
            let mut others = wrong.range(start..start + count as u64).peekable();
            rebuilt.push(if others.peek().is_none() {
                due.digest
            } else {
                let unpacked = unpack(to, due.bytes, count);
                let mut elements = unpacked.map_err(|problem| anyhow!(problem))?;
                others.for_each(|(code, got)| elements[(code - start) as usize] = *got);
                Digest::of(&pack(to, &elements).map_err(|problem| anyhow!(problem))?)
            });
        }
        let (expected, rebuilt) = (Digest::of_all(expected), Digest::of_all(rebuilt));
        Ok(ChunkDigests { expected, rebuilt, undefined })
    }

    fn sweep_words<W: Word>(&mut self, chunk: u64, testee: &mut dyn Testee) -> Result<Swept> {
        let began = Instant::now();
        let Prepared { request, stretches, coverage, .. } = self.prepared;
        let (first, elements) = coverage.chunk_range(chunk);
        let (mut codes, mut runs, mut output) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = ChunkTally::default();
        let mut asking = Asking::new(testee, request);
        let batch = coverage.block * self.tensors.blocks;
        for start in (0..elements).step_by(batch as usize) {
            if interrupt::requested() {
                return Ok(Swept::Interrupted);
            }
            let count = batch.min(elements - start);
            codes.resize(count as usize, W::default());
            coverage.fill(stretches, first + start, &mut codes, &mut runs);
            output.clear();
            output.resize(packed_bytes(request.to, count), UNWRITTEN);
            let ends = self.tensors.ends(request, batch, coverage.elements, first + start);
            let asked = self.prepared.asked(&codes, &runs);
            let input = packed(request, &asked)?;
            let mut missing = Vec::new();
            for tensor in tensors(&ends) {
                if !asking.tensor(tensor, &input, &mut output) {
                    missing.push(tensor.0 as usize..tensor.1 as usize);
                }
                if !asking.some_came() && self.is_refused::<W>(chunk, &mut asking)? {
                    return Ok(asking.stopped());
                }
            }
            self.batch(&codes, &runs, (&mut output, &missing), &mut found)?;
        }
        if !asking.some_came() {
            return Ok(asking.stopped());
        }
        Ok(Swept::Done(Chunk {
            chunk,
            codes: elements,
            expected: Digest::of_all(found.expected),
            observed: Digest::of_all(found.observed),
            found: found.tally,
            unanswered: asking.unanswered(),
            milliseconds: began.elapsed().as_millis() as u64,
        }))
    }

    /// Returns whether a chunk of which no element came so far need not be asked any further: the testee
    /// died, or refuses it. A testee that has no such cast refuses whatever is asked, so some codes are
    /// asked for, each in a tensor of its own. Only of a small chunk each tensor is.
    fn is_refused<W: Word>(&self, chunk: u64, asking: &mut Asking<'_>) -> Result<bool> {
        if asking.has_ended() || asking.asked_alone() {
            return Ok(asking.has_ended());
        }
        let Prepared { request, stretches, coverage, .. } = self.prepared;
        let (first, elements) = coverage.chunk_range(chunk);
        let place = |it| first + scaled(random::at(SEED ^ (first + it)), elements);
        let (mut code, mut runs) = ([W::default()], Vec::new());
        for place in (0..SINGLES).map(place).collect::<BTreeSet<u64>>() {
            coverage.fill(stretches, place, &mut code, &mut runs);
            let asked = self.prepared.asked(&code, &runs);
            asking.single(&packed(request, &asked)?);
            if asking.has_ended() {
                return Ok(true);
            }
        }
        Ok(!asking.some_came() && elements > ASKED_IN_FULL)
    }

    /// Compares the output for a batch of codes, block by block. For the ranges that are missing there,
    /// the expected elements stand.
    fn batch<W: Word>(
        &mut self,
        codes: &[W],
        runs: &[Run],
        (output, missing): (&mut [u8], &[Range<usize>]),
        found: &mut ChunkTally,
    ) -> Result<()> {
        let coverage = &self.prepared.coverage;
        let bits = self.prepared.request.to.bits() as usize;
        let mut block_runs = Vec::new();
        for (index, codes) in codes.chunks(coverage.block as usize).enumerate() {
            let start = index * coverage.block as usize;
            let end = start + codes.len();
            within(runs, start, end, &mut block_runs);
            let bytes = start * bits / 8..(start * bits + codes.len() * bits).div_ceil(8);
            let missing = missing.iter().filter(|it| it.start < end && start < it.end);
            let missing = missing.map(|it| it.start.max(start) - start..it.end.min(end) - start);
            let missing: Vec<Range<usize>> = missing.collect();
            self.block(codes, &block_runs, (&mut output[bytes], &missing), found)?;
        }
        Ok(())
    }

    fn block<W: Word>(
        &mut self,
        codes: &[W],
        runs: &[Run],
        (observed, missing): (&mut [u8], &[Range<usize>]),
        found: &mut ChunkTally,
    ) -> Result<()> {
        let prepared = self.prepared;
        let bits = prepared.request.to.bits() as usize;
        let expected = self.expect(codes, runs);
        for missing in missing {
            // Tensors of packed dtypes begin with a byte.
            let bytes = missing.start * bits / 8..(missing.end * bits).div_ceil(8);
            observed[bytes.clone()].copy_from_slice(&expected.bytes[bytes]);
        }
        found.expected.push(expected.digest);
        found.tally.undefined += prepared.undefined(codes, runs);
        if observed == expected.bytes {
            found.observed.push(expected.digest);
            return Ok(());
        }
        found.observed.push(Digest::of(observed));
        // A block without a defined result has no differences, so its elements are not examined.
        if !runs.iter().all(|run| prepared.is_undefined(run)) {
            prepared.differences(codes, runs, (observed, expected.bytes), found)?;
        }
        Ok(())
    }

    fn expect<W: Word>(&mut self, codes: &[W], runs: &[Run]) -> Expected<'_> {
        let stretches = &self.prepared.stretches;
        let answer = match runs {
            [run] => match &stretches[run.stretch].formula {
                Formula::Constant(outcome) => Some(self.expander.representative(outcome)),
                Formula::Shift(_) => None,
            },
            _ => None,
        };
        let known = self.uniform.filter(|it| answer == Some(it.0) && codes.len() == it.1);
        let bytes = match known {
            Some(_) => self.expander.again(codes.len()),
            None => self.expander.expand(stretches, codes, runs),
        };
        let digest = known.map_or_else(|| Digest::of(bytes), |(.., digest)| digest);
        self.uniform = answer.map(|answer| (answer, codes.len(), digest));
        Expected { bytes, digest }
    }
}

/// The expected elements of a block.
struct Expected<'a> {
    bytes: &'a [u8],
    digest: Digest,
}

/// Sets `part` to the parts of `runs` from `start` to `end`, counted from `start`.
fn within(runs: &[Run], start: usize, end: usize, part: &mut Vec<Run>) {
    part.clear();
    let first = runs.partition_point(|run| run.end <= start);
    for run in runs[first..].iter().take_while(|run| run.start < end) {
        let (from, to) = (run.start.max(start), run.end.min(end));
        part.push(Run { stretch: run.stretch, start: from - start, end: to - start });
    }
}
