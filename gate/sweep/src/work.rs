//! The threads of a sweep: each has its own testee and takes one chunk after the other.

use super::asking::Swept;
use super::chunk::Sweeper;
use super::prepared::Prepared;
use super::record::Stop;
use super::state::{Event, State, Stops, What};
use super::tensors::Tensors;
use anyhow::Result;
use castproof_io::pool::{self, End};
use castproof_testee::Testee;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long after the death of a testee an interrupt that caused it may still arrive.
const INTERRUPT_GRACE: Duration = Duration::from_millis(300);

/// The error message if the system gives no thread.
pub(super) const NO_THREAD: &str =
    "no thread to work with, or no memory for one; try fewer --threads";

/// One piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) request: usize,
    pub(super) chunk: u64,
    /// Codes in it.
    pub(super) codes: u64,
}

/// The share of a sweep, from 1 to `of`, that a run sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Which share.
    pub index: u64,
    /// How many shares there are.
    pub of: u64,
}

impl Shard {
    /// The whole sweep.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Has it the chunk that is number `turn` of the sweep, from 1? Shares take turns, so that each has a
    /// part of every long request and all cost about the same.
    pub(super) fn takes(self, turn: u64) -> bool {
        turn % self.of == self.index % self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Reads `1/4`.
    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, of)| {
            Some(Shard { index: index.parse().ok()?, of: of.parse().ok()? })
        });
        match parts {
            Some(shard) if (1..=shard.of).contains(&shard.index) => Ok(shard),
            _ => Err("it must be I/N with I from 1 to N, like 3/8".into()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl std::fmt::Display for Shard {
    /// `1/4`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Returns the chunks of a share.
pub(super) fn jobs(state: &State, prepared: &[Prepared], shard: Shard) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut turn = 0;
    for (index, request) in state.requests.iter().enumerate() {
        for chunk in 0..request.extent.chunks {
            turn += 1;
            if shard.takes(turn) {
                let (_, codes) = prepared[index].coverage.chunk_range(chunk);
                jobs.push(Job { request: index, chunk, codes });
            }
        }
    }
    jobs
}

/// Returns the jobs that are not done.
pub(super) fn open(state: &State, jobs: &[Job]) -> Vec<Job> {
    let missing = state.requests.iter().map(|it| it.missing(|_| true).into_iter().collect());
    let missing: Vec<BTreeSet<u64>> = missing.collect();
    jobs.iter().filter(|job| missing[job.request].contains(&job.chunk)).copied().collect()
}

/// The state that the threads share.
struct Shared<'a> {
    prepared: &'a [Prepared],
    jobs: &'a [Job],
    next: AtomicUsize,
    /// Requests at which the testee died or failed, by index.
    ended: Mutex<Vec<bool>>,
    interrupted: &'a AtomicBool,
    tensors: Tensors,
}

/// Does the jobs, one thread for each testee, and hands each event to `done` at once. Ends early
/// when `interrupted` is set, and at the first error.
///
/// # Errors
/// Those of `done` and of [`Sweeper::sweep`].
pub(super) fn run(
    prepared: &[Prepared],
    jobs: &[Job],
    testees: &mut [Box<dyn Testee + Send>],
    tensors: Tensors,
    interrupted: &AtomicBool,
    mut done: impl FnMut(Job, Event) -> Result<()>,
) -> Result<()> {
    let shared = Shared {
        prepared,
        jobs,
        next: AtomicUsize::new(0),
        ended: Mutex::new(vec![false; prepared.len()]),
        interrupted,
        tensors,
    };
    let (sender, receiver) = channel();
    let workers = testees.iter_mut().map(|testee| (testee, sender.clone())).collect();
    drop(sender);
    let work = |(testee, sender): (&mut Box<dyn Testee + Send>, Sender<_>), end: &End| {
        shared.work(testee.as_mut(), &sender, end)
    };
    // If an event cannot be noted, the threads end after their current chunk.
    let note = move |_: &End| receiver.into_iter().try_for_each(|(job, event)| done(job, event));
    pool::run(workers, NO_THREAD, work, note).all().map(|((), _)| ())
}

impl Shared<'_> {
    fn work(
        &self,
        testee: &mut dyn Testee,
        sender: &Sender<(Job, Event)>,
        end: &End,
    ) -> Result<()> {
        let mut current: Option<(usize, Sweeper<'_>)> = None;
        while let Some(job) = self.take().filter(|_| !end.is_set()) {
            if self.ended()[job.request] {
                continue;
            }
            if current.as_ref().is_none_or(|(request, _)| *request != job.request) {
                let sweeper = Sweeper::new(&self.prepared[job.request], self.tensors);
                current = Some((job.request, sweeper));
            }
            let Some((_, sweeper)) = &mut current else { break };
            let swept = sweeper.sweep(job.chunk, testee)?;
            if swept.has_ended() {
                thread::sleep(INTERRUPT_GRACE);
                if self.interrupted.load(Ordering::Relaxed) {
                    break;
                }
                self.ended()[job.request] = true;
            }
            let what = match swept {
                Swept::Done(chunk) => What::Chunk(chunk),
                Swept::Stopped(Stop { verdict, message }) => {
                    let (first, last) = (job.chunk, job.chunk);
                    What::Stopped(Stops { first, last, verdict, message })
                }
                Swept::Interrupted => break,
            };
            let event = Event { request: job.request, what };
            if sender.send((job, event)).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn take(&self) -> Option<Job> {
        if self.interrupted.load(Ordering::Relaxed) {
            return None;
        }
        self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }

    fn ended(&self) -> std::sync::MutexGuard<'_, Vec<bool>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
