//! Framing: lines of JSON of bounded length, and payloads of an agreed length.

use super::message::PROTOCOL;
use castproof_vectors::one_line;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;
use std::io::{self, BufRead, Read, Write};

/// The longest line that is read, in bytes.
pub const MAX_LINE: usize = 1 << 20;

/// The errors that end a conversation.
#[derive(Debug)]
pub enum FrameError {
    /// The other side closed its end.
    Closed,
    /// Reading or writing failed.
    Io(io::Error),
    /// The input violates the protocol; the rest of the stream cannot be trusted.
    Malformed(String),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Closed => f.write_str("the other side closed the connection"),
            FrameError::Io(error) => write!(f, "the connection failed: {error}"),
            FrameError::Malformed(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for FrameError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FrameError::Io(error) => Some(error),
            FrameError::Closed | FrameError::Malformed(_) => None,
        }
    }
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> FrameError {
        FrameError::Io(error)
    }
}

/// Parses the message of a line.
pub(super) fn parse<T: DeserializeOwned>(line: &str, what: &str) -> Result<T, FrameError> {
    let parsed = if is_object(line) {
        serde_json::from_str(line).map_err(|error| one_line(&error.to_string()))
    } else {
        Err("it is not a JSON object".into())
    };
    parsed.map_err(|problem| {
        malformed(format!("'{}' is not a valid {what} of {PROTOCOL}: {problem}", excerpt(line)))
    })
}

/// Is a line of JSON an object? The parser would also read an array of the members in their order.
pub(super) fn is_object(line: &str) -> bool {
    line.trim_ascii_start().starts_with('{')
}

/// Reads one line without its end. An incomplete line means that the connection is closed.
pub(super) fn read_line(reader: &mut impl BufRead) -> Result<String, FrameError> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)?;
    if line.pop_if(|last| *last == b'\n').is_none() {
        return Err(if line.len() > MAX_LINE {
            malformed(format!("a line is longer than {MAX_LINE} bytes"))
        } else {
            FrameError::Closed
        });
    }
    String::from_utf8(line).map_err(|error| {
        malformed(format!("'{}' is not UTF-8", excerpt(&String::from_utf8_lossy(error.as_bytes()))))
    })
}

/// Reads exactly `length` bytes. Memory grows with the bytes that arrive, not with the announced
/// length.
pub(super) fn read_payload(
    reader: &mut impl BufRead,
    length: usize,
) -> Result<Vec<u8>, FrameError> {
    let mut payload = Vec::new();
    #[cfg(castproof_plant)]
    if castproof_vectors::plant::is_planted("announced-memory") {
        payload.reserve(length);
    }
    reader.take(length as u64).read_to_end(&mut payload)?;
    if payload.len() == length { Ok(payload) } else { Err(FrameError::Closed) }
}

pub(super) fn write_line(
    writer: &mut impl Write,
    message: &impl Serialize,
) -> Result<(), FrameError> {
    serde_json::to_writer(&mut *writer, message).map_err(io::Error::from)?;
    writer.write_all(b"\n")?;
    Ok(writer.flush()?)
}

pub(super) fn write_with_payload(
    writer: &mut impl Write,
    header: &impl Serialize,
    payload: &[u8],
) -> Result<(), FrameError> {
    serde_json::to_writer(&mut *writer, header).map_err(io::Error::from)?;
    writer.write_all(b"\n")?;
    writer.write_all(payload)?;
    Ok(writer.flush()?)
}

pub(super) fn malformed(problem: String) -> FrameError {
    FrameError::Malformed(problem)
}

/// Returns the beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 160;
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push_str("...");
    }
    one_line(&line)
}
