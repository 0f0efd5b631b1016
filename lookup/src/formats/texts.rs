//! Codes and values as people read them.

use castproof_formats::{Format, Value, decode};
use castproof_oracle::written;

/// What is said of every format of P3109.
pub const DRAFT: &str = "IEEE P3109 is a draft: interim report 4.0";

/// Writes a value as it is read: `0.5`, `0x1p-149`, `inf`, `nan`. The sign of NaN is no part of it.
fn value_text(value: &Value) -> String {
    match value {
        Value::Nan { .. } => "nan".into(),
        _ => written(value),
    }
}

/// Writes the value of a code.
pub fn code_value(format: &Format, code: u64) -> String {
    decode(format, code).map_or_else(String::new, |value| value_text(&value))
}

/// Writes a code and its value: `0x7e (224)`.
pub fn code_text(format: &Format, code: u64) -> String {
    format!("{} ({})", format.hex(code), code_value(format, code))
}
