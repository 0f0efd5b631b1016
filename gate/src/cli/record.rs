//! `castproof record`: what an implementation answers, as a file; and the testee that answers from it.

use super::args::{SubjectArgs, apart, thread_count};
use super::print::print;
use super::values::{
    EveryVersion, Versions, asked_versions, parse_count, parse_pair, parse_profile, parse_time,
};
use crate::arrange::Arrangements;
use crate::gate::Options;
use crate::output::Output;
use crate::record::{self, AskedAs};
use crate::recordings::{About, Lacking, Recorder, Recording, Replaying};
use crate::sink;
use crate::testee::{self, Subject, Testee, adapter};
use anyhow::{Context, Result};
use castproof_check::verdict::counted;
use castproof_vectors::{DType, OneLine, Profile, Suite};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// Most testees that are started unless it is told how many.
const MOST_JOBS: usize = 8;

/// `castproof record`
#[derive(Args)]
pub(super) struct Record {
    #[command(flatten)]
    subject: SubjectArgs,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Record only this suite. Can be repeated. By default, every suite is recorded, and every profile
    /// that the testee's hello lists.
    #[arg(long, value_name = "NAME")]
    suite: Vec<Suite>,
    /// Record only the casts of this specification other than ONNX's, like rust-as.
    #[arg(long, value_name = "NAME", value_parser = parse_profile, conflicts_with = "suite")]
    profile: Option<Profile>,
    /// Record only the casts of these pairs, like float32:float16,int8:int4. Can be repeated.
    #[arg(long = "pair", value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    pairs: Vec<(DType, DType)>,
    /// Record a bare kernel: only the newest version of Cast, and no tests of refusals.
    #[arg(long)]
    kernel: bool,
    /// Ask every version of Cast in full, as `castproof gate --all-versions` does; with `=vectors`, for all vectors. An
    /// adapter.toml with `all-versions = true` or `"vectors"` asks for it.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "tensors")]
    #[arg(conflicts_with_all = ["kernel", "profile"])]
    all_versions: Option<EveryVersion>,
    /// The versions of Cast in which codes are arranged in tensors: newest, all (the same as --all-versions) or none
    /// [default: newest].
    #[arg(long, value_name = "VERSIONS")]
    arrangements: Option<Versions>,
    /// The seed from which the tensors of arrangements are drawn.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How long to wait for an answer of the testee.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
    /// Testees that work at once [default: one per core, at most 8, for `builtin` and for adapters whose
    /// adapter.toml says `parallel = true`; else 1].
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,
}

impl Record {
    pub(super) fn run(self) -> Result<bool> {
        let (subject, timeout) = (self.subject.subject()?, self.timeout);
        let (out, options) = (self.out.clone(), self.options(&subject)?);
        let inputs = subject.files().into_iter().chain(options.baseline.clone());
        apart(&[Some(&out)], inputs)?;
        let file = Output::create(&out)?;
        let recorder = Arc::new(Recorder::default());
        let reduced = record::record(&options, &recorder, &|| testee::start(&subject, timeout))?;
        let asked = serde_json::to_value(AskedAs::of(&options))?;
        let reduced = reduced.into_iter().map(Into::into).collect();
        let (bytes, recording) = finished(&recorder, &subject, asked, reduced)?;
        let length = bytes.len();
        file.commit(bytes)?;
        let header = &recording.header;
        let line = format!(
            "recorded {}: {} in {}, digest {}, {} in {}{}\n",
            header.testee,
            counted(header.questions, "question"),
            counted(header.parts, "part"),
            header.digest,
            counted(length as u64, "byte"),
            sink::path(&out),
            reduced_words(&recording),
        );
        let varying = varying(&recording).map_or(String::new(), |it| it + "\n");
        print(&(line + &varying))
    }

    fn options(self, subject: &Subject) -> Result<Options> {
        let adapter = match subject {
            Subject::Adapter(name) => Some(adapter::find(name)?),
            _ => None,
        };
        let baseline = adapter.as_ref().and_then(|it| it.baseline().map(Path::to_path_buf));
        let by_adapter = adapter.as_ref().map(|found| found.all_versions).unwrap_or_default();
        let (every_vector, arrangements) =
            asked_versions(self.all_versions, self.arrangements, by_adapter)?;
        let parallel = *subject == Subject::Builtin || adapter.is_some_and(|found| found.parallel);
        let suites = match self.profile {
            Some(profile) => vec![Suite::Profile(profile)],
            None => self.suite,
        };
        Ok(Options {
            suites,
            pairs: self.pairs,
            kernel: self.kernel,
            arrangements,
            every_vector,
            seed: self.seed,
            baseline,
            threads: thread_count(None),
            jobs: match self.jobs {
                None if parallel => thread_count(None).min(MOST_JOBS),
                jobs => jobs.map_or(1, NonZeroUsize::get),
            },
            ..Options::default()
        })
    }
}

/// Returns `; REDUCED: ...` for a recording that leaves something out.
fn reduced_words(recording: &Recording) -> String {
    let words: Vec<&str> = recording.header.about.reduced.iter().map(|it| &it[..]).collect();
    if words.is_empty() { String::new() } else { format!("; REDUCED: {}", words.join(", ")) }
}

/// Says that a runtime does not answer alike every time; `None`: it does.
fn varying(recording: &Recording) -> Option<String> {
    let varying = recording.header.varying;
    (varying > 0).then(|| {
        format!(
            "{} had another answer when asked again: the answers of this runtime vary, and so do its recordings",
            counted(varying, "question")
        )
    })
}

/// Ends a recording. Returns its bytes, and what is read of them again.
pub(super) fn finished(
    recorder: &Recorder,
    subject: &Subject,
    asked: serde_json::Value,
    reduced: Vec<OneLine>,
) -> Result<(Vec<u8>, Recording)> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let bytes = recorder.finish(About {
        subject: subject.into(),
        machine: machine().into(),
        date: now.into(),
        program: format!("castproof {}", env!("CARGO_PKG_VERSION")).into(),
        asked,
        reduced,
    })?;
    let recording = Recording::of(&bytes).context("what was recorded cannot be read again")?;
    Ok((bytes, recording))
}

/// Names this machine.
fn machine() -> String {
    // Linux alone has the file.
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{}, {processor} {system}", model.unwrap_or("an unnamed processor"))
}

/// A recording that the gate judges.
pub(super) struct Recorded {
    path: PathBuf,
    recording: Arc<Recording>,
    lacking: Arc<Mutex<Lacking>>,
    /// What is asked of every version, however it was recorded.
    all_versions: Option<EveryVersion>,
    /// What was recorded.
    pub(super) subject: Subject,
}

impl Recorded {
    /// Reads a file. What was not recorded of `all_versions` is lacking.
    pub(super) fn open(path: &Path, all_versions: Option<EveryVersion>) -> Result<Recorded> {
        let recording = Recording::read(path)?;
        let place = || format!("recording {}", sink::path(path));
        let subject = recording.header.about.subject.subject();
        let subject = subject.context("it does not name what was recorded").with_context(place)?;
        let lacking = again(&subject, path, &recording, all_versions).with_context(place)?;
        let lacking = Lacking::of(lacking);
        let (recording, lacking) = (Arc::new(recording), Arc::new(Mutex::new(lacking)));
        Ok(Recorded { path: path.into(), recording, lacking, all_versions, subject })
    }

    /// Returns a testee that answers from it.
    pub(super) fn testee(&self) -> Box<dyn Testee + Send> {
        Box::new(Replaying::new(&self.recording, &self.lacking))
    }

    /// Makes a run ask as it was asked, and say where the answers come from.
    pub(super) fn prepare(&self, options: &mut Options) -> Result<()> {
        let asked = AskedAs::read(&self.recording.header);
        asked.with_context(|| format!("recording {}", sink::path(&self.path)))?.apply(options);
        options.every_vector |= self.all_versions.is_some();
        if self.all_versions == Some(EveryVersion::Tensors) {
            options.arrangements = Arrangements::All;
        }
        let header = &self.recording.header;
        let about = &header.about;
        options.notes.push(format!(
            "recorded on {} on {}: {} in {}, digest {}{}",
            about.date,
            about.machine,
            counted(header.questions, "question"),
            counted(header.parts, "part"),
            header.digest,
            reduced_words(&self.recording),
        ));
        options.notes.extend(varying(&self.recording));
        Ok(())
    }
}

/// Returns the command that records the same again.
fn again(
    subject: &Subject,
    path: &Path,
    recording: &Recording,
    all_versions: Option<EveryVersion>,
) -> Result<String> {
    let AskedAs { seed, arrangements, vectors, .. } = AskedAs::read(&recording.header)?;
    let mut command = format!("castproof record {subject} --out {}", sink::path_word(path));
    if seed != 0 {
        command += &format!(" --seed {seed}");
    }
    if all_versions == Some(EveryVersion::Tensors) {
        return Ok(command + " --all-versions");
    }
    let of_vectors = all_versions == Some(EveryVersion::Vectors) || vectors == record::Vectors::All;
    if of_vectors && arrangements != record::NamedArrangements::All {
        command += " --all-versions=vectors";
    }
    if arrangements != record::NamedArrangements::Newest {
        let name = serde_json::to_value(arrangements)?;
        command += &format!(" --arrangements {}", name.as_str().unwrap_or("none"));
    }
    Ok(command)
}
