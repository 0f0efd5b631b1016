//! The one path of a test: it is asked, judged, counted, compared with the baseline and kept.

mod by_place;
mod explain;
mod judge;
mod keep;
mod ledger;
mod requests;

use super::plan::Plan;
use super::series::{self, Series};
use crate::graph::Observed;
use crate::made::of_codes;
use anyhow::{Result, anyhow};
use castproof_arrange::arrange;
use castproof_judge::scope::{Judgement, ScopeEdition};
use castproof_judge::silent;
use castproof_results::baseline::Baseline;
use castproof_results::{Results, SuiteRun};
use castproof_testee::{Reply, Testee};
use castproof_vectors::{QuestionFile, Spec, VectorFile};
use explain::AllSeen;
use judge::SeriesRun;
use std::collections::BTreeMap;

/// Runs the vectors of a pair in every operator version of the plan.
///
/// # Errors
/// If an input is not an element of the file's dtype; what the testee does is never an error.
pub(super) fn run_casts(
    file: &VectorFile,
    plan: &Plan,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    let alone;
    let file = if plan.scope.only.is_empty() {
        file
    } else {
        let made = of_codes(file.suite, (file.from, file.to), &plan.scope.only);
        alone = made.map_err(|problem| anyhow!(problem))?;
        &alone
    };
    let filled;
    let file = match plan.scope.judgement.silent_as {
        Some(profile) => {
            filled = silent::filled(file.clone(), profile);
            &filled
        }
        None => file,
    };
    let series = series::of_casts(file, plan);
    let judging = (plan.scope.judgement, plan.explains);
    let (mut results, _) = run(&series, judging, baseline, testee)?;
    let versions: Vec<(Option<u32>, Spec)> =
        plan.scope.editions.iter().map(|edition| (edition.version, edition.spec)).collect();
    arrange(file, &versions, &plan.arranging, baseline, testee, &mut results);
    // A clause may decide tests of several groups, so tallies without surprises are dropped only
    // now.
    results.drop_dull_tallies();
    Ok(results)
}

/// Runs a suite of questions. Its cells are those of the suite.
///
/// # Errors
/// As [`run_casts`].
pub(super) fn run_questions(
    file: &QuestionFile,
    strict: bool,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<Results> {
    run_chains(file, strict, baseline, testee).map(|(results, _)| results)
}

/// Does the same, and returns the chains of the suite as they were asked.
///
/// # Errors
/// As [`run_casts`].
pub(super) fn run_chains(
    file: &QuestionFile,
    strict: bool,
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<(Results, Vec<Observed>)> {
    let judgement = Judgement { strict, silent_as: None };
    let series = series::of_questions(file);
    let (mut results, chains) = run(&series, (judgement, true), baseline, testee)?;
    let cells = std::mem::take(&mut results.cells);
    let deviations = std::mem::take(&mut results.deviations);
    results.remarks.clear(); // each stands among the deviations
    let suite = SuiteRun::new(file.suite, results.announced, cells, deviations);
    results.suites.push(suite);
    Ok((results, chains))
}

/// Runs series after series, and explains what deviates, if that is wanted. Returns the chains as they were asked too.
fn run(
    all: &[Series<'_>],
    (judgement, explains): (Judgement, bool),
    baseline: &Baseline,
    testee: &mut dyn Testee,
) -> Result<(Results, Vec<Observed>)> {
    let mut results = Results::default();
    let mut seen = AllSeen::default();
    let shares: Vec<Vec<Series<'_>>> = all.iter().map(Series::shares).collect();
    let runs = all
        .iter()
        .map(|series| SeriesRun::new(series, judgement.strict))
        .collect::<Result<Vec<_>>>()?;
    let mut ahead = asked_ahead(&runs, testee)?;
    for (number, (series, mut run)) in all.iter().zip(runs).enumerate() {
        let mut ask =
            |run: &mut SeriesRun<'_>, edition: Option<ScopeEdition>, results: &mut Results| {
                let asked = series.asked.at(edition.and_then(|edition| edition.version));
                let entries = baseline.of_request(&asked);
                run.at(edition, ahead.remove(&number), testee, (asked, &entries), results)
            };
        if series.in_every_version {
            for &edition in &series.editions {
                ask(&mut run, edition, &mut results)?;
            }
            seen.add(series.asked, run.report(&mut results));
            continue;
        }
        // The newest version first: one that the testee lacks does not count.
        let mut versions = series.editions.iter().zip(&shares[number]).rev();
        for (&edition, _) in versions.by_ref() {
            if ask(&mut run, edition, &mut results)? {
                break;
            }
        }
        seen.add(series.asked, run.report(&mut results));
        // Then the others, the oldest first, so that what must be refused is asked after a version that takes it.
        for (&edition, share) in versions.rev() {
            let mut run = SeriesRun::new(share, judgement.strict)?;
            ask(&mut run, edition, &mut results)?;
            seen.add(share.asked, run.report(&mut results));
        }
    }
    let chains = std::mem::take(&mut seen.chains);
    results.join_versions();
    if explains {
        seen.explain(judgement, testee, &mut results);
    }
    Ok((results, chains))
}

/// Asks for all chains of these series at once, if the testee lets the gate ask ahead: it may then
/// make one graph of several. Returns the replies by the place of their series.
///
/// # Errors
/// If a chain has no version.
fn asked_ahead(runs: &[SeriesRun<'_>], testee: &mut dyn Testee) -> Result<BTreeMap<usize, Reply>> {
    if testee.ahead() == 1 {
        return Ok(BTreeMap::new());
    }
    let (mut places, mut chains) = (Vec::new(), Vec::new());
    for (number, run) in runs.iter().enumerate() {
        if let Some(chain) = run.only_chain()? {
            places.push(number);
            chains.push(chain);
        }
    }
    Ok(places.into_iter().zip(testee.chain_each(&chains)).collect())
}
