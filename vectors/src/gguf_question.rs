//! Questions about blocks of GGUF: bytes that become numbers.

use crate::{Bytes, DType, GgufType, packed_len};
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

#[cfg(test)]
mod tests {
    use super::*;

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
