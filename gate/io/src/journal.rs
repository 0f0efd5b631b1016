//! Journals: records of what a long run has done, so that the same command continues where it was
//! stopped.
//!
//! The first line says what the run judges, and how. Each further line is a record of something
//! done. A line holds a digest, the time in seconds since 1970, and a JSON value. The digest is the
//! SHA-256 of the digest before it, the time and the value. A record that was changed, moved,
//! removed or inserted breaks the chain, and a journal with a broken chain is refused. Only the
//! last line may be broken, because a killed run can leave it so; it is cut off.

use crate::beside::beside;
use crate::output::not_regular;
use crate::program::Program;
use crate::sink;
use anyhow::{Context, Result, bail};
use castproof_vectors::{sha256_hex, sha256_hex_of};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// What the first line of every journal of this format begins with.
pub const FORMAT: &str = "castproof-journal/2";

/// What the first line of a journal of any format begins with.
const ANY_FORMAT: &str = "castproof-journal/";

/// The age in hours beyond which a run does not continue with a journal, unless the user says
/// otherwise. A journal is not bound to all parts of what it judges.
pub const HOURS: u64 = 24;

/// The terms on which a run continues with a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalTerms {
    /// Begin anew and ignore what the journal holds.
    pub fresh: bool,
    /// Refuse a journal whose last record is this many hours old, or older.
    pub hours: u64,
    /// Does the user say that what is judged has not changed? Else a journal of something that
    /// cannot be told is begun anew.
    pub unchanged: bool,
}

impl Default for JournalTerms {
    /// Continues with a journal whose last record is younger than [`HOURS`].
    fn default() -> JournalTerms {
        JournalTerms { fresh: false, hours: HOURS, unchanged: false }
    }
}

/// A journal that is written to. It is locked until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Digest of the last line.
    digest: String,
}

/// What a journal held when it was opened.
#[derive(Debug, Default)]
pub struct Past {
    /// The records, each a JSON value.
    pub records: Vec<Value>,
    /// Notes for people: what is taken over, what was cut off, and why a journal is begun anew.
    pub notes: Vec<String>,
}

impl Journal {
    /// Continues with the journal of this run, or begins one. `run` is a JSON object of everything
    /// that the run's results depend on, as far as it can be told; `doubt` says what cannot be told.
    ///
    /// # Errors
    /// If the file is not a journal, is the journal of another run, was changed, is too old, is
    /// being written by another run, or cannot be written. The file is then untouched.
    pub fn open(
        path: &Path,
        run: &Value,
        terms: JournalTerms,
        doubt: Option<&str>,
    ) -> Result<(Journal, Past)> {
        open_at(path, run, terms, doubt, now()).with_context(|| place(path))
    }

    /// Records something as done.
    ///
    /// # Errors
    /// If it cannot be written, for example because the disk is full.
    pub fn add(&mut self, record: &impl Serialize) -> Result<()> {
        let (line, digest) = line(&self.digest, now(), &serde_json::to_string(record)?);
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("{} cannot be written", place(&self.path)))?;
        self.digest = digest;
        Ok(())
    }

    /// Begins the journal anew, because what it held is not true any more. Returns a line for people.
    ///
    /// # Errors
    /// If it cannot be written, or another file has taken its place. The journal is then as it was.
    pub fn restart(&mut self, run: &Value, why: &str) -> Result<String> {
        let path = self.path.clone();
        let again = || {
            if !is_same(&self.file, &path)? {
                bail!("it has just been replaced by another run");
            }
            begin(&path, run, now(), Some(&self.file))
        };
        *self = again().with_context(|| place(&path))?;
        Ok(format!("{} is begun anew, because {why}", place(&path)))
    }

    /// Removes the journal after the run is complete and its results are written. Another file that
    /// has taken its place stays.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub fn remove(self) -> Result<()> {
        let failed = || format!("{} cannot be removed", place(&self.path));
        if is_same(&self.file, &self.path).with_context(failed)? {
            fs::remove_file(&self.path).with_context(failed)?;
        }
        Ok(())
    }
}

/// Reads the journal of any run: what it judges, and the records.
///
/// # Errors
/// If the file is not a journal, or was changed.
pub fn read(path: &Path) -> Result<(Value, Past)> {
    read_parts(path).with_context(|| place(path))
}

fn read_parts(path: &Path) -> Result<(Value, Past)> {
    let Contents { run, past, .. } = parse(&existing(&mut open_existing(path, false)?)?)?;
    Ok((run, past))
}

/// Returns this program's version and digest, to which every run is bound: the program's casts,
/// expectations and judgement may change without a change of its version.
///
/// # Errors
/// If the program cannot be read.
pub fn this_program() -> Result<String> {
    /// Computed once: the running program stays the same even if its file changes.
    static DIGEST: OnceLock<String> = OnceLock::new();
    let digest = match DIGEST.get() {
        Some(digest) => digest,
        None => {
            let program = &Program::this()?.file;
            let read = || sha256_hex_of(File::open(program)?);
            let digest = read().context("this program cannot read itself")?;
            DIGEST.get_or_init(|| digest)
        }
    };
    Ok(format!("castproof {} {digest}", env!("CARGO_PKG_VERSION")))
}

/// Does the text begin as a journal does?
pub fn is_journal(text: &[u8]) -> bool {
    text.starts_with(ANY_FORMAT.as_bytes())
}

/// Converts each record to a value of this type.
///
/// # Errors
/// If a record is not such a value.
pub fn records<R: DeserializeOwned>(path: &Path, records: Vec<Value>) -> Result<Vec<R>> {
    let numbered = (2..).zip(records);
    let parsed = numbered.map(|(number, record)| {
        serde_json::from_value(record).with_context(|| {
            format!("{}, line {number}: it is not a record of this run", place(path))
        })
    });
    parsed.collect()
}

fn open_at(
    path: &Path,
    run: &Value,
    terms: JournalTerms,
    doubt: Option<&str>,
    now: u64,
) -> Result<(Journal, Past)> {
    let doubt = doubt.filter(|_| !terms.unchanged);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let journal = begin(path, run, now, None)?;
            let warning = doubt.map(|doubt| {
                format!("{}: the next run begins it anew, {}", place(path), because(doubt))
            });
            Ok((journal, Past { notes: warning.into_iter().collect(), records: vec![] }))
        }
        Err(error) => Err(error.into()),
        Ok(_) => {
            let mut file = open_existing(path, true)?;
            lock(&file)?;
            if !is_same(&file, path)? {
                bail!("it has just been replaced by another run");
            }
            let bytes = existing(&mut file)?;
            if terms.fresh {
                let journal = begin(path, run, now, Some(&file))?;
                return Ok((journal, anew(path, "as --fresh asks")));
            }
            let contents = parse(&bytes)?;
            must_be_of(run, &contents.run)?;
            if let Some(doubt) = doubt {
                let journal = begin(path, run, now, Some(&file))?;
                return Ok((journal, anew(path, &because(doubt))));
            }
            go_on(path, file, contents, terms, now)
        }
    }
}

/// Begins a journal. The file appears with its first line, or not at all. An existing file is
/// replaced only if it is `old`, which is locked.
fn begin(path: &Path, run: &Value, now: u64, old: Option<&File>) -> Result<Journal> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = beside(folder.unwrap_or(Path::new("."))).context("it cannot be written")?;
    lock(file.as_file())?;
    let (line, digest) = line(FORMAT, now, &serde_json::to_string(run)?);
    write!(file, "{FORMAT} {line}").context("it cannot be written")?;
    let file = match old {
        Some(_) => file.persist(path).map_err(|error| error.error),
        None => file.persist_noclobber(path).map_err(|error| error.error),
    };
    let file = file.context("it cannot be written")?;
    Ok(Journal { path: path.to_path_buf(), file, digest })
}

fn go_on(
    path: &Path,
    mut file: File,
    Contents { past, length, digest, last, .. }: Contents,
    terms: JournalTerms,
    now: u64,
) -> Result<(Journal, Past)> {
    let age = now.saturating_sub(last) / 3600;
    if age >= terms.hours {
        let allowed = terms.hours;
        bail!(
            "its last record is {age} hours old, and a run continues only with records younger than \
             {allowed} hours, because what is judged may have changed; --fresh starts anew, \
             --journal-hours allows more"
        );
    }
    let written = file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length)));
    written.context("it cannot be written")?;
    Ok((Journal { path: path.to_path_buf(), file, digest }, past))
}

/// Refuses a journal of another run.
fn must_be_of(run: &Value, found: &Value) -> Result<()> {
    let differ = differing(found, run);
    if !differ.is_empty() {
        let differ = differ.join(", ");
        bail!("it is of another run, with another {differ}; --fresh starts anew");
    }
    Ok(())
}

/// The contents of a journal.
struct Contents {
    run: Value,
    past: Past,
    /// Length of the unbroken lines, in bytes.
    length: u64,
    /// Digest of the last unbroken line, and its time below.
    digest: String,
    last: u64,
}

fn parse(bytes: &[u8]) -> Result<Contents> {
    let known = bytes.strip_prefix(FORMAT.as_bytes()).and_then(|rest| rest.strip_prefix(b" "));
    let Some(known) = known else {
        bail!("it is of another version of this program; --fresh starts anew");
    };
    let mut lines = known.split_inclusive(|&byte| byte == b'\n').peekable();
    let first = lines.next().unwrap_or_default();
    let Some(first_line) = check(FORMAT, first) else {
        bail!("line 1: it was changed since it was written; --fresh starts anew");
    };
    let mut length = (bytes.len() - known.len() + first.len()) as u64;
    let Line { value: run, mut digest, time: mut last } = first_line;
    let mut past = Past::default();
    let mut number = 1;
    while let Some(text) = lines.next() {
        number += 1;
        match check(&digest, text) {
            Some(line) => {
                past.records.push(line.value);
                (digest, last) = (line.digest, line.time);
                length += text.len() as u64;
            }
            None if lines.peek().is_none() => {
                past.notes.push(format!("line {number} is broken, the last one: it is cut off"));
            }
            None => {
                bail!("line {number}: it was changed since it was written; --fresh starts anew")
            }
        }
    }
    Ok(Contents { run, past, length, digest, last })
}

struct Line {
    value: Value,
    digest: String,
    time: u64,
}

/// Returns a line with its digest, and the digest alone.
fn line(before: &str, time: u64, value: &str) -> (String, String) {
    let digest = sha256_hex(format!("{before} {time} {value}").as_bytes());
    (format!("{digest} {time} {value}\n"), digest)
}

/// Returns the line if it is complete and follows the digest before it.
fn check(before: &str, text: &[u8]) -> Option<Line> {
    let text = str::from_utf8(text.strip_suffix(b"\n")?).ok()?;
    let (digest, rest) = text.split_once(' ')?;
    let (time, value) = rest.split_once(' ')?;
    if sha256_hex(format!("{before} {time} {value}").as_bytes()) != digest {
        return None;
    }
    let value = serde_json::from_str(value).ok()?;
    Some(Line { value, digest: digest.into(), time: time.parse().ok()? })
}

/// Returns the members in which two runs differ; of a member that is an object, its first members
/// too: `files or settings of the testee ($MODE)`.
fn differing(one: &Value, other: &Value) -> Vec<String> {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return if one == other { vec![] } else { vec!["description".into()] };
    };
    let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
    let differ = keys.filter(|key| one.get(*key) != other.get(*key));
    let named = differ.map(|key| match (one.get(key), other.get(key)) {
        (Some(one @ Value::Object(_)), Some(other @ Value::Object(_))) => {
            let inner = differing(one, other);
            let rest = if inner.len() > NAMED { ", ..." } else { "" };
            format!("{key} ({}{rest})", inner[..inner.len().min(NAMED)].join(", "))
        }
        _ => key.clone(),
    });
    named.collect()
}

/// How many differing members of a member are named.
const NAMED: usize = 3;

/// Opens an existing file without changing it.
fn open_existing(path: &Path, write: bool) -> Result<File> {
    if let Some(problem) = not_regular(&fs::symlink_metadata(path)?) {
        bail!("{problem}, not a journal; name another file");
    }
    Ok(OpenOptions::new().read(true).write(write).open(path)?)
}

/// Reads a whole journal. Of a file that is not a journal, it reads only as many bytes as a
/// journal's first line begins with.
fn existing(file: &mut File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Read::by_ref(file).take(ANY_FORMAT.len() as u64).read_to_end(&mut bytes)?;
    if !is_journal(&bytes) {
        bail!("it is not a journal, and is left as it is; name another file");
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn lock(file: &File) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => bail!("it is being written by another run"),
        Err(TryLockError::Error(error)) => Err(error).context("it cannot be locked"),
    }
}

/// Does the path still name this open file?
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        there => there?,
    };
    Ok(identity(&file.metadata()?) == identity(&there))
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// On other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn place(path: &Path) -> String {
    format!("journal {}", sink::path(path))
}

fn because(doubt: &str) -> String {
    format!("because {doubt}; state a digest in the hello, or give --unchanged if nothing changed")
}

/// Returns the past of a journal that is begun anew for this reason.
fn anew(path: &Path, why: &str) -> Past {
    Past { notes: vec![format!("{} is begun anew, {why}", place(path))], records: vec![] }
}

#[cfg(test)]
mod tests;
