//! Reading files that a user names: regular files alone, so that no read waits for ever or never
//! ends.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// The largest count that is read.
const LARGEST_COUNT: u64 = 1 << 48;

/// The text of a regular file.
///
/// # Errors
/// If it is a device, a pipe, a folder or a socket, too large, no text, or cannot be read.
pub fn read(path: &Path) -> Result<String> {
    let bytes = bytes(path)?;
    String::from_utf8(bytes).context("it is no text in UTF-8")
}

/// The bytes of a regular file.
///
/// # Errors
/// As [`read`].
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    // A pipe would wait for its writer as soon as it is opened. Links are followed.
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        bail!("it is larger than {LARGEST} bytes");
    }
    Ok(bytes)
}

/// Refuses a record whose counts are beyond what any run counts: their sums would not fit.
///
/// # Errors
/// If one is.
pub fn counts(record: &Value) -> Result<()> {
    match record {
        Value::Number(number) if number.as_u64().is_some_and(|count| count > LARGEST_COUNT) => {
            bail!("no run counts to {number}")
        }
        Value::Array(values) => values.iter().try_for_each(counts),
        Value::Object(members) => members.values().try_for_each(counts),
        _ => Ok(()),
    }
}

fn check(metadata: &fs::Metadata) -> Result<()> {
    if let Some(problem) = crate::output::not_regular(metadata) {
        bail!("{problem}, not a regular file");
    }
    if metadata.len() > LARGEST {
        bail!("it is larger than {LARGEST} bytes");
    }
    Ok(())
}
