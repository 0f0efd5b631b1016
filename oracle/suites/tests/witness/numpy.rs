//! numpy and ml_dtypes in a Python process.

use castproof_vectors::DType;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The message if Python no longer answers.
const ENDED: &str = "oracle/suites/tests/witness/ml_dtypes_witness.py ended early: it lacks a dtype, or \
                     there is no ml_dtypes to import (run ./setup.sh)";

/// A Python process that casts; see `ml_dtypes_witness.py`.
pub(crate) struct Numpy {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Numpy {
    pub(crate) fn start() -> Numpy {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = here.join("../../.venv/bin/python");
        assert!(python.exists(), "there is no .venv with ml_dtypes: run ./setup.sh");
        let mut process = Command::new(python)
            .arg(here.join("tests/witness/ml_dtypes_witness.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python of .venv does not start: run ./setup.sh");
        let requests = process.stdin.take().expect("piped");
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        Numpy { process, requests, answers }
    }

    /// Returns numpy's results for these codes, or its message if it refuses the pair.
    pub(crate) fn cast(
        &mut self,
        from: DType,
        to: DType,
        codes: &[u64],
    ) -> Result<Vec<u64>, String> {
        let payload: Vec<u8> = codes.iter().flat_map(|code| code.to_le_bytes()).collect();
        let sent = writeln!(self.requests, "{from} {to} {}", codes.len())
            .and_then(|()| self.requests.write_all(&payload));
        sent.expect(ENDED);
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("Python answers");
        match line.as_str() {
            "ok\n" => {}
            "" => panic!("{ENDED}"),
            _ => return Err(line),
        }
        let mut payload = vec![0; codes.len() * 8];
        self.answers.read_exact(&mut payload).expect("one code for each");
        let code = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        Ok(payload.chunks(8).map(code).collect())
    }
}

impl Drop for Numpy {
    fn drop(&mut self) {
        // Both fail only if the process has already ended, which needs no action.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
