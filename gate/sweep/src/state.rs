//! How far a sweep has come: for each request the chunks that are done.

use super::coverage::Coverage;
use super::prepared::Prepared;
use super::record::{Asked, Chunk, Digest, Heading, Stop, Tally};
use anyhow::{Result, bail};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

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
    /// All of it was swept.
    Whole(Whole),
    /// These chunks were swept, ascending.
    Parts(Vec<Chunk>),
    /// The testee did not answer with elements.
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
        let begin =
            |(request, extent)| RequestState { request, extent, status: Status::Parts(Vec::new()) };
        State { heading, requests: requests.into_iter().map(begin).collect() }
    }

    /// Adds the results of chunks, and joins the chunks of a request once it has all of them.
    pub(super) fn fold(&mut self, events: impl IntoIterator<Item = Event>) {
        let mut chunks: BTreeMap<usize, Vec<Chunk>> = BTreeMap::new();
        for event in events {
            match event {
                Event { request, what: What::Chunk(chunk) } => {
                    chunks.entry(request).or_default().push(chunk);
                }
                Event { request, what: What::Stopped(stop) } => {
                    self.requests[request].status = Status::Stopped(stop);
                }
            }
        }
        for (index, more) in chunks {
            let request = &mut self.requests[index];
            if let Status::Parts(parts) = &mut request.status {
                parts.extend(more);
                parts.sort_by_key(|chunk| chunk.chunk);
                parts.dedup_by_key(|chunk| chunk.chunk);
            }
            request.join();
        }
    }

    /// Joins two shares of one sweep.
    ///
    /// # Errors
    /// If they belong to different sweeps, or the same chunk is in both.
    pub(super) fn merge(&mut self, other: State, name: &str) -> Result<()> {
        let asked = |state: &State| {
            state.requests.iter().map(|it| (it.request, it.extent)).collect::<Vec<_>>()
        };
        if self.heading != other.heading || asked(self) != asked(&other) {
            bail!("{name} is of another sweep: versions, testee or requests differ");
        }
        for (mine, theirs) in self.requests.iter_mut().zip(other.requests) {
            mine.merge(theirs.status, name)?;
        }
        Ok(())
    }

    /// Returns a sentence about the first chunk that is missing; `None` if none is.
    pub(super) fn gap(&self) -> Option<String> {
        self.requests.iter().find_map(|request| {
            let Status::Parts(parts) = &request.status else { return None };
            let missing = (0..).zip(parts).find(|(number, part)| part.chunk != *number);
            let missing = missing.map_or(parts.len() as u64, |(number, _)| number);
            let Extent { chunks, .. } = request.extent;
            let asked = request.request.request();
            Some(format!("{asked}: chunk {missing} of {chunks} is missing"))
        })
    }
}

impl RequestState {
    fn merge(&mut self, theirs: Status, name: &str) -> Result<()> {
        let overlap = |chunk: u64, request: &Asked| {
            format!("{name} overlaps: chunk {chunk} of {} was there already", request.request())
        };
        match (&mut self.status, theirs) {
            (_, Status::Parts(theirs)) if theirs.is_empty() => {}
            (Status::Stopped(_), Status::Stopped(_) | Status::Parts(_)) => {}
            (Status::Parts(_), Status::Stopped(stop)) => self.status = Status::Stopped(stop),
            (Status::Parts(mine), Status::Parts(theirs)) => {
                if let Some(chunk) = theirs.iter().find(|chunk| {
                    mine.binary_search_by_key(&chunk.chunk, |chunk| chunk.chunk).is_ok()
                }) {
                    bail!(overlap(chunk.chunk, &self.request));
                }
                mine.extend(theirs);
                mine.sort_by_key(|chunk| chunk.chunk);
                self.join();
            }
            (Status::Parts(mine), whole @ Status::Whole(_)) if mine.is_empty() => {
                self.status = whole;
            }
            (Status::Whole(_), _) | (_, Status::Whole(_)) => bail!(overlap(0, &self.request)),
        }
        Ok(())
    }

    /// Replaces the chunks by a single record, if all of them are there.
    fn join(&mut self) {
        let Status::Parts(parts) = &self.status else { return };
        if parts.len() as u64 != self.extent.chunks {
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
    /// The request ended with this chunk.
    Stopped(Stop),
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let record = RequestState { request, extent, status };
        let text = serde_json::to_string(&record).expect("serialises");
        let read: RequestState = serde_json::from_str(&text).expect("is read");
        assert_eq!(read, record);
    }
}
