//! Blocks decoded: the numbers that elements under a scale stand for.

use crate::cast::Cast;
use crate::error::Error;
use crate::packed::{byte_len, check_bytes};
use crate::rules::Rules;
use crate::scalar::Scalar;
use castproof_vectors::{BlockFormat, DType};

/// Numbers that are decoded at once: whole blocks, whose packed elements end with a byte.
const AT_ONCE: usize = 1024;

/// Decodes rows of blocks: every element times the scale of its block (BD-01).
///
/// ```
/// use castproof_impl::{BlockDequantizer, BlockFormat, DType};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let decoding = BlockDequantizer::new(BlockFormat::Mx, DType::Float8E4M3FN, DType::Float32)?;
/// // 448, 1 and 2^-9 under the scale 2^-127, which a decoder must not take for 0.
/// let mut numbers = [0; 12];
/// decoding.run(&[0x7e, 0x38, 0x01], 3, &[0x00], &mut numbers)?;
/// let numbers: Vec<u32> = numbers.chunks(4).map(|it| u32::from_le_bytes(it.try_into().unwrap())).collect();
/// assert_eq!(numbers, [0x0460_0000, 0x0040_0000, 0x0000_2000]);
/// # Ok(())
/// # }
/// ```
pub struct BlockDequantizer {
    size: usize,
    /// The scale of each code, in float32, which holds all of them.
    scales: [f32; 256],
    /// To float32, which holds every element.
    widen: Cast,
    /// From float32, which holds every product that it does not take to infinity. `None`: to float32.
    narrow: Option<Cast>,
}

impl BlockDequantizer {
    /// Makes the decoding of elements of `from` to numbers of `to`.
    ///
    /// # Errors
    /// [`Error::NoDecoding`] if the format does not have these dtypes.
    pub fn new(format: BlockFormat, from: DType, to: DType) -> Result<BlockDequantizer, Error> {
        use DType::*;
        let none = Error::NoDecoding { format, from, to };
        let (size, scale, has_elements) = match format {
            BlockFormat::Mx => {
                let elements = [Float8E4M3FN, Float8E5M2, Float6E3M2, Float6E2M3, Float4E2M1];
                (32, Float8E8M0, elements.contains(&from))
            }
            BlockFormat::Nvfp4 => (16, Float8E4M3FN, from == Float4E2M1),
        };
        if !has_elements || ![Float32, Bfloat16, Float16].contains(&to) {
            return Err(none);
        }
        let value = Scalar::new(scale, Float32, Rules::NEWEST)?;
        let scales = core::array::from_fn(|code| f32::from_bits(value.convert(code as u64) as u32));
        let narrow = (to != Float32).then(|| Cast::new(Float32, to)).transpose()?;
        Ok(BlockDequantizer { size, scales, widen: Cast::new(from, Float32)?, narrow })
    }

    /// How many elements share a scale.
    pub fn block_size(&self) -> usize {
        self.size
    }

    /// Decodes a row of `count` packed elements, whose blocks lie one behind the other. `scales` has a
    /// code for each block, also for a shorter last one (BD-07). Writes the numbers to `output`,
    /// little-endian.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if `input`, `scales` or `output` is not as long as `count` says.
    pub fn run(
        &self,
        input: &[u8],
        count: usize,
        scales: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let to = self.narrow.as_ref().map_or(DType::Float32, Cast::to);
        check_bytes("input", self.widen.from(), count, input.len())?;
        check_bytes("scales", DType::Uint8, count.div_ceil(self.size), scales.len())?;
        check_bytes("output", to, count, output.len())?;
        let length =
            |dtype: DType, count: usize| byte_len(dtype.bits() as usize, count).unwrap_or(0);
        let mut buffer = [0; 4 * AT_ONCE];
        let inputs = input.chunks(length(self.widen.from(), AT_ONCE));
        let outputs = output.chunks_mut(length(to, AT_ONCE));
        for ((input, output), scales) in inputs.zip(outputs).zip(scales.chunks(AT_ONCE / self.size))
        {
            let count = output.len() / length(to, 1);
            match &self.narrow {
                None => {
                    self.widen.run(input, count, output)?;
                    self.multiply(output, scales);
                }
                Some(narrow) => {
                    let numbers = &mut buffer[..4 * count];
                    self.widen.run(input, count, numbers)?;
                    self.multiply(numbers, scales);
                    narrow.run(numbers, count, output)?;
                }
            }
        }
        Ok(())
    }

    /// Multiplies the float32 of each block by its scale. The product is exact or infinite: an
    /// element has at most 4 significant bits, and the smallest product, 2^-143, is a subnormal number.
    fn multiply(&self, numbers: &mut [u8], scales: &[u8]) {
        for (block, &scale) in numbers.chunks_mut(4 * self.size).zip(scales) {
            let scale = self.scales[usize::from(scale)];
            for number in block.as_chunks_mut::<4>().0 {
                *number = (f32::from_le_bytes(*number) * scale).to_le_bytes();
            }
        }
    }
}
