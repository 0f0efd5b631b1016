//! What the threads of a run share.

use super::deviations::Deviations;
use super::plan::Sequence;
use anyhow::Error;
use castproof_arrange::tensor::Tensor;
use castproof_testee::Make;
use castproof_vectors::{DType, Request};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

type Pair = (DType, DType);

/// A run ends after this many crashes and timeouts.
const MOST_DEATHS: u64 = 60;

/// What the threads share.
pub(super) struct Shared<'a> {
    pub(super) plan: Sequence,
    pub(super) make: &'a Make<'a>,
    pub(super) strict: bool,
    /// The time at which the run ends.
    pub(super) deadline: Option<Instant>,
    /// Most tensors that are asked.
    pub(super) limit: u64,
    pub(super) interrupted: &'a AtomicBool,
    next: AtomicU64,
    asked: AtomicU64,
    deaths: AtomicU64,
    /// Why the run ended early.
    ended: Mutex<Option<String>>,
    /// The first error, which ends the run too.
    failed: Mutex<Option<Error>>,
    closed: Mutex<HashSet<Request>>,
    /// Codes that alone prevent an answer of the testee; they are asked once.
    deadly: Mutex<HashSet<(Pair, u64)>>,
    found: Mutex<Deviations>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        plan: Sequence,
        make: &'a Make<'a>,
        strict: bool,
        (deadline, limit): (Option<Instant>, u64),
        interrupted: &'a AtomicBool,
        found: Deviations,
    ) -> Shared<'a> {
        Shared {
            plan,
            make,
            strict,
            deadline,
            limit,
            interrupted,
            next: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            deaths: AtomicU64::new(0),
            ended: Mutex::default(),
            failed: Mutex::default(),
            closed: Mutex::default(),
            deadly: Mutex::default(),
            found: Mutex::new(found),
        }
    }

    /// Returns what was found so far.
    pub(super) fn found(&self) -> MutexGuard<'_, Deviations> {
        locked(&self.found)
    }

    /// Returns what was found, why the run ended early, and the error that ended it.
    pub(super) fn into_found(self) -> (Deviations, Option<String>, Option<Error>) {
        (unlocked(self.found), unlocked(self.ended), unlocked(self.failed))
    }

    /// Returns the number of tensors that were asked so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed).min(self.limit)
    }

    /// Did the user stop the run?
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Ends the run; the first error is kept.
    pub(super) fn fail(&self, error: Error) {
        locked(&self.failed).get_or_insert(error);
    }

    /// Must every thread end?
    pub(super) fn is_over(&self) -> bool {
        self.is_interrupted()
            || self.asked.load(Ordering::Relaxed) >= self.limit
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || locked(&self.ended).is_some()
            || locked(&self.failed).is_some()
            || locked(&self.closed).len() >= self.plan.requests()
    }

    /// Returns the number of the next tensor of the sequence.
    pub(super) fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a tensor that is about to be asked; `false` if there were enough of them.
    pub(super) fn count(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) < self.limit
    }

    /// Takes back the count of a tensor that the testee does not take.
    pub(super) fn uncount(&self) {
        self.asked.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts the death of a testee. Too many end the run.
    pub(super) fn count_death(&self) {
        if self.deaths.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_DEATHS {
            let reason = format!("given up after {MOST_DEATHS} crashes and timeouts");
            locked(&self.ended).get_or_insert(reason);
        }
    }

    /// Is the request asked no more?
    pub(super) fn is_closed(&self, request: &Request) -> bool {
        locked(&self.closed).contains(request)
    }

    /// Removes the codes that are known to be deadly from a tensor; `None` if its form needs them.
    pub(super) fn without_deadly(&self, tensor: Tensor) -> Option<Tensor> {
        let codes = self.not_deadly((tensor.request.from, tensor.request.to), &tensor.codes);
        let is_whole = codes.len() == tensor.codes.len();
        (is_whole || !tensor.way.is_formed()).then_some(Tensor { codes, ..tensor })
    }

    /// Returns the codes that are not known to be deadly in casts of a pair.
    pub(super) fn not_deadly(&self, pair: Pair, codes: &[u64]) -> Vec<u64> {
        let deadly = locked(&self.deadly);
        codes.iter().copied().filter(|code| !deadly.contains(&(pair, *code))).collect()
    }

    /// Notes a code that alone prevents an answer in casts of a pair.
    pub(super) fn add_deadly(&self, pair: Pair, code: u64) {
        locked(&self.deadly).insert((pair, code));
    }

    /// Asks the request no more.
    pub(super) fn close(&self, request: &Request) {
        locked(&self.closed).insert(*request);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
