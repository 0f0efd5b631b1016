//! The work of a run, divided among its testees. Which testee is asked for what depends only on
//! their number, so that a run can be repeated.

use super::chains;
use super::journal::{Part, Progress};
use super::plan::Plan;
use super::questions;
use super::run::{run_casts, run_chains, run_questions};
use anyhow::Result;
use castproof_io::pool::{self, End};
use castproof_io::progress::{PAIRS, bar};
use castproof_judge::source::Source;
use castproof_results::baseline::Baseline;
use castproof_results::{Results, SuiteRun};
use castproof_testee::{Part as Asked, Testee};
use castproof_vectors::{DType, Suite};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The error if the system gives no thread.
pub const NO_THREAD: &str = "no thread to work with, or no memory for one; try fewer --jobs";

/// What all the work of a run needs.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) source: &'a Source,
    pub(super) plan: &'a Plan,
    pub(super) baseline: &'a Baseline,
    /// Threads that read or make vectors.
    pub(super) threads: usize,
}

/// The testees of a run, which are alike.
pub(super) struct Testees<'a> {
    /// Works in the thread of the run.
    pub(super) first: &'a mut dyn Testee,
    /// Each works in a thread of its own.
    pub(super) others: &'a mut [Box<dyn Testee + Send>],
}

/// The share of the work that one testee has.
#[derive(Clone, Copy)]
pub(super) struct Share<'a> {
    index: usize,
    of: usize,
    /// Has the run ended early? A testee that was given up ends it too.
    pub(super) end: &'a End,
}

impl Share<'_> {
    /// Does the piece of work with this number belong to the share? Pieces are dealt there and back
    /// (0, 1, 2, 2, 1, 0, 0, ...), because in plain turns one share would have all the pairs with a
    /// costly target.
    pub(super) fn has(&self, number: usize) -> bool {
        let (round, place) = (number / self.of, number % self.of);
        self.index == if round % 2 == 0 { place } else { self.of - 1 - place }
    }
}

impl Testees<'_> {
    fn number(&self) -> usize {
        1 + self.others.len()
    }

    /// Returns why one of them is not asked any more.
    pub(super) fn given_up(&self) -> Option<String> {
        let others = self.others.iter().find_map(|testee| testee.given_up());
        self.first.given_up().or(others)
    }

    /// Gives each testee its share, and returns what came of the shares, in order.
    ///
    /// # Errors
    /// The first error of a share. The other shares end early then.
    pub(super) fn each<T: Send>(
        &mut self,
        work: impl Fn(Share<'_>, &mut dyn Testee) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let of = self.number();
        let others = (1..).zip(self.others.iter_mut()).collect();
        let of_other = |(index, testee): (usize, &mut Box<dyn Testee + Send>), end: &End| {
            work(Share { index, of, end }, testee.as_mut())
        };
        let of_first = |end: &End| work(Share { index: 0, of, end }, self.first);
        let (first, others) = pool::run(others, NO_THREAD, of_other, of_first).all()?;
        Ok([first].into_iter().chain(others).collect())
    }
}

/// Returns how many testees can have a share of the run.
pub(super) fn most_shares(plan: &Plan) -> usize {
    let has_chains = plan.scope.suites.contains(&Suite::OnnxChain);
    let chains = if has_chains { questions::chains(plan).len() } else { 0 };
    plan.scope.pairs.len().max(chains)
}

/// Runs the pairs and the suites of questions, except those that a journal holds.
///
/// # Errors
/// If vectors are missing or broken, or the journal cannot be written.
pub(super) fn run(
    task: Task<'_>,
    testees: &mut Testees<'_>,
    progress: &mut Progress,
) -> Result<Results> {
    let mut results = run_pairs(task, testees, progress)?;
    run_suites(task, testees, progress, &mut results)?;
    Ok(results)
}

/// Runs pair after pair, except those that were done before.
fn run_pairs(
    task: Task<'_>,
    testees: &mut Testees<'_>,
    progress: &mut Progress,
) -> Result<Results> {
    let Task { source, plan, baseline, threads } = task;
    let mut results = Results::default();
    let mut open = Vec::new();
    for &(from, to) in &plan.scope.pairs {
        match progress.take(Part::Pair(from, to)) {
            Some(pair) => results.extend(pair),
            None => open.push((from, to)),
        }
    }
    let bar = bar(open.len() as u64, PAIRS)?;
    let suite = plan.scope.casts.unwrap_or(Suite::OnnxCast);
    let threads = threads.div_ceil(testees.number());
    let progress = Mutex::new(progress);
    let shares = testees.each(|share, testee| {
        let pairs = open.iter().enumerate().filter(|(number, _)| share.has(*number));
        let pairs: Vec<(DType, DType)> = pairs.map(|(_, pair)| *pair).collect();
        let mut done = Vec::new();
        source.stream((suite, &pairs), threads, |file| {
            if share.end.is_set() {
                return Ok(());
            }
            let (pair, is_whole) =
                in_part(plan, (suite, Some((file.from, file.to))), testee, |it| {
                    run_casts(&file, plan, baseline, it)
                })?;
            if testee.given_up().is_some() {
                share.end.set();
            } else if is_whole {
                let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
                progress.add(Part::Pair(file.from, file.to), &pair)?;
            }
            done.push(pair);
            bar.inc(1);
            Ok(())
        })?;
        Ok(done)
    })?;
    bar.finish_and_clear();
    shares.into_iter().flatten().for_each(|pair| results.extend(pair));
    results.sort();
    Ok(results)
}

/// Asks a part of the run. Returns also whether all answers are certain; its results are empty if they
/// are not.
///
/// # Errors
/// Those of `ask`.
fn in_part<T: Default>(
    plan: &Plan,
    (suite, pair): (Suite, Option<(DType, DType)>),
    testee: &mut dyn Testee,
    ask: impl FnOnce(&mut dyn Testee) -> Result<T>,
) -> Result<(T, bool)> {
    testee.begin(&Asked { suite, pair, kernel: plan.scope.kernel, zero: None });
    let came = ask(testee);
    let is_whole = testee.end();
    Ok(if is_whole { (came?, true) } else { (T::default(), false) })
}

/// Runs the suites of questions, except those that were done before.
fn run_suites(
    task: Task<'_>,
    testees: &mut Testees<'_>,
    progress: &mut Progress,
    results: &mut Results,
) -> Result<()> {
    let Task { source, plan, baseline, .. } = task;
    for suite in plan.scope.questions() {
        let part = Part::Suite(suite);
        let came = match progress.take(part) {
            Some(came) => came,
            None if testees.given_up().is_some() => continue,
            None => {
                let strict = plan.scope.judgement.strict;
                let (came, is_whole) = match suite {
                    Suite::OnnxChain if !source.lists(suite) => (ask_chains(task, testees)?, true),
                    _ => {
                        let file = questions::questions(plan, suite, source)?;
                        in_part(plan, (suite, None), testees.first, |testee| {
                            run_questions(&file, strict, baseline, testee)
                        })?
                    }
                };
                if testees.given_up().is_none() && is_whole {
                    progress.add(part, &came)?;
                }
                came
            }
        };
        results.extend(came);
        results.drop_dull_tallies();
    }
    Ok(())
}

/// Runs the suite `onnx-chain`. A share is made of the chains with certain ends, so that no key has
/// chains in two shares.
fn ask_chains(task: Task<'_>, testees: &mut Testees<'_>) -> Result<Results> {
    let Task { plan, baseline, .. } = task;
    let by_ends = questions::chains(plan);
    let bar = bar(by_ends.len() as u64, "{pos}/{len} groups of chains")?;
    let shares = testees.each(|share, testee| {
        let mut chosen = chains::Chosen::new(testee);
        let mut done = Vec::new();
        for (_, ends) in by_ends.iter().enumerate().filter(|(number, _)| share.has(*number)) {
            if share.end.is_set() {
                break;
            }
            let of_part = (Suite::OnnxChain, Some(ends.ends));
            let (part, _) = in_part(plan, of_part, testee, |testee| {
                let file = chosen.of_ends(ends, testee)?;
                let (part, observed) =
                    run_chains(&file, plan.scope.judgement.strict, baseline, testee)?;
                Ok((part, chosen.explain(&observed, testee)))
            })?;
            done.push(part);
            if testee.given_up().is_some() {
                share.end.set();
            }
            bar.inc(1);
        }
        Ok(done)
    })?;
    bar.finish_and_clear();
    let mut results = Results::default();
    let mut explained = Vec::new();
    for (part, mut of_part) in shares.into_iter().flatten() {
        results.extend(part);
        explained.append(&mut of_part);
    }
    let (mut announced, mut cells, mut deviations) = (0, BTreeMap::new(), Vec::new());
    for part in std::mem::take(&mut results.suites) {
        announced += part.announced;
        cells.extend(part.cells);
        deviations.extend(part.deviations);
    }
    // The order must not depend on the number of shares.
    deviations.sort_by_key(|it| it.asked);
    let mut run = SuiteRun::new(Suite::OnnxChain, announced, cells, deviations);
    chains::explain::name_causes(&explained, &mut run);
    results.suites.push(run);
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_belongs_to_one_share_and_shares_are_equal() {
        let end = End::default();
        for of in 1..=9 {
            let shares = (0..of).map(|index| Share { index, of, end: &end });
            let sizes: Vec<usize> =
                shares.clone().map(|it| (0..100).filter(|n| it.has(*n)).count()).collect();
            assert_eq!(sizes.iter().sum::<usize>(), 100);
            assert!(sizes.iter().all(|size| size.abs_diff(100 / of) <= 1), "{sizes:?}");
            assert!((0..100).all(|n| shares.clone().any(|it| it.has(n))));
        }
    }
}
