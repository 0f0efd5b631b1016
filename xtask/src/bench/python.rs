//! Peers in Python: `adapters/bench_peers.py`, kept running for all pairs.

use castproof_vectors::DType;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The environments that hold peers, and the peers in each.
const ENVIRONMENTS: [(&str, &[&str]); 2] =
    [(".venv", &["numpy", "onnxruntime"]), (".venvs/torch", &["torch"])];

/// One running process.
pub(super) struct Python {
    child: Child,
    jobs: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The peers that it times, each with its version.
    pub(super) peers: BTreeMap<String, String>,
}

impl Python {
    /// Starts a process for each environment. The first must be there; the others are started where
    /// they are installed.
    pub(super) fn start_all() -> Result<Vec<Python>, String> {
        let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), ".."].iter().collect();
        let there = |folder: &str| root.join(folder).join("bin/python").exists();
        let [(first, _), ..] = ENVIRONMENTS;
        let environments = ENVIRONMENTS.iter().filter(|(it, _)| *it == first || there(it));
        environments.map(|(folder, names)| Python::start(&root, folder, names)).collect()
    }

    fn start(root: &std::path::Path, environment: &str, names: &[&str]) -> Result<Python, String> {
        let python = root.join(environment).join("bin/python");
        let mut child = Command::new(&python)
            .arg(root.join("adapters/bench_peers.py"))
            .args(names)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}; run ./setup.sh", python.display()))?;
        let (Some(jobs), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("python: no pipes".into());
        };
        let answers = BufReader::new(answers);
        let mut python = Python { child, jobs, answers, peers: BTreeMap::new() };
        python.peers = python.answer()?;
        Ok(python)
    }

    /// The time of one call by each peer that has the pair.
    pub(super) fn time(
        &mut self,
        from: DType,
        to: DType,
        elements: usize,
        repeats: usize,
    ) -> Result<Vec<(String, Duration)>, String> {
        self.ask(&json!({"from": from, "to": to, "elements": elements, "repeats": repeats}))
    }

    /// The time of one quantisation of a row of blocks of float32, by each peer that has the profile.
    pub(super) fn time_blocks(
        &mut self,
        profile: &str,
        to: DType,
        elements: usize,
        repeats: usize,
    ) -> Result<Vec<(String, Duration)>, String> {
        self.ask(&json!({"profile": profile, "to": to, "elements": elements, "repeats": repeats}))
    }

    fn ask(&mut self, job: &Value) -> Result<Vec<(String, Duration)>, String> {
        writeln!(self.jobs, "{job}").map_err(|error| gone(&error))?;
        let seconds: BTreeMap<String, f64> = self.answer()?;
        let time = |(name, seconds)| {
            Ok((name, Duration::try_from_secs_f64(seconds).map_err(|error| gone(&error))?))
        };
        seconds.into_iter().map(time).collect()
    }

    fn answer<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| gone(&error))?;
        if line.is_empty() {
            return Err(gone(&"it ended; its last words are above"));
        }
        serde_json::from_str(&line).map_err(|error| gone(&error))
    }
}

fn gone(error: &dyn Display) -> String {
    format!("adapters/bench_peers.py: {error}")
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may have ended by itself; its result does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
