//! Writing vector files: pair by pair, each file whole or not at all, resumable.

use castproof_oracle::{questions, suite};
use castproof_vectors::{DType, FORMAT, Level, Manifest, ManifestEntry, Suite, file_name};
use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// What to generate.
pub(crate) struct Job {
    pub(crate) level: Level,
    pub(crate) out: PathBuf,
    pub(crate) from: Option<DType>,
    pub(crate) to: Option<DType>,
}

impl Job {
    /// The pairs of the job.
    pub(crate) fn pairs(&self) -> Vec<(DType, DType)> {
        let wanted =
            |filter: Option<DType>, dtype: &DType| filter.is_none_or(|only| only == *dtype);
        let targets = || DType::CAST.iter().filter(|to| wanted(self.to, to));
        DType::CAST
            .iter()
            .filter(|from| wanted(self.from, from))
            .flat_map(|&from| targets().map(move |&to| (from, to)))
            .collect()
    }

    /// What a journal must say to be one of this job.
    fn title(&self) -> String {
        let name = |dtype: Option<DType>| dtype.map_or("all", DType::name);
        let (from, to) = (name(self.from), name(self.to));
        format!("{FORMAT} {} {} {from} {to}", env!("CARGO_PKG_VERSION"), self.level.name())
    }
}

/// Writes every file of the job, then the manifest and the schema.
pub(crate) fn generate(job: &Job) -> Result<String, String> {
    let pairs = job.pairs();
    if pairs.is_empty() {
        return Err("no such pair: --from and --to take dtypes of Cast".into());
    }
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(&job.out).map_err(|error| at(&job.out, error))?;
    let journal = Journal::open(job)?;
    let stopped = stop_flag()?;
    let bar = progress(pairs.len());
    pairs.par_iter().progress_with(bar.clone()).try_for_each(|&(from, to)| {
        if stopped.load(Ordering::Relaxed) {
            return Err("stopped; give the same command again to go on".to_string());
        }
        let name = file_name(Suite::OnnxCast, from, to);
        if journal.holds(&name, &job.out) {
            return Ok(());
        }
        let file = suite(from, to, job.level);
        let text = file.render();
        write_whole(&job.out.join(&name), &text)?;
        journal.add(&name, &ManifestEntry::new(&text, file.number_of_tests))
    })?;
    bar.finish_and_clear();
    if job.from.is_none() && job.to.is_none() {
        for &suite in Suite::QUESTIONS {
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
    write_whole(&job.out.join("manifest.json"), &manifest_text(&manifest))?;
    write_whole(&job.out.join("schema.json"), &schema_text())?;
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
    let schema = schemars::schema_for!(castproof_vectors::VectorFile);
    serde_json::to_string_pretty(&schema).expect("a schema serialises") + "\n"
}

/// The manifest as it is written.
pub(crate) fn manifest_text(manifest: &Manifest) -> String {
    serde_json::to_string_pretty(manifest).expect("a manifest serialises") + "\n"
}

fn progress(pairs: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pairs, {eta} left")
        .expect("a valid template");
    ProgressBar::new(pairs as u64).with_style(style)
}

/// Set by Ctrl-C: the pair under way is finished, the rest is left to the next run.
fn stop_flag() -> Result<&'static AtomicBool, String> {
    static STOPPED: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed))
        .map_err(|error| format!("cannot listen to Ctrl-C: {error}"))?;
    Ok(&STOPPED)
}

/// Writes a file under another name first, so that it is never half-written.
pub(crate) fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    let folder = path.parent().expect("files stand in folders");
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().permissions(readable()).tempfile_in(folder)?;
        file.write_all(contents.as_ref())?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error| format!("{}: {error}; nothing was half-written", path.display()))
}

/// Vector files are for everybody, unlike what temporary files are by default.
#[cfg(unix)]
fn readable() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o644)
}

#[cfg(not(unix))]
fn readable() -> fs::Permissions {
    fs::metadata(".").expect("the current folder exists").permissions()
}

/// Which files are done: one line each, after a title line that names the job.
struct Journal {
    path: PathBuf,
    state: Mutex<BTreeMap<String, ManifestEntry>>,
    file: Mutex<fs::File>,
}

impl Journal {
    fn open(job: &Job) -> Result<Journal, String> {
        let path = job.out.join("generate.journal");
        let (title, old) = (job.title(), fs::read_to_string(&path).unwrap_or_default());
        let mut lines = old.lines();
        let mut state = BTreeMap::new();
        let resumes = lines.next() == Some(&title);
        if resumes {
            for line in lines {
                let parsed = serde_json::from_str::<(String, ManifestEntry)>(line);
                state.extend(parsed.ok()); // a torn last line is a file not done
            }
        }
        let open = if resumes {
            fs::OpenOptions::new().append(true).open(&path)
        } else {
            fs::File::create(&path)
        };
        let mut file = open.map_err(|error| format!("{}: {error}", path.display()))?;
        let start = if resumes { "" } else { &title };
        writeln!(file, "{start}").map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Journal { path, state: Mutex::new(state), file: Mutex::new(file) })
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, ManifestEntry>> {
        self.state.lock().expect("no holder panics")
    }

    /// Is this file done, and still what was written?
    fn holds(&self, name: &str, out: &Path) -> bool {
        let entry = self.entries().get(name).cloned();
        let text = || fs::read_to_string(out.join(name)).ok();
        entry.is_some_and(|entry| {
            text().is_some_and(|text| ManifestEntry::new(&text, entry.number_of_tests) == entry)
        })
    }

    fn add(&self, name: &str, entry: &ManifestEntry) -> Result<(), String> {
        let line = serde_json::to_string(&(name, entry)).expect("entries serialise");
        let mut file = self.file.lock().expect("no holder panics");
        writeln!(file, "{line}").map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.entries().insert(name.into(), entry.clone());
        Ok(())
    }

    fn remove(self) -> Result<(), String> {
        fs::remove_file(&self.path).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}
