//! Peers in Python: `adapters/bench_peers.py`, kept running for all pairs.

use castproof_vectors::DType;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The names that answers may carry.
const NAMES: [&str; 2] = ["numpy", "onnxruntime"];

/// The running process.
pub(super) struct Python {
    child: Child,
    jobs: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Python {
    pub(super) fn start() -> Result<Python, String> {
        let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), ".."].iter().collect();
        let python = root.join(".venv/bin/python");
        let mut child = Command::new(&python)
            .arg(root.join("adapters/bench_peers.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}; run ./setup.sh", python.display()))?;
        let (Some(jobs), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("python: no pipes".into());
        };
        Ok(Python { child, jobs, answers: BufReader::new(answers) })
    }

    /// The time of one call by each peer that has the pair.
    pub(super) fn time(
        &mut self,
        from: DType,
        to: DType,
        elements: usize,
        repeats: usize,
    ) -> Result<Vec<(&'static str, Duration)>, String> {
        let job = json!({"from": from, "to": to, "elements": elements, "repeats": repeats});
        let gone = |error: &dyn std::fmt::Display| format!("adapters/bench_peers.py: {error}");
        writeln!(self.jobs, "{job}").map_err(|error| gone(&error))?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| gone(&error))?;
        if line.is_empty() {
            return Err(gone(&"it ended; its last words are above"));
        }
        let seconds: BTreeMap<String, f64> =
            serde_json::from_str(&line).map_err(|error| gone(&error))?;
        let of = |name: &'static str| {
            let seconds = *seconds.get(name)?;
            Some((name, Duration::try_from_secs_f64(seconds).ok()?))
        };
        Ok(NAMES.into_iter().filter_map(of).collect())
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may have ended by itself; its result does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
