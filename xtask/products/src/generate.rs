//! Writes vector files: pair by pair, each file whole or not at all, resumable.

use crate::data::schema;
use crate::repository::write_whole;
use anyhow::Error;
use castproof::journal::{self, JournalTerms};
use castproof::output::Output;
use castproof_io::progress::{self, PAIRS};
use castproof_oracle::profile_pairs;
use castproof_suites::{owner, profile_suite, questions, suite};
use castproof_vectors::{
    DType, FORMAT, Level, Manifest, ManifestEntry, Suite, VectorFile, file_name, sha256_hex,
};
use indicatif::ParallelProgressIterator;
use rayon::prelude::*;
use serde_json::{Value, json};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

/// What to generate.
pub struct GenerateJob {
    /// How many tests.
    pub level: Level,
    /// The folder that is filled.
    pub out: PathBuf,
    /// Only pairs with this source.
    pub from: Option<DType>,
    /// Only pairs with this target.
    pub to: Option<DType>,
    /// Starts again, even if there is the journal of a stopped run.
    pub fresh: bool,
}

impl GenerateJob {
    /// Returns the suites of casts and their pairs that the job asks for. Each pair is a file.
    pub fn casts(&self) -> Vec<(Suite, DType, DType)> {
        let pairs = |suite| self.pairs_of(suite).into_iter().map(move |(a, b)| (suite, a, b));
        Suite::casts().flat_map(pairs).collect()
    }

    /// Returns the pairs of a suite of casts that the job asks for and that have a file of their own.
    /// Profiles with the same answers share one.
    pub fn pairs_of(&self, suite: Suite) -> Vec<(DType, DType)> {
        let is_one = |filter: Option<DType>, dtype: DType| filter.is_none_or(|only| only == dtype);
        let wanted = |(from, to): &(DType, DType)| is_one(self.from, *from) && is_one(self.to, *to);
        match suite {
            // What the filters leave out is left out first, since the owner of a pair takes long to find.
            Suite::Profile(profile) => profile_pairs(profile)
                .into_par_iter()
                .filter(wanted)
                .filter(|&pair| owner(profile, pair) == profile)
                .collect(),
            _ => {
                let of = |from: DType| DType::CAST.iter().map(move |&to| (from, to));
                DType::CAST.iter().flat_map(|&from| of(from)).filter(wanted).collect()
            }
        }
    }

    /// Returns what the journal of this job must say.
    fn run(&self) -> Result<Value, Error> {
        Ok(json!({
            "kind": "generate",
            "program": journal::this_program()?,
            "format": FORMAT,
            "level": self.level,
            "from": self.from,
            "to": self.to,
        }))
    }
}

/// The vectors of a pair of a suite of casts.
pub(crate) fn vectors((of, from, to): (Suite, DType, DType), level: Level) -> VectorFile {
    match of {
        Suite::Profile(profile) => profile_suite(profile, (from, to), level),
        _ => suite(from, to, level),
    }
}

/// Writes every file of the job, then the manifest and the schema.
pub fn generate(job: &GenerateJob) -> Result<String, String> {
    let casts = job.casts();
    if casts.is_empty() {
        return Err("no such pair: --from and --to take dtypes of Cast".into());
    }
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(&job.out).map_err(|error| at(&job.out, error))?;
    let [manifest_file, schema_file] = ["manifest.json", "schema.json"]
        .map(|name| Output::create(&job.out.join(name)).map_err(|error| format!("{error:#}")));
    let (manifest_file, schema_file) = (manifest_file?, schema_file?);
    let journal = Journal::open(job)?;
    let stopped = stop_flag()?;
    let bar = progress::bar(casts.len() as u64, PAIRS).map_err(|it| it.to_string())?;
    casts.par_iter().progress_with(bar.clone()).try_for_each(|&(suite, from, to)| {
        if stopped.load(Ordering::Relaxed) {
            return Err("stopped; give the same command again to go on".to_string());
        }
        let name = file_name(suite, from, to);
        if journal.holds(&name, &job.out) {
            return Ok(());
        }
        let file = vectors((suite, from, to), job.level);
        let text = file.render();
        write_whole(&job.out.join(&name), &text)?;
        journal.add(&name, &ManifestEntry::of(&file, &text))
    })?;
    bar.finish_and_clear();
    if job.from.is_none() && job.to.is_none() {
        for &suite in Suite::FILES {
            let (name, file) = (suite.question_file(), questions(suite, job.level));
            let text = file.render();
            write_whole(&job.out.join(&name), &text)?;
            journal.add(&name, &ManifestEntry::new(&text, file.number_of_tests))?;
        }
    }
    let files = journal.entries().clone();
    let manifest = Manifest {
        format: FORMAT.into(),
        generator_version: env!("CARGO_PKG_VERSION").into(),
        level: job.level,
        number_of_tests: files.values().map(|entry| entry.number_of_tests).sum(),
        files,
    };
    let written = manifest_file.commit(manifest_text(&manifest));
    let written = written.and_then(|()| schema_file.commit(schema_text()));
    written.map_err(|error| format!("{error:#}"))?;
    journal.remove()?;
    Ok(format!(
        "{} tests of level {} in {} files under {}",
        manifest.number_of_tests,
        job.level.name(),
        manifest.files.len(),
        job.out.display()
    ))
}

/// The JSON Schema of a vector file.
pub(crate) fn schema_text() -> String {
    schema::<VectorFile>()
}

/// The manifest as it is written.
pub(crate) fn manifest_text(manifest: &Manifest) -> String {
    serde_json::to_string_pretty(manifest).expect("a manifest serialises") + "\n"
}

/// Returns the flag that Ctrl-C sets: the current pair is finished, the rest is left to the next
/// run.
fn stop_flag() -> Result<&'static AtomicBool, String> {
    // A process has one handler: a second job in the same process shares it.
    static STOPPED: LazyLock<Result<Arc<AtomicBool>, String>> = LazyLock::new(|| {
        let stopped = Arc::default();
        flag::register(SIGINT, Arc::clone(&stopped))
            .map_err(|error| format!("cannot listen to Ctrl-C: {error}"))?;
        Ok(stopped)
    });
    STOPPED.as_deref().map_err(Clone::clone)
}

/// The journal of the files that are done.
struct Journal {
    state: Mutex<BTreeMap<String, ManifestEntry>>,
    journal: Mutex<journal::Journal>,
}

impl Journal {
    fn open(job: &GenerateJob) -> Result<Journal, String> {
        let path = job.out.join("generate.journal");
        // Each file that it names is checked by its digest, so its age does not matter.
        let terms = JournalTerms { fresh: job.fresh, hours: u64::MAX, ..JournalTerms::default() };
        let open = || {
            let (journal, past) = journal::Journal::open(&path, &job.run()?, terms, None)?;
            Ok((journal, journal::records(&path, past.records)?))
        };
        let (journal, done): (_, Vec<(String, ManifestEntry)>) =
            open().map_err(|error: Error| format!("{error:#}"))?;
        Ok(Journal { state: Mutex::new(done.into_iter().collect()), journal: Mutex::new(journal) })
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, ManifestEntry>> {
        self.state.lock().expect("no holder panics")
    }

    /// Is this file done, and unchanged since it was written?
    fn holds(&self, name: &str, out: &Path) -> bool {
        let entry = self.entries().get(name).cloned();
        let text = || fs::read_to_string(out.join(name)).ok();
        entry.is_some_and(|entry| {
            text().is_some_and(|text| sha256_hex(text.as_bytes()) == entry.sha256)
        })
    }

    fn add(&self, name: &str, entry: &ManifestEntry) -> Result<(), String> {
        let mut journal = self.journal.lock().expect("no holder panics");
        journal.add(&(name, entry)).map_err(|error| format!("{error:#}"))?;
        self.entries().insert(name.into(), entry.clone());
        Ok(())
    }

    fn remove(self) -> Result<(), String> {
        let journal = self.journal.into_inner().expect("no holder panics");
        journal.remove().map_err(|error| format!("{error:#}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(out: &Path) -> GenerateJob {
        let bool = Some(DType::Bool);
        GenerateJob { level: Level::Core, out: out.into(), from: bool, to: bool, fresh: false }
    }

    /// Something else may stand in the place of a file of a job: a link is not followed, a folder
    /// is not entered, and a file that is no journal stays.
    #[test]
    fn nothing_but_its_own_files_is_replaced() {
        for name in ["manifest.json", "schema.json", "generate.journal", "cast/bool__bool.json"] {
            let folder = tempfile::tempdir().expect("a folder");
            let (out, other) = (folder.path().join("out"), folder.path().join("other"));
            fs::create_dir_all(out.join("cast")).expect("a folder");
            fs::write(&other, "mine").expect("a file");
            let place = out.join(name);
            std::os::unix::fs::symlink(&other, &place).expect("a link");
            let error = generate(&job(&out)).expect_err("a link");
            assert!(error.contains(name) && error.contains("symbolic link"), "{error}");
            assert_eq!(fs::read_to_string(&other).expect("the file"), "mine");

            fs::remove_file(&place).expect("a link");
            fs::create_dir(&place).expect("a folder");
            let error = generate(&job(&out)).expect_err("a folder");
            assert!(error.contains(name) && error.contains("is a folder"), "{error}");

            fs::remove_dir(&place).expect("a folder");
            // Discards what the two failed attempts may have left.
            let fresh = GenerateJob { fresh: true, ..job(&out) };
            if name == "generate.journal" {
                fs::write(&place, "mine").expect("a file");
                let error = generate(&fresh).expect_err("no journal");
                assert!(error.contains("it is not a journal"), "{error}");
                assert_eq!(fs::read_to_string(&place).expect("the file"), "mine");
            } else {
                generate(&fresh).expect("nothing is in the way");
                assert!(!out.join("generate.journal").exists());
            }
        }
    }
}
