//! How far a sweep has come: for each request the chunks that are done.

use super::coverage::Coverage;
use super::prepared::Prepared;
use super::record::{Asked, Chunk, Digest, Heading, Stop, StopVerdict, Tally};
use anyhow::{Result, bail};
use castproof_vectors::OneLine;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// No request has more chunks than this. A file that claims more is refused before they are counted.
const MOST_CHUNKS: u64 = 1 << 16;

/// A sweep and what is known of each of its requests.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) heading: Heading,
    pub(super) requests: Vec<RequestState>,
}

/// One request of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestState {
    /// What is asked.
    pub(super) request: Asked,
    /// How much that is.
    #[serde(flatten)]
    pub(super) extent: Extent,
    /// What came of it.
    #[serde(flatten)]
    pub(super) status: Status,
    /// Chunks of which no element came, ascending. Then the status is `parts`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) stops: Vec<Stops>,
}

/// Neighbouring chunks of which no element came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Stops {
    /// The first chunk.
    pub(super) first: u64,
    /// The last chunk.
    pub(super) last: u64,
    /// What the testee did.
    pub(super) verdict: StopVerdict,
    /// What it said.
    pub(super) message: OneLine,
}

/// How much a request covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Extent {
    /// Whether all codes of the source are swept.
    pub(super) coverage: Kind,
    /// Codes that are swept: all of the source, or those at its boundaries, with repeats.
    pub(super) codes: u64,
    /// Runs of codes with one formula, as a sweep takes them.
    pub(super) pieces: u64,
    /// Breakpoints of the target in the source.
    pub(super) breakpoints: u64,
    /// Breakpoints that are swept.
    pub(super) breakpoints_swept: u64,
    /// Chunks that the codes make.
    pub(super) chunks: u64,
}

/// What a sweep of a request can claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Every code of the source.
    Exhaustive,
    /// Every breakpoint of the target with two codes on each side, the ends of pieces and
    /// binades, and a share drawn at random.
    BoundaryComplete,
    /// As boundary-complete, but with more breakpoints than could be swept.
    BoundarySampled,
}

/// What came of a request so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) enum Status {
    /// All of it was swept, and an element came of every code.
    Whole(Whole),
    /// Elements came of these chunks, ascending.
    Parts(Vec<Chunk>),
    /// The testee did not answer with elements at some place, in certificates of earlier versions:
    /// they keep nothing of what came before.
    Stopped(Stop),
}

/// What came of a request that was swept to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Whole {
    /// Digest of the digests of the chunks of expected elements.
    pub(super) expected: Digest,
    /// The same of the elements that came.
    pub(super) observed: Digest,
    /// The chunks whose elements are not the expected ones, with the digest of those that came.
    /// Absent where there is one chunk, and in certificates of earlier versions.
    #[serde(default, deserialize_with = "numbered", skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) differing: BTreeMap<u64, Digest>,
    /// What differed.
    pub(super) found: Tally,
    /// Milliseconds that threads worked on it, added up.
    pub(super) milliseconds: u64,
}

/// Reads digests by chunk. A flattened member reads the names of members only as texts.
fn numbered<'de, D: Deserializer<'de>>(reader: D) -> Result<BTreeMap<u64, Digest>, D::Error> {
    let named = BTreeMap::<String, Digest>::deserialize(reader)?;
    let number = |(name, digest): (String, Digest)| match name.parse() {
        Ok(chunk) => Ok((chunk, digest)),
        Err(_) => Err(D::Error::custom(format!("'{name}' is not the number of a chunk"))),
    };
    named.into_iter().map(number).collect()
}

impl Extent {
    pub(super) fn new(prepared: &Prepared) -> Extent {
        let coverage: &Coverage = &prepared.coverage;
        let kind = match (coverage.exhaustive, coverage.breakpoints == coverage.breakpoints_swept) {
            (true, _) => Kind::Exhaustive,
            (false, true) => Kind::BoundaryComplete,
            (false, false) => Kind::BoundarySampled,
        };
        Extent {
            coverage: kind,
            codes: coverage.elements,
            pieces: prepared.stretches.len() as u64,
            breakpoints: coverage.breakpoints,
            breakpoints_swept: coverage.breakpoints_swept,
            chunks: coverage.chunks(),
        }
    }
}

impl State {
    /// Makes a sweep of which nothing is done.
    pub(super) fn new(heading: Heading, requests: Vec<(Asked, Extent)>) -> State {
        let begin = |(request, extent)| RequestState {
            request,
            extent,
            status: Status::Parts(Vec::new()),
            stops: Vec::new(),
        };
        State { heading, requests: requests.into_iter().map(begin).collect() }
    }

    /// Adds the results of chunks. The same results in another order make the same state.
    ///
    /// # Errors
    /// If a chunk has two results.
    pub(super) fn fold(&mut self, events: impl IntoIterator<Item = Event>) -> Result<()> {
        let mut more: BTreeMap<usize, (Vec<Chunk>, Vec<Stops>)> = BTreeMap::new();
        for Event { request, what } in events {
            let (parts, stops) = more.entry(request).or_default();
            match what {
                What::Chunk(chunk) => parts.push(chunk),
                What::Stopped(stop) => stops.push(stop),
            }
        }
        for (request, (parts, stops)) in more {
            self.requests[request].add(parts, stops)?;
        }
        Ok(())
    }

    /// Joins two shares of one sweep. The same shares in another order make the same state.
    ///
    /// # Errors
    /// If they belong to different sweeps, or the same chunk is in both.
    pub(super) fn merge(&mut self, other: State, name: &str) -> Result<()> {
        let asked = |state: &State| {
            state.requests.iter().map(|it| (it.request, it.extent)).collect::<Vec<_>>()
        };
        if let Some(what) = self.heading.difference(&other.heading) {
            bail!("{name} is of another sweep: {what} differs");
        }
        if asked(self) != asked(&other) {
            bail!("{name} is of another sweep: the requests differ");
        }
        for (mine, theirs) in self.requests.iter_mut().zip(other.requests) {
            mine.merge(theirs, name)?;
        }
        Ok(())
    }

    /// Returns a sentence about the first chunk that is missing; `None` if none is.
    pub(super) fn gap(&self) -> Option<String> {
        self.requests.iter().find_map(|request| {
            let missing = *request.missing(|_| true).first()?;
            let Extent { chunks, .. } = request.extent;
            let asked = request.request.request();
            Some(format!("{asked}: chunk {missing} of {chunks} is missing"))
        })
    }

    /// Checks that every chunk has a number that a request can have, and that no chunk has two results.
    ///
    /// # Errors
    /// If one has none.
    pub(super) fn check(&self) -> Result<()> {
        self.requests.iter().try_for_each(RequestState::check)
    }
}

impl RequestState {
    fn merge(&mut self, theirs: RequestState, name: &str) -> Result<()> {
        let request = self.request.request();
        let is_earlier = |it: &RequestState| matches!(it.status, Status::Stopped(_));
        if is_earlier(self) || is_earlier(&theirs) {
            bail!(
                "{name}: in a share of an earlier version, {request} was refused or failed, and what came \
                 before is not kept there; sweep the share again"
            );
        }
        if let Some(chunk) = self.recorded().intersection(&theirs.recorded()).next() {
            bail!("{name} overlaps: chunk {chunk} of {request} was there already");
        }
        match theirs.status {
            Status::Parts(parts) => self.add(parts, theirs.stops),
            whole => {
                self.status = whole;
                Ok(())
            }
        }
    }

    /// Adds chunks.
    fn add(&mut self, parts: Vec<Chunk>, stops: Vec<Stops>) -> Result<()> {
        let Status::Parts(mine) = &mut self.status else {
            if parts.is_empty() && stops.is_empty() {
                return Ok(());
            }
            bail!("{}: a chunk is there twice", self.request.request());
        };
        mine.extend(parts);
        mine.sort_by_key(|chunk| chunk.chunk);
        mine.dedup();
        self.stops.extend(stops);
        self.join_stops();
        self.check()?;
        self.join();
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let (request, chunks) = (self.request.request(), self.extent.chunks);
        if chunks > MOST_CHUNKS {
            bail!("{request}: no request has {chunks} chunks");
        }
        let parts = match &self.status {
            Status::Parts(parts) => parts.iter().map(|it| (it.chunk, it.chunk)).collect(),
            Status::Whole(_) | Status::Stopped(_) => vec![(0, chunks.saturating_sub(1))],
        };
        let stops = self.stops.iter().map(|it| (it.first, it.last));
        let mut ranges: Vec<(u64, u64)> = parts.into_iter().chain(stops).collect();
        if let Some((first, last)) = ranges.iter().find(|it| it.0 > it.1 || it.1 >= chunks) {
            bail!("{request}: it has no chunks {first} to {last}");
        }
        ranges.sort_unstable();
        match ranges.windows(2).find(|pair| pair[0].1 >= pair[1].0) {
            Some(pair) => bail!("{request}: chunk {} is there twice", pair[1].0),
            None => Ok(()),
        }
    }

    /// Returns the chunks of which it is known what came.
    pub(super) fn recorded(&self) -> BTreeSet<u64> {
        match &self.status {
            Status::Whole(_) | Status::Stopped(_) => (0..self.extent.chunks).collect(),
            Status::Parts(parts) => {
                let stops = self.stops.iter().flat_map(|it| it.first..=it.last);
                parts.iter().map(|it| it.chunk).chain(stops).collect()
            }
        }
    }

    /// Returns the chunks among those that are due of which it is not known what came. After the testee
    /// died or failed, it is not asked for the rest of a request, and nothing of that is missing.
    pub(super) fn missing(&self, is_due: impl Fn(u64) -> bool) -> Vec<u64> {
        if self.has_ended() {
            return Vec::new();
        }
        let recorded = self.recorded();
        (0..self.extent.chunks).filter(|it| is_due(*it) && !recorded.contains(it)).collect()
    }

    /// Returns what the testee did instead of answering with elements, and what it said.
    pub(super) fn ends(&self) -> Vec<(StopVerdict, &OneLine)> {
        let of_stops = self.stops.iter().map(|it| (it.verdict, &it.message));
        match &self.status {
            Status::Whole(_) => Vec::new(),
            Status::Stopped(stop) => vec![(stop.verdict, &stop.message)],
            Status::Parts(parts) => {
                let unanswered = parts.iter().flat_map(|it| &it.unanswered);
                unanswered.map(|it| (it.verdict, &it.message)).chain(of_stops).collect()
            }
        }
    }

    /// Did the testee do something after which the request was not asked any further?
    pub(super) fn has_ended(&self) -> bool {
        self.ends().iter().any(|(verdict, _)| verdict.ends())
    }

    /// Writes neighbours that ended alike as one record, whichever came first.
    fn join_stops(&mut self) {
        self.stops.sort();
        self.stops.dedup();
        self.stops.dedup_by(|next, last| {
            let alike = (next.verdict, &next.message) == (last.verdict, &last.message);
            let joins = alike && last.last.checked_add(1) == Some(next.first);
            if joins {
                last.last = next.last;
            }
            joins
        });
    }

    /// Replaces the chunks by a single record, if all of them are there.
    fn join(&mut self) {
        let Status::Parts(parts) = &self.status else { return };
        let all = parts.len() as u64 == self.extent.chunks;
        if !all || parts.iter().any(|chunk| !chunk.unanswered.is_empty()) {
            return;
        }
        let mut found = Tally::default();
        for chunk in parts {
            found.append(&chunk.found);
        }
        let other = parts.iter().filter(|chunk| chunk.observed != chunk.expected);
        let other = other.map(|chunk| (chunk.chunk, chunk.observed));
        self.status = Status::Whole(Whole {
            differing: if parts.len() > 1 { other.collect() } else { BTreeMap::new() },
            expected: Digest::of_all(parts.iter().map(|chunk| chunk.expected)),
            observed: Digest::of_all(parts.iter().map(|chunk| chunk.observed)),
            found,
            milliseconds: parts.iter().map(|chunk| chunk.milliseconds).sum(),
        });
    }
}

/// A line of the journal: the result of one chunk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    /// The request, by its place in the sweep.
    pub(super) request: usize,
    /// The result.
    pub(super) what: What,
}

/// The result of a chunk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum What {
    /// It was swept.
    Chunk(Chunk),
    /// No element of it came.
    Stopped(Stops),
}

#[cfg(test)]
mod tests {
    use super::super::record::Unanswered;
    use super::*;
    use castproof_check::random::Random;
    use castproof_vectors::{DType, Request};

    /// Formerly, a certificate with several chunks, one of which differs, could not be read.
    #[test]
    fn differing_chunks_are_read_as_they_were_written() {
        let request = Request::cast(DType::Float32, DType::Int8, 28);
        let digest = Digest::of(b"elements");
        let status = Status::Whole(Whole {
            expected: digest,
            observed: digest,
            differing: BTreeMap::from([(3, digest), (128, digest)]),
            found: Tally::default(),
            milliseconds: 1,
        });
        let extent = Extent {
            coverage: Kind::Exhaustive,
            codes: 1 << 32,
            pieces: 1,
            breakpoints: 0,
            breakpoints_swept: 0,
            chunks: 256,
        };
        let request = Asked::from(request);
        let record = RequestState { request, extent, status, stops: Vec::new() };
        let text = serde_json::to_string(&record).expect("serialises");
        let read: RequestState = serde_json::from_str(&text).expect("is read");
        assert_eq!(read, record);
    }

    /// Returns the states of three shares of one request with six chunks, of which each was right, wrong,
    /// refused, answered in part, or fatal.
    fn shares(random: &mut Random) -> Vec<State> {
        let digest = Digest::of(b"elements");
        let tested = None;
        let heading = Heading {
            tool: "castproof".into(),
            specification: "ONNX Cast".into(),
            testee: castproof_testee::Identity {
                name: "test".into(),
                version: "1".into(),
                language: OneLine::default(),
            },
            seed: castproof_vectors::Hex::new(0, DType::Uint64),
            tensors: None,
            tested,
            questions: None,
        };
        let extent = Extent {
            coverage: Kind::Exhaustive,
            codes: 60,
            pieces: 1,
            breakpoints: 0,
            breakpoints_swept: 0,
            chunks: 6,
        };
        let asked = vec![(Asked::from(Request::cast(DType::Float32, DType::Int8, 28)), extent)];
        let mut shares = vec![State::new(heading, asked); 3];
        let mut events: Vec<Vec<Event>> = vec![Vec::new(); 3];
        for chunk in 0..6 {
            let verdict =
                if random.below(4) == 0 { StopVerdict::Crash } else { StopVerdict::Unsupported };
            let part = Chunk {
                chunk,
                codes: 10,
                expected: digest,
                observed: digest,
                found: Tally { fail: random.below(2) as u64, ..Tally::default() },
                unanswered: match random.below(4) {
                    0 => vec![Unanswered { verdict, codes: 5, message: "a part".into() }],
                    _ => Vec::new(),
                },
                milliseconds: 1,
            };
            let stop = Stops { first: chunk, last: chunk, verdict, message: "all".into() };
            let what = if random.below(2) == 0 { What::Stopped(stop) } else { What::Chunk(part) };
            events[random.below(3)].push(Event { request: 0, what });
        }
        for (share, events) in shares.iter_mut().zip(events) {
            // The order of the events does not matter either.
            let mut turned = share.clone();
            turned.fold(events.iter().rev().cloned()).expect("no chunk twice");
            for event in events {
                share.fold([event]).expect("no chunk twice");
            }
            assert_eq!(*share, turned);
        }
        shares
    }

    /// Formerly a refusal took the place of the failures that came before.
    #[test]
    fn a_state_is_the_join_of_what_was_seen() {
        let mut random = Random::new(1);
        for _ in 0..500 {
            let shares = shares(&mut random);
            let join = |order: &[usize]| {
                let mut joined = shares[order[0]].clone();
                for share in &order[1..] {
                    joined.merge(shares[*share].clone(), "a share").expect("disjoint shares");
                }
                joined
            };
            let joined = join(&[0, 1, 2]);
            for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                assert_eq!(join(&order), joined, "commutative");
            }
            let (mut first, mut later) = (shares[0].clone(), shares[1].clone());
            later.merge(shares[2].clone(), "a share").expect("disjoint shares");
            first.merge(later, "a share").expect("disjoint shares");
            assert_eq!(first, joined, "associative");
            let seen = |state: &State| match &state.requests[0].status {
                Status::Whole(whole) => whole.found.fail,
                Status::Parts(parts) => parts.iter().map(|part| part.found.fail).sum(),
                Status::Stopped(_) => 0,
            };
            assert_eq!(seen(&joined), shares.iter().map(seen).sum::<u64>(), "a failure was lost");
            let ends = |state: &State| state.requests[0].has_ended();
            assert_eq!(ends(&joined), shares.iter().any(ends), "a crash was lost");
            assert_eq!(joined.requests[0].recorded().len(), 6);
            // A chunk that is there already is not joined again.
            if let Some(share) = shares.iter().find(|it| !it.requests[0].recorded().is_empty()) {
                joined.clone().merge(share.clone(), "a share").expect_err("an overlap");
            }
        }
    }
}
