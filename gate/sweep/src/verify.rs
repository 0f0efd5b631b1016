//! Checks a certificate: derives again everything that follows from its content.
//!
//! The rest remains a claim: which testee it was, that the elements came from it, and what it gave
//! where the rules leave the result open.

use super::certificate::{Certificate, EARLIER, questions, specification};
use super::chunk::{ChunkDigests, Sweeper};
use super::prepared::Prepared;
use super::record::{Chunk, Digest, Range, Tally};
use super::state::{Extent, RequestState, Status};
use super::tensors::Tensors;
use super::work::{NO_THREAD, Shard};
use anyhow::{Result, bail};
use castproof_check::verdict::{Verdict, judge};
use castproof_io::pool;
use castproof_judge::requests::{requests, requests_of};
use castproof_results::Filters;
use castproof_vectors::{
    Attributes, Formula, Outcome, OutcomeRecord, Request, Spec, Tolerate, piece_of,
};
use std::collections::BTreeMap;

/// Checks that the certificate has all requests that a sweep of its dtypes and operator set asks,
/// and names their specification. A certificate without one of them would claim less than it seems
/// to.
///
/// # Errors
/// If a request is missing, does not belong there, or is there twice, or if the heading names
/// another specification.
pub(super) fn complete(certificate: &Certificate) -> Result<()> {
    let asked: Vec<Request> = certificate.requests.iter().map(|it| it.request.request()).collect();
    let Some(first) = asked.first() else { bail!("it holds no request") };
    let only = |is_one: bool, dtype| is_one.then_some(dtype);
    let filters = Filters {
        from: only(asked.iter().all(|it| it.from == first.from), first.from),
        to: only(asked.iter().all(|it| it.to == first.to), first.to),
        opset: first.spec.opset(),
    };
    let due = match first.spec {
        Spec::Profile(profile) => requests_of(profile, filters)?,
        Spec::Onnx { .. } => requests(filters)?,
    };
    let (named, is_onnx) = (&*certificate.heading.specification, first.spec.opset().is_some());
    if named != specification(first.spec) && !(is_onnx && named == EARLIER) {
        bail!("its heading names {named:?}, but its requests are of {}", specification(first.spec));
    }
    if asked == due || is_of_an_earlier_version(certificate) && asked == with_every_attribute(&due)
    {
        return Ok(());
    }
    if let Some(missing) = due.iter().find(|request| !asked.contains(request)) {
        bail!("{missing} is missing, of the {} requests of such a sweep", due.len());
    }
    let foreign = asked.iter().find(|request| !due.contains(request));
    foreign.map_or_else(
        || bail!("requests are there twice, or in another order than a sweep asks them"),
        |request| bail!("{request} is not a request of such a sweep"),
    )
}

/// Checks that the digest of the questions is that of the requests, and that every chunk is one of the share
/// that the certificate names.
///
/// # Errors
/// If one is not.
pub(super) fn of_its_share(certificate: &Certificate) -> Result<()> {
    let Certificate { heading, requests, share, .. } = certificate;
    let asked = || requests.iter().map(|it| (it.request, it.extent));
    if heading.questions.is_some_and(|digest| digest != questions(heading, asked())) {
        bail!("its digest of the questions is not that of its requests");
    }
    let mut turn = 0;
    for record in requests {
        let foreign = |chunk: &u64| share.is_some_and(|share| !share.takes(turn + chunk + 1));
        if let Some(chunk) = record.recorded().into_iter().find(foreign) {
            let request = record.request.request();
            bail!("{request}: chunk {chunk} is none of share {}", share.unwrap_or(Shard::WHOLE));
        }
        turn += record.extent.chunks;
    }
    Ok(())
}

/// Returns the chunks of each request that the certificate should have, and of which it does not say what
/// came. Those of other shares are not among them.
pub(super) fn missing(requests: &[RequestState], share: Shard) -> Vec<Vec<u64>> {
    let mut turn = 0;
    let of_request = requests.iter().map(|record| {
        let before = turn;
        turn += record.extent.chunks;
        record.missing(|chunk| share.takes(before + chunk + 1))
    });
    of_request.collect()
}

/// Was it written by an earlier version? Those did not mention tensors, and gave every attribute
/// that matters to a pair.
pub(super) fn is_of_an_earlier_version(certificate: &Certificate) -> bool {
    certificate.heading.tensors.is_none()
}

/// Returns the requests that give the most attributes of their pair.
fn with_every_attribute(requests: &[Request]) -> Vec<Request> {
    let pair = |request: &Request| (request.from, request.to);
    let given = |request: &Request| {
        let Attributes { saturate, round_mode } = request.attributes;
        usize::from(saturate.is_some()) + usize::from(round_mode.is_some())
    };
    let most = |request: &Request| {
        let of_pair = requests.iter().filter(|other| pair(other) == pair(request));
        of_pair.map(given).max()
    };
    requests.iter().filter(|request| Some(given(request)) == most(request)).copied().collect()
}

/// Derives the expected elements of a request again. Checks digests, counts and listed failures
/// against them and against one another. Calls `done` for each chunk.
///
/// # Errors
/// If the record contradicts itself or the rules, or the request cannot be answered.
pub(super) fn verify(record: &RequestState, done: &dyn Fn() -> Result<()>) -> Result<()> {
    let request = record.request.request();
    check(record, &request, done).map_err(|error| error.context(request.to_string()))
}

fn check(record: &RequestState, request: &Request, done: &dyn Fn() -> Result<()>) -> Result<()> {
    let prepared = Prepared::new(request)?;
    if Extent::new(&prepared) != record.extent {
        bail!("it covers something else than this version sweeps");
    }
    let mut checker =
        Checker { sweeper: Sweeper::new(&prepared, Tensors::WHOLE), prepared: &prepared };
    if !record.stops.is_empty() && !matches!(record.status, Status::Parts(_)) {
        bail!("it has parts that did not come, and is said to be whole");
    }
    match &record.status {
        Status::Stopped(_) => Ok(()),
        Status::Whole(whole) => {
            let wrong = checker.wrong(&whole.found);
            let mut due = Vec::new();
            for chunk in 0..record.extent.chunks {
                due.push(checker.sweeper.due(chunk, &wrong.clone().unwrap_or_default())?);
                done()?;
            }
            let expected = Digest::of_all(due.iter().map(|due| due.expected));
            if expected != whole.expected {
                bail!(
                    "the digest of the expected elements is not the one that follows from the rules; sweep again"
                );
            }
            chunks_differing(&due, &whole.differing, whole.observed)?;
            let digests = ChunkDigests {
                expected,
                rebuilt: Digest::of_all(due.iter().map(|due| due.rebuilt)),
                undefined: due.iter().map(|due| due.undefined).sum(),
            };
            let codes = record.extent.codes;
            checker.tally(&whole.found, &digests, whole.observed, codes, wrong.is_some())
        }
        Status::Parts(parts) => {
            let mut last = None;
            for part in parts {
                if last >= Some(part.chunk) {
                    bail!("chunk {} is not in its place", part.chunk);
                }
                last = Some(part.chunk);
                unanswered(part)?;
                let (_, codes) = prepared.coverage.chunk_range(part.chunk);
                if codes != part.codes {
                    bail!("chunk {} has {codes} codes, not {}", part.chunk, part.codes);
                }
                let wrong = checker.wrong(&part.found);
                let due = checker.sweeper.due(part.chunk, &wrong.clone().unwrap_or_default())?;
                if due.expected != part.expected {
                    bail!(
                        "the digest of chunk {} is not the one that follows from the rules; sweep again",
                        part.chunk
                    );
                }
                checker.tally(&part.found, &due, part.observed, codes, wrong.is_some())?;
                done()?;
            }
            Ok(())
        }
    }
}

/// Checks how many codes of a chunk were not answered.
fn unanswered(part: &Chunk) -> Result<()> {
    let Chunk { chunk, unanswered, .. } = part;
    if unanswered.windows(2).any(|pair| pair[0].verdict >= pair[1].verdict) {
        bail!("chunk {chunk}: what did not come is not in its order");
    }
    if unanswered.iter().any(|it| it.codes == 0) || part.answered() == 0 {
        bail!("chunk {chunk}: the number of codes that were not answered cannot be");
    }
    let Tally { tolerated, fail, unjudged, .. } = part.found;
    if tolerated.saturating_add(fail).saturating_add(unjudged) > part.answered() {
        bail!("chunk {chunk}: it counts more elements than came");
    }
    Ok(())
}

/// Checks that the digest of all chunks follows from those that differ.
fn chunks_differing(
    due: &[ChunkDigests],
    differing: &BTreeMap<u64, Digest>,
    all: Digest,
) -> Result<()> {
    if differing.is_empty() {
        return Ok(());
    }
    for (&chunk, digest) in differing {
        match due.get(chunk as usize) {
            None => bail!("there is no chunk {chunk}"),
            Some(due) if due.expected == *digest => bail!("chunk {chunk} does not differ"),
            Some(_) => {}
        }
    }
    let chunks = (0..).zip(due).map(|(chunk, due)| differing.get(&chunk).unwrap_or(&due.expected));
    if Digest::of_all(chunks.copied()) != all {
        bail!("the digest of the elements that came is not that of their chunks");
    }
    Ok(())
}

struct Checker<'a> {
    sweeper: Sweeper<'a>,
    prepared: &'a Prepared,
}

impl Checker<'_> {
    /// Returns the wrong elements by code if the record has all of them: then the digest of the
    /// observed elements follows from it.
    fn wrong(&self, found: &Tally) -> Option<BTreeMap<u64, u64>> {
        let listed = found.unlisted == 0 && found.tolerated == 0 && found.unjudged == 0;
        let single = found.failures.iter().all(|range| range.elements == 1);
        let told = self.prepared.coverage.exhaustive && self.is_closed() && listed && single;
        let pair = |range: &Range| (range.first.value(), range.got.value());
        told.then(|| found.failures.iter().map(pair).collect())
    }

    /// Is there one right element for every code?
    fn is_closed(&self) -> bool {
        self.prepared.stretches.iter().all(|stretch| {
            matches!(stretch.formula, Formula::Shift(_) | Formula::Constant(Outcome::Code(_)))
        })
    }

    /// Checks the counts of some elements against the expected elements and the digest.
    fn tally(
        &self,
        found: &Tally,
        due: &ChunkDigests,
        observed: Digest,
        codes: u64,
        is_told: bool,
    ) -> Result<()> {
        let Tally { undefined, tolerated, fail, unjudged, failures, unlisted } = found;
        let listed = failures.iter().try_fold(*unlisted, |sum, it| sum.checked_add(it.elements));
        let counts = [*undefined, *tolerated, *fail, *unjudged];
        let all = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        if all.is_none_or(|all| all > codes) {
            bail!("it counts more elements than there are codes");
        }
        if listed != Some(*fail) {
            bail!("its listed failures do not add up to {fail}");
        }
        if *undefined != due.undefined {
            bail!("it counts {undefined} undefined elements, not {}", due.undefined);
        }
        let tolerates =
            self.prepared.pieces.iter().any(|it| it.tolerate != Tolerate::Uniform(None));
        if *tolerated > 0 && !tolerates {
            bail!("it counts tolerated results, and nothing is tolerated");
        }
        let differs = observed != due.expected;
        let deviations = tolerated + fail + unjudged;
        if !differs && deviations > 0 {
            bail!("the digests are equal, but differences are listed");
        }
        if differs && deviations == 0 && self.is_closed() {
            bail!("the digests differ, but no difference is listed");
        }
        if is_told && observed != due.rebuilt {
            bail!("what came is not what its failures say");
        }
        if *unlisted > 0 && failures.is_empty() {
            bail!("it counts failures and lists none");
        }
        failures.iter().try_for_each(|range| self.range(range))?;
        let out_of_order = |pair: &[Range]| pair[0].last.value() >= pair[1].first.value();
        if self.prepared.coverage.exhaustive && failures.windows(2).any(out_of_order) {
            bail!("its failures are not in their order");
        }
        Ok(())
    }

    /// Checks that a range of failures fails by the rules.
    fn range(&self, range: &Range) -> Result<()> {
        let Request { from, to, .. } = self.prepared.request;
        let (first, last) = (range.first.value(), range.last.value());
        if first > last || last > from.code_mask() || range.elements == 0 {
            bail!("{} to {} is not a range of codes", range.first, range.last);
        }
        let exhaustive = self.prepared.coverage.exhaustive;
        if exhaustive && range.elements != last - first + 1 {
            bail!("{} to {} are not {} codes", range.first, range.last, range.elements);
        }
        let due = piece_of(&self.prepared.pieces, first).expectation(from, to, first);
        if OutcomeRecord::new(&due.expect, to) != range.expect
            || due.rule.as_str() != &*range.clause
        {
            bail!(
                "its expectation or rule for {} is not the one of the specification; sweep again",
                range.first
            );
        }
        let got = range.got.value();
        if got > to.code_mask() {
            bail!("{} is not a code of {to}", range.got);
        }
        let target = self.prepared.target;
        if judge(&due.expect, due.tolerate.as_ref(), got, target, false) != Verdict::Fail {
            bail!(
                "it lists {} as a failure at {}, but the rules permit it; sweep again",
                range.got,
                range.first
            );
        }
        Ok(())
    }
}

/// Counts the requests whose elements are not the expected ones although no difference is listed:
/// there the rules allow several results.
pub(super) fn open_differences(requests: &[&RequestState]) -> usize {
    let differs = |record: &&&RequestState| match &record.status {
        Status::Whole(whole) => {
            let Tally { tolerated, fail, unjudged, .. } = whole.found;
            whole.observed != whole.expected && tolerated + fail + unjudged == 0
        }
        Status::Parts(_) | Status::Stopped(_) => false,
    };
    requests.iter().filter(differs).count()
}

/// Checks several requests on several threads.
///
/// # Errors
/// The first error that is found.
pub(super) fn verify_all(
    records: &[&RequestState],
    threads: usize,
    done: &(dyn Fn() -> Result<()> + Sync),
) -> Result<()> {
    pool::each(records, threads, NO_THREAD, |record| verify(record, &|| done())).map(drop)
}
