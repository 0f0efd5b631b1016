//! The sweep: instead of chosen vectors, every code of every source up to 32 bits and the
//! boundaries of wider ones, with a certificate of what was covered.
#![deny(unsafe_code)]

mod again;
mod asking;
pub mod attest;
mod certificate;
mod chunk;
mod compare;
mod coverage;
mod diagnose;
mod expand;
mod journal;
mod prepared;
mod record;
mod replay;
mod report;
mod signature;
mod state;
mod tensors;
mod verify;
mod work;

pub use coverage::SEED;
pub use record::Conclusion;
pub use work::Shard;

use anyhow::{Context, Result, bail};
use castproof_check::verdict::thousands;
use castproof_io::interrupt;
use castproof_io::journal::JournalTerms;
use castproof_io::output::{self, Output};
use castproof_io::pool;
use castproof_io::progress::bar;
use castproof_io::sink;
use castproof_judge::requests::{requests, requests_of};
use castproof_results::Filters;
use castproof_testee::judged::Judged;
use castproof_testee::subject::has_profile;
use castproof_testee::{Subject, Testee, start};
use castproof_vectors::{DType, Hex, OneLine, Profile, Request};
use certificate::{Certificate, questions, specification};
use journal::Opened;
use prepared::Prepared;
use record::{Asked, Heading, Tested};
use state::{Extent, RequestState, State, Status};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tensors::Tensors;
use work::NO_THREAD;

/// Returns the JSON Schema of a certificate.
#[cfg(feature = "schema")]
pub fn certificate_schema() -> schemars::Schema {
    schemars::schema_for!(Certificate)
}

/// What a sweep is asked to do.
#[derive(Clone, Debug)]
pub struct SweepOptions {
    /// Which implementation is swept.
    pub subject: Subject,
    /// The profile whose casts are swept, instead of those of ONNX.
    pub profile: Option<Profile>,
    /// The casts to sweep; without an opset, those of the newest.
    pub filters: Filters,
    /// The share of them that this run sweeps.
    pub shard: Shard,
    /// Threads, each with a testee of its own.
    pub threads: usize,
    /// Where the certificate is written; the journal lies beside it until then.
    pub certificate: PathBuf,
    /// On which terms an existing journal is resumed.
    pub terms: JournalTerms,
    /// The longest wait for an answer of the testee.
    pub timeout: Duration,
    /// Day of the run, for the certificate.
    pub date: String,
}

impl SweepOptions {
    /// Returns the path of the journal, beside the certificate.
    pub fn journal(&self) -> PathBuf {
        let mut name = self.certificate.as_os_str().to_owned();
        name.push(".journal");
        name.into()
    }
}

/// Runs a sweep, from the start or from where its journal ends, and prints its report to `out`.
/// Returns what it comes to: of a share never more than [`Conclusion::Part`].
///
/// # Errors
/// If the sweep could not be carried out, or was interrupted.
pub fn run(
    options: &SweepOptions,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<Conclusion> {
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

/// Does the same as [`run`] with these testees, one for each thread.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    options: &SweepOptions,
    testees: Vec<Box<dyn Testee + Send>>,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<Conclusion> {
    run_prepared(options, &prepare(options)?, testees, interrupted, out)
}

fn prepare(options: &SweepOptions) -> Result<Vec<Prepared>> {
    if cfg!(target_endian = "big") {
        bail!("sweeps run on little-endian machines only");
    }
    let requests = match options.profile {
        Some(profile) => requests_of(profile, options.filters)?,
        None => requests(options.filters)?,
    };
    pool::each(&requests, options.threads, NO_THREAD, Prepared::new)
}

fn run_prepared(
    options: &SweepOptions,
    prepared: &[Prepared],
    mut testees: Vec<Box<dyn Testee + Send>>,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<Conclusion> {
    let threads = testees.len();
    let first = testees.first().context("a sweep needs a thread")?;
    has_profile(options.profile, first.as_ref())?;
    let judged = first.judged()?;
    let in_process = options.subject == Subject::Builtin;
    let tensors = if in_process { Tensors::IN_PROCESS } else { Tensors::PIPED };
    let mut state = begin(prepared, first.as_ref(), &judged, tensors)?;
    let jobs = work::jobs(&state, prepared, options.shard);

    let journal_path = options.journal();
    let certificate = Output::create(&options.certificate)?;
    let mut opened = journal::open(&journal_path, options.shard, options.terms, judged, &state)?;
    if !opened.events.is_empty() && !options.terms.unchanged {
        ask_again(&mut opened, prepared, (&mut testees, tensors), interrupted)?;
        if interrupted.load(Ordering::Relaxed) {
            bail!("interrupted; {} keeps what is done", journal_path.display());
        }
    }
    let Opened { mut journal, notes, events, .. } = opened;
    state.fold(events).with_context(|| format!("journal {}", journal_path.display()))?;
    let open = work::open(&state, &jobs);
    report::first_lines(out, &state, options.shard, (&jobs, &open), &notes)?;
    let began = Instant::now();
    let mut events = Vec::new();
    let codes = open.iter().map(|job| job.codes).sum();
    let progress = bar(codes, "{human_pos} of {human_len} codes, {per_sec}")?;
    work::run(prepared, &open, &mut testees, tensors, interrupted, |job, event| {
        journal.add(&event)?;
        events.push(event);
        progress.inc(job.codes);
        Ok(())
    })?;
    progress.finish_and_clear();
    state.fold(events)?;
    if interrupted.load(Ordering::Relaxed) || interrupt::requested() {
        bail!(
            "interrupted; {} keeps what is done, and the same command goes on from there",
            journal_path.display()
        );
    }
    let machine = machine(threads);
    let (share, date) = (options.shard, options.date.as_str().into());
    Certificate::new(state.clone(), share, date, machine.into()).write(certificate)?;
    if jobs.is_empty() {
        writeln!(out, "share {share} is empty: there are fewer chunks than shares")?;
        out.flush()?;
        journal.remove()?;
        return Ok(Conclusion::Part);
    }
    let conclusion = report::body(out, (&state, share), began.elapsed(), &options.certificate)?;
    journal.remove()?;
    Ok(conclusion)
}

/// Makes the sweep of these requests, of which nothing is done.
fn begin(
    prepared: &[Prepared],
    testee: &dyn Testee,
    judged: &Judged,
    tensors: Tensors,
) -> Result<State> {
    let asked = prepared.iter().map(|it| (Asked::from(it.request), Extent::new(it)));
    let asked: Vec<(Asked, Extent)> = asked.collect();
    let first = prepared.first().context("a sweep needs a request")?;
    let mut heading = Heading {
        tool: concat!("castproof ", env!("CARGO_PKG_VERSION")).into(),
        specification: specification(first.request.spec).into(),
        testee: testee.identity().clone(),
        seed: Hex::new(SEED, DType::Uint64),
        tensors: Some(tensors),
        tested: Some(Tested::new(testee, judged)?),
        questions: None,
    };
    heading.questions = Some(questions(&heading, asked.iter().copied()));
    Ok(State::new(heading, asked))
}

/// Sweeps a share of the chunks of a journal again, and begins it anew if one comes out otherwise.
fn ask_again(
    opened: &mut Opened,
    prepared: &[Prepared],
    (testees, tensors): (&mut [Box<dyn Testee + Send>], Tensors),
    interrupted: &AtomicBool,
) -> Result<()> {
    let again = again::ask(&opened.events, prepared, testees, tensors, interrupted)?;
    if interrupted.load(Ordering::Relaxed) {
        return Ok(());
    }
    let chunks = thousands(again.chunks);
    match again.differs {
        None => {
            opened.notes.push(format!("{chunks} finished chunks, swept again, came out as before"));
        }
        Some(request) => {
            let request = prepared[request].request;
            opened.restart(&format!("it came out otherwise than before: {request}"))?;
        }
    }
    Ok(())
}

/// Joins the certificates or journals of all shares of a sweep into one certificate.
///
/// # Errors
/// If they belong to different sweeps, overlap, or leave a gap; if [`verify`] would refuse one; if the
/// certificate cannot be written.
pub fn merge(
    inputs: &[PathBuf],
    path: &Path,
    date: &str,
    (threads, interrupted): (usize, &AtomicBool),
    out: &mut dyn Write,
) -> Result<Conclusion> {
    let certificate = Output::create(path)?;
    let shares: Result<Vec<Certificate>> = inputs.iter().map(|input| read(input)).collect();
    let shares = shares?;
    let mut merged: Option<State> = None;
    let mut machines: Vec<&OneLine> = Vec::new();
    for (share, input) in shares.iter().zip(inputs) {
        if !share.machine.is_empty() && !machines.contains(&&share.machine) {
            machines.push(&share.machine);
        }
        let state = share.state();
        match &mut merged {
            None => merged = Some(state),
            Some(merged) => merged.merge(state, &input.display().to_string())?,
        }
    }
    let state = merged.context("name the certificates or journals to merge")?;
    if let Some(gap) = state.gap() {
        bail!("{gap}: a share of the sweep is not among the files");
    }
    // What `verify` refuses is not joined.
    for (share, input) in shares.iter().zip(inputs) {
        let requests: Vec<&RequestState> = share.requests.iter().collect();
        derive_again(input, share, &requests, threads, interrupted)?;
    }
    let machines: Vec<&str> = machines.iter().map(|machine| &***machine).collect();
    let machines = machines.join("; ").into();
    Certificate::new(state.clone(), Shard::WHOLE, date.into(), machines).write(certificate)?;
    report::body(out, (&state, Shard::WHOLE), Duration::ZERO, path)
}

/// Reads a certificate, or a journal as one without date and machine.
fn read(path: &Path) -> Result<Certificate> {
    let text = read_text(path)?;
    if castproof_io::journal::is_journal(text.as_bytes()) {
        let (state, share) = journal::read(path)?;
        return Ok(Certificate::new(state, share, OneLine::default(), OneLine::default()));
    }
    Certificate::read(path, &text)
}

/// Checks that a certificate has all requests of its sweep, and derives again what it says of these.
///
/// # Errors
/// If it contradicts itself or the rules.
fn derive_again(
    path: &Path,
    certificate: &Certificate,
    requests: &[&RequestState],
    threads: usize,
    interrupted: &AtomicBool,
) -> Result<()> {
    let name = || path.display().to_string();
    verify::complete(certificate).with_context(name)?;
    verify::of_its_share(certificate).with_context(name)?;
    let chunks = requests.iter().map(|it| match &it.status {
        Status::Whole(_) => it.extent.chunks,
        Status::Parts(parts) => parts.len() as u64,
        Status::Stopped(_) => 0,
    });
    let progress = bar(chunks.sum(), "{pos}/{len} chunks")?;
    let done = || {
        progress.inc(1);
        if interrupted.load(Ordering::Relaxed) { bail!("interrupted") } else { Ok(()) }
    };
    verify::verify_all(requests, threads, &done).with_context(name)?;
    progress.finish_and_clear();
    Ok(())
}

/// The requirements of a check of a certificate.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Which requests are derived again.
    pub filters: Filters,
    /// Does a certificate of a whole sweep with failures pass if all that it claims is true?
    pub allow_failures: bool,
    /// The public key of minisign that must have signed it, or the path of its file.
    pub public_key: Option<String>,
    /// The signature file; by default the name of the certificate with `.minisig` added.
    pub signature: Option<PathBuf>,
}

/// Checks a certificate: its seal and signature, that its requests are complete, and that its
/// claims about each request that the filters let through follow from the rules and do not
/// contradict each other. Prints its claims, and what of a sweep it does not cover. Returns what they come
/// to; failures that are allowed count as clean.
///
/// # Errors
/// If any check fails.
pub fn verify(
    path: &Path,
    check: &Check,
    threads: usize,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<Conclusion> {
    let text = read_text(path)?;
    let certificate = match attest::is_attestation(&text) {
        true => None,
        false => Some(Certificate::read(path, &text)?),
    };
    let signed = match &check.public_key {
        None => None,
        Some(key) => {
            let file = check.signature.clone().unwrap_or_else(|| signature::beside(path));
            Some(signature::check(&text, &file, key)?)
        }
    };
    let filters = &check.filters;
    let Some(certificate) = certificate else {
        if *filters != Filters::default() {
            bail!(
                "{}: an attestation is verified whole; leave {} out",
                path.display(),
                filters.words().join(", ")
            );
        }
        if let Some(signed) = signed {
            writeln!(out, "{signed}")?;
        }
        return attest::verify(path, &text, check.allow_failures, interrupted, out);
    };
    let is_kept = |request: &Request| {
        filters.from.is_none_or(|from| from == request.from)
            && filters.to.is_none_or(|to| to == request.to)
            && filters.opset.is_none_or(|opset| Some(opset) == request.spec.opset())
    };
    let requests = certificate.requests.iter();
    let kept: Vec<_> = requests.filter(|it| is_kept(&it.request.request())).collect();
    if kept.is_empty() && !certificate.requests.is_empty() {
        bail!("{}: the filters leave nothing to verify", path.display());
    }
    // What follows may take minutes.
    let (name, all) = (sink::path(path), certificate.requests.len());
    writeln!(out, "{name}: {} of {all} requests are derived again", kept.len())?;
    out.flush()?;
    derive_again(path, &certificate, &kept, threads, interrupted)?;
    let open = verify::open_differences(&kept);
    let claimed = report::verified(out, path, &certificate, (kept.len(), open), signed.as_deref())?;
    let share = certificate.share.unwrap_or(Shard::WHOLE);
    let whole = share == Shard::WHOLE
        && verify::missing(&certificate.requests, share).iter().all(Vec::is_empty);
    Ok(match claimed {
        Conclusion::Fails if check.allow_failures && whole => Conclusion::Clean,
        Conclusion::Fails if check.allow_failures => Conclusion::Part,
        claimed => claimed,
    })
}

/// Signs a certificate whose seal matches, with a secret key of minisign. The signature is written
/// beside it.
///
/// # Errors
/// If it is not a certificate, the key is invalid, or the signature cannot be written.
pub fn sign(path: &Path, key: &Path, out: &mut dyn Write) -> Result<()> {
    let place = signature::beside(path);
    output::apart(&[&place], &[path, key])?;
    let output = Output::create(&place)?;
    let text = read_text(path)?;
    let seal = match attest::is_attestation(&text) {
        true => attest::seal(path, &text)?,
        false => Certificate::read(path, &text)?.seal,
    };
    let comment = format!("castproof certificate, seal {}", String::from(seal));
    signature::sign(&text, key, &comment, output)?;
    writeln!(out, "{} is signed in {}", sink::path(path), sink::path(&place))?;
    Ok(out.flush()?)
}

/// Sweeps some blocks of a certificate again with the testee that it names. Returns whether each
/// block gave what the certificate says.
///
/// # Errors
/// If the certificate was edited, or names another testee.
pub fn replay(
    path: &Path,
    testee: &mut dyn Testee,
    draws: (usize, u64),
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let text = read_text(path)?;
    if attest::is_attestation(&text) {
        return attest::replay(path, &text, testee, draws, interrupted, out);
    }
    let certificate = Certificate::read(path, &text)?;
    replay::replay(&certificate, testee, draws, interrupted, out)
}

fn read_text(path: &Path) -> Result<String> {
    castproof_io::input::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Returns the name of the processor, if the system gives it, and how many threads worked.
fn machine(threads: usize) -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let cpu = cpu.unwrap_or_else(|| std::env::consts::ARCH.into());
    format!("{cpu}, {threads} threads")
}
