//! Fuzzing: codes drawn from the answers of the book, for any kernel.
//!
//! [`run`] is `castproof fuzz`: it asks a testee for tensors of such codes and makes its findings
//! small. [`check`](fn@check) and [`codes`] are for fuzz targets and property tests of other
//! crates.

mod chains;
mod deviations;
mod history;
mod like;
mod plan;
mod shared;
mod small;
mod texts;
mod vectors;
mod words;
mod work;
mod worker;

pub use castproof_check::fuzz::{Draw, Random, check, check_request, codes};
pub use castproof_testee::Make;

use anyhow::{Context, Result, anyhow};
use castproof_check::verdict::{Counts, Verdict, counted, thousands};
use castproof_io::output::Output;
use castproof_io::pool::{self, End};
use castproof_io::progress::bar;
use castproof_io::style::Palette;
use castproof_io::{interrupt, sink};
use castproof_judge::finding::findings;
use castproof_report::screen::{Screen, list};
use castproof_report::terminal::{Report, found as how_many, within};
use castproof_results::{FORMAT, Filters, Results, ResultsFile};
use castproof_run::coverage;
use castproof_run::gate::NO_THREAD;
use castproof_run::gate::{Reproducing, UNWRITABLE};
use castproof_testee::subject::has_profile;
use castproof_testee::{Identity, Limits, Testee};
use castproof_vectors::{DType, Level, Profile, Suite};
use deviations::Deviations;
use history::Shown;
use plan::Sequence;
use shared::Shared;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use vectors::Folder;
use worker::{Gone, Worker};

/// How long a run takes if neither a time nor a number of tensors is given.
pub const TIME: Duration = Duration::from_secs(60);

/// What a run of `castproof fuzz` is asked to do.
#[derive(Clone, Debug, Default)]
pub struct FuzzOptions {
    /// The pairs; empty: all, those of strings among them.
    pub pairs: Vec<(DType, DType)>,
    /// Only this operator set.
    pub opset: Option<u32>,
    /// The profile whose casts are fuzzed, instead of those of ONNX.
    pub profile: Option<Profile>,
    /// The seed of the sequence of tensors.
    pub seed: u64,
    /// The longest time of the run.
    pub time: Option<Duration>,
    /// How many tensors to ask.
    pub tensors: Option<u64>,
    /// Threads, each with a testee of its own.
    pub jobs: usize,
    /// Do tolerated results fail?
    pub strict: bool,
    /// The folder that keeps the findings, as vectors.
    pub out: Option<PathBuf>,
    /// Where to write a results file.
    pub json: Option<PathBuf>,
    /// How many lines the findings take at most.
    pub limit_list: usize,
    /// Is the report coloured?
    pub colour: bool,
    /// Names the command that reproduces a finding.
    pub reproducing: Reproducing,
    /// How the command line names the testee, for the command that replays.
    pub subject: String,
}

impl FuzzOptions {
    /// Returns the suite of the casts.
    fn suite(&self) -> Suite {
        self.profile.map_or(Suite::OnnxCast, Suite::Profile)
    }

    /// Returns the option of the profile, with a blank before it.
    fn profile_option(&self) -> String {
        self.profile.map_or_else(String::new, |profile| format!(" --profile {}", profile.name()))
    }

    /// Returns what makes the run smaller than one of every pair and version.
    fn reductions(&self) -> Vec<String> {
        let names: Vec<String> =
            self.pairs.iter().map(|(from, to)| format!("{from}:{to}")).collect();
        let pairs = (!names.is_empty()).then(|| format!("--pair {}", names.join(",")));
        let opset = self.opset.map(|opset| format!("--opset {opset}"));
        pairs.into_iter().chain(opset).collect()
    }

    /// Returns the end of the first and of the last line.
    fn reduced(&self) -> String {
        match self.reductions()[..] {
            [] => String::new(),
            ref reductions => format!("; REDUCED: {}", reductions.join(", ")),
        }
    }
}

/// Fuzzes a testee, which `make` starts, and prints the findings. Returns whether elements were
/// executed and nothing was found. `interrupted` ends the run; the findings so far are printed and
/// kept.
///
/// # Errors
/// If the run could not be carried out: a pair that no version casts, a profile that the testee does not
/// list, a testee that does not start, a folder or a report that cannot be written.
pub fn run(
    options: &FuzzOptions,
    make: &Make<'_>,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let testee = make()?;
    has_profile(options.profile, testee.as_ref())?;
    let (identity, limits) = (testee.identity().clone(), testee.limits());
    let suite = options.suite();
    let casts = (suite, options.pairs.as_slice());
    let plan = Sequence::new(options.seed, casts, options.opset, testee.features())?;
    let folder = options.out.as_deref().map(|path| Folder::open(path, suite)).transpose()?;
    let results_file = options.json.as_deref().map(Output::create).transpose()?;
    let mut report = Report::new(out);
    let out = &mut report;
    first_line(out, options, &identity, &plan).context(UNWRITABLE)?;
    if folder.is_none() && results_file.is_none() {
        // Nothing else would hold the result of the run.
        out.check().context(UNWRITABLE)?;
    }
    let began = Instant::now();
    let time = match (options.time, options.tensors) {
        (None, None) => Some(TIME),
        (time, _) => time,
    };
    let deadline = time.map(|time| began + time);
    let limit = options.tensors.unwrap_or(u64::MAX);
    let found = Deviations::new(folder);
    let (strict, bounds) = (options.strict, (deadline, limit));
    let shared = Shared::new(plan, make, strict, bounds, interrupted, found);
    let testee = threads(&shared, testee, options.jobs.max(1), (began, time))?;
    let stopped = shared.is_interrupted();
    let asked = shared.asked();
    let (found, ended, failed) = shared.into_found();
    let shown = match found.number() {
        0 => Shown::default(),
        _ if stopped || failed.is_some() => Shown { some: true, not_all: false },
        _ => found.shown_by(make()?.as_mut(), strict)?,
    };
    let mut testee =
        testee.filter(|_| !stopped).unwrap_or_else(|| Box::new(Gone(identity.clone())));
    let results = found.results(strict, testee.as_mut()).map_err(|problem| anyhow!(problem))?;
    let ended = ended.or(stopped.then(|| "stopped by the user".into()));
    let ended = ended.or(failed.as_ref().map(|_| "ended by an error".into()));
    let file = results_of(options, (identity, limits), results);
    if let Some(results_file) = results_file {
        results_file.commit(serde_json::to_string(&file)? + "\n")?;
    }
    tell(out, options, &file, shown, (asked, began.elapsed(), ended)).context(UNWRITABLE)?;
    out.check().context(UNWRITABLE)?;
    failed.map_or(Ok(file.passed), Err)
}

/// Runs the threads, with the progress on standard error. Returns a testee, if one is left. The
/// first error ends the run and is reported after the findings.
fn threads(
    shared: &Shared<'_>,
    testee: Box<dyn Testee + Send>,
    jobs: usize,
    (began, time): (Instant, Option<Duration>),
) -> Result<Option<Box<dyn Testee + Send>>> {
    // The bar shows time or tensors.
    let bar = bar(time.map_or(shared.limit, |time| time.as_millis() as u64), "{msg}")?;
    // The channel is closed once all threads have ended.
    let (running, ended) = channel::<()>();
    let mut workers = vec![(testee, running.clone())];
    for _ in 1..jobs {
        workers.push(((shared.make)()?, running.clone()));
    }
    drop(running);
    let work =
        |(testee, _running): (_, Sender<()>), end: &End| Worker::new(shared, testee).work(end);
    let show = move |_: &End| {
        while ended.recv_timeout(interrupt::LOOK / 10) == Err(RecvTimeoutError::Timeout) {
            bar.set_position(match time {
                Some(_) => began.elapsed().as_millis() as u64,
                None => shared.asked(),
            });
            let (asked, found) = (thousands(shared.asked()), shared.found().number());
            bar.set_message(format!("{asked} tensors, {found} failing inputs"));
        }
        bar.finish_and_clear();
        Ok(())
    };
    let done = pool::run(workers, NO_THREAD, work, show);
    done.here?;
    let mut left = None;
    for worker in done.workers {
        match worker {
            Ok(testee) => left = left.or(Some(testee)),
            Err(error) => shared.fail(error),
        }
    }
    Ok(left)
}

fn results_of(
    options: &FuzzOptions,
    (testee, limits): (Identity, Limits),
    results: Results,
) -> ResultsFile {
    let totals = results.totals();
    let findings = findings(&results);
    let mut reasons = Vec::new();
    // A wrong element fails the run even without a finding.
    let wrong = totals.bad() + results.all_arranged().wrong;
    if !findings.is_empty() || wrong > 0 {
        reasons.push("fuzzing found something".to_string());
    }
    if judged(&results).executed == 0 {
        reasons.push("no element was executed".into());
    }
    let (seed, profile) = (options.seed, options.profile_option());
    let mut reductions = vec![format!("castproof fuzz{profile} --seed {seed}")];
    reductions.extend(options.reductions());
    ResultsFile {
        format: FORMAT.into(),
        testee,
        level: Level::Core,
        filters: Filters { opset: options.opset, ..Filters::default() },
        asked: [options.suite()]
            .into_iter()
            .chain(results.suites.iter().map(|it| it.suite))
            .collect(),
        reductions,
        lacking: Vec::new(),
        limits: Some(limits).filter(|limits| !limits.take_all()),
        coverage: coverage::of_fuzzing(options.suite(), &results).into_iter().collect(),
        strict: options.strict,
        silent_as: None,
        passed: reasons.is_empty(),
        reasons,
        totals,
        baseline: None,
        findings,
        results,
    }
}

/// Returns the totals, with the wrong elements that no cell counts: of drawn texts, of `CastLike`, and those that are right
/// alone.
fn judged(results: &Results) -> Counts {
    let (mut totals, wrong) = (results.totals(), results.all_arranged().wrong);
    totals.executed += wrong;
    totals.add(Verdict::Fail, wrong);
    totals
}

/// Prints the commands that show the findings again.
fn replays(
    out: &mut dyn Write,
    options: &FuzzOptions,
    shown: Shown,
    asked: u64,
) -> std::io::Result<()> {
    let strict = if options.strict { " --strict" } else { "" };
    let profile = options.profile_option();
    let subject = &options.subject;
    writeln!(out)?;
    match &options.out {
        Some(folder) if shown.some => {
            let folder = sink::path_word(folder);
            // An adapter's baseline may expect some of the findings.
            writeln!(
                out,
                "Replay with: castproof gate {subject}{profile} --vectors {folder} --no-baseline{strict}"
            )?;
        }
        None if shown.some => writeln!(
            out,
            "With --out DIR the findings are kept as vectors, which castproof gate --vectors DIR replays."
        )?,
        _ => {}
    }
    if shown.not_all {
        let reductions: String = options.reductions().iter().map(|it| format!(" {it}")).collect();
        let (seed, jobs) = (options.seed, options.jobs.max(1));
        writeln!(
            out,
            "A new testee does not show all of it: a fault depends on earlier requests. Replay with: \
             castproof fuzz {subject}{profile}{reductions} --seed {seed} --tensors {asked} --jobs {jobs}{strict}"
        )?;
    }
    Ok(())
}

fn first_line(
    out: &mut dyn Write,
    options: &FuzzOptions,
    testee: &Identity,
    plan: &Sequence,
) -> std::io::Result<()> {
    let of_profile =
        options.profile.map_or_else(String::new, |profile| format!(", {}", profile.name()));
    writeln!(
        out,
        "castproof fuzz: {testee}{of_profile}, {}, seed {}{}",
        counted(plan.requests() as u64, "request"),
        options.seed,
        options.reduced()
    )?;
    out.flush()
}

/// Prints the findings, how to replay them, and the verdict.
fn tell(
    out: &mut dyn Write,
    options: &FuzzOptions,
    file: &ResultsFile,
    shown: Shown,
    (asked, took, ended): (u64, Duration, Option<String>),
) -> std::io::Result<()> {
    let palette = Palette { on: options.colour };
    let results = options.json.as_deref();
    let reproduce = &|finding: &_, place: &_| options.reproducing.command(file, finding, place);
    let (lines, writes) = (options.limit_list, "--json FILE");
    let strict = "--strict";
    let screen = Screen { lines, results, strict, writes, reproduce, palette };
    list(out, &file.findings, &screen)?;
    if !file.findings.is_empty() {
        replays(out, options, shown, asked)?;
    }
    for sentence in &file.coverage {
        writeln!(out, "\n{sentence}")?;
    }
    let verdict = if file.passed { palette.good("PASS") } else { palette.bad("FAIL") };
    let judged = judged(&file.results);
    let idle = if judged.executed == 0 { "no element was executed; " } else { "" };
    let ended = ended.map_or(String::new(), |reason| format!("; {}", sink::line(&reason)));
    writeln!(
        out,
        "\n{verdict}  {idle}{}{}, {}: {}; seed {}; {:.1} s{ended}{}{}",
        how_many(&file.findings),
        counted(asked, "tensor"),
        counted(judged.executed, "element"),
        judged,
        options.seed,
        took.as_secs_f64(),
        within(file.limits.as_ref()),
        options.reduced()
    )?;
    out.flush()
}
