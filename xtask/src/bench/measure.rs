//! Times one pair: contenders take turns, and each runs once a turn.

use super::aligned::Aligned;
use super::peers::{self, Peer};
use super::python::Python;
use castproof_impl::{Backend, Cast, packed_len};
use castproof_vectors::random::Random;
use castproof_vectors::{DType, pack, unpack};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Elements per call: one size for the second-level cache, one for memory.
pub(super) const SIZES: [usize; 2] = [16_384, 16_777_216];
/// Elements of short calls, which are timed beside those of the first size.
pub(super) const SHORT: [usize; 4] = [1, 3, 8, 64];
/// Repetitions of a short call in a batch.
const SHORT_CALLS: u32 = 512;
/// From this size on, two threads are timed too.
const THREADS_FROM: usize = 1 << 20;
/// A turn repeats short calls until it has handled this many elements.
const ELEMENTS_PER_TURN: usize = 1 << 22;
/// A turn is divided into so many batches, if it has as many calls.
const BATCHES: usize = 8;
/// How many random codes of a source are checked one by one before anything is timed.
const CHECKED: usize = 16_384;
/// Elements of the pieces that a long slice is compared with.
const PIECE: usize = 1000;

/// One pair at one size on one backend.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) from: DType,
    pub(super) to: DType,
    pub(super) backend: String,
    pub(super) elements: usize,
    pub(super) threads: usize,
    /// 10^9 elements per second.
    pub(super) gelem_per_s: f64,
    /// 10^9 bytes per second, read and written.
    pub(super) gbyte_per_s: f64,
    /// The distance between the quartiles of the times, divided by their median.
    pub(super) spread: f64,
    /// Speed relative to the loop that only reads and writes, with the same number of threads.
    pub(super) of_roofline: f64,
    /// Speed relative to one thread; only for several threads.
    pub(super) of_one_thread: Option<f64>,
    /// Speed relative to the fastest peer, and its name; only for one thread.
    pub(super) of_best_peer: Option<(f64, String)>,
    /// Speed relative to every peer.
    pub(super) of_peers: Vec<(String, f64)>,
    /// 10^-9 seconds of a call of as many elements as `SHORT` says; only at the first size.
    pub(super) short_calls_ns: Option<[f64; SHORT.len()]>,
}

impl Row {
    /// What tells the rows of a run apart.
    pub(super) fn key(&self) -> (DType, DType, &str, usize, usize) {
        (self.from, self.to, &self.backend, self.elements, self.threads)
    }
}

/// Elements of a source.
pub(super) struct Sample {
    elements: usize,
    bytes: Aligned<u8>,
}

impl Sample {
    /// Its elements, packed and little-endian.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns elements as real data has them: of moderate size, of both signs.
pub(super) fn sample(dtype: DType, elements: usize) -> Result<Sample, String> {
    let values =
        Random::new(0).numbers().take(elements).map(|bits| (bits as i64 as f64) / 2f64.powi(57));
    let values: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
    let bytes = run(&Cast::new(DType::Float64, dtype).map_err(text)?, dtype, &values, elements)?;
    Ok(Sample { elements, bytes: Aligned::copy(&bytes, 0) })
}

/// What is needed for all rows.
pub(super) struct Bench {
    backends: Vec<Backend>,
    turns: usize,
    one: ThreadPool,
    /// Absent if only one thread is timed.
    two: Option<ThreadPool>,
    pythons: Vec<Python>,
}

impl Bench {
    pub(super) fn new(
        backends: Vec<Backend>,
        turns: usize,
        two: bool,
        pythons: Vec<Python>,
    ) -> Result<Bench, String> {
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().map_err(text);
        let two = if two { Some(pool(2)?) } else { None };
        Ok(Bench { backends, turns, one: pool(1)?, two, pythons })
    }

    /// Returns the rows of a pair at the size of the sample: on each backend for one thread and, if
    /// it is long, for two.
    pub(super) fn rows(
        &mut self,
        from: DType,
        to: DType,
        sample: &Sample,
    ) -> Result<Vec<Row>, String> {
        let Sample { elements, ref bytes } = *sample;
        let mut ours = Vec::new();
        for &backend in &self.backends {
            let cast = Cast::new(from, to).map_err(text)?.backend(backend);
            check_codes(&cast, from, to)?;
            let output = Aligned::copy(&run(&cast, to, bytes, elements)?, 0);
            check_pieces(&cast, (from, to), sample, &output)?;
            ours.push(Ours::new(backend, cast, output));
        }
        let len = packed_len(to, elements).map_err(text)?;
        let mut idle = Aligned::new(0, len);
        let mut peers = peers::of(from, to, elements, bytes);
        let mut times = Times::new(&peers);
        for _ in 0..self.turns {
            for ours in &mut ours {
                ours.turn(bytes, elements, &self.one, self.two.as_ref());
            }
            if let Some(two) = self.two.as_ref().filter(|_| elements >= THREADS_FROM) {
                let mut both = || time(elements, || read_and_write_by_two(bytes, &mut idle));
                times.roofline_of_two.push(two.install(&mut both));
            }
            times.roofline.push(time(elements, || read_and_write(black_box(bytes), &mut idle)));
            for ((_, times), Peer { run, .. }) in times.peers.iter_mut().zip(&mut peers) {
                times.push(time(elements, run));
            }
            for python in &mut self.pythons {
                times.add(python.time(from, to, elements, repeats(elements))?);
            }
        }
        let shape = Shape { from, to, elements, bytes: bytes.len() + len };
        Ok(ours.iter_mut().flat_map(|ours| times.rows(&shape, ours)).collect())
    }
}

/// Our own cast on one backend, and its times of one call, a turn each.
struct Ours {
    backend: Backend,
    cast: Cast,
    output: Aligned<u8>,
    times: Vec<Duration>,
    two: Vec<Duration>,
    /// Of all repetitions, in the fastest batch.
    short: [Vec<Duration>; SHORT.len()],
}

impl Ours {
    fn new(backend: Backend, cast: Cast, output: Aligned<u8>) -> Ours {
        let short = Default::default();
        Ours { backend, cast, output, times: vec![], two: vec![], short }
    }

    fn turn(&mut self, bytes: &[u8], elements: usize, one: &ThreadPool, two: Option<&ThreadPool>) {
        let Ours { cast, output, times, two: times_of_two, short, .. } = self;
        // The lengths are right, or the first call would not have passed.
        let mut whole = || {
            time(elements, || {
                let _ = black_box(cast.run(black_box(bytes), elements, output));
            })
        };
        times.push(one.install(&mut whole));
        if elements >= THREADS_FROM {
            times_of_two.extend(two.map(|two| two.install(&mut whole)));
            return;
        }
        for (count, times) in SHORT.into_iter().zip(short) {
            let len = |dtype: DType| (count * dtype.bits() as usize).div_ceil(8);
            let (input, output) = (&bytes[..len(cast.from())], &mut output[..len(cast.to())]);
            let batch = |_| {
                let start = Instant::now();
                for _ in 0..SHORT_CALLS {
                    let _ =
                        black_box(cast.run(black_box(input), black_box(count), black_box(output)));
                }
                start.elapsed()
            };
            times.extend((0..BATCHES).map(batch).min());
        }
    }
}

/// Times of one call of what our casts are compared with, a turn each.
struct Times {
    roofline: Vec<Duration>,
    roofline_of_two: Vec<Duration>,
    peers: Vec<(String, Vec<Duration>)>,
}

/// What the rows of all backends have in common.
struct Shape {
    from: DType,
    to: DType,
    elements: usize,
    /// Read and written.
    bytes: usize,
}

impl Times {
    fn new(peers: &[Peer]) -> Times {
        let peers = peers.iter().map(|peer| (peer.name.to_string(), vec![])).collect();
        Times { roofline: vec![], roofline_of_two: vec![], peers }
    }

    fn add(&mut self, turn: Vec<(String, Duration)>) {
        for (name, time) in turn {
            match self.peers.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(time),
                None => self.peers.push((name, vec![time])),
            }
        }
    }

    fn rows(&mut self, shape: &Shape, ours: &mut Ours) -> Vec<Row> {
        let Shape { from, to, elements, bytes } = *shape;
        let (middle, spread) = summary(&mut ours.times);
        let versus = |times: &mut Vec<Duration>| summary(times).0 / middle;
        let mut of_peers: Vec<_> =
            self.peers.iter_mut().map(|(name, times)| (name.clone(), versus(times))).collect();
        of_peers.sort_by(|a, b| a.1.total_cmp(&b.1));
        let has_short = ours.short.iter().all(|times| !times.is_empty());
        let short = |times: &mut Vec<Duration>| 1e9 * summary(times).0 / f64::from(SHORT_CALLS);
        let one = Row {
            from,
            to,
            backend: ours.backend.name().into(),
            elements,
            threads: 1,
            gelem_per_s: elements as f64 / middle / 1e9,
            gbyte_per_s: bytes as f64 / middle / 1e9,
            spread,
            of_roofline: versus(&mut self.roofline),
            of_one_thread: None,
            of_best_peer: of_peers.first().map(|(name, ratio)| (*ratio, name.clone())),
            of_peers,
            short_calls_ns: has_short.then(|| ours.short.each_mut().map(short)),
        };
        if ours.two.is_empty() {
            return vec![one];
        }
        let (faster, spread) = summary(&mut ours.two);
        let two = Row {
            threads: 2,
            gelem_per_s: elements as f64 / faster / 1e9,
            gbyte_per_s: bytes as f64 / faster / 1e9,
            spread,
            of_roofline: summary(&mut self.roofline_of_two).0 / faster,
            of_one_thread: Some(middle / faster),
            of_best_peer: None,
            of_peers: vec![],
            backend: one.backend.clone(),
            ..one
        };
        vec![one, two]
    }
}

/// Compares a slice with single codes, which the gate compares with the oracle.
fn check_codes(cast: &Cast, from: DType, to: DType) -> Result<(), String> {
    let codes: Vec<u64> =
        Random::new(0).numbers().take(CHECKED).map(|code| code & from.code_mask()).collect();
    let output = run(cast, to, &pack(from, &codes)?, codes.len())?;
    for (source, got) in codes.iter().zip(unpack(to, &output, codes.len())?) {
        let expected = cast.code(*source).map_err(text)?;
        if got != expected {
            return Err(format!("{from} to {to}: {source:#x} gives {got:#x}, not {expected:#x}"));
        }
    }
    Ok(())
}

/// Compares a slice with the same slice cast in pieces.
fn check_pieces(
    cast: &Cast,
    (from, to): (DType, DType),
    sample: &Sample,
    output: &[u8],
) -> Result<(), String> {
    let (from_bytes, to_bytes) = (PIECE * from.bits() as usize / 8, PIECE * to.bits() as usize / 8);
    let pieces = sample.bytes.chunks(from_bytes).zip(output.chunks(to_bytes));
    for (index, (input, expected)) in pieces.enumerate() {
        let count = PIECE.min(sample.elements - index * PIECE);
        if run(cast, to, input, count)? != expected {
            return Err(format!("{from} to {to}: element {} and on differ", index * PIECE));
        }
    }
    Ok(())
}

fn run(cast: &Cast, to: DType, input: &[u8], count: usize) -> Result<Vec<u8>, String> {
    let mut output = vec![0; packed_len(to, count).map_err(text)?];
    cast.run(input, count, &mut output).map_err(text)?;
    Ok(output)
}

pub(super) fn repeats(elements: usize) -> usize {
    (ELEMENTS_PER_TURN / elements).max(1)
}

/// Time of one call, of the fastest of a few batches: other work on the machine slows the others.
pub(super) fn time(elements: usize, mut call: impl FnMut()) -> Duration {
    let repeats = repeats(elements);
    let batches = repeats.min(BATCHES);
    let repeats = repeats / batches;
    call();
    let batch = |_| {
        let start = Instant::now();
        for _ in 0..repeats {
            call();
        }
        start.elapsed() / repeats as u32
    };
    (0..batches).map(batch).min().unwrap_or_default()
}

/// Returns the median in seconds, and the distance between the quartiles divided by it.
pub(super) fn summary(times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |index: usize| times[index].as_secs_f64();
    let middle = at(times.len() / 2);
    (middle, (at(times.len() * 3 / 4) - at(times.len() / 4)) / middle)
}

/// Bytes that are read at a time before bytes of the output are written.
const STRIP: usize = 4096;

/// Reads all of the input and writes all of the output, strip by strip, through the caches. A cast
/// has to do at least this, unless it writes past the caches.
pub(super) fn read_and_write(input: &[u8], output: &mut [u8]) {
    let strips = input.len().max(output.len()).div_ceil(STRIP).max(1);
    let (read, written) = (input.len().div_ceil(strips), output.len().div_ceil(strips));
    for (from, to) in input.chunks(read.max(1)).zip(output.chunks_mut(written.max(1))) {
        let words = from.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let sum = words.fold(0, |sum, word| sum ^ word);
        black_box(to).fill(sum as u8);
    }
}

/// As [`read_and_write`], with each of two threads doing half.
fn read_and_write_by_two(input: &[u8], output: &mut [u8]) {
    let (read, written) = (input.len().div_ceil(2), output.len().div_ceil(2));
    let halves = input.par_chunks(read).zip(output.par_chunks_mut(written));
    halves.for_each(|(from, to)| read_and_write(black_box(from), to));
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
