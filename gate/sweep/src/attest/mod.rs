//! Attestation: whole conversions between formats by parameters, every operand of each asked, and a declaration of those that
//! gave what is due. IEEE P3109 (draft) asks for such a declaration and counts computing all operands as a proof (P9-03, P9-04).

mod certify;
mod declaration;
mod due;
mod names;
mod operation;
mod record;

pub(crate) use certify::{is_attestation, replay, seal, verify};

use crate::record::{Digest, Tested};
use anyhow::{Result, anyhow, bail};
use castproof_check::verdict::thousands;
use castproof_io::journal::{self, Journal, JournalTerms};
use castproof_io::output::Output;
use castproof_io::progress::bar;
use castproof_io::sink::line;
use castproof_testee::{Subject, Testee, start};
use castproof_vectors::{Conversion, Edition, OneLine};
use due::Due;
use operation::{Asked, OPERANDS, ask};
use record::{ATTESTATION, Attestation, Heading, Operation};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What is attested.
#[derive(Clone, Debug)]
pub struct AttestOptions {
    /// Of which implementation.
    pub subject: Subject,
    /// The conversions; empty: those that it claims, or else the minimum of P3109.
    pub conversions: Vec<Conversion>,
    /// The text whose rules hold.
    pub edition: Edition,
    /// Where the attestation is written; the declaration and the page go beside it.
    pub out: PathBuf,
    /// On which terms an existing journal is resumed.
    pub terms: JournalTerms,
    /// The longest wait for an answer.
    pub timeout: Duration,
    /// When it is made, in UTC.
    pub date: String,
}

impl AttestOptions {
    /// The files that are written: the attestation, the declaration, the page and the journal.
    pub fn files(&self) -> [PathBuf; 4] {
        let with = |ending: &str| self.out.with_extension(ending);
        [self.out.clone(), with("yaml"), with("md"), with("journal")]
    }
}

/// The conversions that P3109 asks of every implementation, with binary16 as the only format of IEEE 754 (P9-02).
fn minimum() -> Vec<Conversion> {
    let formats = ["Binary8p4se", "Binary8p3se", "Binary4p2sf", "binary16"];
    let names = formats.iter().flat_map(|from| {
        formats.iter().map(move |to| format!("Convert<{from}, {to}, (NearestTiesToEven, SatNone)>"))
    });
    names.filter_map(|name| name.parse().ok()).collect()
}

/// Asks every operand of each conversion, from the start or from where the journal ends, and writes the attestation, the
/// declaration and the page. Returns whether all results are right.
///
/// # Errors
/// If a conversion cannot be asked in full, the testee cannot be asked, a file cannot be written, or the run is interrupted.
pub fn run(options: &AttestOptions, interrupted: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
    let mut testee = start(&options.subject, options.timeout)?;
    run_with(options, testee.as_mut(), interrupted, out)
}

/// Does the same as [`run`] with this testee.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    options: &AttestOptions,
    testee: &mut dyn Testee,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
) -> Result<bool> {
    let (asked, whence) = asked(options, testee)?;
    // What cannot be asked in full is said before anything is asked.
    let mut operands = 0;
    for conversion in &asked {
        operands += Due::check(conversion)?.operands();
    }
    let judged = testee.judged()?;
    let heading = Heading {
        tool: env!("CARGO_PKG_VERSION").into(),
        edition: options.edition.name().into(),
        testee: testee.identity().clone(),
        tested: Tested::new(testee, &judged)?,
    };
    let [attestation, declaration, page, journal] = options.files();
    let outputs = [&attestation, &declaration, &page].map(|path| Output::create(path));
    let [attestation, declaration, page] = outputs;
    let (attestation, declaration, page) = (attestation?, declaration?, page?);
    let names: Vec<String> = asked.iter().map(Conversion::to_string).collect();
    let bound = serde_json::json!({
        "kind": "attestation", "program": journal::this_program()?, "heading": heading, "operations": names,
        "files or settings of the testee": judged.known,
    });
    let (mut journal, past) =
        Journal::open(&journal, &bound, options.terms, judged.untold.as_deref())?;
    for note in &past.notes {
        writeln!(out, "{note}")?;
    }
    writeln!(
        out,
        "castproof attest: {}, {} conversions {whence}, {} operands, {}",
        heading.testee,
        asked.len(),
        thousands(operands),
        options.edition.name()
    )?;
    let mut operations = done_before(&options.files()[3], past.records, &names)?;
    let progress = bar(operands, OPERANDS)?;
    progress.inc(operations.iter().map(|it| it.operands).sum());
    for conversion in &asked[operations.len()..] {
        let due = Due::new(conversion)?;
        let advance = |operands| progress.inc(operands);
        let asked = ask(conversion, &due, testee, &advance, interrupted);
        let Asked::All(operation) = asked else {
            bail!("interrupted; the same command goes on where it was stopped")
        };
        journal.add(&operation)?;
        operations.push(operation);
    }
    progress.finish_and_clear();
    let (date, format, seal) = (options.date.clone().into(), ATTESTATION.into(), Digest([0; 32]));
    let made = Attestation { format, heading, date, operations, seal }.sealed()?;
    made.write(attestation)?;
    declaration.commit(declaration::yaml(&made))?;
    page.commit(declaration::page(&made)?)?;
    journal.remove()?;
    declaration::print(&made, out)
}

/// Reads the conversions that the journal holds: the first of those with these names.
fn done_before(
    path: &Path,
    records: Vec<serde_json::Value>,
    names: &[String],
) -> Result<Vec<Operation>> {
    let operations: Vec<Operation> = journal::records(path, records)?;
    let is_ours = |(it, name): (&Operation, &String)| *it.identifier == **name;
    if operations.len() > names.len() || !operations.iter().zip(names).all(is_ours) {
        bail!("journal {}: its records are not those of this attestation", path.display());
    }
    Ok(operations)
}

/// The conversions to ask, and why these.
///
/// # Errors
/// If the testee claims what is no conversion: leaving it out would attest less than is claimed.
fn asked(options: &AttestOptions, testee: &dyn Testee) -> Result<(Vec<Conversion>, &'static str)> {
    let edition = options.edition;
    let (mut all, whence) = match (&options.conversions[..], testee.conversions()) {
        ([], claimed) if claimed.is_empty() => (minimum(), "(the minimum of P3109)"),
        ([], claimed) => {
            let read = |it: &OneLine| {
                it.parse().map_err(|error: String| anyhow!("the testee's hello: {}", line(&error)))
            };
            (claimed.iter().map(read).collect::<Result<_>>()?, "(those that it claims)")
        }
        (named, _) => (named.to_vec(), "(those that were named)"),
    };
    let mut seen = std::collections::BTreeSet::new();
    all.iter_mut().for_each(|it| it.edition = edition);
    all.retain(|it| seen.insert(it.clone()));
    Ok((all, whence))
}
