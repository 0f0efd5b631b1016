//! SHA-256 in hex.

use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// Returns the SHA-256 in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 of all that a reader gives, which is not held in memory, in lower-case hex.
///
/// # Errors
/// Those of the reader.
pub fn sha256_hex_of(mut input: impl Read) -> io::Result<String> {
    let (mut digest, mut piece) = (Sha256::new(), [0; 1 << 13]);
    loop {
        match input.read(&mut piece)? {
            0 => return Ok(hex(&digest.finalize())),
            length => digest.update(&piece[..length]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    // Every question computes its id with this, so digits are not formatted one by one.
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}
