//! Questions about blocks: numbers that share a scale.

use crate::{BlockProfile, Bytes, DType, Hex, packed_len, unpack};
use serde::{Deserialize, Serialize};

/// A block that is quantised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuantizeBlock {
    /// The specification.
    pub profile: BlockProfile,
    /// Dtype of the numbers.
    pub from: DType,
    /// Dtype of the elements.
    pub to: DType,
    /// Dtype of the scale.
    pub scale: DType,
    /// How many numbers share a scale.
    pub block_size: u64,
    /// The largest magnitude of the whole tensor, a code of float32, where the profile has a scale
    /// of the tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<Hex>,
    /// The numbers, packed and little-endian: a whole block, or the short last one of a tensor.
    pub input: Bytes,
}

impl QuantizeBlock {
    /// Returns the codes of the numbers.
    ///
    /// # Errors
    /// If the input is not a whole number of them.
    pub fn codes(&self) -> Result<Vec<u64>, String> {
        unpack(self.from, &self.input.0, self.count())
    }

    /// Returns how many numbers there are.
    pub fn count(&self) -> usize {
        self.input.0.len() * 8 / (self.from.bits() as usize).max(1)
    }

    /// Returns the length of an answer: the scale, little-endian, then the packed elements.
    pub fn answer_len(&self) -> usize {
        let scale = packed_len(self.scale, 1).unwrap_or(0);
        scale + packed_len(self.to, self.count()).unwrap_or(0)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if !(1..=self.block_size).contains(&(self.count() as u64)) {
            return Err(format!("{} numbers are not a block of {}", self.count(), self.block_size));
        }
        self.codes()?;
        self.largest.map_or(Ok(()), |largest| largest.check(DType::Float32))
    }
}

/// A scale and elements as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BlockAnswer {
    /// The scale. Where it is NaN, any NaN of its dtype is right.
    pub scale: Hex,
    /// The elements, in order.
    pub elements: ElementCodes,
}

/// Scales of a block whose scale is free, each with its elements. An answer with one of these scales must have the
/// elements beside it; under any other scale the test decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlockChoice {
    /// The scales with their elements.
    pub one_of: Vec<BlockAnswer>,
}

/// Codes of elements of at most 8 bits, in files as two hex digits each, not packed. An open
/// element, of which every code is right, is `..`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ElementCodes(pub Vec<Option<u8>>);

impl From<ElementCodes> for String {
    fn from(codes: ElementCodes) -> String {
        let code = |code: Option<u8>| code.map_or("..".into(), |code| format!("{code:02x}"));
        codes.0.into_iter().map(code).collect()
    }
}

impl TryFrom<String> for ElementCodes {
    type Error = String;

    fn try_from(text: String) -> Result<ElementCodes, String> {
        let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let code = |pair: &[u8]| match pair {
            b".." => Ok(None),
            [high, low] if is_digit(high) && is_digit(low) => {
                let digit = |byte: u8| (byte as char).to_digit(16).expect("a digit") as u8;
                Ok(Some(digit(*high) << 4 | digit(*low)))
            }
            _ => Err("elements are two lower-case hex digits each, or '..'".to_string()),
        };
        text.as_bytes().chunks(2).map(code).collect::<Result<_, _>>().map(ElementCodes)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ElementCodes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ElementCodes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Codes of elements, two hex digits each; `..` for an open element.",
            "type": "string",
            "pattern": "^([0-9a-f]{2}|[.]{2})+$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_as_they_are_written() {
        for text in ["7e..00", ".."] {
            let codes: ElementCodes = serde_json::from_str(&format!("{text:?}")).expect("elements");
            assert_eq!(String::from(codes), text);
        }
        for text in ["7", "7.", "7E", "0x"] {
            assert!(serde_json::from_str::<ElementCodes>(&format!("{text:?}")).is_err(), "{text}");
        }
    }
}
