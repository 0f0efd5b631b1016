//! Vectors and their manifest with a fault: the run is refused, or its results are right.

use crate::hostile::mutate::{At, Random, mutated};
use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::sink;
use castproof::testee::Testee;
use castproof::testee::builtin::Builtin;
use castproof::vectors::{FORMAT, Level, Manifest, ManifestEntry, Suite};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The number of mutations of each kind of file.
pub(crate) const MUTATIONS: usize = 250;

/// The files of [`folder`].
const FILES: [&str; 3] =
    ["cast/int2__int4.json", "cast/int2__uint4.json", "suites/mindspore-promotion.json"];

/// Writes a folder of a few of the committed vectors, with a manifest of its own.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/data");
    let files = FILES.map(|name| {
        let text = fs::read_to_string(data.join(name)).expect("committed");
        let place = folder.path().join(name);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(place, &text).expect("a file");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let tests = value["numberOfTests"].as_u64().expect("a count") as usize;
        (name.to_string(), ManifestEntry::new(&text, tests))
    });
    let manifest = Manifest {
        format: FORMAT.into(),
        generator_version: "0.1.0".into(),
        level: Level::Core,
        number_of_tests: files.iter().map(|(_, entry)| entry.number_of_tests).sum(),
        files: files.into(),
    };
    let text = serde_json::to_string_pretty(&manifest).expect("serialises");
    fs::write(folder.path().join("manifest.json"), text).expect("a file");
    folder
}

/// Returns the options to gate all of that folder without arrangements.
pub(crate) fn options(vectors: &Path, json: Option<PathBuf>) -> Options {
    Options {
        vectors: Some(vectors.to_path_buf()),
        suites: vec![Suite::OnnxCast, Suite::MindsporePromotion],
        arrangements: Arrangements::None,
        json,
        threads: 1,
        ..Options::default()
    }
}

/// Runs the gate. Returns whether the testee passed and its results, or the line of the error.
pub(crate) fn outcome(options: &Options, testee: &mut dyn Testee) -> Result<(bool, Value), String> {
    let passed = gate::run(options, testee, &mut Vec::new()).map_err(|error| {
        let line = sink::line(&format!("{error:#}"));
        assert!(line.len() < 4096, "{line}");
        line
    })?;
    let json = options.json.as_deref().expect("a results file");
    let results = fs::read_to_string(json).expect("a results file");
    Ok((passed, serde_json::from_str(&results).expect("JSON")))
}

/// Every edit of a file of vectors is found, at the latest by its digest.
#[test]
fn a_file_of_vectors_with_a_fault_is_refused() {
    let mut random = Random::new("vectors");
    let folder = folder();
    let options = options(folder.path(), Some(folder.path().join("results")));
    outcome(&options, &mut Builtin::new()).expect("the files are in order");
    for _ in 0..MUTATIONS {
        let name = random.of(&FILES);
        let place = folder.path().join(name);
        let original = fs::read(&place).expect("a file");
        let (said, bytes) = mutated(&mut random, &original);
        let _at = At(&said);
        fs::write(&place, bytes).expect("a file");
        let came = outcome(&options, &mut Builtin::new());
        let line = came.expect_err(&said);
        assert!(line.contains(name), "{said}: {line}");
        fs::write(&place, original).expect("a file");
    }
}

/// A manifest is checked against its files, except for its version and level, which are claims.
#[test]
fn a_manifest_with_a_fault_changes_no_verdict() {
    let mut random = Random::new("manifest");
    let folder = folder();
    let options = options(folder.path(), Some(folder.path().join("results")));
    let place = folder.path().join("manifest.json");
    let original = fs::read(&place).expect("a manifest");
    let without_level = |came: (bool, Value)| {
        let (passed, mut results) = came;
        results.as_object_mut().expect("an object").remove("level");
        (passed, results)
    };
    let due = without_level(outcome(&options, &mut Builtin::new()).expect("it is in order"));
    let mut taken = 0;
    for _ in 0..MUTATIONS {
        let (said, bytes) = mutated(&mut random, &original);
        let _at = At(&said);
        fs::write(&place, bytes).expect("a manifest");
        if let Ok(came) = outcome(&options, &mut Builtin::new()) {
            assert_eq!(without_level(came), due, "{said}");
            taken += 1;
        }
    }
    assert!(taken < MUTATIONS / 5, "{taken} taken");
}

/// An unlisted file in a folder of vectors, or with the name of a file of vectors, is refused.
#[test]
fn a_file_that_no_manifest_lists_is_refused() {
    let folder = folder();
    let options = options(folder.path(), Some(folder.path().join("results")));
    for name in [
        "cast/int2__int8.json",
        "cast/int2__int4.json.orig",
        "cast/int2__int4.JSON",
        "cast/more/int2__int8.json",
        "suites/other.json",
        "casts/int2__int8.json",
        "int2__int8.json",
    ] {
        let place = folder.path().join(name);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(&place, "{}").expect("a file");
        let line = outcome(&options, &mut Builtin::new()).expect_err(name);
        assert!(line.contains("not listed in the manifest"), "{name}: {line}");
        fs::remove_file(&place).expect("a file");
        let _ = fs::remove_dir(place.parent().expect("a folder")); // succeeds if it is empty
    }
    fs::write(folder.path().join("README.md"), "for people").expect("a file");
    outcome(&options, &mut Builtin::new()).expect("the files are in order");
}
