//! Compares what a witness gives with what its profile allows, with every set of attributes: all codes
//! of sources up to 16 bits, and the ends of all pieces, the boundaries of the target and drawn codes
//! of wider ones.

use super::table::Witness;
use castproof_check::verdict::admits;
use castproof_oracle::{Caster, attribute_sets_of, partition, profile_pairs};
use castproof_suites::cases;
use castproof_vectors::random::Random;
use castproof_vectors::{Attributes, DType, Expectation, Level, Outcome, Request, Spec, landmarks};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// What a witness answers where it trapped, if it is asked that.
const TRAPPED: u64 = 1;

/// Codes that are drawn for each pair of a wide source.
const DRAWN: usize = 10_000;

/// What came of a comparison.
pub(super) struct Compared {
    pub(super) pairs: usize,
    /// Codes whose result the profile fixes, and those that it leaves open.
    pub(super) codes: usize,
    pub(super) open: usize,
    /// Of the codes that are fixed, those whose result is not the recommended one but tolerated.
    pub(super) tolerated: usize,
    pub(super) differences: Vec<Difference>,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { pairs, codes, open, tolerated, differences } = self;
        write!(f, "{pairs} pairs, {codes} codes compared, {tolerated} of them tolerated, ")?;
        write!(f, "{open} open, {} differences", differences.len())
    }
}

/// A result that the profile does not allow.
pub(super) struct Difference {
    request: Request,
    code: u64,
    got: u64,
    due: Expectation,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { request, code, got, due } = self;
        let (code, got) = (request.from.hex(*code), request.to.hex(*got));
        write!(f, "{request}: of {code} the witness makes {got}, the oracle {:x?}", due.expect)?;
        write!(f, " by {}", due.rule)
    }
}

/// Asks a witness for every pair that its profile casts and that it can be asked for.
pub(super) fn compare(
    witness: &Witness,
    command: impl Fn() -> Command,
) -> Result<Compared, String> {
    let profile = witness.profile;
    let spec = Spec::Profile(profile);
    let requests = |(from, to)| {
        let with = move |attributes| Request::new(spec, from, to).with(attributes);
        attribute_sets_of(spec, (from, to)).into_iter().map(with)
    };
    let mut found = Compared { pairs: 0, codes: 0, open: 0, tolerated: 0, differences: Vec::new() };
    let mut asked: Vec<Asked> = Vec::new();
    let pairs = profile_pairs(profile).into_iter().filter(|&pair| witness.is_asked(pair));
    for request in pairs.flat_map(requests) {
        let caster = Caster::new(&request).map_err(|error| error.to_string())?;
        if !caster.is_refused() {
            asked.extend(parted(request, &caster)?);
        }
    }
    let mut input = Vec::new();
    for Asked { request: Request { from, to, attributes, .. }, due, traps } in &asked {
        let word = if *traps { "traps" } else { "" };
        let line = format!("{from} {to} {} {attributes}{word}", due.len());
        input.extend(format!("{}\n", line.trim_end()).into_bytes());
        input.extend(due.iter().flat_map(|(code, _)| code.to_le_bytes()));
    }
    let output = run(command(), input)?;
    let mut results = output.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    for Asked { request, due, traps } in asked {
        found.pairs += usize::from(!traps && request.attributes == Attributes::default());
        let to = landmarks(request.to).ok_or("a target without landmarks")?;
        for (code, due) in due {
            let got = results.next().ok_or_else(|| format!("{request}: no result"))?;
            match due.expect {
                Outcome::Any => found.open += 1,
                Outcome::Reject if got == TRAPPED => found.codes += 1,
                _ if admits(&due.expect, got, to) => found.codes += 1,
                _ if due.tolerate.as_ref().is_some_and(|it| admits(it, got, to)) => {
                    found.codes += 1;
                    found.tolerated += 1;
                }
                _ => found.differences.push(Difference { request, code, got, due }),
            }
        }
    }
    match results.next() {
        Some(_) => Err(format!("the witness of {} gives too many results", profile.name())),
        None => Ok(found),
    }
}

/// What a witness is asked in one line.
struct Asked {
    request: Request,
    /// Each code with what is due.
    due: Vec<(u64, Expectation)>,
    /// Is it asked whether these codes trap?
    traps: bool,
}

/// Parts the codes of a request into those that have a result and those that trap.
fn parted(request: Request, caster: &Caster) -> Result<Vec<Asked>, String> {
    let (mut result, mut trap) = (Vec::new(), Vec::new());
    for code in codes(&request)? {
        let due = caster.cast(code).map_err(|error| error.to_string())?;
        let part = if due.expect == Outcome::Reject { &mut trap } else { &mut result };
        part.push((code, due));
    }
    let mut asked = vec![Asked { request, due: result, traps: false }];
    if !trap.is_empty() {
        asked.push(Asked { request, due: trap, traps: true });
    }
    Ok(asked)
}

/// The codes to compare. Bytes that are no bool are not asked: C gives them no meaning.
fn codes(request: &Request) -> Result<Vec<u64>, String> {
    let Request { from, to, .. } = *request;
    match from {
        DType::Bool => return Ok(vec![0, 1]),
        _ if from.bits() <= 16 => return Ok((0..=from.code_mask()).collect()),
        _ => {}
    }
    let mut codes: BTreeSet<u64> = cases(from, to, Level::Standard).into_keys().collect();
    for piece in partition(request).map_err(|error| error.to_string())? {
        let ends = [piece.first, piece.last];
        let beside = |end: u64| [end.saturating_sub(1), end, end.saturating_add(1)];
        codes.extend(ends.into_iter().flat_map(beside).filter(|code| *code <= from.code_mask()));
    }
    let seed = u64::from(from.bits()) << 32 | to as u64;
    codes.extend(Random::new(seed).numbers().take(DRAWN).map(|code| code & from.code_mask()));
    Ok(codes.into_iter().collect())
}

/// Runs a witness with this input. Returns its output.
fn run(mut command: Command, input: Vec<u8>) -> Result<Vec<u8>, String> {
    let said = |error: std::io::Error| format!("a witness: {error}");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(said)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let writer = std::thread::spawn(move || match stdin {
        Some(mut stdin) => stdin.write_all(&input),
        None => Ok(()),
    });
    let mut output = Vec::new();
    if let Some(mut stdout) = stdout {
        stdout.read_to_end(&mut output).map_err(said)?;
    }
    let status = child.wait().map_err(said)?;
    // A witness that stops early breaks the pipe; its status says more.
    let written = writer.join().map_err(|_| "a witness: its input was not written".to_string())?;
    if !status.success() {
        return Err(format!("a witness ended with {status}"));
    }
    written.map_err(said).map(|()| output)
}
