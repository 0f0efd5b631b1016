//! Bytes in files.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes, in files as lower-case hex without prefix, the first byte first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub Vec<u8>);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> String {
        bytes.to_string()
    }
}

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Bytes, String> {
        let lower_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if !text.len().is_multiple_of(2) || !text.bytes().all(lower_hex) {
            return Err("bytes are an even number of lower-case hex digits".into());
        }
        let byte = |pair: &[u8]| {
            let digit = |b: u8| (b as char).to_digit(16).expect("a hex digit") as u8;
            digit(pair[0]) << 4 | digit(pair[1])
        };
        Ok(Bytes(text.as_bytes().chunks_exact(2).map(byte).collect()))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Bytes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Bytes in hex, the first byte first.",
            "type": "string",
            "pattern": "^([0-9a-f]{2})*$"
        })
    }
}
