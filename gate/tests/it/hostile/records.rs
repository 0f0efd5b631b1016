//! Files that runs write, with a fault: results, journals and certificates.

use crate::hostile::baselines::Spoiled;
use crate::hostile::mutate::{At, Random, mutated, mutated_value};
use crate::hostile::vectors::{MUTATIONS, folder, options, outcome};
use castproof::gate::{self, Options};
use castproof::journal::JournalTerms;
use castproof::read_results;
use castproof::report::{self, Targets};
use castproof::results::Filters;
use castproof::sweep::{self, Check, Conclusion, Shard};
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof::vectors::{DType, Request, sha256_hex};
use castproof::{sink, testee::Subject};
use serde_json::{Value, json};
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The targets at which the testee is wrong.
const WRONG: &[DType] = &[DType::Int4, DType::Float4E2M1];

/// A results file with a fault is refused, or reports can be made of it.
#[test]
fn results_with_a_fault_are_refused_or_reported() {
    let mut random = Random::new("results");
    let folder = folder();
    let place = folder.path().join("results");
    let options = options(folder.path(), Some(place.clone()));
    outcome(&options, &mut Spoiled::new(WRONG)).expect("results");
    let original = fs::read(&place).expect("results");
    let value: Value = serde_json::from_slice(&original).expect("JSON");
    let right = read_results(&place).expect("results");
    let targets = |name: &str| Some(folder.path().join(name));
    let targets = Targets {
        junit: targets("junit"),
        sarif: targets("sarif"),
        markdown: targets("markdown"),
        html: targets("html"),
    };
    let mut taken = 0;
    for round in 0..MUTATIONS {
        let (said, bytes) = if round % 4 == 0 {
            mutated(&mut random, &original)
        } else {
            let (said, value) = mutated_value(&mut random, &value);
            (said, serde_json::to_vec(&value).expect("serialises"))
        };
        let _at = At(&said);
        fs::write(&place, bytes).expect("results");
        let file = match read_results(&place) {
            Ok(file) => file,
            Err(error) => {
                assert!(sink::line(&format!("{error:#}")).len() < 4096, "{said}");
                continue;
            }
        };
        taken += 1;
        let both = [right.clone(), file];
        for (one, other) in [(0, 1), (1, 0)] {
            // Runs that cannot be compared are refused.
            let _ = report::diff(&both[one], &both[other]).map(|it| it.to_string());
        }
        report::table(&both);
        report::annotations(&both[1]);
        // A format of reports that cannot hold the results refuses them.
        let _ = report::write(&both[1..], &targets);
        let comparing = Targets { junit: None, sarif: None, ..targets.clone() };
        let _ = report::write(&both, &comparing);
    }
    assert!(taken > MUTATIONS / 10, "{taken} taken");
}

/// Runs a gate that cannot write its results, so that its whole journal is left.
fn left_journal(folder: &Path) -> (Options, Vec<u8>) {
    let journal = folder.join("journal");
    let good =
        Options { journal: Some(journal.clone()), ..options(folder, Some(folder.join("results"))) };
    let full = Options { json: Some("/dev/full".into()), ..good.clone() };
    outcome(&full, &mut Spoiled::new(WRONG)).expect_err("the disk is full");
    (good, fs::read(journal).expect("a journal"))
}

/// A run with a fault in its journal has the right results, or it is refused.
#[test]
fn a_journal_with_a_fault_changes_no_verdict() {
    let mut random = Random::new("journal");
    let folder = folder();
    let (options, original) = left_journal(folder.path());
    let journal = folder.path().join("journal");
    let mut said = Vec::new();
    gate::run(&options, &mut Spoiled::new(WRONG), &mut said).expect("it goes on");
    let said = String::from_utf8(said).expect("text");
    assert!(said.contains("\nresumed: 3 of 3 pairs and suites"), "{said}");
    no_fault_changes(&mut random, &journal, &original, || {
        outcome(&options, &mut Spoiled::new(WRONG))
    });
}

/// Continues a run with hundreds of faults in its journal, one at a time. Asserts that each run has
/// the same result, or is refused and leaves the journal as it is.
fn no_fault_changes<T: PartialEq + Debug, E: Debug>(
    random: &mut Random,
    journal: &Path,
    original: &[u8],
    run: impl Fn() -> Result<T, E>,
) {
    let go_on = |bytes: &[u8]| {
        fs::write(journal, bytes).expect("a journal");
        run()
    };
    let due = go_on(original).expect("it goes on");
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..MUTATIONS {
        let (said, bytes) = mutated(random, original);
        let _at = At(&said);
        match go_on(&bytes) {
            Ok(came) => {
                assert_eq!(came, due, "{said}");
                taken += 1;
            }
            Err(_) => {
                assert_eq!(fs::read(journal).expect("a journal"), bytes, "{said}");
                refused += 1;
            }
        }
    }
    // A broken last line is cut off.
    assert!(taken > 0 && refused > MUTATIONS / 8, "{taken} taken, {refused} refused");
}

/// Whoever can write a journal can also compute its digests. Such a journal may hold anything, but
/// it causes no panic.
#[test]
fn a_journal_that_was_chained_anew_causes_no_panic() {
    let mut random = Random::new("chained");
    let folder = folder();
    let (options, original) = left_journal(folder.path());
    for _ in 0..MUTATIONS {
        let (said, journal) = chained_anew(&mut random, &original);
        let _at = At(&said);
        fs::write(folder.path().join("journal"), journal).expect("a journal");
        let _ = outcome(&options, &mut Spoiled::new(WRONG));
    }
}

/// Returns a journal with a fault in one record and right digests, and the name of the fault.
fn chained_anew(random: &mut Random, original: &[u8]) -> (String, String) {
    let text = str::from_utf8(original).expect("text");
    let (format, rest) = text.split_once(' ').expect("a format");
    let value = |line: &str| {
        let (_, rest) = line.split_once(' ').expect("a digest");
        serde_json::from_str(rest.split_once(' ').expect("a time").1).expect("JSON")
    };
    let mut values: Vec<Value> = rest.lines().map(value).collect();
    let time = rest.split(' ').nth(1).expect("a time");
    let place = 1 + random.below(values.len() - 1);
    let (said, value) = mutated_value(random, &values[place]);
    values[place] = value;
    let mut digest = format.to_string();
    let mut journal = format!("{format} ");
    for value in values {
        digest = sha256_hex(format!("{digest} {time} {value}").as_bytes());
        journal += &format!("{digest} {time} {value}\n");
    }
    (said, journal)
}

/// Returns the options of a sweep of a few requests.
fn sweep_options(folder: &Path) -> sweep::SweepOptions {
    let (from, to) = (Some(DType::Uint8), Some(DType::Float4E2M1));
    sweep::SweepOptions {
        subject: Subject::Builtin,
        profile: None,
        filters: Filters { from, to, opset: None },
        shard: Shard::WHOLE,
        threads: 1,
        certificate: folder.join("certificate"),
        terms: JournalTerms::default(),
        timeout: Duration::from_secs(60),
        date: "2026-01-01T00:00:00Z".into(),
    }
}

/// Sweeps a few requests. Returns the path of the certificate.
fn certificate(folder: &Path, testee: Box<dyn Testee + Send>) -> PathBuf {
    let options = sweep_options(folder);
    let never = AtomicBool::new(false);
    sweep::run_with(&options, vec![testee], &never, &mut Vec::new()).expect("a sweep");
    options.certificate
}

/// Sweeps uint4 to every target and interrupts the sweep at its 60th call. Returns its options, the
/// path of its journal and the journal.
fn left_sweep(folder: &Path) -> (sweep::SweepOptions, PathBuf, Vec<u8>) {
    struct Interrupting(Spoiled, Arc<AtomicBool>, usize);
    impl Testee for Interrupting {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }
        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            self.2 -= 1;
            self.1.store(self.2 == 0, Ordering::Relaxed);
            self.0.cast(request, count, input)
        }
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let mut options = sweep_options(folder);
    options.filters = Filters { from: Some(DType::Uint4), ..Filters::default() };
    let testee = Interrupting(Spoiled::new(WRONG), Arc::clone(&interrupted), 60);
    let ended = sweep::run_with(&options, vec![Box::new(testee)], &interrupted, &mut Vec::new());
    ended.expect_err("it was interrupted");
    let journal = folder.join("certificate.journal");
    let original = fs::read(&journal).expect("a journal");
    (options, journal, original)
}

/// Continues a sweep with its journal. Returns its claims without the time that it took.
fn swept(options: &sweep::SweepOptions) -> Result<(Conclusion, Value), String> {
    let never = AtomicBool::new(false);
    let testee = Box::new(Spoiled::new(WRONG));
    let clean = sweep::run_with(options, vec![testee], &never, &mut Vec::new());
    let clean = clean.map_err(|error| format!("{error:#}"))?;
    let text = fs::read_to_string(&options.certificate).expect("a certificate");
    let mut certificate: Value = serde_json::from_str(&text).expect("JSON");
    let mut requests = certificate["requests"].take();
    for request in requests.as_array_mut().expect("requests") {
        request["whole"]["milliseconds"].take();
    }
    Ok((clean, requests))
}

#[test]
fn a_journal_of_a_sweep_with_a_fault_changes_no_claim() {
    let mut random = Random::new("sweep");
    let folder = tempfile::tempdir().expect("a folder");
    let (options, journal, original) = left_sweep(folder.path());
    let (never, testee) = (AtomicBool::new(false), Box::new(Spoiled::new(WRONG)));
    let mut said = Vec::new();
    sweep::run_with(&options, vec![testee], &never, &mut said).expect("it goes on");
    let said = String::from_utf8(said).expect("text");
    assert!(said.contains("\nresumed: "), "{said}");
    no_fault_changes(&mut random, &journal, &original, || swept(&options));
}

#[test]
fn a_journal_of_a_sweep_that_was_chained_anew_causes_no_panic() {
    let mut random = Random::new("sweep chained");
    let folder = tempfile::tempdir().expect("a folder");
    let (options, journal, original) = left_sweep(folder.path());
    for _ in 0..MUTATIONS {
        let (said, text) = chained_anew(&mut random, &original);
        let _at = At(&said);
        fs::write(&journal, text).expect("a journal");
        // `certify verify` checks the claims against the rules.
        if swept(&options).is_ok() {
            let _ = verify(&options.certificate);
        }
    }
}

/// Returns what a true certificate comes to.
fn verify(place: &Path) -> Result<Conclusion, String> {
    let never = AtomicBool::new(false);
    let verified = sweep::verify(place, &Check::default(), 1, &never, &mut Vec::new());
    verified.map_err(|error| {
        let line = sink::line(&format!("{error:#}"));
        assert!(line.len() < 4096, "{line}");
        line
    })
}

#[test]
fn a_certificate_with_a_fault_is_refused() {
    let mut random = Random::new("certificate");
    let folder = tempfile::tempdir().expect("a folder");
    let place = certificate(folder.path(), Box::new(Builtin::new()));
    assert_eq!(verify(&place), Ok(Conclusion::Clean));
    let original = fs::read(&place).expect("a certificate");
    for _ in 0..MUTATIONS {
        let (said, bytes) = mutated(&mut random, &original);
        let _at = At(&said);
        fs::write(&place, bytes).expect("a certificate");
        verify(&place).expect_err(&said);
    }
}

/// No single edit turns a certificate with failures into a clean one, even with a right seal.
#[test]
fn a_certificate_that_was_sealed_anew_is_no_clean_one() {
    let mut random = Random::new("sealed");
    let folder = tempfile::tempdir().expect("a folder");
    let place = certificate(folder.path(), Box::new(Spoiled::new(WRONG)));
    assert_eq!(verify(&place), Ok(Conclusion::Fails));
    let original: Value =
        serde_json::from_slice(&fs::read(&place).expect("a certificate")).expect("JSON");
    seal(&place, original.clone());
    assert_eq!(verify(&place), Ok(Conclusion::Fails), "sealed as the program does");
    for _ in 0..MUTATIONS {
        let (said, value) = mutated_value(&mut random, &original);
        let _at = At(&said);
        seal(&place, value);
        assert_ne!(verify(&place), Ok(Conclusion::Clean), "{said}");
    }
}

/// Writes a certificate as the program does, with a right seal.
pub(super) fn seal(place: &Path, mut certificate: Value) {
    let text = |certificate: &Value| {
        let mut lines = vec!["{".to_string()];
        for key in ["format", "heading", "date", "machine", "seal"] {
            lines.push(format!("\"{key}\": {},", certificate.get(key).unwrap_or(&Value::Null)));
        }
        lines.push("\"requests\": [".into());
        let rows =
            certificate.get("requests").and_then(Value::as_array).cloned().unwrap_or_default();
        lines.push(rows.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n"));
        lines.push("]}\n".into());
        lines.join("\n")
    };
    if let Some(members) = certificate.as_object_mut() {
        members.insert("seal".into(), json!("0".repeat(64)));
        let digest = blake3::hash(text(&certificate).as_bytes()).to_hex().to_string();
        certificate["seal"] = json!(digest);
    }
    fs::write(place, text(&certificate)).expect("a certificate");
}
