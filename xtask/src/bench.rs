//! `cargo xtask bench`: how fast casts are, compared with a loop that only reads and writes the
//! same bytes and, on request, with what a user would use instead.
//!
//! Everything that is compared runs in the same process, in turns, so that a noisy machine slows
//! all of it equally; what counts is the ratio. Nothing is timed before its results have been
//! checked.

mod aligned;
mod blocks;
mod machine;
mod measure;
mod page;
mod peers;
mod python;
mod report;
mod wasm;

use castproof::output::Output;
use castproof_impl::{Backend, InstructionSet};
use castproof_io::progress::{self, PAIRS};
use castproof_vectors::DType::{
    self, Bfloat16, Float4E2M1, Float8E4M3FN, Float16, Float32, Float64, Int8, Int32, Int64,
};
use indicatif::ProgressBar;
use machine::Machine;
use measure::{Bench, Row, SIZES};
use python::Python;
use report::Report;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// What to time and where to write it.
pub(crate) struct Job {
    /// Only this pair.
    pub(crate) pair: Option<(DType, DType)>,
    /// Only the headline pairs, with peers and fewer turns.
    pub(crate) quick: bool,
    pub(crate) sizes: Sizes,
    /// The backends [default: the one that casts use].
    pub(crate) backends: Vec<Backend>,
    /// Whether the peers in Python are timed too.
    pub(crate) peers: bool,
    /// An older file, to compare with.
    pub(crate) against: Option<PathBuf>,
    /// A file for the rows.
    pub(crate) json: Option<PathBuf>,
    /// A file for the heat map.
    pub(crate) html: Option<PathBuf>,
}

/// How many elements are cast.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sizes {
    Both,
    /// Only the smaller size.
    Cached,
    /// Only the larger size, in fewer turns and on one thread.
    Long,
}

/// The pairs of README and docs/speed.md.
const HEADLINE: [(DType, DType); 13] = [
    (Float32, Float8E4M3FN),
    (Float8E4M3FN, Float32),
    (Float32, Float4E2M1),
    (Float32, Float16),
    (Float16, Float32),
    (Float32, Bfloat16),
    (Bfloat16, Float32),
    (Float32, Int8),
    (Int32, Int8),
    (Float64, Float32),
    (Float64, Float16),
    (Int64, Float32),
    (Int8, Float8E4M3FN),
];

/// The number of turns that each contender gets.
const TURNS: usize = 11;
const QUICK_TURNS: usize = 5;

/// Parses a pair such as `float32:float8e4m3fn`.
pub(crate) fn parse_pair(text: &str) -> Result<(DType, DType), String> {
    let (from, to) = text.split_once(':').ok_or("write a pair as float32:float8e4m3fn")?;
    let dtype = |name| {
        DType::from_str(name).map_err(|error| error.to_string()).and_then(|dtype| {
            if dtype.is_numeric() {
                Ok(dtype)
            } else {
                Err(format!("{dtype} is not numeric: name a numeric dtype"))
            }
        })
    };
    Ok((dtype(from)?, dtype(to)?))
}

/// Parses the name of a backend that this machine has.
pub(crate) fn parse_backend(text: &str) -> Result<Backend, String> {
    let set = InstructionSet::ALL.into_iter().find(|set| set.name() == text).ok_or_else(|| {
        let names = InstructionSet::ALL.map(InstructionSet::name);
        format!("there is no such backend: use one of {}", names.join(", "))
    })?;
    Backend::detect(set).map_err(|error| error.to_string())
}

/// Times rows of blocks, and prints a table. `cached`: of the smaller size alone.
pub(crate) fn bench_blocks(cached: bool) -> Result<String, String> {
    blocks::blocks(cached)
}

/// Times casts in WebAssembly, and prints a table.
pub(crate) fn bench_wasm(quick: bool) -> Result<String, String> {
    wasm::wasm(quick)
}

/// Times one pair, the headline pairs or all, prints a table, and writes the files that were asked
/// for. Files are written whole, after the last row.
pub(crate) fn bench(job: &Job) -> Result<String, String> {
    let said = |error| format!("{error:#}");
    let open = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
    let (json, html) = (open(&job.json).map_err(said)?, open(&job.html).map_err(said)?);
    let old = job.against.as_deref().map(Report::read).transpose()?;
    let backends = match &job.backends[..] {
        [] => vec![Backend::from_env().map_err(|error| error.to_string())?],
        named => named.to_vec(),
    };
    let pythons = if job.peers || job.quick { Python::start_all()? } else { vec![] };
    let mut peers = peers::versions();
    peers.extend(pythons.iter().flat_map(|python| python.peers.clone()));
    let few = job.quick || job.sizes == Sizes::Long;
    let turns = if few { QUICK_TURNS } else { TURNS };
    let machine = Machine::new();
    let names: Vec<&str> = backends.iter().map(|backend| backend.name()).collect();
    println!("{machine}\nbackend: {}; medians of {turns} turns", names.join(", "));
    println!("peers: {}\n{HEAD}", listed(&peers));
    let mut bench = Bench::new(backends, turns, !few, pythons)?;
    let rows = rows(job, &mut bench)?;
    let report = Report { machine, peers, rows };
    if let Some(json) = json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
        json.commit(text + "\n").map_err(said)?;
    }
    if let Some(html) = html {
        html.commit(page::page(&report)).map_err(said)?;
    }
    if let Some(old) = old {
        print!("{}", report.against(&old)?);
    }
    if job.pair.is_none() {
        report.every_peer_answered()?;
    }
    Ok(format!(
        "{} rows, of which half spread by less than {:.1}%",
        report.rows.len(),
        report.spread()
    ))
}

fn listed(peers: &BTreeMap<String, String>) -> String {
    let peers: Vec<String> =
        peers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    peers.join(", ")
}

/// Times the pairs of a job, and prints each row.
fn rows(job: &Job, bench: &mut Bench) -> Result<Vec<Row>, String> {
    let all =
        || DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
    let pairs: Vec<(DType, DType)> = match job.pair {
        Some(pair) => vec![pair],
        None if job.quick => HEADLINE.to_vec(),
        None => all().collect(),
    };
    let bar = progress::bar(pairs.len() as u64, PAIRS).map_err(|it| it.to_string())?;
    let mut rows = Vec::new();
    // Only the pairs of one source share its elements, because long slices take much memory.
    for &from in DType::NUMERIC {
        let targets: Vec<DType> =
            pairs.iter().filter(|pair| pair.0 == from).map(|pair| pair.1).collect();
        if targets.is_empty() {
            continue;
        }
        let sizes = match job.sizes {
            Sizes::Both => &SIZES[..],
            Sizes::Cached => &SIZES[..1],
            Sizes::Long => &SIZES[1..],
        };
        let samples: Vec<_> =
            sizes.iter().map(|&elements| measure::sample(from, elements)).collect();
        for to in targets {
            for sample in &samples {
                for row in bench.rows(from, to, sample.as_ref().map_err(String::clone)?)? {
                    print(&bar, &row);
                    rows.push(row);
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

const HEAD: &str = "pair                           backend   elements threads  Gelem/s    GB/s spread roofline  ns of 1, 3, 8, 64  best peer";

fn print(bar: &ProgressBar, row: &Row) {
    let short = row.short_calls_ns.map_or(String::new(), |short| {
        short.map(|nanoseconds| format!("{nanoseconds:.0}")).join(" ")
    });
    let versus = match (&row.of_best_peer, row.of_one_thread) {
        (Some((ratio, name)), _) => format!("{ratio:.2} {name}"),
        (None, Some(ratio)) => format!("{ratio:.2} of one thread"),
        (None, None) => String::new(),
    };
    let line = format!(
        "{:<30} {:<8} {:>9} {:>7} {:>8.2} {:>7.2} {:>5.0}% {:>8.2} {short:>18}  {versus}",
        format!("{}:{}", row.from, row.to),
        row.backend,
        row.elements,
        row.threads,
        row.gelem_per_s,
        row.gbyte_per_s,
        100.0 * row.spread,
        row.of_roofline,
    );
    // Where standard error is not a terminal, the bar would swallow the line.
    bar.suspend(|| println!("{line}"));
}
