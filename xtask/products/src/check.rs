//! Checking a folder of vector files against schema, manifest and oracle.

use crate::diff::differences;
use crate::generate::{GenerateJob, manifest_text, schema_text, vectors};
use castproof_suites::questions;
use castproof_vectors::{
    FORMAT, Manifest, ManifestEntry, QuestionFile, Suite, VectorFile, file_name,
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The number of problems that are printed for one file.
const SHOWN: usize = 10;

/// Checks every file. The error lists all problems, one line each.
pub fn check(dir: &Path) -> Result<String, String> {
    let manifest_path = dir.join("manifest.json");
    let text = read(&manifest_path)?;
    let manifest: Manifest = serde_json::from_str(&text)
        .map_err(|error| format!("{}: {error}", manifest_path.display()))?;
    let validator = schema(dir)?;
    let job =
        GenerateJob { level: manifest.level, out: dir.into(), from: None, to: None, fresh: false };
    let checked: Vec<Checked> = job
        .casts()
        .par_iter()
        .map(|&(suite, from, to)| {
            let expected = vectors((suite, from, to), manifest.level);
            let name = file_name(suite, from, to);
            let listed = manifest.files.get(&name);
            check_file(dir, name, &expected, listed, &validator)
        })
        .collect();
    let mut checked = checked;
    for &suite in Suite::FILES {
        checked.push(check_questions(dir, suite, &manifest));
    }
    let mut problems: Vec<String> = checked.iter().flat_map(Checked::lines).collect();
    problems.extend(strangers(dir, &checked)?);
    problems.extend(manifest_problems(&manifest, &text, &checked));
    if problems.is_empty() {
        let level = manifest.level.name();
        let (tests, files) = (manifest.number_of_tests, checked.len());
        return Ok(format!("{tests} tests in {files} files are in order (level {level})"));
    }
    let advice = format!(
        "{} problems; to accept what the oracle says today, run: cargo xtask vectors generate --level {} --out {}",
        problems.len(),
        manifest.level.name(),
        dir.display()
    );
    Err(format!("{}\n{advice}", problems.join("\n")))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads the committed schema, which must be the generated one, and compiles it.
fn schema(dir: &Path) -> Result<jsonschema::Validator, String> {
    let path = dir.join("schema.json");
    let text = read(&path)?;
    if text != schema_text() {
        return Err(format!("{}: is not the schema of {FORMAT}", path.display()));
    }
    let json = serde_json::from_str(&text).expect("today's schema is JSON");
    jsonschema::validator_for(&json).map_err(|error| format!("{}: {error}", path.display()))
}

/// The result for one expected file.
struct Checked {
    name: String,
    /// The entry that the manifest should have.
    entry: ManifestEntry,
    problems: Vec<String>,
}

impl Checked {
    fn lines(&self) -> Vec<String> {
        let shown = self.problems.iter().take(SHOWN).map(|p| format!("{}: {p}", self.name));
        let hidden = self.problems.len().saturating_sub(SHOWN);
        let rest = (hidden > 0).then(|| format!("{}: and {hidden} problems more", self.name));
        shown.chain(rest).collect()
    }
}

fn check_file(
    dir: &Path,
    name: String,
    expected: &VectorFile,
    listed: Option<&ManifestEntry>,
    validator: &jsonschema::Validator,
) -> Checked {
    let rendered = expected.render();
    let entry = ManifestEntry::of(expected, &rendered);
    let mut problems = Vec::new();
    match read(&dir.join(&name)) {
        Err(error) => problems.push(error),
        Ok(text) => {
            problems = file_problems(&text, expected, &rendered, validator);
            let found = listed.map(|listed| &listed.sha256);
            if problems.is_empty() && found != Some(&entry.sha256) {
                problems.push("the manifest does not list it with this digest".into());
            }
        }
    }
    Checked { name, entry, problems }
}

/// Checks that a file of questions is what the oracle says, byte for byte.
fn check_questions(dir: &Path, suite: Suite, manifest: &Manifest) -> Checked {
    let (name, expected) = (suite.question_file(), questions(suite, manifest.level));
    let rendered = expected.render();
    let entry = ManifestEntry::new(&rendered, expected.number_of_tests);
    let mut problems = Vec::new();
    match read(&dir.join(&name)) {
        Err(error) => problems.push(error),
        Ok(text) => {
            problems.extend(QuestionFile::parse(&text).err().map(|error| error.to_string()));
            if problems.is_empty() && text != rendered {
                let same = text.lines().zip(rendered.lines()).take_while(|(a, b)| a == b).count();
                problems.push(format!("line {}: is not what the oracle says", same + 1));
            }
            if problems.is_empty() && manifest.files.get(&name) != Some(&entry) {
                problems.push("the manifest does not list it with this digest".into());
            }
        }
    }
    Checked { name, entry, problems }
}

fn file_problems(
    text: &str,
    expected: &VectorFile,
    rendered: &str,
    validator: &jsonschema::Validator,
) -> Vec<String> {
    let mut problems = Vec::new();
    if let Err(error) = VectorFile::parse(text) {
        problems.push(error.to_string());
    }
    if let Ok(json) = serde_json::from_str(text) {
        for error in validator.iter_errors(&json) {
            problems.push(format!("schema, at {}: {error}", error.instance_path()));
        }
    }
    // A file that fails its own checks is compared too, to name the test at fault.
    if let Ok(found) = serde_json::from_str::<VectorFile>(text) {
        problems.extend(differences(expected, &found));
    }
    if problems.is_empty() && text != rendered {
        let line = text.lines().zip(rendered.lines()).take_while(|(a, b)| a == b).count() + 1;
        problems.push(format!("line {line}: not written as the generator writes it"));
    }
    problems
}

/// Returns the files that belong to no pair.
fn strangers(dir: &Path, checked: &[Checked]) -> Result<Vec<String>, String> {
    let known: BTreeSet<&str> = checked.iter().map(|file| file.name.as_str()).collect();
    let folders: BTreeSet<&str> = Suite::all().map(Suite::folder).collect();
    let mut strangers = Vec::new();
    for name in names(dir)? {
        if !folders.contains(name.as_str()) {
            strangers.extend(Some(name).filter(|name| !stands_beside(name)));
            continue;
        }
        let inner = names(&dir.join(&name))?.into_iter().map(|inner| format!("{name}/{inner}"));
        strangers.extend(inner.filter(|name| !known.contains(name.as_str())));
    }
    Ok(strangers
        .iter()
        .map(|name| format!("{name}: nothing is written to this file; delete it"))
        .collect())
}

fn names(folder: &Path) -> Result<Vec<String>, String> {
    let listing = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let listing = listing.map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(listing.iter().map(|entry| entry.file_name().display().to_string()).collect())
}

/// Is it a file that belongs beside the folders of vectors: book, manifest, rules, dtypes, schemas, and
/// compressed files?
fn stands_beside(name: &str) -> bool {
    matches!(name, "book.bin" | "dtypes.json" | "manifest.json" | "rules.json" | "schema.json")
        || name.ends_with(".schema.json")
        || name.ends_with(".json.gz")
}

fn manifest_problems(manifest: &Manifest, text: &str, checked: &[Checked]) -> Vec<String> {
    let files: BTreeMap<String, ManifestEntry> =
        checked.iter().map(|file| (file.name.clone(), file.entry.clone())).collect();
    let expected = Manifest {
        format: FORMAT.into(),
        generator_version: env!("CARGO_PKG_VERSION").into(),
        level: manifest.level,
        number_of_tests: files.values().map(|entry| entry.number_of_tests).sum(),
        files,
    };
    if text == manifest_text(&expected) {
        return vec![];
    }
    let odd = |name: &&String| manifest.files.get(*name) != expected.files.get(*name);
    let names: BTreeSet<&String> = manifest.files.keys().chain(expected.files.keys()).collect();
    let mut problems: Vec<String> = names
        .into_iter()
        .filter(odd)
        .map(|name| format!("manifest.json: its entry for {name} is not that of the oracle's file"))
        .take(SHOWN)
        .collect();
    if problems.is_empty() {
        problems.push("manifest.json: header or layout is not as the generator writes it".into());
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::default_data;
    use castproof_oracle::profile_pairs;
    use castproof_suites::{owner, suite};
    use castproof_vectors::{DType, Level, Profile};

    #[test]
    fn the_committed_level_is_core_of_30_mb_beside_quantisation() {
        let dir = default_data();
        let manifest: Manifest =
            serde_json::from_str(&read(&dir.join("manifest.json")).expect("committed"))
                .expect("JSON");
        assert_eq!(manifest.level, Level::Core);
        let size = |name: &String| fs::metadata(dir.join(name)).expect("listed").len();
        let own = [
            (Suite::Blocks, 4_300_000),
            (Suite::BlocksTensors, 1_100_000),
            (Suite::BlocksDecoded, 1_500_000),
            (Suite::Gguf, 1_800_000),
            (Suite::Projections, 1_100_000),
            (Suite::Layouts, 600_000),
            (Suite::OnnxQuantize, 3_000_000),
        ];
        let own = own.map(|(suite, most)| (suite.question_file(), most));
        let is_other = |name: &&String| own.iter().all(|(file, _)| file != *name);
        let others: u64 = manifest.files.keys().filter(is_other).map(size).sum();
        for (bytes, most) in
            own.iter().map(|(file, most)| (size(file), *most)).chain([(others, 29_800_000)])
        {
            assert!((1..=most).contains(&bytes), "{bytes} bytes, at most {most}");
        }
        let of_profiles: Vec<(Profile, (DType, DType))> = Profile::numeric()
            .flat_map(|it| profile_pairs(it).into_iter().map(move |pair| (it, pair)))
            .collect();
        let owned = of_profiles.par_iter().filter(|&&(it, pair)| owner(it, pair) == it).count();
        assert!(owned < of_profiles.len(), "equal answers are stored once");
        assert_eq!(manifest.files.len(), 676 + owned + Suite::FILES.len());
    }

    /// Files that belong to no pair are found in the folders of suites and outside of them.
    #[test]
    fn a_file_of_nothing_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let known = Checked {
            name: "cast/int8__int8.json".into(),
            entry: ManifestEntry::new("", 0),
            problems: vec![],
        };
        for name in [
            "cast/int8__int8.json",
            "cast/int8__int9.json",
            "suites/notes",
            "casts/int8__int8.json",
            "int8__int8.json",
            "manifest.json",
            "rules.schema.json",
            "book.bin",
            "atlas.json.gz",
        ] {
            let place = folder.path().join(name);
            fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
            fs::write(place, "").expect("a file");
        }
        let mut found = strangers(folder.path(), &[known]).expect("a folder");
        found.sort();
        let due = ["cast/int8__int9.json", "casts", "int8__int8.json", "suites/notes"];
        assert_eq!(
            found,
            due.map(|name| format!("{name}: nothing is written to this file; delete it"))
        );
    }

    /// Deleting, editing or duplicating a test is found, and the test is named.
    #[test]
    fn damage_is_named() {
        let dir = default_data();
        let validator = schema(&dir).expect("the committed schema");
        let expected = suite(DType::Float32, DType::Float8E4M3FN, Level::Core);
        let rendered = expected.render();
        let problems = |text: &str| file_problems(text, &expected, &rendered, &validator);
        assert_eq!(problems(&rendered), [""; 0]);

        let largest = expected.groups.iter().max_by_key(|group| group.tests.len());
        let test = &largest.expect("groups").tests[1];
        let line = serde_json::to_string(test).expect("serialises") + ",\n";
        assert!(rendered.contains(&line));
        let clause = line.replace(&test.clause, "F8-S99");
        for (damage, word) in [
            (rendered.replacen(&line, "", 1), "is missing"),
            (rendered.replacen(&line, &line.repeat(2), 1), "stands 2 times"),
            (rendered.replacen(&line, &clause, 1), "clause is \"F8-S99\""),
            (rendered.replacen(&line, &line.replace("\"id\"", "\"name\""), 1), "unknown field"),
        ] {
            let found = problems(&damage);
            let named = found.iter().any(|p| p.contains(word) && p.contains(&test.id));
            let placed = found.iter().any(|p| p.contains(word) && p.contains("line"));
            assert!(named || placed, "{word}: {found:?}");
        }
        assert_eq!(problems(&rendered.replacen(",\n", ",\n\n", 1)).len(), 1);
    }
}
