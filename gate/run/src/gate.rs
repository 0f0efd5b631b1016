//! The gate: runs vectors through a testee, judges every element, and reports what it found.

use crate::journal::Progress;
pub use crate::options::{Options, Reproducing};
use crate::plan::{Choice, Plan};
pub use crate::work::NO_THREAD;
use crate::work::{Task, Testees};
use crate::{again, bare, coverage, questions, run, work};
use anyhow::{Context, Result, bail};
use castproof_arrange::{Calls, Like};
use castproof_io::output::Output;
use castproof_io::sink::path;
use castproof_judge::finding::findings as gather;
use castproof_judge::reasons::{self, Reasons};
use castproof_judge::scope::{Judgement, Scope};
use castproof_judge::source::{Pair, Source};
use castproof_report::screen::{Screen, list, notices, tolerated};
pub use castproof_report::terminal::Matrices;
use castproof_report::terminal::{self, Report};
use castproof_results::baseline::{Baseline, Updated, update};
use castproof_results::diagnosis::BY_PLACE;
use castproof_results::{FORMAT, Failure, Filters, Misplaced, Results, ResultsFile};
use castproof_testee::subject::has_profile;
use castproof_testee::{Make, Testee};
use castproof_vectors::{Element, Level, Operator, Suite, VectorFile, versions};
use std::io::Write;

/// What is said if the report cannot be written.
pub const UNWRITABLE: &str = "the report cannot be written";

/// Runs the gate and prints its report to `out`. Returns whether the testee passed.
///
/// # Errors
/// If the run could not be carried out: broken vectors or baseline, a file or a report that
/// cannot be written.
pub fn run(options: &Options, testee: &mut dyn Testee, out: &mut dyn Write) -> Result<bool> {
    run_first(options, testee, None, out)
}

/// Does the same as [`run`] with as many testees as [`Options::jobs`] says and the run can use. Each
/// is asked for a share of the pairs and of the chains, in a thread of its own.
///
/// # Errors
/// As [`run`], and if a testee does not start.
pub fn run_with(options: &Options, make: &Make<'_>, out: &mut dyn Write) -> Result<bool> {
    run_first(options, make()?.as_mut(), Some(make), out)
}

fn run_first(
    options: &Options,
    testee: &mut dyn Testee,
    make: Option<&Make<'_>>,
    out: &mut dyn Write,
) -> Result<bool> {
    let source = Source::open(options.vectors.as_deref(), options.level)?;
    let (mut plan, bare::Search { is_kernel, mut fault, wrong }) = plan(options, &source, testee)?;
    let baseline = open_baseline(options)?;
    let results_file = options.json.as_deref().map(Output::create).transpose()?;
    let new_baseline = new_baseline(options)?;
    let (mut progress, mut notes) = Progress::open(options, testee, &source, &plan)?;
    notes.splice(..0, options.notes.iter().cloned());
    if is_kernel {
        notes.insert(0, bare::NOTE.into());
    }
    let mut report = Report::new(out);
    let out = &mut report;
    let seed = plan.scope.arranged.then_some(options.seed);
    terminal::first_lines(out, testee.identity(), &source.describe(), (&plan.scope, seed), &notes)
        .context(UNWRITABLE)?;
    if results_file.is_none() && new_baseline.is_none() {
        // Nothing else would hold the result of the run.
        out.check().context(UNWRITABLE)?;
    }
    let mut others = match make {
        Some(make) => others(make, options.jobs.min(work::most_shares(&plan)), testee)?,
        None => Vec::new(),
    };
    let task = Task { source: &source, plan: &plan, baseline: &baseline, threads: options.threads };
    let mut testees = Testees { first: testee, others: &mut others };
    if let Some(line) = again::go_on(&mut progress, task, &mut testees)? {
        writeln!(out, "{line}").context(UNWRITABLE)?;
    }
    let mut results = work::run(task, &mut testees, &mut progress)?;
    if !bare::names_versions(&plan.scope, testees.first) && bare::is_shown(&plan.scope, &results) {
        writeln!(out, "{}", bare::note_of(&plan.scope)).context(UNWRITABLE)?;
        let gone;
        (plan, results, gone) = ask_kernel(options, task, &mut testees, &results)?;
        fault = fault.or(gone);
    }
    bare::note(&wrong, &baseline, testees.first, &mut results);
    let task = Task { source: &source, plan: &plan, baseline: &baseline, threads: options.threads };
    let Concluded { file, given_up, is_mended } = conclude(options, task, &testees, results, fault);
    let extent = plan.scope.extent();
    // The files that others read come first, then the report; the journal is removed last.
    if let Some(results_file) = results_file {
        results_file.commit(serde_json::to_string(&file)? + "\n")?;
    }
    let updated = match new_baseline {
        // A test that was not asked is not a known failure.
        Some(_) if given_up => None,
        Some(output) => Some(update(output, &baseline, &file.results, &extent)?),
        None => None,
    };
    // A run that fails by nothing but what it wrote down did what it was asked to do.
    let done = updated.as_ref().filter(|_| is_mended && !file.passed);
    tell(out, options, &plan.scope, &file, done).context(UNWRITABLE)?;
    tell_baseline(out, options, (&plan.scope, &baseline), &file, (updated.as_ref(), done))
        .context(UNWRITABLE)?;
    terminal::verdict(out, &plan.scope, &file, done, options.palette()).context(UNWRITABLE)?;
    out.check().context(UNWRITABLE)?;
    progress.finish()?;
    Ok(file.passed || done.is_some())
}

/// Prints what the baseline says about the run, and how the run changed it.
fn tell_baseline(
    out: &mut dyn Write,
    options: &Options,
    (scope, baseline): (&Scope, &Baseline),
    file: &ResultsFile,
    (updated, done): (Option<&Updated>, Option<&Updated>),
) -> std::io::Result<()> {
    terminal::baseline(out, baseline, &file.results, &scope.extent())?;
    if !options.update_baseline {
        return Ok(());
    }
    let what = match updated {
        Some(updated) => updated.to_string(),
        None => "left as it is, for not everything was answered".into(),
    };
    let before = match file.passed || done.is_some() {
        true => "",
        false => "\nThe verdict is by the baseline as it was before.",
    };
    writeln!(out, "\nBaseline {}: {what}{before}", path(&baseline.path))
}

/// Does the same as [`run`], but prints nothing and writes no file. Returns what the run covered and
/// what came of it; [`tell`] prints both.
///
/// # Errors
/// If the run could not be carried out.
pub fn results(options: &Options, testee: &mut dyn Testee) -> Result<(Scope, ResultsFile)> {
    let source = Source::open(options.vectors.as_deref(), options.level)?;
    let (plan, bare::Search { fault, wrong, .. }) = plan(options, &source, testee)?;
    let baseline = open_baseline(options)?;
    let task = Task { source: &source, plan: &plan, baseline: &baseline, threads: options.threads };
    let mut testees = Testees { first: testee, others: &mut [] };
    let mut results = work::run(task, &mut testees, &mut Progress::default())?;
    bare::note(&wrong, &baseline, testees.first, &mut results);
    let Concluded { file, .. } = conclude(options, task, &testees, results, fault);
    Ok((plan.scope, file))
}

/// What came of a run.
struct Concluded {
    file: ResultsFile,
    /// Was a testee given up?
    given_up: bool,
    /// Does the run fail by nothing that an update of the baseline leaves?
    is_mended: bool,
}

/// Makes the results file of a run. `fault` is what the search for a bare kernel found.
fn conclude(
    options: &Options,
    Task { source, plan, baseline, .. }: Task<'_>,
    testees: &Testees<'_>,
    results: Results,
    fault: Option<String>,
) -> Concluded {
    let given_up = reasons::given_up(testees.given_up(), &plan.scope, &results);
    let given_up = given_up.or(testees.first.lacking());
    let is_given_up = given_up.is_some();
    let mut reasons = reasons(options, source, plan, baseline, (&results, given_up));
    let not_held = bare::not_held(&plan.scope, testees.first, &results);
    reasons.lasting.extend(fault.into_iter().chain(not_held).filter(|_| !is_given_up));
    let is_mended = reasons.lasting.is_empty();
    let file = file(options, (plan, source), &*testees.first, reasons.all(), results);
    Concluded { file, given_up: is_given_up, is_mended }
}

/// Returns the plan of a run, and whether the testee is a bare kernel, which refuses nothing.
pub(super) fn plan(
    options: &Options,
    source: &Source,
    testee: &mut dyn Testee,
) -> Result<(Plan, bare::Search)> {
    let plan = Plan::new(&options.choice(), options.judgement(), source)?;
    questions::check(&plan, source)?;
    has_profile(plan.scope.profile(), testee)?;
    let search = bare::search(&plan.scope, testee);
    if !search.is_kernel {
        return Ok((plan, search));
    }
    let choice = Choice { kernel: true, ..options.choice() };
    Ok((Plan::new(&choice, options.judgement(), source)?, search))
}

/// Asks for the pairs again, as those of a bare kernel, which the first results show it to be. Returns
/// the plan, its results, and why the run fails if faults of the first results did not come again.
pub(super) fn ask_kernel(
    options: &Options,
    task: Task<'_>,
    testees: &mut Testees<'_>,
    first: &Results,
) -> Result<(Plan, Results, Option<String>)> {
    let choice = Choice { kernel: true, ..options.choice() };
    let plan = Plan::new(&choice, options.judgement(), task.source)?;
    let task = Task { plan: &plan, ..task };
    let results = work::run(task, testees, &mut Progress::default())?;
    let gone = not_again(first, &results).filter(|_| !results.fails());
    Ok((plan, results, gone.map(|fault| format!("{fault}: right when it was asked again"))))
}

/// Returns the first new fault of a run that did not come again when the pairs were asked again as those of a kernel: the
/// same result for the same input. What depends on the place comes again as a fault of places, or at other codes of the
/// vectors, which are then sent in another tensor.
fn not_again(first: &Results, again: &Results) -> Option<String> {
    let misplaced = |pair| again.misplaced.iter().any(|it| it.asked.pair() == pair);
    let fails = |pair, element: Option<(&Element, &Element)>| {
        let mut of_pair = again.failures.iter().filter(|it| (it.from, it.to) == pair);
        of_pair.any(|it| element.is_none_or(|element| (&it.input, &it.got) == element))
    };
    let is_new = |it: &&Failure| it.known.is_none() && !bare::is_refusal(it);
    let is_gone = |it: &&Failure| {
        let pair = (it.from, it.to);
        let is_of_place = it.cause.as_deref() == Some(BY_PLACE);
        !(fails(pair, Some((&it.input, &it.got))) || is_of_place && misplaced(pair))
    };
    let failures = first.failures.iter().filter(is_new).filter(is_gone).map(Failure::sentence);
    // A kernel is not asked for `CastLike`, which it has not.
    let is_asked = |it: &&Misplaced| it.known.is_none() && it.asked.suite != Suite::OnnxCastlike;
    let is_gone = |it: &&Misplaced| {
        let pair = it.asked.pair();
        !misplaced(pair) && !fails(pair, None)
    };
    let places = first.misplaced.iter().filter(is_asked).filter(is_gone);
    failures.chain(places.map(ToString::to_string)).next()
}

/// Returns the results file of a run that fails for these reasons.
fn file(
    options: &Options,
    (plan, source): (&Plan, &Source),
    testee: &dyn Testee,
    reasons: Vec<String>,
    results: Results,
) -> ResultsFile {
    ResultsFile {
        format: FORMAT.into(),
        testee: testee.identity().clone(),
        level: source.level(),
        filters: plan.scope.filters,
        asked: plan.scope.suites.clone(),
        reductions: plan.scope.reductions(),
        lacking: plan.lacking(&testee.features()),
        limits: Some(testee.limits()).filter(|limits| !limits.take_all()),
        coverage: coverage::sentences(options, (plan, source), &results),
        strict: plan.scope.judgement.strict,
        silent_as: plan.scope.judgement.silent_as,
        passed: reasons.is_empty(),
        reasons,
        totals: results.totals(),
        baseline: options.baseline.as_deref().map(|it| path(it).to_string()),
        findings: gather(&results),
        results,
    }
}

/// Returns why a run fails; empty if it passes. `given_up` says why its testee was given up.
fn reasons(
    options: &Options,
    source: &Source,
    plan: &Plan,
    baseline: &Baseline,
    (results, given_up): (&Results, Option<String>),
) -> Reasons {
    if let Some(reason) = given_up {
        // The other reasons would only list the pairs that were not asked.
        return Reasons { lasting: vec![reason], ..Reasons::default() };
    }
    let complete = options.complete && !source.may_be_partial();
    let mut all = reasons::reasons(&plan.scope, baseline, results, complete);
    all.lasting.extend(reasons::missing_pairs(&options.required, results));
    all
}

/// Starts the testees beside the first one.
///
/// # Errors
/// If one does not start, or is not like the first one. A testee with fewer features would be asked
/// less than the report says.
pub(super) fn others(
    make: &Make<'_>,
    jobs: usize,
    first: &dyn Testee,
) -> Result<Vec<Box<dyn Testee + Send>>> {
    let mut others = Vec::new();
    for _ in 1..jobs {
        let other = make().context("one more testee for --jobs")?;
        let (name, due) = (other.identity(), first.identity());
        if name != due {
            bail!("one testee says that it is {due}, another that it is {name}");
        }
        if (other.features(), other.profiles()) != (first.features(), first.profiles()) {
            bail!("two testees of {due} list different features or profiles");
        }
        if other.limits() != first.limits() {
            bail!("two testees of {due} state different limits");
        }
        if other.digest() != first.digest() {
            bail!("two testees of {due} state different digests");
        }
        others.push(other);
    }
    Ok(others)
}

/// Prints the verdict, the findings, and the matrices. `done` is what a run did that updates its baseline.
///
/// # Errors
/// If writing fails.
pub fn tell(
    out: &mut dyn Write,
    options: &Options,
    scope: &Scope,
    file: &ResultsFile,
    done: Option<&Updated>,
) -> std::io::Result<()> {
    let palette = options.palette();
    terminal::verdict(out, scope, file, done, palette)?;
    let results = options.json.as_deref();
    let reproduce = &|finding: &_, place: &_| options.reproducing.command(file, finding, place);
    let (lines, strict, writes) = (options.limit_list, "--strict", "--json FILE");
    let screen = Screen { lines, results, strict, writes, reproduce, palette };
    list(out, &file.findings, &screen)?;
    terminal::versions(out, scope, &file.results, options.matrices)?;
    terminal::suites(out, &file.results.suites, options.matrices)?;
    terminal::recognitions(out, &file.results.recognitions)?;
    notices(out, &file.findings, &screen)?;
    tolerated(out, &file.results.diagnoses, &screen)?;
    let sentences = file.not_asked().into_iter().chain(file.coverage.iter().cloned());
    sentences.enumerate().try_for_each(|(number, sentence)| {
        let blank = if number == 0 { "\n" } else { "" };
        writeln!(out, "{blank}{sentence}")
    })
}

/// Opens the file of known failures that the run updates.
fn new_baseline(options: &Options) -> Result<Option<Output>> {
    if !options.update_baseline {
        return Ok(None);
    }
    let path = options.baseline.as_deref().context("name the file to update: --baseline FILE")?;
    Output::create(path).map(Some)
}

/// Runs the vectors of one pair at every operator version, with other pairs between, as in a whole run.
///
/// # Errors
/// If the vectors are missing or broken.
pub fn run_pair(pair: &Pair, baseline: &Baseline, testee: &mut dyn Testee) -> Result<Results> {
    run_pair_by(pair, baseline, testee, true)
}

/// Does the same, and looks for no causes of what fails, which takes most of the time of a testee with many failures.
///
/// # Errors
/// As [`run_pair`].
pub fn count_pair(pair: &Pair, testee: &mut dyn Testee) -> Result<Results> {
    run_pair_by(pair, &Baseline::default(), testee, false)
}

fn run_pair_by(
    pair: &Pair,
    baseline: &Baseline,
    testee: &mut dyn Testee,
    explains: bool,
) -> Result<Results> {
    let source = Source::open(pair.vectors.as_deref(), pair.level)?;
    let filters = Filters { from: Some(pair.from), to: Some(pair.to), opset: None };
    let suites = [Suite::OnnxCast];
    let (suites, calls) = (suites.to_vec(), Calls::OF_FUNCTIONS);
    let options = Options { filters, suites, calls, ..Options::default() };
    let plan = Plan::new(&options.choice(), Judgement::default(), &source)?;
    let plan = Plan { explains, ..plan };
    run::run_casts(&source.load(Suite::OnnxCast, (pair.from, pair.to))?, &plan, baseline, testee)
}

/// Runs the vectors of the newest version of `Cast` and of those of `CastLike`, and arranges them in
/// tensors, as a whole run does. `file` holds the vectors of the pair.
///
/// # Errors
/// If the vectors are broken.
pub fn run_newest(file: &VectorFile, seed: u64, testee: &mut dyn Testee) -> Result<Results> {
    let source = Source::Oracle(Level::Core);
    let filters = Filters { from: Some(file.from), to: Some(file.to), opset: None };
    let suites = vec![Suite::OnnxCast];
    let options = Options { filters, suites, seed, ..Options::default() };
    let mut plan = Plan::new(&options.choice(), Judgement::default(), &source)?;
    plan.arranging.like = Like::All;
    let newest_of = |operator| versions(operator).last().copied();
    let newest = [Operator::Cast, Operator::CastLike].map(newest_of);
    plan.scope.editions.retain(|edition| newest.contains(&edition.version));
    run::run_casts(file, &plan, &Baseline::default(), testee)
}

pub(super) fn open_baseline(options: &Options) -> Result<Baseline> {
    match &options.baseline {
        None => Ok(Baseline::default()),
        // An update may begin without a file.
        Some(path) if options.update_baseline && !path.exists() => {
            let profile = options.silent_as;
            Ok(Baseline { path: path.clone(), profile, ..Baseline::default() })
        }
        Some(path) if path.is_dir() => bail!("baseline {} is a folder", path.display()),
        Some(path) => {
            let baseline = Baseline::read(path)?;
            baseline.check_profile(options.silent_as, options.update_baseline)?;
            Ok(baseline)
        }
    }
}
