//! A format: its card, and all codes where they are few.

use crate::element::fields;
use castproof_formats::Format;
use castproof_lookup::{dtypes, formats};
use castproof_vectors::DType;
use serde_json::{Value as Json, json};

/// The widest format whose codes the page lists.
const LISTED: u32 = 8;

/// Returns the record of a float format or of another dtype.
pub(crate) fn json(name: &str) -> Result<Json, String> {
    let dtype = DType::named(name).ok();
    let format = match (formats::named(name), dtype) {
        (Ok(format), _) => Some(format),
        (Err(_), Some(_)) => None,
        (Err(error), None) => return Err(error.to_string()),
    };
    let dtype = format.as_ref().map_or(dtype, |it| it.name.parse().ok());
    Ok(json!({
        "format": format.as_ref().map(record).transpose()?,
        "dtype": dtype.map(dtypes::record),
        "fields": match (&format, dtype) {
            (Some(it), _) => [u32::from(it.signed), it.exponent_bits(), it.trailing_bits()],
            (None, Some(dtype)) => fields(dtype),
            (None, None) => [0; 3],
        },
    }))
}

fn record(format: &Format) -> Result<Json, String> {
    let text = formats::json(format, format.bits <= LISTED).map_err(|it| it.to_string())?;
    serde_json::from_str(&text).map_err(|it| it.to_string())
}
