//! Where the vectors of a run come from: a folder of files, or the oracle, pair by pair.

use crate::answers;
use crate::manifest;
use anyhow::{Context, Result, bail};
use castproof_check::verdict::counted;
use castproof_io::input;
use castproof_io::pool::{self, End};
use castproof_io::sink::path;
use castproof_vectors::{
    DType, Level, Manifest, ManifestEntry, Operator, QuestionFile, Suite, VectorFile, file_name,
    find_rule, sha256_hex, versions,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::{env, fs};

/// Where the committed vectors lie, below the root of the repository.
const COMMITTED: &str = "vectors/data";

/// The error if the system gives no thread.
const NO_THREAD: &str = "no thread to read vectors with, or no memory for one; try fewer --threads";

/// One pair of a level, or of a folder of vectors.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Dtype of the inputs.
    pub from: DType,
    /// Dtype of the outputs.
    pub to: DType,
    /// How many vectors.
    pub level: Level,
    /// A folder of vectors, instead of those of `level`.
    pub vectors: Option<PathBuf>,
}

/// Loads the vectors of a pair.
///
/// # Errors
/// If they are missing or broken.
pub fn vectors_of(pair: &Pair) -> Result<VectorFile> {
    Source::open(pair.vectors.as_deref(), pair.level)?.load(Suite::OnnxCast, (pair.from, pair.to))
}

/// Where the vectors of a run come from.
pub enum Source {
    /// Files that a manifest lists.
    Folder {
        /// The folder of the manifest.
        folder: PathBuf,
        /// What the files must be.
        manifest: Manifest,
        /// Was the folder named by the user? Then some pairs may be missing.
        named: bool,
    },
    /// The oracle makes them while the run goes on.
    Oracle(Level),
}

impl Source {
    /// Opens the folder that the user names; otherwise the committed files, if the current folder
    /// or one above it has some of this level; otherwise the oracle.
    ///
    /// # Errors
    /// If the folder's manifest is missing or broken.
    pub fn open(folder: Option<&Path>, level: Level) -> Result<Source> {
        if let Some(folder) = folder {
            return Source::folder(folder.to_path_buf(), true);
        }
        if level == Level::Core {
            let here = env::current_dir().context("the current folder cannot be found")?;
            let found = here.ancestors().map(|above| above.join(COMMITTED));
            if let Some(folder) = found.into_iter().find(|dir| dir.join("manifest.json").is_file())
            {
                return Source::folder(folder, false);
            }
        }
        Ok(Source::Oracle(level))
    }

    fn folder(folder: PathBuf, named: bool) -> Result<Source> {
        let manifest = manifest::read(&folder)?;
        check_names(&folder, &manifest)?;
        Ok(Source::Folder { folder, manifest, named })
    }

    /// Returns the level of the vectors.
    pub fn level(&self) -> Level {
        match self {
            Source::Folder { manifest, .. } => manifest.level,
            Source::Oracle(level) => *level,
        }
    }

    /// Does the source have vectors of this pair of a suite of casts?
    pub fn has(&self, suite: Suite, (from, to): (DType, DType)) -> bool {
        match self {
            Source::Folder { manifest, .. } => manifest.file_of(suite, (from, to)).is_some(),
            Source::Oracle(_) => true,
        }
    }

    /// Are there vectors of this suite? For a suite of casts, [`Source::has`] tells for which
    /// pairs.
    pub fn has_suite(&self, suite: Suite) -> bool {
        match self {
            Source::Oracle(_) => true,
            // A folder of `castproof fuzz` may hold only chains.
            Source::Folder { manifest, .. } if suite.is_casts() => {
                let is_of_suite = |(name, entry): (&String, &ManifestEntry)| {
                    name.split('/').next() == Some(suite.folder())
                        || entry.serves_too.iter().any(|it| Suite::Profile(*it) == suite)
                };
                manifest.files.iter().any(is_of_suite) || !self.lists(Suite::OnnxChain)
            }
            // Chains follow from the book, so every folder has them except one that the user chose.
            Source::Folder { named: false, .. } if suite == Suite::OnnxChain => true,
            Source::Folder { .. } => self.lists(suite),
        }
    }

    /// Is a file of this suite of questions among the vectors?
    pub fn lists(&self, suite: Suite) -> bool {
        match self {
            Source::Folder { manifest, .. } => manifest.files.contains_key(&suite.question_file()),
            Source::Oracle(_) => false,
        }
    }

    /// Returns the questions of a suite.
    ///
    /// # Errors
    /// If there are none, or the file is not what the manifest says, or cites an unknown clause.
    pub fn questions(&self, suite: Suite) -> Result<QuestionFile> {
        let (folder, manifest) = match self {
            Source::Oracle(level) => return made_questions(suite, *level),
            Source::Folder { folder, manifest, .. } => (folder, manifest),
        };
        let name = suite.question_file();
        let entry = manifest.files.get(&name);
        let entry = entry.with_context(|| format!("{name} is not in the manifest"))?;
        let path = folder.join(&name);
        read_questions(&path, suite, entry).with_context(|| path.display().to_string())
    }

    /// May pairs be missing? Only from a folder that the user chose.
    pub fn may_be_partial(&self) -> bool {
        matches!(self, Source::Folder { named: true, .. })
    }

    /// Describes the source for the first line of a report.
    pub fn describe(&self) -> String {
        match self {
            Source::Oracle(_) => "made by the oracle".into(),
            Source::Folder { folder, manifest, .. } => {
                let here = env::current_dir().unwrap_or_default();
                let shown = folder.strip_prefix(here).unwrap_or(folder);
                format!("from {} ({})", path(shown), counted(manifest.files.len() as u64, "file"))
            }
        }
    }

    /// Identifies the vectors for the journal of a run: equal texts mean equal vectors.
    pub fn fingerprint(&self) -> String {
        match self {
            Source::Oracle(level) => format!("level {}", level.name()),
            Source::Folder { manifest, .. } => {
                let digests: Vec<&str> =
                    manifest.files.values().map(|entry| entry.sha256.as_str()).collect();
                format!("vectors {}", sha256_hex(digests.concat().as_bytes()))
            }
        }
    }

    /// Hands the vectors of each pair of a suite of casts to `each`, in order. Meanwhile, `threads`
    /// threads read or make them, each at most two pairs ahead, so that memory stays bounded.
    ///
    /// # Errors
    /// The first error of a file or of `each`.
    pub fn stream(
        &self,
        (suite, pairs): (Suite, &[(DType, DType)]),
        threads: usize,
        mut each: impl FnMut(VectorFile) -> Result<()>,
    ) -> Result<()> {
        let threads = threads.clamp(1, pairs.len().max(1));
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..threads).map(|_| sync_channel(1)).unzip();
        let lanes = senders.into_iter().enumerate().collect();
        let load = |(lane, sender): (usize, SyncSender<_>), _: &End| {
            for &pair in pairs.iter().skip(lane).step_by(threads) {
                if sender.send(self.load(suite, pair)).is_err() {
                    break; // the run has stopped
                }
            }
            Ok(())
        };
        let take = move |end: &End| {
            for (index, (from, to)) in pairs.iter().enumerate() {
                if end.is_set() {
                    break; // a lane has failed; its error is returned
                }
                let loaded = receivers[index % threads].recv();
                each(loaded.with_context(|| format!("no vectors came for {from} -> {to}"))??)?;
            }
            Ok(())
        };
        pool::run(lanes, NO_THREAD, load, take).all().map(|((), _)| ())
    }

    /// Loads the vectors of one pair of a suite of casts.
    ///
    /// # Errors
    /// If its file is missing or broken.
    pub fn load(&self, suite: Suite, (from, to): (DType, DType)) -> Result<VectorFile> {
        match self {
            Source::Oracle(level) => made(suite, (from, to), *level),
            Source::Folder { folder, manifest, .. } => {
                let due = file_name(suite, from, to);
                let found = manifest.file_of(suite, (from, to));
                let (owner, name) = found.unwrap_or_else(|| (suite, due.clone()));
                let path = folder.join(&name);
                let entry = manifest.files.get(&name);
                let entry = entry.with_context(|| format!("{due} is not in the manifest"))?;
                let file = read(&path, entry, (owner, from, to));
                let file = file.with_context(|| path.display().to_string())?;
                match suite {
                    Suite::Profile(profile) if owner != suite => {
                        file.serving(profile).with_context(|| {
                            let (path, name) = (path.display(), profile.name());
                            format!("{path}: the manifest says that it serves {name}; it does not")
                        })
                    }
                    _ => Ok(file),
                }
            }
        }
    }
}

/// Returns the name of the committed file that holds the tests of a pair of a suite of casts.
pub fn committed_file(suite: Suite, (from, to): (DType, DType)) -> String {
    let owner = match suite {
        Suite::Profile(profile) => Suite::Profile(castproof_oracle::owner(profile, (from, to))),
        other => other,
    };
    file_name(owner, from, to)
}

/// Makes the vectors of a pair: the oracle chooses and answers them, and the book is checked
/// against them.
fn made(suite: Suite, (from, to): (DType, DType), level: Level) -> Result<VectorFile> {
    let file = match suite {
        Suite::Profile(profile) => castproof_oracle::profile_suite(profile, (from, to), level),
        _ => castproof_oracle::suite(from, to, level),
    };
    answers::hold(&file)?;
    Ok(file)
}

/// Makes the questions of a suite with the oracle.
fn made_questions(suite: Suite, level: Level) -> Result<QuestionFile> {
    Ok(castproof_formats::questions(suite, level))
}

/// Reads one file and checks it against its manifest entry and the known versions and clauses.
fn read(path: &Path, entry: &ManifestEntry, due: (Suite, DType, DType)) -> Result<VectorFile> {
    let text = input::read(path).context("cannot be read")?;
    // The format is checked first, because its errors name the place; a digest names only the file.
    let file = VectorFile::parse(&text)?;
    if (file.suite, file.from, file.to) != due {
        let (suite, from, to) = (file.suite.name(), file.from, file.to);
        bail!("header: holds {suite} {from} -> {to}, not the suite and pair of its name");
    }
    for (index, group) in file.groups.iter().enumerate() {
        let known = versions(Operator::Cast);
        if let Some(opset) = group.opsets.iter().find(|opset| !known.contains(opset)) {
            bail!(
                "group {}: {opset} is not a version of Cast; vectors/data/dtypes.json lists them",
                index + 1
            );
        }
        if let Some(test) = group.tests.iter().find(|test| find_rule(&test.clause).is_none()) {
            bail!("group {}, test {}: unknown clause '{}'", index + 1, test.id, test.clause);
        }
    }
    if file.number_of_tests != entry.number_of_tests {
        let (has, listed) = (file.number_of_tests, entry.number_of_tests);
        bail!("holds {has} tests; the manifest lists {listed}");
    }
    if ManifestEntry::of(&file, &text) != *entry {
        bail!("its SHA-256 is not that of the manifest; generate the files again");
    }
    Ok(file)
}

/// Reads a file of questions and checks it against its manifest entry and the known clauses.
fn read_questions(path: &Path, suite: Suite, entry: &ManifestEntry) -> Result<QuestionFile> {
    let text = input::read(path).context("cannot be read")?;
    let file = QuestionFile::parse(&text)?;
    if file.suite != suite {
        bail!("header: holds {}, not the suite of its name", file.suite.name());
    }
    if let Some(test) = file.tests.iter().find(|test| find_rule(&test.clause).is_none()) {
        bail!("test {}: unknown clause '{}'", test.id, test.clause);
    }
    if ManifestEntry::new(&text, file.number_of_tests) != *entry {
        bail!("it is not the file that the manifest lists; generate the files again");
    }
    Ok(file)
}

/// Checks that the manifest lists only files of pairs and suites, and that the folder holds no
/// vectors that it does not list.
fn check_names(folder: &Path, manifest: &Manifest) -> Result<()> {
    let known = manifest::names();
    if let Some(name) = manifest.files.keys().find(|name| !known.contains(*name)) {
        bail!("{}: '{name}' is the file of no pair", folder.join("manifest.json").display());
    }
    let ours: BTreeSet<&str> = Suite::all().map(Suite::folder).collect();
    let known: BTreeSet<&str> =
        known.iter().filter_map(|name| name.split_once('/')).map(|(_, name)| name).collect();
    for entry in listed(folder)? {
        let name = name_of(&entry);
        if !entry.is_dir() {
            // A file of vectors that stands in the wrong place.
            refuse(&entry, known.contains(&*name))?;
            continue;
        }
        for file in listed(&entry)? {
            let inner = name_of(&file);
            if is_left(&file) {
                continue;
            }
            let is_listed = manifest.files.contains_key(&format!("{name}/{inner}"));
            let is_due = ours.contains(&*name) || known.contains(&*inner);
            refuse(&file, is_due && !is_listed)?;
        }
    }
    Ok(())
}

fn refuse(file: &Path, is_stranger: bool) -> Result<()> {
    if is_stranger {
        bail!("{}: not listed in the manifest", file.display());
    }
    Ok(())
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let listed: std::io::Result<Vec<PathBuf>> = read();
    listed.with_context(|| format!("{} cannot be read", folder.display()))
}

/// Is it what a killed run left beside its place?
fn is_left(path: &Path) -> bool {
    path.file_name().is_some_and(castproof_io::folder::is_left)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
