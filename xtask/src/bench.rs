//! `cargo xtask bench`: how fast casts are, next to a loop that only reads and writes the same
//! bytes and, on request, to what a user would take instead.
//!
//! Everything that is compared runs in the same process, in turns, so that a noisy machine slows
//! all alike; what counts is the ratio. Times are medians; the spread is the distance between the
//! quartiles, relative to the median.

use crate::bench_peers::{self, Peer};
use castproof_impl::{Backend, Cast, packed_len};
use castproof_vectors::{DType, pack, unpack};
use serde::Serialize;
use std::hint::black_box;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Elements per call: one size for the second-level cache, one for memory.
const SIZES: [usize; 2] = [16_384, 16_777_216];
/// Turns that each contender gets.
const TURNS: usize = 11;
/// A turn repeats short calls until it has handled this many elements.
const ELEMENTS_PER_TURN: usize = 1 << 22;
/// How many random codes of a source are checked before anything is timed.
const CHECKED: usize = 16_384;

/// One pair at one size.
#[derive(Serialize)]
struct Row {
    from: DType,
    to: DType,
    elements: usize,
    backend: &'static str,
    /// 10^9 elements per second.
    gelem_per_s: f64,
    /// 10^9 bytes per second, read and written.
    gbyte_per_s: f64,
    /// Distance between the quartiles of the times over their median.
    spread: f64,
    /// Speed over that of the loop that only reads and writes.
    of_roofline: f64,
    /// Speed over that of the fastest peer, and its name.
    of_best_peer: Option<(f64, &'static str)>,
}

/// `float32:float8e4m3fn` as a pair.
pub(crate) fn parse_pair(text: &str) -> Result<(DType, DType), String> {
    let (from, to) = text.split_once(':').ok_or("write a pair as float32:float8e4m3fn")?;
    let dtype = |name| DType::from_str(name).map_err(|error| error.to_string());
    Ok((dtype(from)?, dtype(to)?))
}

/// Times one pair or all, prints a table, writes it to `json` where asked.
pub(crate) fn bench(
    pair: Option<(DType, DType)>,
    json: Option<&Path>,
    peers: bool,
) -> Result<String, String> {
    let backend = Backend::preferred().map_err(|error| error.to_string())?;
    let pairs = match pair {
        Some(pair) => vec![pair],
        None => DType::NUMERIC
            .iter()
            .flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)))
            .collect(),
    };
    println!("backend {backend}, one thread, median of {TURNS}");
    println!(
        "{:<30} {:>9} {:>8} {:>8} {:>7} {:>9}  best peer",
        "pair", "elements", "Gelem/s", "GB/s", "spread", "roofline"
    );
    let mut rows = Vec::new();
    for (from, to) in pairs {
        check(from, to)?;
        for elements in SIZES {
            let row = measure(from, to, elements, backend, peers)?;
            print(&row);
            rows.push(row);
        }
    }
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?;
        std::fs::write(path, text + "\n")
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(format!("{} rows", rows.len()))
}

fn print(row: &Row) {
    let peer = row.of_best_peer.map_or(String::new(), |(ratio, name)| format!("{ratio:.2} {name}"));
    println!(
        "{:<30} {:>9} {:>8.2} {:>8.2} {:>6.0}% {:>9.2}  {peer}",
        format!("{}:{}", row.from, row.to),
        row.elements,
        row.gelem_per_s,
        row.gbyte_per_s,
        100.0 * row.spread,
        row.of_roofline,
    );
}

/// Compares slices to single codes, which the gate compares to the oracle.
fn check(from: DType, to: DType) -> Result<(), String> {
    let cast = Cast::new(from, to).map_err(|error| error.to_string())?;
    let codes: Vec<u64> = random().take(CHECKED).map(|code| code & from.code_mask()).collect();
    let output = run(&cast, from, to, &codes)?;
    for (source, got) in codes.iter().zip(output) {
        let expected = cast.code(*source).map_err(|error| error.to_string())?;
        if got != expected {
            return Err(format!("{from} to {to}: {source:#x} gives {got:#x}, not {expected:#x}"));
        }
    }
    Ok(())
}

fn run(cast: &Cast, from: DType, to: DType, codes: &[u64]) -> Result<Vec<u64>, String> {
    let input = pack(from, codes)?;
    let length = packed_len(to, codes.len()).map_err(|error| error.to_string())?;
    let mut output = vec![0; length];
    cast.run(&input, codes.len(), &mut output).map_err(|error| error.to_string())?;
    unpack(to, &output, codes.len())
}

fn measure(
    from: DType,
    to: DType,
    elements: usize,
    backend: Backend,
    with_peers: bool,
) -> Result<Row, String> {
    let cast = Cast::new(from, to).map_err(|error| error.to_string())?;
    let input = sample(from, elements)?;
    let mut output = vec![0; packed_len(to, elements).map_err(|error| error.to_string())?];
    cast.run(&input, elements, &mut output).map_err(|error| error.to_string())?;
    let mut idle = vec![0; output.len()];
    let mut peers: Vec<Peer> =
        if with_peers { bench_peers::of(from, to, elements, &input) } else { Vec::new() };
    let mut ours = Vec::new();
    let mut roof = Vec::new();
    let mut theirs = vec![Vec::new(); peers.len()];
    for _ in 0..TURNS {
        ours.push(time(elements, || {
            // The lengths are right, or the first call would not have passed.
            let _ = black_box(cast.run(black_box(&input), elements, black_box(&mut output)));
        }));
        roof.push(time(elements, || read_and_write(black_box(&input), black_box(&mut idle))));
        for (times, peer) in theirs.iter_mut().zip(&mut peers) {
            times.push(time(elements, || (peer.run)()));
        }
    }
    let (middle, spread) = summary(&mut ours);
    let best_peer = theirs
        .iter_mut()
        .zip(&peers)
        .map(|(times, peer)| (summary(times).0 / middle, peer.name))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    Ok(Row {
        from,
        to,
        elements,
        backend: backend.name(),
        gelem_per_s: elements as f64 / middle / 1e9,
        gbyte_per_s: (input.len() + output.len()) as f64 / middle / 1e9,
        spread,
        of_roofline: summary(&mut roof).0 / middle,
        of_best_peer: best_peer,
    })
}

/// Time of one call.
fn time(elements: usize, mut call: impl FnMut()) -> Duration {
    let repeats = (ELEMENTS_PER_TURN / elements).max(1) as u32;
    call();
    let start = Instant::now();
    for _ in 0..repeats {
        call();
    }
    start.elapsed() / repeats
}

/// Median in seconds, and the distance between the quartiles over it.
fn summary(times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |index: usize| times[index].as_secs_f64();
    let middle = at(times.len() / 2);
    (middle, (at(times.len() * 3 / 4) - at(times.len() / 4)) / middle)
}

/// Bytes that are read before as many of the other side are written.
const STRIP: usize = 4096;

/// Reads all of the input and writes all of the output, strip by strip: what no cast can do
/// without.
fn read_and_write(input: &[u8], output: &mut [u8]) {
    let strips = input.len().div_ceil(STRIP).max(1);
    let written = output.len().div_ceil(strips).max(1);
    for (from, to) in input.chunks(STRIP).zip(output.chunks_mut(written)) {
        let words = from.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let sum = words.fold(0, |sum, word| sum ^ word);
        to.fill(sum as u8);
    }
}

/// Elements as data has them: of moderate size, of both signs.
fn sample(dtype: DType, elements: usize) -> Result<Vec<u8>, String> {
    let values: Vec<f64> =
        random().take(elements).map(|bits| (bits as i64 as f64) / 2f64.powi(57)).collect();
    let length = packed_len(dtype, elements).map_err(|error| error.to_string())?;
    let mut output = vec![0; length];
    let input: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let cast = Cast::new(DType::Float64, dtype).map_err(|error| error.to_string())?;
    cast.run(&input, elements, &mut output).map_err(|error| error.to_string())?;
    Ok(output)
}

/// Reproducible random bits: xorshift64.
fn random() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}
