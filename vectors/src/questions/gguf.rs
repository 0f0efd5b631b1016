//! Questions about blocks of GGUF: bytes that become numbers, and numbers that become bytes.

use crate::{Bytes, DType, GgufType, packed_len, unpack};
use serde::{Deserialize, Serialize};

/// Blocks of a type of GGUF that are decoded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DequantizeGguf {
    /// The type of the blocks.
    #[serde(rename = "type")]
    pub kind: GgufType,
    /// Dtype of the numbers.
    pub to: DType,
    /// Whole blocks, one after the other.
    pub input: Bytes,
}

impl DequantizeGguf {
    /// Returns the blocks.
    ///
    /// # Errors
    /// If the bytes are no whole blocks.
    pub fn blocks(&self) -> Result<impl Iterator<Item = &[u8]>, String> {
        let (len, size) = (self.input.0.len(), self.kind.record().bytes);
        if len == 0 || len % size != 0 {
            return Err(format!(
                "{len} bytes are no whole blocks of {}: a block has {size} bytes",
                self.kind
            ));
        }
        Ok(self.input.0.chunks(size))
    }

    /// Returns how many numbers whole blocks hold.
    pub fn count(&self) -> usize {
        let record = self.kind.record();
        self.input.0.len() / record.bytes * record.elements
    }

    /// Returns the length of an answer: the numbers, little-endian.
    pub fn answer_len(&self) -> usize {
        packed_len(self.to, self.count()).unwrap_or(0)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.blocks().map(|_| ())
    }
}

/// Numbers that become blocks of a type of GGUF.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuantizeGguf {
    /// The type of the blocks.
    #[serde(rename = "type")]
    pub kind: GgufType,
    /// Dtype of the numbers: float32.
    pub from: DType,
    /// The numbers of whole blocks, one after the other, little-endian.
    pub input: Bytes,
}

impl QuantizeGguf {
    /// Returns the codes of the numbers, block by block.
    ///
    /// # Errors
    /// If the numbers are not float32, or not those of whole blocks.
    pub fn blocks(&self) -> Result<Vec<Vec<u64>>, String> {
        let QuantizeGguf { kind, from, input } = self;
        if *from != DType::Float32 {
            return Err(format!("{kind} is made from float32, not from {from}"));
        }
        let (len, elements) = (input.0.len(), kind.record().elements);
        if len == 0 || len % (4 * elements) != 0 {
            return Err(format!(
                "{len} bytes of numbers make no whole blocks of {kind}: a block is made from {} bytes, {elements} numbers of float32",
                4 * elements
            ));
        }
        input.0.chunks(4 * elements).map(|block| unpack(*from, block, elements)).collect()
    }

    /// Returns how many blocks the numbers make.
    pub fn count(&self) -> usize {
        self.input.0.len() / (4 * self.kind.record().elements)
    }

    /// Returns the length of an answer: the blocks.
    pub fn answer_len(&self) -> usize {
        self.count() * self.kind.record().bytes
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.blocks().map(|_| ())
    }
}

/// Blocks of GGUF as an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GgufBlocks {
    /// The bytes of the blocks, one after the other.
    pub blocks: Bytes,
    /// The bits that may be anything, as many bytes; absent if there are none. Such bits are 0 in `blocks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Bytes>,
}

impl GgufBlocks {
    /// Are these the bytes from this place on, apart from the bits that may be anything?
    pub fn admits(&self, from: usize, bytes: &[u8]) -> bool {
        let due = self.blocks.0.get(from..from + bytes.len());
        let is_due = |(place, (due, got)): (usize, (&u8, &u8))| {
            (due ^ got) & !self.open_at(from + place) == 0
        };
        due.is_some_and(|due| due.iter().zip(bytes).enumerate().all(is_due))
    }

    /// Returns the bits of a byte that may be anything.
    pub fn open_at(&self, place: usize) -> u8 {
        self.open.as_ref().and_then(|open| open.0.get(place).copied()).unwrap_or(0)
    }
}

/// Further blocks of GGUF that are accepted. Each block may be one of another reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GgufReadings {
    /// What each reading makes of all numbers.
    pub readings: Vec<GgufBlocks>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_whole_blocks() {
        let ask = |from, bytes: usize| QuantizeGguf {
            kind: GgufType::Q8_0,
            from,
            input: Bytes(vec![1; bytes]),
        };
        let two = ask(DType::Float32, 256);
        assert_eq!(two.blocks().expect("two blocks"), vec![vec![0x0101_0101; 32]; 2]);
        assert_eq!((two.count(), two.answer_len()), (2, 68));
        let said = ask(DType::Float32, 130).blocks().expect_err("no blocks");
        assert!(said.contains("130 bytes of numbers make no whole blocks of Q8_0"), "{said}");
        let said = ask(DType::Float16, 128).blocks().expect_err("no blocks");
        assert_eq!(said, "Q8_0 is made from float32, not from float16");
    }

    #[test]
    fn open_bits_are_not_compared() {
        let due = GgufBlocks { blocks: Bytes(vec![0x12, 0x30]), open: Some(Bytes(vec![0, 0x0f])) };
        assert!(due.admits(0, &[0x12, 0x3a]) && due.admits(1, &[0x3f]));
        assert!(!due.admits(0, &[0x12, 0x4a]) && !due.admits(1, &[0x30, 0x00]));
        assert!(!GgufBlocks { open: None, ..due }.admits(1, &[0x3f]));
    }

    #[test]
    fn blocks_are_whole() {
        let ask = |bytes: usize| DequantizeGguf {
            kind: GgufType::NVFP4,
            to: DType::Bfloat16,
            input: Bytes(vec![0; bytes]),
        };
        let two = ask(72);
        assert_eq!(two.blocks().expect("two blocks").count(), 2);
        assert_eq!((two.count(), two.answer_len()), (128, 256));
        for bytes in [0, 35, 37] {
            let said = ask(bytes).blocks().map(|_| ()).expect_err("no blocks");
            assert_eq!(
                said,
                format!("{bytes} bytes are no whole blocks of NVFP4: a block has 36 bytes")
            );
        }
    }
}
