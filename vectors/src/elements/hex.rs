//! A code as files write it.

use crate::DType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A code in hex, in the full width of its dtype: `0x3c01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hex {
    value: u64,
    digits: usize,
}

impl Hex {
    /// Makes a code in the width of `dtype`.
    pub fn new(value: u64, dtype: DType) -> Hex {
        Hex { value, digits: dtype.hex_digits() }
    }

    /// Returns the code.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Does it have the digits of `dtype`, and does it fit?
    pub(crate) fn check(self, dtype: DType) -> Result<(), String> {
        if self.digits != dtype.hex_digits() {
            return Err(format!(
                "{self} has {} hex digits; a {dtype} code has {}",
                self.digits,
                dtype.hex_digits()
            ));
        }
        if self.value & !dtype.code_mask() != 0 {
            return Err(format!("{self} does not fit the {} bits of {dtype}", dtype.bits()));
        }
        Ok(())
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:0width$x}", self.value, width = self.digits)
    }
}

impl From<Hex> for String {
    fn from(hex: Hex) -> String {
        hex.to_string()
    }
}

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Hex, String> {
        let digits = text.strip_prefix("0x").unwrap_or("");
        let lower_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if digits.is_empty() || digits.len() > 16 || !digits.bytes().all(lower_hex) {
            return Err(format!(
                "'{text}' is not a code: write 0x and 1 to 16 lower-case hex digits"
            ));
        }
        let value = u64::from_str_radix(digits, 16).expect("at most 16 hex digits");
        Ok(Hex { value, digits: digits.len() })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Hex {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hex".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A code: the bit pattern of one element, right-aligned, in the full width of its dtype.",
            "type": "string",
            "pattern": "^0x[0-9a-f]{1,16}$"
        })
    }
}
