//! `cargo xtask bench`: how fast casts are, compared with a loop that only reads and writes the
//! same bytes and, on request, with what a user would use instead.
//!
//! Everything that is compared runs in the same process, in turns, so that a noisy machine slows
//! all of it equally; what counts is the ratio. Nothing is timed before its results have been
//! checked.

mod aligned;
mod measure;
mod page;
mod peers;
mod python;

use castproof::output::Output;
use castproof_impl::Backend;
use castproof_io::progress::{self, PAIRS};
use castproof_vectors::DType;
use indicatif::ProgressBar;
use measure::{Bench, Row, SIZES, TURNS};
use python::Python;
use std::path::PathBuf;
use std::str::FromStr;

/// What to time and where to write it.
pub(crate) struct Job {
    /// Only this pair.
    pub(crate) pair: Option<(DType, DType)>,
    /// Whether ONNX Runtime and numpy are timed too.
    pub(crate) python: bool,
    /// A file for the rows.
    pub(crate) json: Option<PathBuf>,
    /// A file for the heat map.
    pub(crate) html: Option<PathBuf>,
}

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

/// Times one pair or all, prints a table, and writes the files that were asked for. Files are
/// written whole, after the last row.
pub(crate) fn bench(job: &Job) -> Result<String, String> {
    let backend = Backend::from_env().map_err(|error| error.to_string())?;
    let open = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
    let said = |error| format!("{error:#}");
    let (json, html) = (open(&job.json).map_err(said)?, open(&job.html).map_err(said)?);
    let mut python = if job.python { Some(Python::start()?) } else { None };
    let (sources, targets) = match job.pair {
        Some((from, to)) => (vec![from], vec![to]),
        None => (DType::NUMERIC.to_vec(), DType::NUMERIC.to_vec()),
    };
    let bar = progress::bar((sources.len() * targets.len()) as u64, PAIRS)
        .map_err(|it| it.to_string())?;
    println!("backend {backend}; medians of {TURNS} turns\n{HEAD}");
    let mut bench = Bench::new(python.as_mut())?;
    let mut rows = Vec::new();
    for from in sources {
        let inputs = SIZES.map(|elements| measure::sample(from, elements));
        for &to in &targets {
            for input in &inputs {
                for row in bench.rows(from, to, input.as_ref().map_err(String::clone)?)? {
                    print(&bar, &row);
                    rows.push(row);
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if let Some(json) = json {
        let text = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())?;
        json.commit(text + "\n").map_err(said)?;
    }
    if let Some(html) = html {
        html.commit(page::page(&rows, backend)).map_err(said)?;
    }
    Ok(format!("{} rows", rows.len()))
}

const HEAD: &str =
    "pair                            elements threads  Gelem/s    GB/s spread roofline best peer";

fn print(bar: &ProgressBar, row: &Row) {
    let roofline = format!("{:.2}", row.of_roofline);
    let versus = match (&row.of_best_peer, row.of_one_thread) {
        (Some((ratio, name)), _) => format!("{ratio:.2} {name}"),
        (None, Some(ratio)) => format!("{ratio:.2} of one thread"),
        (None, None) => String::new(),
    };
    let line = format!(
        "{:<30} {:>9} {:>7} {:>8.2} {:>7.2} {:>5.0}% {roofline:>8} {versus}",
        format!("{}:{}", row.from, row.to),
        row.elements,
        row.threads,
        row.gelem_per_s,
        row.gbyte_per_s,
        100.0 * row.spread,
    );
    // Where standard error is not a terminal, the bar would swallow the line.
    bar.suspend(|| println!("{line}"));
}
