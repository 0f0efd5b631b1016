//! Digests of what was asked and answered in a part, so that answers are given to no other questions.

use super::asked::{Answer, Asked};
use blake3::Hasher;
use castproof_testee::Reply;
use std::io::Write;

/// After so many questions a byte of their digest is noted, by which one that was not recorded is found
/// soon.
pub(super) const STEP: u64 = 64;

/// Bytes of a digest that are kept.
pub(super) const DIGEST: usize = 8;

/// What a part was asked and answered so far.
#[derive(Default)]
pub(super) struct Trace {
    questions: Hasher,
    answers: Hasher,
    asked: u64,
    /// A byte for each whole step.
    marks: Vec<u8>,
}

impl Trace {
    /// Adds a question.
    pub(super) fn ask(&mut self, asked: Asked<'_>) {
        asked.write(&mut self.questions);
        self.asked += 1;
        if self.asked.is_multiple_of(STEP) {
            self.marks.push(self.questions.finalize().as_bytes()[0]);
        }
    }

    /// Adds the answer to the last question.
    pub(super) fn answer(&mut self, answer: &Answer) {
        let hasher = &mut self.answers;
        let (kind, text) = match answer {
            Reply::Output(returned) => {
                let dtype = returned.dtype.map_or("", |dtype| dtype.name());
                let line = format!("0 {dtype} {:?} {}\n", returned.shape, returned.bytes.len());
                // Writing to a digest does not fail.
                let _ = hasher.write_all(line.as_bytes());
                hasher.update(&returned.bytes);
                return;
            }
            Reply::Unsupported(text) => (1, text),
            Reply::Error(text) => (2, text),
            Reply::Crash(text) => (3, text),
            Reply::Timeout(text) => (4, text),
        };
        let _ = hasher.write_all(format!("{kind} {}\n{text}", text.len()).as_bytes());
    }

    pub(super) fn asked(&self) -> u64 {
        self.asked
    }

    pub(super) fn marks(&self) -> &[u8] {
        &self.marks
    }

    /// Returns the digests of the questions and of the answers.
    pub(super) fn digests(&self) -> [[u8; DIGEST]; 2] {
        [&self.questions, &self.answers].map(|hasher| {
            let digest = hasher.finalize();
            std::array::from_fn(|index| digest.as_bytes()[index])
        })
    }
}
