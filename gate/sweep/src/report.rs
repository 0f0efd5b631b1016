//! What a sweep prints.

use super::certificate::Certificate;
use super::diagnose;
use super::record::{Range, StopVerdict, Tally};
use super::state::{Kind, RequestState, State, Status};
use super::tensors::Tensors;
use super::verify;
use super::work::{Job, Shard};
use anyhow::{Context, Result};
use castproof_check::verdict::thousands;
use castproof_check::words::{outcome, value};
use castproof_io::sink::path;
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
        "sweep: {}, {requests} requests, {} codes",
        state.heading.testee,
        thousands(codes)
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

/// Prints the results. Returns whether they are clean.
///
/// # Errors
/// If writing fails.
pub(super) fn body(
    out: &mut dyn Write,
    state: &State,
    took: Duration,
    certificate: &Path,
) -> Result<bool> {
    let requests: Vec<&RequestState> = state.requests.iter().collect();
    let (clean, mut verdict) = claims(out, &requests)?;
    if !took.is_zero() {
        verdict += &format!("; {:.1} s", took.as_secs_f64());
    }
    writeln!(out, "{verdict}; certificate {}", path(certificate))?;
    out.flush().context("the report cannot be written")?;
    Ok(clean)
}

/// Prints the results of some requests. Returns whether they are clean, and a line for all of them.
fn claims(out: &mut dyn Write, requests: &[&RequestState]) -> Result<(bool, String)> {
    let mut totals = Totals::default();
    for request in requests {
        totals.add(request);
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
            let codes = thousands(codes);
            writeln!(out, "{claim} of {} requests: {codes} codes", thousands(requests))?;
        }
    }
    let clean = totals.fail == 0 && totals.stopped == 0 && totals.swept > 0;
    let verdict = if clean { "PASS" } else { "FAIL" };
    let mut verdict = format!("{verdict}  {} codes swept", thousands(totals.swept));
    for (count, name) in [
        (totals.fail, "fail"),
        (totals.tolerated, "tolerated"),
        (totals.undefined, "undefined"),
        (totals.unsupported, "requests unsupported"),
        (totals.stopped, "requests ended by an error"),
        (totals.partial, "requests in part"),
    ] {
        if count > 0 {
            verdict += &format!(", {} {name}", thousands(count));
        }
    }
    Ok((clean, verdict))
}

/// Prints what a certificate claims, and which part of it was checked. Returns whether it claims a
/// clean sweep.
///
/// # Errors
/// If writing fails.
pub(super) fn verified(
    out: &mut dyn Write,
    file: &Path,
    certificate: &Certificate,
    (checked, open): (usize, usize),
    signed: Option<&str>,
) -> Result<bool> {
    let (name, heading) = (path(file), &certificate.heading);
    writeln!(
        out,
        "{name} claims, of {}, on {}, by {} ({}; {}):",
        heading.testee, certificate.date, heading.tool, heading.specification, certificate.machine
    )?;
    arrangements(out, heading.tensors)?;
    let requests: Vec<&RequestState> = certificate.requests.iter().collect();
    let (clean, verdict) = claims(out, &requests)?;
    writeln!(out, "claimed: {verdict}")?;
    if verify::is_of_an_earlier_version(certificate) {
        writeln!(out, "not claimed: casts that leave out an attribute that they could give")?;
    }
    if open > 0 {
        writeln!(
            out,
            "claimed and not checked: in {open} requests elements came that are not the expected \
             ones, where the rules allow several"
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
    Ok(clean)
}

#[derive(Default)]
struct Totals {
    swept: u64,
    fail: u64,
    tolerated: u64,
    undefined: u64,
    unsupported: u64,
    stopped: u64,
    partial: u64,
}

impl Totals {
    fn add(&mut self, request: &RequestState) {
        let found = match &request.status {
            Status::Whole(whole) => {
                self.swept += request.extent.codes;
                vec![&whole.found]
            }
            Status::Parts(parts) => {
                if !parts.is_empty() {
                    self.partial += 1;
                    self.swept += parts.iter().map(|part| part.codes).sum::<u64>();
                }
                parts.iter().map(|part| &part.found).collect()
            }
            Status::Stopped(stop) if stop.verdict == StopVerdict::Unsupported => {
                self.unsupported += 1;
                return;
            }
            Status::Stopped(_) => {
                self.stopped += 1;
                return;
            }
        };
        for tally in found {
            self.fail += tally.fail + tally.unjudged;
            self.tolerated += tally.tolerated;
            self.undefined += tally.undefined;
        }
    }
}

/// Prints the failing ranges of a request.
fn differing(out: &mut dyn Write, request: &RequestState) -> Result<()> {
    let (found, swept): (Vec<&Tally>, u64) = match &request.status {
        Status::Whole(whole) => (vec![&whole.found], request.extent.codes),
        Status::Parts(parts) => (
            parts.iter().map(|part| &part.found).collect(),
            parts.iter().map(|part| part.codes).sum(),
        ),
        Status::Stopped(_) => return Ok(()),
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

/// Prints the requests that ended without elements, by the message of the testee.
fn remarks(out: &mut dyn Write, requests: &[&RequestState]) -> Result<()> {
    let mut said = std::collections::BTreeMap::new();
    for request in requests {
        if let Status::Stopped(stop) = &request.status {
            let key = (stop.verdict.to_string(), &stop.message);
            said.entry(key).or_insert_with(Vec::new).push(request.request.request());
        }
    }
    for ((verdict, message), requests) in said {
        let (count, first) = (requests.len(), requests[0]);
        writeln!(out, "{verdict}: {message}  [{count} requests, first {first}]")?;
    }
    Ok(())
}
