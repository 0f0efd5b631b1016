//! What the figures were measured on, and whether the machine had other work.

use super::measure::{read_and_write, summary};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hint::black_box;
use std::thread::available_parallelism;
use std::time::Instant;

/// A machine at the time of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct Machine {
    /// The name of its processor.
    processor: String,
    /// How many threads the system lets run at once.
    threads: usize,
    /// The architecture and the system that this program was built for.
    target: String,
    /// The share of the time in which other work ran, while one loop was repeated.
    lost: f64,
}

/// Bytes that the loop reads, and writes: few enough for the first-level cache.
const BYTES: usize = 16_384;
/// How often the loop is timed: long enough for other work to get its turn.
const TURNS: usize = 2001;
const CALLS: usize = 256;
/// Up to this share, nothing else ran.
const QUIET: f64 = 0.05;

impl Machine {
    /// Describes this machine. Takes a quarter of a second, or longer if it is busy.
    pub(super) fn new() -> Machine {
        let (input, mut output) = ([0; BYTES], [0; BYTES]);
        let mut turn = || {
            let start = Instant::now();
            for _ in 0..CALLS {
                read_and_write(black_box(&input), &mut output);
            }
            start.elapsed()
        };
        let start = Instant::now();
        let mut times: Vec<_> = (0..TURNS).map(|_| turn()).collect();
        let whole = start.elapsed().as_secs_f64();
        let (middle, _) = summary(&mut times);
        let lost = 1.0 - (TURNS as f64 * middle / whole).min(1.0);
        Machine {
            processor: processor().unwrap_or_else(|| "an unnamed processor".into()),
            threads: available_parallelism().map_or(1, usize::from),
            target: format!("{} {}", std::env::consts::ARCH, std::env::consts::OS),
            lost,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { processor, threads, target, lost } = self;
        let state = if *lost <= QUIET { "quiet" } else { "busy, so only ratios count" };
        let percent = 100.0 * lost;
        write!(
            f,
            "machine: {processor}, {threads} threads, {target}; {state}: other work took {percent:.0}% of the time"
        )
    }
}

/// The name that Linux gives; other systems do not have the file.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}
