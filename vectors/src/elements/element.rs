//! One element as files and messages write it: a code in hex, or the text of a string.

use super::hex::Hex;
use crate::DType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One element.
///
/// Files write both as JSON strings; the dtype tells them apart. A text that reads as a code is
/// kept as a code, so that every element has one form; see [`Element::text`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Element {
    /// The code of a numeric element.
    Code(Hex),
    /// The text of a string element.
    Text(String),
}

impl Element {
    /// Makes the element of a numeric dtype.
    pub fn code(code: u64, dtype: DType) -> Element {
        Element::Code(Hex::new(code, dtype))
    }

    /// Returns the code; `None` for a text that does not read as a code.
    pub fn as_code(&self) -> Option<u64> {
        match self {
            Element::Code(code) => Some(code.value()),
            Element::Text(_) => None,
        }
    }

    /// Returns the element as a string element holds it.
    pub fn text(&self) -> String {
        self.to_string()
    }

    /// Can it be an element of this dtype?
    pub(crate) fn check(&self, dtype: DType) -> Result<(), String> {
        match self {
            _ if dtype == DType::String => Ok(()),
            Element::Code(code) => code.check(dtype),
            Element::Text(text) => Hex::try_from(text.clone()).map(|_| ()),
        }
    }
}

impl From<String> for Element {
    fn from(text: String) -> Element {
        // Copied only if it may be a code, because a text can be long.
        match text.starts_with("0x").then(|| Hex::try_from(text.clone())) {
            Some(Ok(code)) => Element::Code(code),
            _ => Element::Text(text),
        }
    }
}

impl From<Element> for String {
    fn from(element: Element) -> String {
        match element {
            Element::Code(code) => code.to_string(),
            Element::Text(text) => text,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Code(code) => code.fmt(f),
            Element::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Element {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Element".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "One element: a code in hex, in the full width of its dtype, or the text of a string.",
            "type": "string"
        })
    }
}
