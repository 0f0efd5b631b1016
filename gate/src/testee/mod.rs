//! Implementations under test: one inside this process, any other behind a pipe.

pub mod adapter;
pub mod builtin;
pub mod library;
pub mod process;
pub mod protocol;
pub mod serve;

use castproof_vectors::Request;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An implementation under test.
pub trait Testee {
    /// Who it says it is.
    fn identity(&self) -> &Identity;

    /// Casts `count` elements. `input` holds them packed and little-endian, and so does the
    /// output. A failure of any kind is a [`Reply`], so that the run goes on.
    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply;
}

/// Who a testee says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Name of the implementation.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language that it is called from; may be empty.
    pub language: String,
}

impl fmt::Display for Identity {
    /// `onnxruntime 1.31.1 (python)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)?;
        if !self.language.is_empty() {
            write!(f, " ({})", self.language)?;
        }
        Ok(())
    }
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The elements.
    Output(Vec<u8>),
    /// The testee has no such cast, and why.
    Unsupported(String),
    /// The testee failed, or broke the protocol.
    Error(String),
    /// The testee died.
    Crash(String),
    /// The testee did not answer in time.
    Timeout(String),
}
