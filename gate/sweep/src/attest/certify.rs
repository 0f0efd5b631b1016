//! What an attestation is worth: what follows from it is derived again, or some of it is asked again.

use super::declaration;
use super::due::Due;
use super::names::cause;
use super::operation::{Asked, OPERANDS, ask};
use super::record::{ATTESTATION, Attestation};
use crate::record::{Conclusion, Digest, Tested};
use anyhow::{Context, Result, bail};
use castproof_check::random::Random;
use castproof_check::verdict::thousands;
use castproof_io::progress::bar;
use castproof_io::sink::line;
use castproof_testee::Testee;
use castproof_vectors::Edition;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Is it the text of an attestation, damaged or not?
pub(crate) fn is_attestation(text: &str) -> bool {
    text.chars().take(200).collect::<String>().contains(ATTESTATION)
}

/// Derives again what is due of each conversion: those that are declared right must have its digest, and the others must not.
///
/// # Errors
/// If the attestation was edited, or contradicts the rules.
pub(crate) fn verify(
    path: &Path,
    text: &str,
    allow_failures: bool,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<Conclusion> {
    let made = Attestation::read(path, text)?;
    if made.operations.is_empty() {
        bail!("{}: it attests nothing", path.display());
    }
    let edition = made.heading.edition()?;
    let names: Vec<&str> = made.operations.iter().map(|it| &*it.identifier).collect();
    for (at, it) in made.operations.iter().enumerate() {
        let place = || format!("{}: {}", path.display(), line(&it.identifier));
        if interrupted.load(Ordering::Relaxed) {
            bail!("interrupted");
        }
        if names[..at].contains(&&*it.identifier) {
            bail!("{} is there twice", place());
        }
        let due = Due::new(&it.conversion(edition).with_context(place)?).with_context(place)?;
        if due.operands() != it.operands {
            bail!(
                "{} has {} operands, not {}",
                place(),
                thousands(due.operands()),
                thousands(it.operands)
            );
        }
        if it.wrong > it.operands {
            bail!("{}: more results are wrong than there are", place());
        }
        if it.stopped.is_none()
            && (due.digest(|first, results| due.fill(first, results)) == it.digest) != it.is_right()
        {
            let claims = if it.is_right() { "right" } else { "wrong" };
            bail!("{}: its digest contradicts that its results are {claims}", place());
        }
        if it.wrong > 0 && it.stopped.is_none() {
            let derived = cause(&it.conversion(edition)?, &due, it.digest);
            if derived.as_deref() != it.cause.as_deref() {
                bail!("{}: its digest contradicts what is said to be the cause", place());
            }
        }
    }
    writeln!(out, "{}: an attestation of {}, {}", path.display(), made.heading.testee, made.date)?;
    let all = declaration::print(&made, out)?;
    let is_whole = made.operations.iter().all(|it| it.stopped.is_none());
    Ok(match (all, allow_failures) {
        (true, _) => Conclusion::Clean,
        (false, true) if is_whole => Conclusion::Clean,
        (false, true) => Conclusion::Part,
        (false, false) => Conclusion::Fails,
    })
}

/// Returns the seal of an attestation.
///
/// # Errors
/// If it was edited.
pub(crate) fn seal(path: &Path, text: &str) -> Result<Digest> {
    Ok(Attestation::read(path, text)?.seal)
}

/// Asks `count` conversions again, drawn from those that were asked to their end. Returns whether each has its digest.
///
/// # Errors
/// If the attestation is of another testee, or the run is interrupted.
pub(crate) fn replay(
    path: &Path,
    text: &str,
    testee: &mut dyn Testee,
    (count, seed): (usize, u64),
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let made = Attestation::read(path, text)?;
    let edition: Edition = made.heading.edition()?;
    let (claimed, is) = (&made.heading.testee, testee.identity().clone());
    if *claimed != is {
        bail!("the attestation is of {}; the testee is {is}", line(&claimed.to_string()));
    }
    let mut asked: Vec<_> = made.operations.iter().filter(|it| it.stopped.is_none()).collect();
    let mut random = Random::new(seed);
    while asked.len() > count {
        asked.swap_remove(random.below(asked.len()));
    }
    writeln!(out, "replay: {} conversions of {is}, drawn with --seed {seed}", asked.len())?;
    if Tested::new(testee, &testee.judged()?)? != made.heading.tested {
        writeln!(
            out,
            "what is asked now has another digest than what was attested: another build, or other settings"
        )?;
    }
    let progress = bar(asked.iter().map(|it| it.operands).sum(), OPERANDS)?;
    let advance = |operands| progress.inc(operands);
    let mut differing = 0;
    for it in &asked {
        let conversion = it.conversion(edition)?;
        let due = Due::new(&conversion)?;
        let Asked::All(again) = ask(&conversion, &due, testee, &advance, interrupted) else {
            bail!("interrupted")
        };
        if again.stopped.is_some() || again.digest != it.digest {
            differing += 1;
            let stopped =
                again.stopped.map_or("its results have another digest".into(), |it| it.to_string());
            progress.suspend(|| writeln!(out, "{conversion}: {}", line(&stopped)))?;
        }
    }
    progress.finish_and_clear();
    let (word, all) = (if differing == 0 { "PASS" } else { "FAIL" }, asked.len());
    writeln!(
        out,
        "{word}  {} of {all} conversions gave what the attestation says",
        all - differing
    )?;
    Ok(differing == 0)
}
