//! One chunk: its codes are made, cast, and compared with the expected elements block by block.

use super::compare::ChunkTally;
use super::coverage::{Run, Word};
use super::expand::Expander;
use super::prepared::Prepared;
use super::record::{Chunk, Digest, Stop, StopVerdict};
use super::tensors::Tensors;
use anyhow::{Result, anyhow};
use castproof_io::interrupt;
use castproof_testee::{Reply, Testee};
use castproof_vectors::{DType, Formula, Request, pack, unpack};
use std::collections::BTreeMap;
use std::time::Instant;

/// Fills the output before a cast, so that elements that a kernel leaves unwritten show.
const UNWRITTEN: u8 = 0xa5;

/// The result of a chunk.
pub(super) enum Swept {
    /// All of it was compared.
    Done(Chunk),
    /// The testee did not answer with elements.
    Stopped(Stop),
}

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
        let mut codes = Vec::new();
        let mut runs = Vec::new();
        let mut found = ChunkTally::default();
        let batch = coverage.block * self.tensors.blocks;
        let mut output = Vec::new();
        for start in (0..elements).step_by(batch as usize) {
            let count = batch.min(elements - start) as usize;
            codes.resize(count, W::default());
            coverage.fill(stretches, first + start, &mut codes, &mut runs);
            let asked = self.prepared.asked(&codes, &runs);
            let packed;
            let input = if request.from.bits() as usize == 8 * size_of::<W>() {
                bytemuck::cast_slice(&asked)
            } else {
                let wide: Vec<u64> = asked.iter().map(|code| code.code()).collect();
                packed = pack(request.from, &wide).map_err(|error| anyhow!(error))?;
                &packed[..]
            };
            if interrupt::requested() {
                let message = "interrupted".into();
                return Ok(Swept::Stopped(Stop { verdict: StopVerdict::Crash, message }));
            }
            let ends = self.tensors.ends(request, batch, coverage.elements, first + start);
            if let Err(stop) = answer(testee, request, &ends, input, &mut output) {
                return Ok(Swept::Stopped(stop));
            }
            self.batch(&codes, &runs, &output, &mut found)?;
        }
        Ok(Swept::Done(Chunk {
            chunk,
            codes: elements,
            expected: Digest::of_all(found.expected),
            observed: Digest::of_all(found.observed),
            found: found.tally,
            milliseconds: began.elapsed().as_millis() as u64,
        }))
    }

    /// Compares the output for a batch of codes, block by block.
    fn batch<W: Word>(
        &mut self,
        codes: &[W],
        runs: &[Run],
        output: &[u8],
        found: &mut ChunkTally,
    ) -> Result<()> {
        let coverage = &self.prepared.coverage;
        let bits = self.prepared.request.to.bits() as usize;
        let mut block_runs = Vec::new();
        for (index, codes) in codes.chunks(coverage.block as usize).enumerate() {
            let start = index * coverage.block as usize;
            within(runs, start, start + codes.len(), &mut block_runs);
            let bytes = start * bits / 8..(start * bits + codes.len() * bits).div_ceil(8);
            self.block(codes, &block_runs, &output[bytes], found)?;
        }
        Ok(())
    }

    fn block<W: Word>(
        &mut self,
        codes: &[W],
        runs: &[Run],
        observed: &[u8],
        found: &mut ChunkTally,
    ) -> Result<()> {
        let prepared = self.prepared;
        let expected = self.expect(codes, runs);
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

/// Casts elements into `output`, in tensors that end at `ends`. The error says why there are none.
fn answer(
    testee: &mut dyn Testee,
    request: &Request,
    ends: &[u64],
    input: &[u8],
    output: &mut Vec<u8>,
) -> Result<(), Stop> {
    let bytes = |dtype: DType, elements: u64| (elements * u64::from(dtype.bits())).div_ceil(8);
    let range = |dtype, start, end| bytes(dtype, start) as usize..bytes(dtype, end) as usize;
    output.clear();
    output.resize(range(request.to, 0, ends.last().copied().unwrap_or(0)).end, UNWRITTEN);
    let mut start = 0;
    for &end in ends {
        let count = (end - start) as usize;
        let input = &input[range(request.from, start, end)];
        tensor(testee, request, count, input, &mut output[range(request.to, start, end)])?;
        start = end;
    }
    Ok(())
}

/// Casts one tensor into `output`. The error says why it was not cast.
fn tensor(
    testee: &mut dyn Testee,
    request: &Request,
    count: usize,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), Stop> {
    let reply = testee.cast_into(request, count, input, output).unwrap_or_else(|| {
        match testee.cast(request, count, input) {
            Reply::Output(came) if came.len() == output.len() => {
                output.copy_from_slice(&came);
                Reply::Output(())
            }
            Reply::Output(came) => {
                let (came, due) = (came.len(), output.len());
                Reply::Error(format!("{came} bytes came for {count} elements, not {due}"))
            }
            other => other.map(|_| ()),
        }
    });
    let (verdict, message) = match reply {
        Reply::Output(()) => return Ok(()),
        Reply::Unsupported(message) => (StopVerdict::Unsupported, message),
        Reply::Error(message) => (StopVerdict::Error, message),
        Reply::Crash(message) => (StopVerdict::Crash, message),
        Reply::Timeout(message) => (StopVerdict::Timeout, message),
    };
    Err(Stop { verdict, message: message.into() })
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
