//! Replays a certificate: some of its blocks, drawn at random, are swept again with the testee that
//! it names. This requires no trust in the author of the certificate.

use super::asking::Swept;
use super::certificate::Certificate;
use super::chunk::Sweeper;
use super::prepared::Prepared;
use super::record::{Digest, StopVerdict, Tested};
use super::state::{RequestState, Status};
use super::tensors::Tensors;
use anyhow::{Result, bail};
use castproof_check::random::Random;
use castproof_check::verdict::thousands;
use castproof_io::sink::line;
use castproof_testee::Testee;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// A block that can be swept again: a chunk of a request.
#[derive(Clone)]
struct Block {
    request: usize,
    chunk: u64,
    claim: Claim,
}

/// What a certificate claims about the elements of a block.
#[derive(Clone)]
enum Claim {
    /// They are the expected ones.
    Expected,
    /// They have this digest, and of so many none came.
    Digest(Digest, Vec<(StopVerdict, u64)>),
    /// The request has one block, and these elements have this digest.
    Only(Digest),
    /// None came, for this reason.
    Stopped(StopVerdict),
    /// Some did not come, for this reason: an earlier version does not say which.
    StoppedSomewhere,
}

/// Sweeps `count` blocks again. Returns whether each has the digest that the certificate names.
///
/// # Errors
/// If the certificate names another testee, or the run is interrupted.
pub(super) fn replay(
    certificate: &Certificate,
    testee: &mut dyn Testee,
    (count, seed): (usize, u64),
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let (claimed, is) = (&certificate.heading.testee, testee.identity());
    if claimed != is {
        let claimed = line(&claimed.to_string());
        bail!("the certificate is of {claimed}; the testee is {is}");
    }
    let is = is.clone();
    let tested = Tested::new(testee, &testee.judged()?)?;
    let blocks = blocks(&certificate.requests);
    if blocks.is_empty() {
        bail!("the certificate names no block that could be swept again");
    }
    let drawn = draw(&blocks, count, seed);
    writeln!(
        out,
        "replay: {} of {} blocks of {is}, drawn with --seed {seed}",
        thousands(drawn.len() as u64),
        thousands(blocks.len() as u64)
    )?;
    if certificate.heading.tested.as_ref().is_some_and(|claimed| *claimed != tested) {
        writeln!(
            out,
            "what is asked now has another digest than what was swept: another build, or other settings"
        )?;
    }
    let tensors = certificate.heading.tensors.unwrap_or(Tensors::WHOLE);
    let mut by_request: BTreeMap<usize, Vec<Block>> = BTreeMap::new();
    for block in &drawn {
        by_request.entry(block.request).or_default().push(block.clone());
    }
    let mut differing = 0u64;
    for (index, blocks) in by_request {
        let request = certificate.requests[index].request.request();
        let prepared = Prepared::new(&request)?;
        let mut sweeper = Sweeper::new(&prepared, tensors);
        for block in blocks {
            if interrupted.load(Ordering::Relaxed) {
                bail!("interrupted");
            }
            if block.chunk >= prepared.coverage.chunks() {
                bail!("{request}: this version has no block {}", block.chunk);
            }
            let swept = sweeper.sweep(block.chunk, testee)?;
            if matches!(swept, Swept::Interrupted) {
                bail!("interrupted");
            }
            let problem = compare(&block.claim, swept);
            if let Some(problem) = problem {
                differing += 1;
                writeln!(out, "{request}, block {}: {problem}", block.chunk)?;
            }
        }
    }
    verdict(out, drawn.len(), differing)?;
    Ok(differing == 0)
}

/// Prints the last line.
fn verdict(out: &mut dyn Write, drawn: usize, differing: u64) -> Result<()> {
    let all = thousands(drawn as u64);
    match differing {
        0 => writeln!(out, "PASS  {all} blocks gave what the certificate says")?,
        _ => writeln!(
            out,
            "FAIL  {} of {all} blocks gave something else than the certificate says",
            thousands(differing)
        )?,
    }
    Ok(out.flush()?)
}

/// Returns how a block differs from the claim, if it does.
fn compare(claim: &Claim, swept: Swept) -> Option<String> {
    let chunk = match (swept, claim) {
        (Swept::Interrupted, _) | (Swept::Stopped(_), Claim::StoppedSomewhere) => return None,
        (Swept::Stopped(stop), Claim::Stopped(claimed)) if stop.verdict == *claimed => return None,
        (Swept::Stopped(stop), _) => return Some(format!("{}: {}", stop.verdict, stop.message)),
        (Swept::Done(chunk), _) => chunk,
    };
    let unanswered: Vec<_> = chunk.unanswered.iter().map(|it| (it.verdict, it.codes)).collect();
    let is_so = match claim {
        Claim::Stopped(_) => return Some("elements came, where there were none".into()),
        Claim::StoppedSomewhere if unanswered.is_empty() => {
            return Some("elements came, where there were none".into());
        }
        // An earlier version claims nothing of the other elements.
        Claim::StoppedSomewhere => true,
        Claim::Expected => chunk.observed == chunk.expected && unanswered.is_empty(),
        Claim::Digest(digest, claimed) => chunk.observed == *digest && unanswered == *claimed,
        // The certificate names the digest of the digests of a request's blocks.
        Claim::Only(digest) => Digest::of_all([chunk.observed]) == *digest && unanswered.is_empty(),
    };
    (!is_so).then(|| {
        let failing = thousands(chunk.found.fail);
        let missing = match chunk.codes - chunk.answered() {
            0 => String::new(),
            missing => format!("; of {} codes none came", thousands(missing)),
        };
        format!("other elements came, of which {failing} fail{missing}")
    })
}

/// Returns every block whose elements the certificate determines. If it only says that a whole
/// request of several blocks differs, no single block of it can be checked.
fn blocks(requests: &[RequestState]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (request, record) in requests.iter().enumerate() {
        let mut add = |chunk, claim| blocks.push(Block { request, chunk, claim });
        for stop in &record.stops {
            (stop.first..=stop.last).for_each(|chunk| add(chunk, Claim::Stopped(stop.verdict)));
        }
        match &record.status {
            Status::Stopped(_) => add(0, Claim::StoppedSomewhere),
            Status::Parts(parts) => {
                for part in parts {
                    let unanswered = part.unanswered.iter().map(|it| (it.verdict, it.codes));
                    add(part.chunk, Claim::Digest(part.observed, unanswered.collect()));
                }
            }
            Status::Whole(whole) => {
                let told = whole.observed == whole.expected || !whole.differing.is_empty();
                if told {
                    (0..record.extent.chunks).for_each(|chunk| {
                        let other = whole.differing.get(&chunk);
                        let other = other.map(|digest| Claim::Digest(*digest, Vec::new()));
                        add(chunk, other.unwrap_or(Claim::Expected));
                    });
                } else if record.extent.chunks == 1 {
                    add(0, Claim::Only(whole.observed));
                }
            }
        }
    }
    blocks
}

/// Draws some of the blocks, none twice.
fn draw(blocks: &[Block], count: usize, seed: u64) -> Vec<Block> {
    let mut left = blocks.to_vec();
    let mut random = Random::new(seed);
    let mut drawn = Vec::new();
    while drawn.len() < count && !left.is_empty() {
        drawn.push(left.swap_remove(random.below(left.len())));
    }
    drawn
}
