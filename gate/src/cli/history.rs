//! `castproof history`: what changed in a runtime from version to version.

use super::args::thread_count;
use super::print::print;
use super::record::finished;
use super::values::parse_time;
use crate::history::{self, FORMAT, HistoryFile, Version, VersionRow, changes, table};
use crate::output::{self, Output};
use crate::record::{self, AskedAs};
use crate::recordings::{Recorder, Recording};
use crate::sink;
use crate::testee::adapter::{self, NamedAdapter};
use crate::testee::release::{Release, chosen};
use crate::testee::{Subject, subject};
use anyhow::{Context, Result, bail};
use castproof_check::verdict::counted;
use clap::Args;
use serde_json::json;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The file of the history, beside the recordings.
const HISTORY: &str = "history.json";

/// `castproof history`
#[derive(Args)]
pub(super) struct History {
    /// The adapter of the runtime. Its adapter.toml lists the versions as [[history]].
    #[arg(long, value_name = "NAME")]
    adapter: String,
    /// The versions: `0.5.1,0.6.0`, `0.4.0..` or `0.4.0..0.5.4` [default: all that are listed].
    #[arg(long, value_name = "VERSIONS", default_value = "..", hide_default_value = true)]
    versions: String,
    /// The folder for the recordings, one file a version, and history.json. What was recorded there already is not
    /// asked again.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Keep the environments, in .venvs/history beside the folder of adapters. Without it each is removed once its version
    /// is recorded.
    #[arg(long)]
    keep: bool,
    /// How long to wait for an answer of the runtime.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
}

impl History {
    pub(super) fn run(self) -> Result<bool> {
        let (releases, environments) = adapter::releases(&self.adapter)?;
        let releases = chosen(&releases, &self.versions).context("--versions")?;
        fs::create_dir_all(&self.out)
            .with_context(|| format!("the folder {} cannot be made", sink::path(&self.out)))?;
        let (mut versions, mut lacking) = (Vec::new(), Vec::new());
        for (number, release) in releases.iter().enumerate() {
            let say = |what: &str| {
                let (version, all) = (&release.version, releases.len());
                // A lost line of progress changes nothing.
                let _ = writeln!(io::stderr(), "{} of {all}: {version}: {what}", number + 1);
            };
            match self.asked(release, &environments, &say) {
                Ok(recording) => {
                    let version = Version::of(&release.version, recording, thread_count(None));
                    let version = version.with_context(|| self.place(release))?;
                    match version.casts.is_empty() {
                        true => lacking.push(format!("{}: it casts nothing", release.version)),
                        false => versions.push((release, version)),
                    }
                }
                Err(problem) => lacking.push(format!("{}: {problem:#}", release.version)),
            }
        }
        if versions.is_empty() {
            bail!("no version could be asked: {}", lacking.join("; "));
        }
        let file = self.file(&versions);
        output::write(&self.out.join(HISTORY), serde_json::to_string_pretty(&file)? + "\n")?;
        let not_asked: String =
            lacking.iter().map(|it| format!("\nnot asked: {}", sink::line(it))).collect();
        print(&(table(&file) + &not_asked + if lacking.is_empty() { "" } else { "\n" }))?;
        Ok(lacking.is_empty())
    }

    fn place(&self, release: &Release) -> String {
        format!("recording {}", sink::path(&self.recording(release)))
    }

    fn recording(&self, release: &Release) -> PathBuf {
        self.out.join(format!("{}.bin", release.version))
    }

    /// Returns what a version answered: what was recorded before, or what it answers now.
    fn asked(
        &self,
        release: &Release,
        environments: &Path,
        say: &dyn Fn(&str),
    ) -> Result<Recording> {
        let path = self.recording(release);
        if path.exists() {
            let recording = Recording::read(&path)?;
            if recording.header.about.asked["packages"] == json!(release.packages) {
                say("recorded before");
                return Ok(recording);
            }
        }
        let python = release.python(&self.adapter, environments, say)?;
        let launch = adapter::launch_by(&self.adapter, &python)?;
        say("asking");
        let start = Instant::now();
        let options = history::options(thread_count(None));
        let recorder = Arc::new(Recorder::default());
        let timeout = self.timeout;
        record::record(&options, &recorder, &|| subject::start_by(launch.clone(), timeout))?;
        let mut asked = serde_json::to_value(AskedAs::of(&options))?;
        asked["packages"] = json!(release.packages);
        let subject = Subject::Adapter(NamedAdapter { name: self.adapter.clone(), variant: None });
        let (bytes, recording) = finished(&recorder, &subject, asked, Vec::new())?;
        let size = counted(bytes.len() as u64, "byte");
        Output::create(&path)?.commit(bytes)?;
        if !self.keep {
            release.remove(&self.adapter, environments)?;
        }
        say(&format!("recorded {size} in {} s", start.elapsed().as_secs()));
        Ok(recording)
    }

    fn file(&self, versions: &[(&Release, Version)]) -> HistoryFile {
        let row = |(release, version): &(&Release, Version)| {
            let (wrong, wrong_pairs) = version.wrong();
            let mut pairs: Vec<_> = version.casts.keys().map(|&(from, to, _)| (from, to)).collect();
            pairs.dedup();
            VersionRow {
                version: release.version.clone(),
                testee: version.testee.to_string(),
                packages: release.packages.clone(),
                pairs: pairs.len() as u64,
                codes: version.casts.values().map(|it| it.got.len() as u64).sum(),
                wrong,
                wrong_pairs,
            }
        };
        HistoryFile {
            format: FORMAT.into(),
            adapter: self.adapter.clone(),
            versions: versions.iter().map(row).collect(),
            changes: versions.windows(2).flat_map(|pair| changes(&pair[0].1, &pair[1].1)).collect(),
        }
    }
}
