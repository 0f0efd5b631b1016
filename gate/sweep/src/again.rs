//! Finished chunks of a sweep, swept again in part before the sweep goes on. A journal cannot watch
//! all that a testee answers with, such as a table that it reads, so a drawn share has to come out as
//! before.

use super::prepared::Prepared;
use super::record::{Digest, StopVerdict};
use super::state::{Event, What};
use super::tensors::Tensors;
use super::work::{self, Job};
use anyhow::{Context, Result};
use castproof_testee::Testee;
use castproof_vectors::random::Random;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::AtomicBool;

/// Of so many finished chunks of a request one is swept again, but at least one of each request.
const SHARE: usize = 16;

/// What came when a share was swept again.
pub(super) struct Again {
    /// How many chunks were swept.
    pub(super) chunks: u64,
    /// The first request that came out otherwise than before; `None` if none did.
    pub(super) differs: Option<usize>,
}

/// What came of a chunk: the digest of its elements, and of how many codes none came. Without a digest it was
/// refused.
type Came = (Option<Digest>, Vec<(StopVerdict, u64)>);

/// Returns a chunk that was swept or refused; `None` if the testee died or failed, which it may not do again.
fn finished(what: &What) -> Option<(u64, Came)> {
    let (chunk, came) = match what {
        What::Stopped(stop) => (stop.first, (None, vec![(stop.verdict, 0)])),
        What::Chunk(chunk) => {
            let unanswered = chunk.unanswered.iter().map(|it| (it.verdict, it.codes));
            (chunk.chunk, (Some(chunk.observed), unanswered.collect()))
        }
    };
    let has_ended = came.1.iter().any(|(verdict, _)| verdict.ends());
    (!has_ended).then_some((chunk, came))
}

/// Sweeps a drawn share of the chunks of a journal again.
///
/// # Errors
/// As [`work::run`].
pub(super) fn ask(
    events: &[Event],
    prepared: &[Prepared],
    testees: &mut [Box<dyn Testee + Send>],
    tensors: Tensors,
    interrupted: &AtomicBool,
) -> Result<Again> {
    let mut by_request: BTreeMap<usize, Vec<Job>> = BTreeMap::new();
    let mut before = BTreeMap::new();
    for event in events {
        let Some((chunk, came)) = finished(&event.what) else { continue };
        let coverage = &prepared.get(event.request).context("no such request")?.coverage;
        if chunk < coverage.chunks() {
            let (_, codes) = coverage.chunk_range(chunk);
            let job = Job { request: event.request, chunk, codes };
            by_request.entry(event.request).or_default().push(job);
            before.insert((event.request, chunk), came);
        }
    }
    // Another share each time, which the testee cannot know.
    let mut random = Random::new(RandomState::new().hash_one(events.len()));
    let mut jobs = Vec::new();
    for mut left in by_request.into_values() {
        for _ in 0..left.len().div_ceil(SHARE) {
            jobs.push(left.swap_remove(random.below(left.len())));
        }
    }
    let mut again = Again { chunks: 0, differs: None };
    work::run(prepared, &jobs, testees, tensors, interrupted, |job, event| {
        again.chunks += 1;
        let came = finished(&event.what).map(|(_, came)| came);
        if came.as_ref() != before.get(&(job.request, job.chunk)) {
            again.differs = again.differs.or(Some(job.request));
        }
        Ok(())
    })?;
    Ok(again)
}
