//! Questions about tensors of several blocks.

use super::block::{ElementCodes, QuantizeBlock};
use super::layout::BlockLayout;
use crate::{BlockProfile, Bytes, DType, Hex, packed_len, unpack};
use serde::{Deserialize, Serialize};

/// A tensor that is quantised in blocks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuantizeTensor {
    /// The specification.
    pub profile: BlockProfile,
    /// Dtype of the numbers.
    pub from: DType,
    /// Dtype of the elements.
    pub to: DType,
    /// Dtype of the scales.
    pub scale: DType,
    /// How many numbers share a scale, along `axis`. The last block of a line may be shorter.
    pub block_size: u64,
    /// The largest magnitude of the tensor, a code of float32, where the profile has a scale of the
    /// tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<Hex>,
    /// The axis along which numbers share a scale.
    pub axis: u64,
    /// The shape of numbers and elements. That of the scales has one side for each block along `axis`.
    pub shape: Vec<u64>,
    /// The numbers, packed and little-endian, in row-major order.
    pub input: Bytes,
}

impl QuantizeTensor {
    /// Returns where the blocks lie.
    ///
    /// # Errors
    /// If the axis is outside of the shape, or the size of a block is 0.
    pub fn layout(&self) -> Result<BlockLayout, String> {
        BlockLayout::new(&self.shape, self.axis, self.block_size)
    }

    /// Returns how many numbers there are.
    pub fn count(&self) -> usize {
        self.input.0.len() * 8 / (self.from.bits() as usize).max(1)
    }

    /// Returns the codes of the numbers.
    ///
    /// # Errors
    /// If the input is not as long as the shape says.
    pub fn codes(&self) -> Result<Vec<u64>, String> {
        unpack(self.from, &self.input.0, crate::element_count(&self.shape)?)
    }

    /// Returns the length of an answer: the scales, packed and little-endian, then the packed elements.
    pub fn answer_len(&self) -> usize {
        let scales = self.layout().map_or(0, |layout| layout.scales());
        packed_len(self.scale, scales).unwrap_or(0) + packed_len(self.to, self.count()).unwrap_or(0)
    }

    /// Returns the question about a part of the tensor that is one block.
    pub fn block(&self, input: Bytes) -> QuantizeBlock {
        let QuantizeTensor { profile, from, to, scale, block_size, largest, .. } = *self;
        QuantizeBlock { profile, from, to, scale, block_size, largest, input }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.layout()?;
        self.codes()?;
        self.largest.map_or(Ok(()), |largest| largest.check(DType::Float32))
    }
}

/// The tensor that is this block alone.
impl From<&QuantizeBlock> for QuantizeTensor {
    fn from(block: &QuantizeBlock) -> QuantizeTensor {
        let QuantizeBlock { profile, from, to, scale, block_size, largest, ref input } = *block;
        let (axis, shape, input) = (0, vec![block.count() as u64], input.clone());
        QuantizeTensor { profile, from, to, scale, block_size, largest, axis, shape, input }
    }
}

/// The scales and the elements of a tensor as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TensorOfBlocks {
    /// The scales, packed and little-endian, in row-major order: a byte each, or four of float32. Where one is NaN, any NaN of its dtype is right.
    pub scales: Bytes,
    /// The elements, in row-major order.
    pub elements: ElementCodes,
}
