//! The sweep: not chosen vectors but every code of every source up to 32 bits, and every boundary
//! of wider ones, with a certificate of what was covered.

mod certificate;
mod chunk;
mod compare;
mod coverage;
mod diagnose;
mod expand;
mod journal;
mod record;
mod replay;
mod report;
mod signature;
mod state;
mod tensors;
mod verify;
mod work;

pub use coverage::SEED;
pub use work::Shard;

use crate::gate::{Subject, start};
use crate::journal::Terms;
use crate::output::Output;
use crate::results::Filters;
use crate::testee::Testee;
use anyhow::{Context, Result, anyhow, bail};
use castproof_oracle::attribute_sets;
use castproof_vectors::{DType, Hex, NEWEST, Operator, Request, resolve, type_set};
use certificate::Certificate;
use chunk::Prepared;
use indicatif::{ProgressBar, ProgressStyle};
use record::{Asked, Heading};
use state::{Extent, State, Status};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tensors::Tensors;

/// The JSON Schema of a certificate.
#[cfg(feature = "schema")]
pub fn certificate_schema() -> schemars::Schema {
    schemars::schema_for!(Certificate)
}

/// What a sweep is asked to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which implementation is swept.
    pub subject: Subject,
    /// Which casts; no opset means the newest.
    pub filters: Filters,
    /// Which share of them.
    pub shard: Shard,
    /// Threads, each with a testee of its own.
    pub threads: usize,
    /// Where the certificate is written; the journal lies beside it until then.
    pub certificate: PathBuf,
    /// On which terms a journal that is there is gone on with.
    pub terms: Terms,
    /// The longest wait for an answer of the testee.
    pub timeout: Duration,
    /// Day of the run, for the certificate.
    pub date: String,
}

/// Runs a sweep, from the start or from where its journal ends, and prints its report to `out`.
/// Says whether every code that was swept had an allowed result.
///
/// # Errors
/// If the sweep could not be carried out, or was interrupted.
pub fn run(options: &Options, interrupted: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
    let prepared = prepare(options)?;
    let chunks: u64 = prepared.iter().map(|it| it.coverage.chunks()).sum();
    let most = usize::try_from(chunks.div_ceil(options.shard.of)).unwrap_or(usize::MAX);
    let mut testees = Vec::new();
    for _ in 0..options.threads.clamp(1, most.max(1)) {
        if interrupted.load(Ordering::Relaxed) {
            bail!("interrupted before the sweep began");
        }
        testees.push(start(&options.subject, options.timeout)?);
    }
    run_prepared(options, &prepared, testees, interrupted, out)
}

/// [`run`] with these testees, one for each thread.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    options: &Options,
    testees: Vec<Box<dyn Testee + Send>>,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    run_prepared(options, &prepare(options)?, testees, interrupted, out)
}

fn prepare(options: &Options) -> Result<Vec<Prepared>> {
    if cfg!(target_endian = "big") {
        bail!("sweeps run on little-endian machines only");
    }
    work::each(&requests(options.filters)?, options.threads, Prepared::new)
}

fn run_prepared(
    options: &Options,
    prepared: &[Prepared],
    testees: Vec<Box<dyn Testee + Send>>,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let threads = testees.len();
    let first = testees.first().context("a sweep needs a thread")?;
    let (identity, judged) = (first.identity().clone(), first.judged()?);
    let in_process = options.subject == Subject::Builtin;
    let tensors = if in_process { Tensors::IN_PROCESS } else { Tensors::PIPED };
    let heading = Heading {
        tool: format!("castproof {}", env!("CARGO_PKG_VERSION")),
        specification: format!("ONNX Cast, opset {NEWEST}"),
        testee: identity,
        seed: Hex::new(SEED, DType::Uint64),
        tensors: Some(tensors),
    };
    let asked = prepared.iter().map(|it| Ok((Asked::new(&it.request)?, Extent::new(it))));
    let mut state = State::new(heading, asked.collect::<Result<_>>()?);
    let jobs = work::jobs(&state, prepared, options.shard);

    let journal_path = journal_of(&options.certificate);
    let certificate = Output::create(&options.certificate)?;
    let (mut journal, notes) =
        journal::open(&journal_path, options.shard, options.terms, judged, &mut state)?;
    let open = work::open(&state, &jobs);
    report::first_lines(out, &state, options.shard, (&jobs, &open), &notes)?;
    let began = Instant::now();
    let mut events = Vec::new();
    let progress = progress(open.iter().map(|job| job.codes).sum())?;
    work::run(prepared, &open, testees, tensors, interrupted, |job, event| {
        journal.add(&event)?;
        events.push(event);
        progress.inc(job.codes);
        Ok(())
    })?;
    progress.finish_and_clear();
    state.fold(events);
    if interrupted.load(Ordering::Relaxed) {
        bail!(
            "interrupted; {} keeps what is done, and the same command goes on from there",
            journal_path.display()
        );
    }
    let machine = machine(threads);
    Certificate::new(state.clone(), options.date.clone(), machine).write(certificate)?;
    if jobs.is_empty() {
        writeln!(out, "share {} is empty: there are fewer chunks than shares", options.shard)?;
        out.flush()?;
        journal.remove()?;
        return Ok(true);
    }
    let clean = report::body(out, &state, began.elapsed(), &options.certificate)?;
    journal.remove()?;
    Ok(clean)
}

/// Joins the certificates or journals of all shares of a sweep into one certificate.
///
/// # Errors
/// If they are of different sweeps, overlap, or leave a gap; if one was edited; if the
/// certificate cannot be written.
pub fn merge(inputs: &[PathBuf], path: &Path, date: &str, out: &mut dyn Write) -> Result<bool> {
    let certificate = Output::create(path)?;
    let mut merged: Option<State> = None;
    let mut machines: Vec<String> = Vec::new();
    for input in inputs {
        let (state, machine) = read(input)?;
        machines.extend(machine.filter(|machine| !machines.contains(machine)));
        match &mut merged {
            None => merged = Some(state),
            Some(merged) => merged.merge(state, &input.display().to_string())?,
        }
    }
    let state = merged.context("name the certificates or journals to merge")?;
    if let Some(gap) = state.gap() {
        bail!("{gap}: a share of the sweep is not among the files");
    }
    Certificate::new(state.clone(), date.into(), machines.join("; ")).write(certificate)?;
    report::body(out, &state, Duration::ZERO, path)
}

fn read(path: &Path) -> Result<(State, Option<String>)> {
    let text = read_text(path)?;
    if crate::journal::is_journal(text.as_bytes()) {
        return Ok((journal::read(path)?, None));
    }
    let certificate = Certificate::read(path, &text)?;
    let machine = certificate.machine.clone();
    Ok((certificate.into_state(), Some(machine)))
}

/// What a certificate is held to.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Which requests are derived again.
    pub filters: Filters,
    /// Is it enough that what it claims is true, failures included?
    pub allow_failures: bool,
    /// The public key of minisign, or a file of one, that must have signed it.
    pub public_key: Option<String>,
    /// The signature; by default the file of that name with `.minisig` added.
    pub signature: Option<PathBuf>,
}

/// Checks a certificate: its seal and signature, that its requests are complete, and that what
/// it says of every request (that the filters let through) follows from the rules and agrees with
/// itself. Prints what it claims. Says whether that is a clean sweep.
///
/// # Errors
/// If anything is not so.
pub fn verify(
    path: &Path,
    check: &Check,
    threads: usize,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let text = read_text(path)?;
    let certificate = Certificate::read(path, &text)?;
    let name = || path.display().to_string();
    let signed = match &check.public_key {
        None => None,
        Some(key) => {
            let file = check.signature.clone().unwrap_or_else(|| signature::beside(path));
            Some(signature::check(&text, &file, key)?)
        }
    };
    verify::complete(&certificate).with_context(name)?;
    let filters = &check.filters;
    let kept: Vec<_> = certificate
        .requests
        .iter()
        .filter(|it| filters.from.is_none_or(|from| from == it.request.from))
        .filter(|it| filters.to.is_none_or(|to| to == it.request.to))
        .filter(|it| filters.opset.is_none_or(|opset| opset == it.request.opset))
        .collect();
    if kept.is_empty() {
        bail!("{}: the filters leave nothing to verify", path.display());
    }
    let chunks = kept.iter().map(|it| match &it.status {
        Status::Whole(_) => it.extent.chunks,
        Status::Parts(parts) => parts.len() as u64,
        Status::Stopped(_) => 0,
    });
    let progress = ProgressBar::new(chunks.sum()).with_style(style("{pos}/{len} chunks")?);
    let done = || {
        progress.inc(1);
        if interrupted.load(Ordering::Relaxed) { bail!("interrupted") } else { Ok(()) }
    };
    verify::verify_all(&kept, threads, &done).with_context(name)?;
    progress.finish_and_clear();
    let open = verify::open_differences(&kept);
    let clean = report::verified(out, path, &certificate, (kept.len(), open), signed.as_deref())?;
    Ok(clean || check.allow_failures)
}

/// Signs a certificate that was not edited, with a secret key of minisign. The signature lies
/// beside it.
///
/// # Errors
/// If it is no certificate, the key is none, or the signature cannot be written.
pub fn sign(path: &Path, key: &Path, out: &mut dyn Write) -> Result<()> {
    let place = signature::beside(path);
    let output = Output::create(&place)?;
    let text = read_text(path)?;
    let certificate = Certificate::read(path, &text)?;
    let comment = format!("castproof certificate, seal {}", String::from(certificate.seal));
    signature::sign(&text, key, &comment, output)?;
    writeln!(out, "{} is signed in {}", path.display(), place.display())?;
    Ok(out.flush()?)
}

/// Sweeps some blocks of a certificate again with the testee that it is of. Says whether each gave
/// what the certificate says.
///
/// # Errors
/// If the certificate was edited, or is of another testee.
pub fn replay(
    path: &Path,
    testee: &mut dyn Testee,
    draws: (usize, u64),
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let certificate = Certificate::read(path, &read_text(path)?)?;
    replay::replay(&certificate, testee, draws, interrupted, out)
}

fn read_text(path: &Path) -> Result<String> {
    crate::input::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Every numeric request of a version that the filters let through, in all modes.
pub(crate) fn requests(filters: Filters) -> Result<Vec<Request>> {
    let opset = filters.opset.unwrap_or(NEWEST);
    let version = resolve(Operator::Cast, opset).map_err(|error| anyhow!(error))?;
    let set = type_set(Operator::Cast, version);
    let kept = |filter: Option<DType>| {
        let fits = move |dtype: &DType| filter.is_none_or(|filter| filter == *dtype);
        set.iter().copied().filter(|dtype| dtype.is_numeric()).filter(fits)
    };
    let mut requests = Vec::new();
    for from in kept(filters.from) {
        for to in kept(filters.to) {
            for attributes in attribute_sets(to, version) {
                requests.push(Request::cast(from, to, opset).with(attributes));
            }
        }
    }
    if requests.is_empty() {
        bail!("Cast-{version} has no numeric pair that the filters let through");
    }
    Ok(requests)
}

/// The journal lies beside its certificate.
fn journal_of(certificate: &Path) -> PathBuf {
    let mut name = certificate.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

fn progress(codes: u64) -> Result<ProgressBar> {
    Ok(ProgressBar::new(codes).with_style(style("{human_pos} of {human_len} codes, {per_sec}")?))
}

fn style(counts: &str) -> Result<ProgressStyle> {
    ProgressStyle::with_template(&format!("{{bar:30}} {counts}, {{eta}} left"))
        .context("the progress bar's template")
}

/// The processor's name, where the system tells it, and how many threads worked.
fn machine(threads: usize) -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let cpu = cpu.unwrap_or_else(|| std::env::consts::ARCH.into());
    format!("{cpu}, {threads} threads")
}
