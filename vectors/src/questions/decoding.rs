//! Questions about what blocks stand for: elements and scales that become numbers again.

use super::layout::BlockLayout;
use crate::{BlockFormat, Bytes, DType, Outcome, element_count, packed_len, unpack};
use serde::{Deserialize, Serialize};

/// A tensor of blocks that is decoded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DequantizeBlock {
    /// The format of the blocks.
    pub format: BlockFormat,
    /// Dtype of the elements.
    pub from: DType,
    /// Dtype of the numbers.
    pub to: DType,
    /// Dtype of the scales.
    pub scale: DType,
    /// How many elements share a scale, along `axis`. The last block of a row may be shorter.
    pub block_size: u64,
    /// The axis along which elements share a scale.
    pub axis: u64,
    /// The shape of elements and numbers. That of the scales has one side for each block along `axis`.
    pub shape: Vec<u64>,
    /// The scales, in row-major order.
    pub scales: Bytes,
    /// The elements, packed in row-major order.
    pub input: Bytes,
}

impl DequantizeBlock {
    /// Returns where the blocks lie.
    ///
    /// # Errors
    /// If the axis is outside of the shape, or the size of a block is 0.
    pub fn layout(&self) -> Result<BlockLayout, String> {
        BlockLayout::new(&self.shape, self.axis, self.block_size)
    }

    /// Returns how many numbers there are.
    ///
    /// # Errors
    /// If the shape holds more than memory does.
    pub fn count(&self) -> Result<usize, String> {
        element_count(&self.shape)
    }

    /// Returns the codes of the elements, each with that of its scale.
    ///
    /// # Errors
    /// If scales or elements are too few or too many for the shape, or the axis is outside of it.
    pub fn codes(&self) -> Result<Vec<(u64, u64)>, String> {
        let layout = self.layout()?;
        let scales = unpack(self.scale, &self.scales.0, layout.scales())
            .map_err(|problem| format!("scales: {problem}"))?;
        let elements = unpack(self.from, &self.input.0, self.count()?)?.into_iter().enumerate();
        Ok(elements.map(|(at, code)| (code, scales[layout.scale_of(at)])).collect())
    }

    /// Returns the length of an answer: the numbers, little-endian.
    pub fn answer_len(&self) -> usize {
        self.count().and_then(|count| packed_len(self.to, count)).unwrap_or(0)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.codes().map(|_| ())
    }
}

/// The numbers of a tensor as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NumbersAnswer {
    /// The numbers, in row-major order.
    pub numbers: NumberCodes,
}

/// Numbers that are due: in files the codes in hex, with all their digits, separated by spaces. `nan`
/// stands for any NaN, `any` for any code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NumberCodes {
    /// Bits of a code; 0 if every number is NaN or any, since the file does not say it then.
    bits: u32,
    due: Vec<Outcome>,
}

impl NumberCodes {
    /// Makes the numbers of a dtype, of which codes, any NaN and any code can be due.
    pub fn new(dtype: DType, due: Vec<Outcome>) -> NumberCodes {
        let has_codes = due.iter().any(|due| matches!(due, Outcome::Code(_)));
        NumberCodes { bits: if has_codes { dtype.bits() } else { 0 }, due }
    }

    /// Returns what is due of each number.
    pub fn due(&self) -> &[Outcome] {
        &self.due
    }
}

impl From<NumberCodes> for String {
    fn from(NumberCodes { bits, due }: NumberCodes) -> String {
        let digits = bits as usize / 4;
        let word = |due: &Outcome| match due {
            Outcome::Code(code) => format!("{code:0digits$x}"),
            Outcome::AnyNan => "nan".into(),
            _ => "any".into(),
        };
        due.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

impl TryFrom<String> for NumberCodes {
    type Error = String;

    fn try_from(text: String) -> Result<NumberCodes, String> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let mut digits = 0;
        let mut due = Vec::new();
        for word in text.split(' ') {
            due.push(match word {
                "nan" => Outcome::AnyNan,
                "any" => Outcome::Any,
                _ => {
                    let is_code = word.bytes().all(is_digit) && [4, 8].contains(&word.len());
                    if !is_code || (digits != 0 && digits != word.len()) {
                        return Err(format!(
                            "'{word}' is no number: write four or eight hex digits, 'nan' or 'any'"
                        ));
                    }
                    digits = word.len();
                    Outcome::Code(u64::from_str_radix(word, 16).map_err(|error| error.to_string())?)
                }
            });
        }
        Ok(NumberCodes { bits: digits as u32 * 4, due })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NumberCodes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NumberCodes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Codes of numbers in hex, separated by spaces; `nan` for any NaN, `any` for any code.",
            "type": "string",
            "pattern": "^([0-9a-f]{4}|[0-9a-f]{8}|nan|any)( ([0-9a-f]{4}|[0-9a-f]{8}|nan|any))*$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;

    /// Elements 0 to 11 of a tensor of this shape, with scales 100, 101 and so on.
    fn scales(shape: &[u64], axis: u64, block_size: u64) -> Result<Vec<u64>, String> {
        let count = element_count(shape)?;
        let along = shape.get(axis as usize).map_or(1, |&side| side.div_ceil(block_size.max(1)));
        let others = shape.iter().enumerate().filter(|(at, _)| *at as u64 != axis);
        let scales = others.map(|(_, side)| side).product::<u64>() * along;
        let question = DequantizeBlock {
            format: BlockFormat::Mx,
            from: DType::Float8E4M3FN,
            to: DType::Float32,
            scale: DType::Float8E8M0,
            block_size,
            axis,
            shape: shape.to_vec(),
            scales: Bytes((0..scales).map(|it| 100 + it as u8).collect()),
            input: Bytes(pack(DType::Float8E4M3FN, &(0..count as u64).collect::<Vec<_>>())?),
        };
        question.codes().map(|codes| codes.into_iter().map(|(_, scale)| scale - 100).collect())
    }

    #[test]
    fn elements_find_their_scale() {
        assert_eq!(scales(&[6], 0, 2), Ok(vec![0, 0, 1, 1, 2, 2]));
        // A shorter last block.
        assert_eq!(scales(&[5], 0, 3), Ok(vec![0, 0, 0, 1, 1]));
        assert_eq!(scales(&[2, 3], 1, 2), Ok(vec![0, 0, 1, 2, 2, 3]));
        // Along the rows: the scales are those of columns.
        assert_eq!(scales(&[3, 2], 0, 2), Ok(vec![0, 1, 0, 1, 2, 3]));
        assert_eq!(scales(&[2, 2, 2], 1, 2), Ok(vec![0, 1, 0, 1, 2, 3, 2, 3]));
        assert_eq!(scales(&[0, 3], 1, 2), Ok(vec![]));
        assert!(scales(&[4], 1, 2).unwrap_err().contains("axis 1 is outside"));
        assert!(scales(&[4], 0, 0).unwrap_err().contains("size 0"));
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for text in ["3f800000 nan any 00000000", "nan", "3f80 7f80"] {
            let codes: NumberCodes = serde_json::from_str(&format!("{text:?}")).expect("numbers");
            assert_eq!(String::from(codes), text);
        }
        for text in ["", "3f8", "3F80", "3f80 3f800000", "3f80  3f80"] {
            assert!(serde_json::from_str::<NumberCodes>(&format!("{text:?}")).is_err(), "{text}");
        }
    }
}
