//! What a sweep prints.

use super::certificate::Certificate;
use super::diagnose;
use super::record::{Chunk, Conclusion, Range, Tally, Tested};
use super::state::{Kind, RequestState, State, Status};
use super::tensors::Tensors;
use super::verify;
use super::work::{Job, Shard};
use anyhow::{Context, Result};
use castproof_check::verdict::{counted, thousands};
use castproof_check::words::{outcome, value};
use castproof_io::sink::path;
use castproof_vectors::OneLine;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Most ranges of one request that are printed; the certificate keeps more.
const PRINTED: usize = 8;

/// Prints the plan of the sweep before it begins.
///
/// # Errors
/// If writing fails.
pub(super) fn first_lines(
    out: &mut dyn Write,
    state: &State,
    shard: Shard,
    (jobs, open): (&[Job], &[Job]),
    notes: &[String],
) -> Result<()> {
    let codes: u64 = jobs.iter().map(|job| job.codes).sum();
    let requests = state.requests.len();
    writeln!(
        out,
        "sweep: {}, {}, {}",
        state.heading.testee,
        counted(requests as u64, "request"),
        counted(codes, "code")
    )?;
    arrangements(out, state.heading.tensors)?;
    if shard != Shard::WHOLE {
        writeln!(out, "a reduced run: share {shard} of the sweep")?;
    }
    for note in notes {
        writeln!(out, "{note}")?;
    }
    if open.len() < jobs.len() {
        let done = jobs.len() - open.len();
        writeln!(out, "resumed: {done} of {} chunks were done", jobs.len())?;
    }
    out.flush().context("the report cannot be written")
}

/// Prints how the codes are divided into tensors.
fn arrangements(out: &mut dyn Write, tensors: Option<Tensors>) -> Result<()> {
    match tensors {
        Some(Tensors { blocks, parts }) => {
            let of = if blocks == 1 { "block".into() } else { format!("{blocks} blocks") };
            writeln!(
                out,
                "tensors: contiguous, rank 1, {parts} or more of drawn lengths from every {of} of \
                 codes"
            )?;
        }
        None => writeln!(out, "tensors: contiguous, rank 1, one from every block of codes")?,
    }
    Ok(())
}

/// Prints the results, and returns what they come to.
///
/// # Errors
/// If writing fails.
pub(super) fn body(
    out: &mut dyn Write,
    (state, share): (&State, Shard),
    took: Duration,
    certificate: &Path,
) -> Result<Conclusion> {
    let (conclusion, mut verdict) = claims(out, &state.requests, share)?;
    if !took.is_zero() {
        verdict += &format!("; {:.1} s", took.as_secs_f64());
    }
    writeln!(out, "{verdict}; certificate {}", path(certificate))?;
    out.flush().context("the report cannot be written")?;
    Ok(conclusion)
}

/// Prints the results of the requests. Returns what they come to, and a line for all of them.
fn claims(
    out: &mut dyn Write,
    requests: &[RequestState],
    share: Shard,
) -> Result<(Conclusion, String)> {
    let missing = verify::missing(requests, share);
    let mut totals = Totals::default();
    for (request, missing) in requests.iter().zip(&missing) {
        totals.add(request, missing);
        differing(out, request)?;
    }
    remarks(out, requests)?;
    for (kind, claim) in [
        (Kind::Exhaustive, "every code"),
        (Kind::BoundaryComplete, "every boundary with two codes on each side"),
        (Kind::BoundarySampled, "a part of the boundaries"),
    ] {
        let of_kind = requests.iter().filter(|it| it.extent.coverage == kind);
        let whole = of_kind.filter(|it| matches!(it.status, Status::Whole(_)));
        let (mut requests, mut codes) = (0u64, 0);
        for request in whole {
            requests += 1;
            codes += request.extent.codes;
        }
        if requests > 0 {
            let codes = counted(codes, "code");
            writeln!(out, "{claim} of {}: {codes}", counted(requests, "request"))?;
        }
    }
    not_covered(out, requests, &missing)?;
    let conclusion = totals.conclusion(share);
    let word = match conclusion {
        Conclusion::Clean => "PASS",
        Conclusion::Fails => "FAIL",
        Conclusion::Part => "PART",
    };
    let mut verdict = format!("{word}  {} swept", counted(totals.swept, "code"));
    for (count, name) in
        [(totals.fail, "fail"), (totals.tolerated, "tolerated"), (totals.undefined, "undefined")]
    {
        if count > 0 {
            verdict += &format!(", {} {name}", thousands(count));
        }
    }
    for (requests, what) in [
        (totals.unsupported, "unsupported"),
        (totals.refused_in_part, "refused in part"),
        (totals.stopped, "ended by an error"),
        (totals.partial, "in part"),
        (totals.not_covered, "not covered"),
    ] {
        if requests > 0 {
            verdict += &format!(", {} {what}", counted(requests, "request"));
        }
    }
    if share != Shard::WHOLE {
        verdict += &format!("; share {share}, not the whole sweep");
    }
    Ok((conclusion, verdict))
}

/// Names the chunks of which nothing is known although they are due.
fn not_covered(out: &mut dyn Write, requests: &[RequestState], missing: &[Vec<u64>]) -> Result<()> {
    for (record, missing) in requests.iter().zip(missing).filter(|(_, it)| !it.is_empty()) {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for &chunk in missing {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == chunk => *last = chunk,
                _ => ranges.push((chunk, chunk)),
            }
        }
        let text = |&(first, last): &(u64, u64)| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        let ranges: Vec<String> = ranges.iter().map(text).collect();
        let (request, chunks) = (record.request.request(), record.extent.chunks);
        writeln!(
            out,
            "not covered: {request}: chunks {} of {chunks}, counted from 0",
            ranges.join(", ")
        )?;
    }
    Ok(())
}

/// Prints what a certificate claims, and which part of it was checked. Returns what it comes to.
///
/// # Errors
/// If writing fails.
pub(super) fn verified(
    out: &mut dyn Write,
    file: &Path,
    certificate: &Certificate,
    (checked, open): (usize, usize),
    signed: Option<&str>,
) -> Result<Conclusion> {
    let (name, heading) = (path(file), &certificate.heading);
    writeln!(
        out,
        "{name} claims, of {}, on {}, by {} ({}; {}):",
        heading.testee, certificate.date, heading.tool, heading.specification, certificate.machine
    )?;
    arrangements(out, heading.tensors)?;
    if let Some(Tested { digest, of }) = &heading.tested {
        writeln!(out, "what was tested: digest {} of {of}", String::from(*digest))?;
    }
    if let Some(digest) = heading.questions {
        writeln!(out, "what was asked: digest {}", String::from(digest))?;
    }
    let share = certificate.share.unwrap_or(Shard::WHOLE);
    let (conclusion, verdict) = claims(out, &certificate.requests, share)?;
    writeln!(out, "claimed: {verdict}")?;
    lacks(out, certificate)?;
    if open > 0 {
        writeln!(
            out,
            "claimed and not checked: in {} elements came that are not the expected ones, where the rules \
             allow several",
            counted(open as u64, "request")
        )?;
    }
    let of = certificate.requests.len();
    writeln!(out, "{name}: its seal matches; {checked} of {of} requests verified")?;
    match signed {
        Some(signed) => writeln!(out, "{signed}")?,
        None => writeln!(
            out,
            "no signature was checked: anyone can seal a file anew, and may have invented what came"
        )?,
    }
    out.flush().context("the report cannot be written")?;
    Ok(conclusion)
}

/// Says what a certificate of an earlier version does not claim.
fn lacks(out: &mut dyn Write, certificate: &Certificate) -> Result<()> {
    if verify::is_of_an_earlier_version(certificate) {
        writeln!(out, "not claimed: casts that leave out an attribute that they could give")?;
    }
    if certificate.heading.tested.is_none() || certificate.heading.questions.is_none() {
        writeln!(
            out,
            "not claimed: which build was tested, and what it was asked; an earlier version wrote no \
             digests of them"
        )?;
    }
    let stopped = |it: &&RequestState| matches!(it.status, Status::Stopped(_));
    match certificate.requests.iter().filter(stopped).count() {
        0 => {}
        count => writeln!(
            out,
            "not claimed: what came of {} before the refusal or failure; an earlier version kept nothing \
             of it",
            counted(count as u64, "request")
        )?,
    }
    Ok(())
}

#[derive(Default)]
struct Totals {
    swept: u64,
    fail: u64,
    tolerated: u64,
    undefined: u64,
    unsupported: u64,
    refused_in_part: u64,
    stopped: u64,
    partial: u64,
    not_covered: u64,
}

impl Totals {
    fn add(&mut self, request: &RequestState, missing: &[u64]) {
        let answered = match &request.status {
            Status::Whole(_) => request.extent.codes,
            Status::Parts(parts) => parts.iter().map(Chunk::answered).sum(),
            Status::Stopped(_) => 0,
        };
        self.swept += answered;
        for tally in tallies(request) {
            self.fail += tally.fail + tally.unjudged;
            self.tolerated += tally.tolerated;
            self.undefined += tally.undefined;
        }
        let is_refused = !request.ends().is_empty();
        let recorded = request.recorded().len() as u64;
        let of_request = match () {
            () if request.has_ended() => &mut self.stopped,
            () if is_refused && answered > 0 => &mut self.refused_in_part,
            () if is_refused => &mut self.unsupported,
            () if recorded > 0 && recorded < request.extent.chunks => &mut self.partial,
            () => return self.not_covered += u64::from(!missing.is_empty()),
        };
        *of_request += 1;
        self.not_covered += u64::from(!missing.is_empty());
    }

    /// Whatever was seen side by side, one failure fails. A request that is refused only in part fails, too:
    /// the testee has the cast, and gives no elements.
    fn conclusion(&self, share: Shard) -> Conclusion {
        if self.fail + self.stopped + self.refused_in_part > 0 {
            Conclusion::Fails
        } else if share != Shard::WHOLE || self.not_covered > 0 {
            Conclusion::Part
        } else if self.swept == 0 {
            Conclusion::Fails
        } else {
            Conclusion::Clean
        }
    }
}

/// Returns what differed in a request.
fn tallies(request: &RequestState) -> Vec<&Tally> {
    match &request.status {
        Status::Whole(whole) => vec![&whole.found],
        Status::Parts(parts) => parts.iter().map(|part| &part.found).collect(),
        Status::Stopped(_) => Vec::new(),
    }
}

/// Prints the failing ranges of a request.
fn differing(out: &mut dyn Write, request: &RequestState) -> Result<()> {
    let found = tallies(request);
    let swept = match &request.status {
        Status::Parts(parts) => parts.iter().map(Chunk::answered).sum(),
        Status::Whole(_) | Status::Stopped(_) => request.extent.codes,
    };
    let fail: u64 = found.iter().map(|tally| tally.fail + tally.unjudged).sum();
    if fail == 0 {
        return Ok(());
    }
    let asked = request.request.request();
    let codes = thousands(swept);
    writeln!(out, "{asked}: {} of {codes} codes fail", thousands(fail))?;
    let ranges: Vec<&Range> = found.iter().flat_map(|tally| &tally.failures).collect();
    for range in ranges.iter().take(PRINTED) {
        let Range { first, last, elements, got, expect, clause } = range;
        let place = if first == last {
            value(asked.from, first.value())
        } else {
            format!("{first} to {last} ({} codes, the first)", thousands(*elements))
        };
        let (got, expect) = (value(asked.to, got.value()), outcome(asked.to, &expect.outcome()));
        writeln!(out, "  {place} gave {got}, expected {expect}  [{clause}]")?;
    }
    if ranges.len() > PRINTED || found.iter().any(|tally| tally.unlisted > 0) {
        writeln!(out, "  and more; the certificate lists the first ranges")?;
    }
    if let Some(sentence) = diagnose::sentence(&asked, &found) {
        writeln!(out, "  diagnosis: {sentence}")?;
    }
    Ok(())
}

/// Prints the requests that were refused or ended, in whole or in part, by the message of the testee.
fn remarks(out: &mut dyn Write, requests: &[RequestState]) -> Result<()> {
    let mut said: BTreeMap<(String, &OneLine), BTreeSet<usize>> = BTreeMap::new();
    for (index, request) in requests.iter().enumerate() {
        for (verdict, message) in request.ends() {
            said.entry((verdict.to_string(), message)).or_default().insert(index);
        }
    }
    for ((verdict, message), indices) in said {
        let first = indices
            .first()
            .map_or_else(String::new, |it| requests[*it].request.request().to_string());
        writeln!(
            out,
            "{verdict}: {message}  [{}, first {first}]",
            counted(indices.len() as u64, "request")
        )?;
    }
    for request in requests.iter().filter(|it| !it.has_ended() && !it.ends().is_empty()) {
        if let Status::Parts(parts) = &request.status
            && let answered @ 1.. = parts.iter().map(Chunk::answered).sum()
        {
            let (asked, codes) = (request.request.request(), thousands(answered));
            writeln!(out, "{asked}: refused in part: elements came of {codes} codes")?;
        }
    }
    Ok(())
}
