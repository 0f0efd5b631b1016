//! Finished parts of a run, asked again in part before the run goes on. A journal cannot watch all
//! that a testee answers with, such as a table that it reads, so a drawn share has to come out as before.

use super::chains;
use super::journal::{Part, Progress};
use super::plan::Plan;
use super::questions;
use super::run::{run_casts, run_chains, run_questions};
use super::work::{Share, Task, Testees};
use anyhow::{Context, Result};
use castproof_arrange::Arrangements;
use castproof_check::verdict::{Verdict, thousands};
use castproof_io::progress::bar;
use castproof_judge::scope::{Scope, ScopeEdition};
use castproof_results::asked::Asked;
use castproof_results::{Arranged, Results, SuiteRun};
use castproof_testee::Testee;
use castproof_vectors::random::Random;
use castproof_vectors::{DType, QuestionFile, Suite};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};

/// Of so many finished pairs one is asked in full. The others are asked in one version, without
/// arrangements.
const WHOLE: usize = 8;

/// Of so many questions of a finished suite one is asked, but at least [`FEWEST`].
const SHARE: usize = 8;
const FEWEST: usize = 64;

/// What came when a share was asked again.
#[derive(Default)]
struct Again {
    /// How many tests were asked, once for each version.
    tests: u64,
    /// What came out otherwise than before; `None` if nothing did.
    differs: Option<String>,
}

/// Goes on with what a journal holds. If a share of it comes out otherwise than before, the journal is
/// begun anew. The returned line says which it is; there is none if the journal holds nothing.
///
/// # Errors
/// If vectors are missing or broken, or the journal cannot be written.
pub(super) fn go_on(
    progress: &mut Progress,
    task: Task<'_>,
    testees: &mut Testees<'_>,
) -> Result<Option<String>> {
    if progress.done().is_empty() {
        return Ok(None);
    }
    let resumed = progress.resumed();
    if progress.is_unchanged() {
        return Ok(Some(format!(
            "{resumed}; none is asked again, for --unchanged vouches for them"
        )));
    }
    let Again { tests, differs } = ask(task, testees, progress.done())?;
    match differs {
        None => {
            let tests = thousands(tests);
            Ok(Some(format!("{resumed}; {tests} of their tests, asked again, came out as before")))
        }
        Some(what) => progress.restart(&format!("it came out otherwise than before: {what}")),
    }
}

/// Asks a drawn share of the finished parts again. The first difference ends it.
///
/// # Errors
/// If vectors are missing or broken.
fn ask(task: Task<'_>, testees: &mut Testees<'_>, done: &BTreeMap<Part, Results>) -> Result<Again> {
    // Another share each time, which the testee cannot know.
    let seed = RandomState::new().hash_one(done.len());
    let pairs: Vec<((DType, DType), &Results)> = done
        .iter()
        .filter_map(|(part, results)| match part {
            Part::Pair(from, to) => Some(((*from, *to), results)),
            Part::Suite(_) => None,
        })
        .collect();
    let whole = Random::new(seed).below(WHOLE.min(pairs.len().max(1)));
    let bar = bar(done.len() as u64, "{pos}/{len} finished parts asked again")?;
    let shares = testees.each(|share: Share<'_>, testee| {
        let mut all = Again::default();
        let ours = pairs.iter().enumerate().filter(|(number, _)| share.has(*number));
        for (number, (pair, before)) in ours {
            if share.end.is_set() {
                break;
            }
            let edition = edition(&task.plan.scope, *pair, before, seed ^ number as u64)
                .filter(|_| number % WHOLE != whole);
            let again = pair_again(task, *pair, edition, testee)?;
            all.tests += again.announced;
            all.differs = differing(&again, before, edition.is_none())
                .map(|what| format!("{} -> {}{what}", pair.0, pair.1));
            if all.differs.is_some() {
                share.end.set();
                break;
            }
            bar.inc(1);
        }
        Ok(all)
    })?;
    let mut all = Again::default();
    for share in shares {
        all.tests += share.tests;
        all.differs = all.differs.or(share.differs);
    }
    for (part, before) in done {
        let Part::Suite(suite) = part else { continue };
        if all.differs.is_some() {
            break;
        }
        let (again, asked) = suite_again(task, *suite, seed, testees.first)?;
        all.tests += again.announced;
        let before = before.suites.iter().find(|it| it.suite == *suite);
        if before.is_none_or(|before| deviating(before, &asked) != deviating(&again, &asked)) {
            all.differs = Some(suite.name().into());
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Draws a version in which elements came, if there is one.
fn edition(
    scope: &Scope,
    pair: (DType, DType),
    before: &Results,
    seed: u64,
) -> Option<ScopeEdition> {
    let executed = |edition: &ScopeEdition| {
        let of_edition = |asked: &Asked| asked.opset == edition.version;
        before.sum(of_edition).counts.executed > 0
    };
    let mut editions: Vec<ScopeEdition> = scope.editions.iter().copied().filter(executed).collect();
    if editions.is_empty() {
        editions.extend(scope.editions.iter().filter(|edition| edition.casts(pair)));
    }
    if editions.is_empty() {
        return scope.editions.last().copied();
    }
    Some(*Random::new(seed).one_of(&editions))
}

/// Runs a pair without arrangements, and in one version if every version is asked for all vectors; or in full.
fn pair_again(
    Task { source, plan, baseline, .. }: Task<'_>,
    pair: (DType, DType),
    edition: Option<ScopeEdition>,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let file = source.load(plan.scope.casts.unwrap_or(Suite::OnnxCast), pair)?;
    let Some(edition) = edition else {
        return run_casts(&file, plan, baseline, testee);
    };
    let mut reduced = Plan { scope: plan.scope.clone(), ..*plan };
    if plan.scope.every_vector {
        reduced.scope.editions = vec![edition]; // otherwise what is asked of a version depends on the others
    }
    reduced.scope.arranged = false;
    reduced.arranging.versions = Arrangements::None;
    run_casts(&file, &reduced, baseline, testee)
}

/// Returns what is otherwise in these results than in those before. Unless they are whole, they are those of one
/// version, without arrangements.
fn differing(again: &Results, before: &Results, is_whole: bool) -> Option<String> {
    for (asked, cell) in &again.cells {
        let version = asked.opset.map_or(String::new(), |opset| format!(", version {opset}"));
        let Some(known) = before.cells.get(asked) else { return Some(version) };
        if cell.counts != known.counts {
            return Some(format!("{version}, had {} and has {} now", known.counts, cell.counts));
        }
        if cell.undefined_fingerprint != known.undefined_fingerprint {
            return Some(format!("{version}, gives other elements where the rules leave it open"));
        }
    }
    let versions: BTreeSet<Option<u32>> = again.cells.keys().map(|asked| asked.opset).collect();
    let all_kept = again.failures_left_out == 0 && before.failures_left_out == 0;
    if all_kept && failing(again, &versions) != failing(before, &versions) {
        return Some(", gives other wrong elements".into());
    }
    let places = |results: &Results| {
        let found = results.misplaced.iter().map(|it| json!([it.asked, it.place]).to_string());
        found.collect::<BTreeSet<_>>()
    };
    let arranged = |results: &Results| -> Vec<(Asked, Arranged)> {
        results.arranged.iter().map(|(asked, it)| (*asked, *it)).collect()
    };
    let is_same =
        !is_whole || (places(again), arranged(again)) == (places(before), arranged(before));
    (!is_same)
        .then(|| ", gives other elements at some places, or at codes beyond the vectors".into())
}

/// Returns the failing tests in these versions, each with what came.
fn failing(
    results: &Results,
    versions: &BTreeSet<Option<u32>>,
) -> BTreeSet<(String, Option<u32>, String)> {
    let mut all = BTreeSet::new();
    for failure in &results.failures {
        let of_one: Vec<Option<u32>> = match &failure.opsets[..] {
            [] => vec![None],
            opsets => opsets.iter().copied().map(Some).collect(),
        };
        let kept = of_one.into_iter().filter(|version| versions.contains(version));
        all.extend(kept.map(|it| (failure.id.clone(), it, json!(failure.got).to_string())));
    }
    all
}

/// Runs a drawn share of the questions of a suite. Returns also the names of its tests.
fn suite_again(
    Task { source, plan, baseline, .. }: Task<'_>,
    suite: Suite,
    seed: u64,
    testee: &mut dyn Testee,
) -> Result<(SuiteRun, BTreeSet<String>)> {
    let mut random = Random::new(seed);
    let strict = plan.scope.judgement.strict;
    let mut asked = BTreeSet::new();
    if suite != Suite::OnnxChain || source.lists(suite) {
        let file = some_of(questions::questions(plan, suite, source)?, &mut random);
        asked.extend(file.tests.iter().map(|test| test.id.clone()));
        let results = run_questions(&file, strict, baseline, testee)?;
        return Ok((results.suites.into_iter().next().context("a suite that was not run")?, asked));
    }
    let mut chosen = chains::Chosen::new(testee);
    let mut all = SuiteRun::new(suite, 0, BTreeMap::new(), Vec::new());
    for ends in questions::chains(plan) {
        if random.below(SHARE) > 0 {
            continue;
        }
        let file = chosen.of_ends(&ends, testee)?;
        asked.extend(file.tests.iter().map(|test| test.id.clone()));
        for part in run_chains(&file, strict, baseline, testee)?.0.suites {
            all.add(&part);
            all.deviations.extend(part.deviations);
        }
    }
    Ok((all, asked))
}

fn some_of(mut file: QuestionFile, random: &mut Random) -> QuestionFile {
    let among = SHARE.min(file.tests.len() / FEWEST).max(1);
    file.tests.retain(|_| random.below(among) == 0);
    file.number_of_tests = file.tests.len();
    file
}

/// Returns the verdicts on these tests other than `pass`, each with the element that came, if one did.
fn deviating(
    run: &SuiteRun,
    asked: &BTreeSet<String>,
) -> BTreeSet<(String, Option<u32>, &'static str, String)> {
    let of_these = run.deviations.iter().filter(|it| asked.contains(&it.id));
    of_these
        .map(|it| {
            // What a testee says instead of an element may name a process or an address.
            let is_element =
                matches!(it.verdict, Verdict::Fail | Verdict::Tolerated | Verdict::Undefined);
            let got = if is_element { it.got.clone() } else { String::new() };
            (it.id.clone(), it.opset, it.verdict.name(), got)
        })
        .collect()
}
