//! Blocks of GGUF made from float32, as ggml's reference quantisers make them.

use crate::error::Error;
use crate::packed::check_bytes;
use crate::rules::Rules;
use crate::scalar::Scalar;
use castproof_vectors::{DType, GgufType};

/// The most numbers of a block that is made.
const MOST: usize = 64;

/// The numbers of float4e2m1 without sign.
const E2M1: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

/// Makes blocks of one type of GGUF: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, MXFP4 or NVFP4.
///
/// ```
/// use castproof_impl::{GgufQuantizer, GgufType};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let making = GgufQuantizer::new(GgufType::Q8_0)?;
/// // 127 ones: the scale is 1, and each element 127.
/// let numbers = [127_f32; 32].map(f32::to_le_bytes);
/// let mut block = [0; 34];
/// making.run(numbers.as_flattened(), &mut block)?;
/// assert_eq!(block[..4], [0x00, 0x3c, 127, 127]);
/// # Ok(())
/// # }
/// ```
pub struct GgufQuantizer {
    kind: GgufType,
    /// From float32 to float16.
    half: Scalar,
}

impl GgufQuantizer {
    /// Makes the quantisation to a type.
    ///
    /// # Errors
    /// [`Error::NoGgufMaking`] if the type is another one.
    pub fn new(kind: GgufType) -> Result<GgufQuantizer, Error> {
        match kind {
            GgufType::Q4_0
            | GgufType::Q4_1
            | GgufType::Q5_0
            | GgufType::Q5_1
            | GgufType::Q8_0
            | GgufType::MXFP4
            | GgufType::NVFP4 => {
                let half = Scalar::new(DType::Float32, DType::Float16, Rules::NEWEST)?;
                Ok(GgufQuantizer { kind, half })
            }
            _ => Err(Error::NoGgufMaking { kind }),
        }
    }

    /// Quantises the numbers of whole blocks, float32 in little-endian bytes. Writes the blocks to `output`.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if `input` is not the numbers of whole blocks, or `output` is not as long as these.
    pub fn run(&self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let record = self.kind.record();
        let size = 4 * record.elements;
        let blocks = input.len() / size;
        check_bytes("input", DType::Float32, blocks * record.elements, input.len())?;
        check_bytes("output", DType::Uint8, blocks * record.bytes, output.len())?;
        let mut numbers = [0.0; MOST];
        for (input, block) in input.chunks(size).zip(output.chunks_mut(record.bytes)) {
            let numbers = &mut numbers[..record.elements];
            for (number, bytes) in numbers.iter_mut().zip(input.chunks(4)) {
                *number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            self.make(numbers, block);
        }
        Ok(())
    }

    fn make(&self, numbers: &[f32], block: &mut [u8]) {
        match self.kind {
            GgufType::Q4_0 => {
                let d = signed_peak(numbers) / -8.0;
                self.head(d, block);
                let id = inverse(d);
                nibbles(numbers, &mut block[2..], |x| step(x * id + 8.5, 15));
            }
            GgufType::Q5_0 => {
                let d = signed_peak(numbers) / -16.0;
                self.head(d, block);
                let id = inverse(d);
                fives(numbers, &mut block[2..], |x| step(x * id + 16.5, 31));
            }
            GgufType::Q4_1 => {
                let (d, least) = self.range(numbers, 15.0, block);
                let id = inverse(d);
                nibbles(numbers, &mut block[4..], |x| step((x - least) * id + 0.5, 15));
            }
            GgufType::Q5_1 => {
                let (d, least) = self.range(numbers, 31.0, block);
                let id = inverse(d);
                fives(numbers, &mut block[4..], |x| step((x - least) * id + 0.5, 31));
            }
            GgufType::MXFP4 => {
                block[0] = mx_code(peak(numbers));
                // The code c is 2^(c-127); 2^-127 is subnormal.
                let scale = match block[0] {
                    0 => f32::from_bits(1 << 22),
                    code => f32::from_bits(u32::from(code) << 23),
                };
                nibbles(numbers, &mut block[1..], |x| e2m1(x, scale));
            }
            GgufType::NVFP4 => {
                let (scales, elements) = block.split_at_mut(4);
                let groups = numbers.chunks(16).zip(elements.chunks_mut(8));
                for (scale, (numbers, elements)) in scales.iter_mut().zip(groups) {
                    *scale = ue4m3_code(peak(numbers) / 6.0);
                    let value = ue4m3_value(*scale);
                    nibbles(numbers, elements, |x| e2m1(x, value));
                }
            }
            _ => {
                let d = peak(numbers) / 127.0;
                self.head(d, block);
                let id = inverse(d);
                for (byte, x) in block[2..].iter_mut().zip(numbers) {
                    *byte = to_nearest(x * id) as u8;
                }
            }
        }
    }

    /// Stores a scale in the first two bytes.
    fn head(&self, d: f32, block: &mut [u8]) {
        let code = self.half.convert(d.to_bits().into()) as u16;
        block[..2].copy_from_slice(&code.to_le_bytes());
    }

    /// Stores and returns the step between the smallest and the largest number, and the smallest one.
    fn range(&self, numbers: &[f32], steps: f32, block: &mut [u8]) -> (f32, f32) {
        let mut ends = [f32::MAX, f32::MIN];
        for &x in numbers {
            if x < ends[0] {
                ends[0] = x;
            }
            if x > ends[1] {
                ends[1] = x;
            }
        }
        let d = (ends[1] - ends[0]) / steps;
        self.head(d, block);
        self.head(ends[0], &mut block[2..]);
        (d, ends[0])
    }
}

/// The largest magnitude; a NaN is none.
fn peak(numbers: &[f32]) -> f32 {
    signed_peak(numbers).abs()
}

/// The first number of the largest magnitude; a NaN is none.
fn signed_peak(numbers: &[f32]) -> f32 {
    let larger = |peak: f32, &x: &f32| if x.abs() > peak.abs() { x } else { peak };
    numbers.iter().fold(0.0, larger)
}

fn inverse(d: f32) -> f32 {
    if d == 0.0 { 0.0 } else { 1.0 / d }
}

/// A number above zero without its fraction, `most` at most.
fn step(x: f32, most: u8) -> u8 {
    (x as u8).min(most)
}

/// The nearest integer, halves away from zero.
fn to_nearest(x: f32) -> i8 {
    let whole = x as i8;
    let rest = x - f32::from(whole);
    if rest >= 0.5 {
        whole.saturating_add(1)
    } else if rest <= -0.5 {
        whole.saturating_sub(1)
    } else {
        whole
    }
}

/// The elements of the first half are the low nibbles, those of the second half the high ones.
fn nibbles(numbers: &[f32], bytes: &mut [u8], element: impl Fn(f32) -> u8) {
    let (first, second) = numbers.split_at(numbers.len() / 2);
    for (byte, (&low, &high)) in bytes.iter_mut().zip(first.iter().zip(second)) {
        *byte = element(low) % 16 + (element(high) << 4);
    }
}

/// Four bytes with the fifth bits of 32 elements, then their nibbles.
fn fives(numbers: &[f32], bytes: &mut [u8], element: impl Fn(f32) -> u8) {
    let fifth = |bits: u32, &x: &f32| bits >> 1 | u32::from(element(x) >> 4) << 31;
    let bits = numbers.iter().fold(0, fifth);
    bytes[..4].copy_from_slice(&bits.to_le_bytes());
    nibbles(numbers, &mut bytes[4..], element);
}

/// The code of the power of two that is a quarter of the one below the largest magnitude.
fn mx_code(peak: f32) -> u8 {
    match (peak.to_bits() >> 23) as u8 {
        // Zeros; below 2^-125, where the reference converts a negative number; infinity.
        0..=2 | 255 => 0,
        field => field - 2,
    }
}

/// The code of a scale of NVFP4: three bits behind the point, ties up, or units of 2^-9.
fn ue4m3_code(x: f32) -> u8 {
    if x < 0.015_625 {
        return step(x * 512.0 + 0.5, 7);
    }
    if x >= 248.0 {
        return 0x7e;
    }
    let rounded = (x.to_bits() + 0x0008_0000) >> 20;
    (rounded - (120 << 3)) as u8
}

/// The number of such a code.
fn ue4m3_value(code: u8) -> f32 {
    let mantissa = f32::from(code % 8);
    match code / 8 {
        0 => mantissa / 512.0,
        exponent => (8.0 + mantissa) * f32::from_bits((u32::from(exponent) + 117) << 23),
    }
}

/// The code of float4e2m1 that is nearest under a scale, of equal distances the smaller one. Zero has no sign, and what is no number is
/// zero. Distances are rounded: under the scale 448 all codes are as far from 2^42, which becomes zero as in the reference.
fn e2m1(x: f32, scale: f32) -> u8 {
    let magnitude = x.abs();
    let (mut best, mut least) = (0, magnitude);
    for (code, number) in (0..).zip(E2M1) {
        let distance = (number * scale - magnitude).abs();
        if distance < least {
            (best, least) = (code, distance);
        }
    }
    if best > 0 && x < 0.0 { best + 8 } else { best }
}
