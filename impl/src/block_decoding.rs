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
    scales: Scales,
    /// To float32, which holds every element.
    widen: Cast,
    /// From float32, which holds every product that it does not take to infinity. `None`: to float32.
    narrow: Option<Cast>,
}

/// What codes of scales stand for.
#[allow(clippy::large_enum_variant, reason = "a decoder has one, and is made once")]
enum Scales {
    /// The scale of each code, in float32, which holds all of them.
    OfCodes([f32; 256]),
    /// Four bytes of float32, little-endian.
    Float32,
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
            BlockFormat::Fp8 => (128, Float32, from == Float8E4M3FN),
            BlockFormat::Fp8Ue8m0 => (128, Float8E8M0, from == Float8E4M3FN),
        };
        if !has_elements || ![Float32, Bfloat16, Float16].contains(&to) {
            return Err(none);
        }
        let scales = match scale {
            Float32 => Scales::Float32,
            _ => {
                let value = Scalar::new(scale, Float32, Rules::NEWEST)?;
                let of = |code| f32::from_bits(value.convert(code as u64) as u32);
                Scales::OfCodes(core::array::from_fn(of))
            }
        };
        let narrow = (to != Float32).then(|| Cast::new(Float32, to)).transpose()?;
        Ok(BlockDequantizer { size, scales, widen: Cast::new(from, Float32)?, narrow })
    }

    /// How many elements share a scale.
    pub fn block_size(&self) -> usize {
        self.size
    }

    /// Decodes a row of `count` packed elements, whose blocks lie one behind the other. `scales` has a
    /// code for each block, a byte, or four of float32, little-endian; also for a shorter last one (BD-07, BD-10). Writes the numbers to `output`,
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
        check_bytes("scales", self.scales.dtype(), count.div_ceil(self.size), scales.len())?;
        check_bytes("output", to, count, output.len())?;
        let length =
            |dtype: DType, count: usize| byte_len(dtype.bits() as usize, count).unwrap_or(0);
        let mut buffer = [0; 4 * AT_ONCE];
        let inputs = input.chunks(length(self.widen.from(), AT_ONCE));
        let outputs = output.chunks_mut(length(to, AT_ONCE));
        let scales = scales.chunks(length(self.scales.dtype(), AT_ONCE / self.size));
        for ((input, output), scales) in inputs.zip(outputs).zip(scales) {
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

    /// Multiplies the float32 of each block by its scale. Under a scale of a byte the product is exact or
    /// infinite: an element has at most 4 significant bits, and the smallest product, 2^-143, is a subnormal
    /// number. Under a float32 it is rounded once (BD-09).
    fn multiply(&self, numbers: &mut [u8], scales: &[u8]) {
        let width = self.scales.dtype().bits() as usize / 8;
        for (block, code) in numbers.chunks_mut(4 * self.size).zip(scales.chunks(width)) {
            let scale = self.scales.of(code);
            for number in block.as_chunks_mut::<4>().0 {
                *number = (f32::from_le_bytes(*number) * scale).to_le_bytes();
            }
        }
    }
}

impl Scales {
    /// The dtype of codes, as far as its width goes.
    const fn dtype(&self) -> DType {
        match self {
            Scales::OfCodes(_) => DType::Uint8,
            Scales::Float32 => DType::Float32,
        }
    }

    /// The scale with a code of this dtype.
    fn of(&self, code: &[u8]) -> f32 {
        match (self, code) {
            (Scales::OfCodes(scales), &[code]) => scales[usize::from(code)],
            (Scales::Float32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => unreachable!("the lengths were checked"),
        }
    }
}
