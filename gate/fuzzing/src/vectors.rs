//! Findings as vectors: a folder that `castproof gate --vectors` replays.

use anyhow::{Context, Result, anyhow, bail};
use castproof_io::input;
use castproof_io::output::Output;
use castproof_judge::manifest;
use castproof_judge::source::Source;
use castproof_run::chains;
use castproof_run::made::{Inputs, count, file, notes};
use castproof_vectors::{
    DType, Group, Manifest, ManifestEntry, QuestionFile, QuestionTest, Suite, VectorFile, file_name,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A folder of vectors with its manifest. It keeps its earlier content. No other run writes to it
/// until it is dropped.
pub(super) struct Folder {
    path: PathBuf,
    /// The suite of the casts that are kept.
    suite: Suite,
    manifest: Manifest,
    /// The files of pairs as they were before this run.
    before: BTreeMap<String, VectorFile>,
    _lock: File,
}

impl Folder {
    /// Opens a folder of vectors, or makes a new one.
    ///
    /// # Errors
    /// If it holds something else, cannot be written, or is being written by another run.
    pub(super) fn open(path: &Path, suite: Suite) -> Result<Folder> {
        let place = || format!("folder {}", path.display());
        let casts = path.join(suite.folder());
        fs::create_dir_all(&casts).with_context(place)?;
        let lock = castproof_io::folder::lock(path).with_context(place)?;
        let listed = path.join("manifest.json");
        let manifest = if listed.exists() {
            let manifest = manifest::read(path)?;
            manifest::finish(path, &manifest)?;
            manifest
        } else {
            for entry in fs::read_dir(&casts).with_context(place)? {
                if !castproof_io::folder::is_left(&entry.with_context(place)?.file_name()) {
                    bail!("{}: it holds vectors without a manifest; name another folder", place());
                }
            }
            manifest::empty()
        };
        // A folder that cannot be written is reported now, not after a long run.
        drop(Output::create(&listed)?);
        Ok(Folder { path: path.into(), suite, manifest, before: BTreeMap::new(), _lock: lock })
    }

    /// Writes the vectors of a pair beside those that were there before the run.
    ///
    /// # Errors
    /// If those cannot be read, or the files cannot be written.
    pub(super) fn write(&mut self, (from, to): (DType, DType), inputs: &Inputs) -> Result<()> {
        let new = file(self.suite, (from, to), inputs).map_err(|problem| anyhow!(problem))?;
        let name = file_name(self.suite, from, to);
        if self.manifest.files.contains_key(&name) && !self.before.contains_key(&name) {
            let source = Source::open(Some(&self.path), self.manifest.level)?;
            self.before.insert(name.clone(), source.load(self.suite, (from, to))?);
        }
        let merged = match self.before.get(&name) {
            Some(before) => merged(before.clone(), new),
            None => new,
        };
        self.put(&name, &merged.render(), merged.number_of_tests)?;
        // A file of this run counts as empty before the run, even if it is written again.
        self.before.entry(name).or_insert_with(|| empty(&merged));
        Ok(())
    }

    /// Writes tests of chains beside those that were there before.
    ///
    /// # Errors
    /// As [`Folder::write`].
    pub(super) fn write_chains(&mut self, mut tests: Vec<QuestionTest>) -> Result<()> {
        let name = Suite::OnnxChain.question_file();
        let path = self.path.join(&name);
        let mut known_notes = BTreeMap::new();
        if self.manifest.files.contains_key(&name) {
            let place = || path.display().to_string();
            let older = QuestionFile::parse(&input::read(&path).with_context(place)?);
            let older = older.with_context(place)?;
            let known: BTreeSet<&String> = older.tests.iter().map(|test| &test.id).collect();
            tests.retain(|test| !known.contains(&test.id));
            tests.splice(0..0, older.tests.iter().cloned());
            known_notes = older.notes.clone();
        }
        known_notes.extend(notes(tests.iter().flat_map(|test| &test.flags)));
        fs::create_dir_all(self.path.join(Suite::OnnxChain.folder()))
            .with_context(|| path.display().to_string())?;
        let file = chains::file(tests, known_notes);
        self.put(&name, &file.render(), file.number_of_tests)
    }

    /// Writes one file, and the manifest that lists it.
    fn put(&mut self, name: &str, text: &str, tests: usize) -> Result<()> {
        let entry = ManifestEntry::new(text, tests);
        manifest::put(&self.path, &mut self.manifest, (name, text), entry)
    }
}

fn empty(file: &VectorFile) -> VectorFile {
    VectorFile { groups: vec![], number_of_tests: 0, notes: BTreeMap::new(), ..file.clone() }
}

/// Joins the tests of both files; a test of the older file stays as it is.
fn merged(mut older: VectorFile, newer: VectorFile) -> VectorFile {
    let known: BTreeSet<String> =
        older.groups.iter().flat_map(|group| &group.tests).map(|test| test.id.clone()).collect();
    for mut group in newer.groups {
        group.tests.retain(|test| !known.contains(&test.id));
        let alike =
            |it: &&mut Group| it.opsets == group.opsets && it.attributes == group.attributes;
        match older.groups.iter_mut().find(alike) {
            Some(older) => older.tests.append(&mut group.tests),
            None if group.tests.is_empty() => {}
            None => older.groups.push(group),
        }
    }
    for (flag, note) in newer.notes {
        older.notes.entry(flag).or_insert(note);
    }
    count(&mut older);
    older
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_run::made::FOUND;
    use castproof_vectors::{Attributes, Element, Level, Operator, Profile, versions};

    const PAIR: (DType, DType) = (DType::Float32, DType::Float8E4M3FN);
    const OFF: Attributes = Attributes { saturate: Some(false), round_mode: None };

    fn inputs<const N: usize>(codes: [(Attributes, u64); N]) -> Inputs {
        codes.map(|(given, code)| (given, Element::code(code, PAIR.0))).into()
    }

    #[test]
    fn files_are_read_back_and_kept() {
        let suite = Suite::OnnxCast;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("found");
        let first = inputs([(OFF, 0x43f0_0000)]);
        Folder::open(&path, suite).expect("a new one").write(PAIR, &first).expect("written");
        let read = || {
            let (from, to) = PAIR;
            let source = Source::open(Some(&path), Level::Core).expect("a manifest");
            source.load(suite, (from, to)).expect("whole")
        };
        assert_eq!(read(), file(suite, PAIR, &first).expect("a file"));

        // A later run adds to it, in several steps.
        let mut again = Folder::open(&path, suite).expect("the same");
        let mut more = inputs([(Attributes::default(), 0x7fc0_0000)]);
        again.write(PAIR, &more).expect("written");
        more.extend(inputs([(OFF, 0x43f0_0000), (OFF, 1)]));
        again.write(PAIR, &more).expect("written");
        more.extend(first);
        let all = file(suite, PAIR, &more).expect("a file");
        let ids = |file: &VectorFile| -> BTreeSet<String> {
            file.groups.iter().flat_map(|it| &it.tests).map(|it| it.id.clone()).collect()
        };
        assert_eq!(ids(&read()), ids(&all));
        VectorFile::parse(&read().render()).expect("in order");
    }

    #[test]
    fn every_version_of_a_pair_is_asked() {
        let suite = Suite::OnnxCast;
        let file = file(suite, PAIR, &inputs([(OFF, 0x43f0_0000)])).expect("a file");
        let opsets = |given: Attributes| -> BTreeSet<u32> {
            let groups = file.groups.iter().filter(|group| group.attributes == given);
            groups.flat_map(|group| &group.opsets).copied().collect()
        };
        let versions = versions(Operator::Cast).iter().copied();
        assert_eq!(opsets(OFF), versions.filter(|&version| version >= 19).collect());
        assert_eq!(opsets(Attributes::default()), opsets(OFF));
        assert!(file.groups.iter().flat_map(|it| &it.tests).all(|it| it.flags == [FOUND]));
        let nan =
            castproof_run::made::file(suite, PAIR, &inputs([(OFF, 0x7fc0_0000)])).expect("a file");
        assert_eq!(nan.groups[0].tests[0].flags, ["nan", FOUND]);
    }

    #[test]
    fn files_of_a_profile_stand_beside_those_of_onnx() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, pair) = (folder.path(), (DType::Float32, DType::Int8));
        let inputs = inputs([(Attributes::default(), 0x7fc0_0000)]);
        let suites = [Suite::OnnxCast, Suite::Profile(Profile::JavaCast)];
        for suite in suites {
            Folder::open(path, suite).expect("a folder").write(pair, &inputs).expect("written");
        }
        for suite in suites {
            let source = Source::open(Some(path), Level::Core).expect("a manifest");
            let read = source.load(suite, pair).expect("whole");
            assert_eq!(read, file(suite, pair, &inputs).expect("a file"));
            assert_eq!(read.groups[0].opsets.is_empty(), suite != Suite::OnnxCast);
        }
    }

    #[test]
    fn a_folder_of_something_else_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("cast")).expect("a folder");
        fs::write(folder.path().join("cast/notes"), "mine").expect("a file");
        let said = Folder::open(folder.path(), Suite::OnnxCast).err().expect("refused").to_string();
        assert!(said.contains("without a manifest"), "{said}");
    }
}
