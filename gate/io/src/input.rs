//! Reading files that a user names. Only regular files are read, so that every read ends.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// The largest count that is read.
const LARGEST_COUNT: u64 = 1 << 48;

/// Reads a regular file as text.
///
/// # Errors
/// If it is a device, a pipe, a folder or a socket, is too large, is not text, or cannot be read.
pub fn read(path: &Path) -> Result<String> {
    let bytes = bytes(path)?;
    String::from_utf8(bytes).context("it is not text in UTF-8; save it as UTF-8")
}

/// Reads the bytes of a regular file.
///
/// # Errors
/// The same as those of [`read`].
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    // Opening a pipe would block until a writer opens it. Links are followed.
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

/// The only member that may be larger: results of a request change at so many codes of its source, of
/// which a run visits some. It is compared, and never summed.
const UNCOUNTED: &str = "breakpoints";

/// Refuses a record with a count that no run reaches, because sums of such counts could overflow.
///
/// # Errors
/// If a count is too large.
pub fn counts(record: &Value) -> Result<()> {
    match record {
        Value::Number(number) if number.as_u64().is_some_and(|count| count > LARGEST_COUNT) => {
            bail!("no run counts to {number}")
        }
        Value::Array(values) => values.iter().try_for_each(counts),
        Value::Object(members) => {
            let mut counted = members.iter().filter(|(name, _)| *name != UNCOUNTED);
            counted.try_for_each(|(_, value)| counts(value))
        }
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
