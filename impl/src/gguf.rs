//! Blocks of GGUF decoded, field by field as they lie, in float32.

use crate::cast::Cast;
use crate::error::Error;
use crate::packed::check_bytes;
use crate::rules::Rules;
use crate::scalar::Scalar;
use castproof_vectors::{DType, GgufType};

/// The most elements of a block.
const MOST: usize = 256;

/// What the nibbles of IQ4_NL and IQ4_XS stand for.
const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// Decodes blocks of one type of GGUF.
///
/// ```
/// use castproof_impl::{DType, GgufDequantizer, GgufType};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let decoding = GgufDequantizer::new(GgufType::Q4_0, DType::Float32)?;
/// // The scale 0.5, then nibbles of 15 in the first half and of 6 in the second.
/// let mut block = [0x6f; 18];
/// block[..2].copy_from_slice(&[0x00, 0x38]);
/// let mut numbers = [0; 128];
/// decoding.run(&block, &mut numbers)?;
/// assert_eq!(numbers[..4], 3.5_f32.to_le_bytes());
/// assert_eq!(numbers[124..], (-1_f32).to_le_bytes());
/// # Ok(())
/// # }
/// ```
pub struct GgufDequantizer {
    kind: GgufType,
    /// From float16 to float32.
    half: Scalar,
    /// From float32. `None`: to float32.
    narrow: Option<Cast>,
}

impl GgufDequantizer {
    /// Makes the decoding of a type to numbers of `to`.
    ///
    /// # Errors
    /// [`Error::NoGguf`] if `to` is not float32, bfloat16 or float16.
    pub fn new(kind: GgufType, to: DType) -> Result<GgufDequantizer, Error> {
        if ![DType::Float32, DType::Bfloat16, DType::Float16].contains(&to) {
            return Err(Error::NoGguf { kind, to });
        }
        let half = Scalar::new(DType::Float16, DType::Float32, Rules::NEWEST)?;
        let narrow = (to != DType::Float32).then(|| Cast::new(DType::Float32, to)).transpose()?;
        Ok(GgufDequantizer { kind, half, narrow })
    }

    /// Decodes the whole blocks of `input`. Writes the numbers to `output`, little-endian.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if `input` is no whole blocks, or `output` is not as long as their numbers.
    pub fn run(&self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let record = self.kind.record();
        let blocks = input.len() / record.bytes;
        check_bytes("input", DType::Uint8, blocks * record.bytes, input.len())?;
        let to = self.narrow.as_ref().map_or(DType::Float32, Cast::to);
        check_bytes("output", to, blocks * record.elements, output.len())?;
        let size = record.elements * (to.bits() as usize / 8);
        let mut numbers = [0.0; MOST];
        let mut bytes = [0; 4 * MOST];
        for (block, output) in input.chunks(record.bytes).zip(output.chunks_mut(size)) {
            let numbers = &mut numbers[..record.elements];
            self.decode(block, numbers);
            for (number, bytes) in numbers.iter().zip(bytes.chunks_mut(4)) {
                bytes.copy_from_slice(&number.to_le_bytes());
            }
            let bytes = &bytes[..4 * record.elements];
            match &self.narrow {
                None => output.copy_from_slice(bytes),
                Some(narrow) => narrow.run(bytes, record.elements, output)?,
            }
        }
        Ok(())
    }

    fn half(&self, block: &[u8], at: usize) -> f32 {
        let code = u16::from_le_bytes([block[at], block[at + 1]]);
        f32::from_bits(self.half.convert(code.into()) as u32)
    }

    fn decode(&self, block: &[u8], out: &mut [f32]) {
        let half = |at| self.half(block, at);
        match self.kind {
            GgufType::F16 => out[0] = half(0),
            GgufType::BF16 => {
                out[0] = f32::from_bits(u32::from_le_bytes([0, 0, block[0], block[1]]));
            }
            GgufType::Q4_0 => nibbles(&block[2..], out, |q| f32::from(q as i8 - 8) * half(0)),
            GgufType::Q4_1 => nibbles(&block[4..], out, |q| f32::from(q) * half(0) + half(2)),
            GgufType::Q5_0 => {
                fives(&block[2..], out);
                out.iter_mut().for_each(|it| *it = (*it - 16.0) * half(0));
            }
            GgufType::Q5_1 => {
                fives(&block[4..], out);
                out.iter_mut().for_each(|it| *it = *it * half(0) + half(2));
            }
            GgufType::Q8_0 => bytes(&block[2..], half(0), out),
            GgufType::Q8_1 => bytes(&block[4..], half(0), out),
            GgufType::Q8_K => {
                let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
                bytes(&block[4..260], scale, out);
            }
            GgufType::IQ4_NL => {
                nibbles(&block[2..], out, |q| f32::from(LEVELS[usize::from(q)]) * half(0));
            }
            GgufType::Q2_K => q2_k(block, [half(80), half(82)], out),
            GgufType::Q3_K => q3_k(block, half(108), out),
            GgufType::Q4_K => q45_k(block, None, [half(0), half(2)], out),
            GgufType::Q5_K => q45_k(block, Some(&block[16..48]), [half(0), half(2)], out),
            GgufType::Q6_K => q6_k(block, half(208), out),
            GgufType::IQ4_XS => iq4_xs(block, half(0), out),
            GgufType::TQ1_0 => tq1_0(block, half(52), out),
            GgufType::TQ2_0 => {
                pairs(&block[..64], out);
                out.iter_mut().for_each(|it| *it = (*it - 1.0) * half(64));
            }
            GgufType::MXFP4 => nibbles(&block[1..], out, |q| twice_e2m1(q) * half_e8m0(block[0])),
            GgufType::NVFP4 => {
                for (group, out) in out.chunks_mut(16).enumerate() {
                    let scale = ue4m3(block[group]) / 2.0;
                    let at = 4 + 8 * group;
                    nibbles(&block[at..at + 8], out, |q| twice_e2m1(q) * scale);
                }
            }
            GgufType::Q1_0 => q1_0(&block[2..], half(0), out),
            GgufType::Q2_0 => q2_0(&block[2..], half(0), out),
        }
    }
}

/// A bit for each number, the lowest first: the scale with its sign or the opposite.
fn q1_0(bytes: &[u8], d: f32, out: &mut [f32]) {
    for (place, number) in out.iter_mut().enumerate() {
        let is_set = bytes[place / 8] & (1 << (place % 8)) != 0;
        *number = if is_set { d } else { -d };
    }
}

/// Four neighbours in a byte, the lowest pair of bits first.
fn q2_0(bytes: &[u8], d: f32, out: &mut [f32]) {
    for (four, byte) in out.chunks_mut(4).zip(bytes) {
        let mut rest = *byte;
        for number in four {
            *number = (f32::from(rest % 4) - 1.0) * d;
            rest /= 4;
        }
    }
}

/// Nibbles of whole bytes: the low ones are the first half of the numbers, the high ones the second half.
fn nibbles(bytes: &[u8], out: &mut [f32], number: impl Fn(u8) -> f32) {
    let (first, second) = out.split_at_mut(out.len() / 2);
    for ((byte, first), second) in bytes.iter().zip(first).zip(second) {
        (*first, *second) = (number(byte % 16), number(byte / 16));
    }
}

/// Four bytes with the fifth bits of 32 elements, then their nibbles. Gives 0 to 31.
fn fives(block: &[u8], out: &mut [f32]) {
    let mut fifth = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
    nibbles(&block[4..], out, f32::from);
    for number in out {
        *number += if fifth & 1 == 1 { 16.0 } else { 0.0 };
        fifth >>= 1;
    }
}

fn bytes(bytes: &[u8], scale: f32, out: &mut [f32]) {
    bytes.iter().zip(out).for_each(|(byte, out)| *out = f32::from(*byte as i8) * scale);
}

/// Runs of 32 bytes, whose pairs of bits are four runs of 32 numbers, the lowest pair first. Gives 0 to 3.
fn pairs(bytes: &[u8], out: &mut [f32]) {
    for (bytes, out) in bytes.chunks(32).zip(out.chunks_mut(128)) {
        for (pair, out) in out.chunks_mut(32).enumerate() {
            let number = |byte: &u8| f32::from(byte >> (2 * pair) & 3);
            bytes.iter().zip(out).for_each(|(byte, out)| *out = number(byte));
        }
    }
}

fn q2_k(block: &[u8], [d, minimum]: [f32; 2], out: &mut [f32]) {
    pairs(&block[16..80], out);
    for (scale, out) in block.iter().zip(out.chunks_mut(16)) {
        let (d, minimum) = (d * f32::from(scale % 16), minimum * f32::from(scale / 16));
        out.iter_mut().for_each(|it| *it = d * *it - minimum);
    }
}

fn q3_k(block: &[u8], d: f32, out: &mut [f32]) {
    pairs(&block[32..96], out);
    for (place, number) in out.iter_mut().enumerate() {
        if block[place % 32] & (1 << (place / 32)) == 0 {
            *number -= 4.0;
        }
    }
    // Of twelve bytes, eight hold the low nibbles of sixteen scales, and four their upper pairs.
    let packed = &block[96..108];
    for (group, out) in out.chunks_mut(16).enumerate() {
        let low = if group < 8 { packed[group] % 16 } else { packed[group - 8] / 16 };
        let high = packed[8 + group % 4] >> (2 * (group / 4)) & 3;
        let scale = d * (f32::from(high << 4 | low) - 32.0);
        out.iter_mut().for_each(|it| *it *= scale);
    }
}

/// Q4_K; Q5_K, if there are fifth bits.
fn q45_k(block: &[u8], fifth: Option<&[u8]>, [d, minimum]: [f32; 2], out: &mut [f32]) {
    let low = if fifth.is_some() { &block[48..176] } else { &block[16..144] };
    for (bytes, out) in low.chunks(32).zip(out.chunks_mut(64)) {
        nibbles(bytes, out, f32::from);
    }
    if let Some(fifth) = fifth {
        for (group, out) in out.chunks_mut(32).enumerate() {
            let upper = |byte: &u8| if byte >> group & 1 == 1 { 16.0 } else { 0.0 };
            out.iter_mut().zip(fifth).for_each(|(it, byte)| *it += upper(byte));
        }
    }
    // Three words of four bytes: the low six bits of the first two are scales and minima of groups 0 to 3. Their
    // upper two bits and the nibbles of the third word are those of groups 4 to 7.
    let word =
        |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
    let [first, second, third] = [word(4), word(8), word(12)];
    let six = 0x3f3f_3f3f;
    let upper = |word: u32| word >> 2 & 0x3030_3030;
    let scales = [first & six, third & 0x0f0f_0f0f | upper(first)];
    let minima = [second & six, third >> 4 & 0x0f0f_0f0f | upper(second)];
    for (group, out) in out.chunks_mut(32).enumerate() {
        let of = |words: [u32; 2]| f32::from(words[group / 4].to_le_bytes()[group % 4]);
        let (d, minimum) = (d * of(scales), minimum * of(minima));
        out.iter_mut().for_each(|it| *it = d * *it - minimum);
    }
}

fn q6_k(block: &[u8], d: f32, out: &mut [f32]) {
    let (low, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    for (half, out) in out.chunks_mut(128).enumerate() {
        // 64 bytes of nibbles: the low ones first.
        nibbles(&low[64 * half..64 * half + 64], out, f32::from);
        let mut upper = [0.0; 128];
        pairs(&high[32 * half..32 * half + 32], &mut upper);
        out.iter_mut().zip(upper).for_each(|(it, upper)| *it += 16.0 * upper - 32.0);
    }
    for (scale, out) in scales.iter().zip(out.chunks_mut(16)) {
        let scale = d * f32::from(*scale as i8);
        out.iter_mut().for_each(|it| *it *= scale);
    }
}

fn iq4_xs(block: &[u8], d: f32, out: &mut [f32]) {
    let mut high = u16::from_le_bytes([block[2], block[3]]);
    for (group, out) in out.chunks_mut(32).enumerate() {
        let low = block[4 + group / 2] >> (4 * (group % 2)) & 15;
        let scale = d * f32::from(low as i8 + 16 * (high & 3) as i8 - 32);
        high >>= 2;
        let bytes = &block[8 + 16 * group..24 + 16 * group];
        nibbles(bytes, out, |q| scale * f32::from(LEVELS[usize::from(q)]));
    }
}

/// 32 bytes of five digits, 16 of five, 4 of four. A digit of all bytes comes before the next digit.
fn tq1_0(block: &[u8], d: f32, out: &mut [f32]) {
    let (first, rest) = out.split_at_mut(160);
    let (second, third) = rest.split_at_mut(80);
    for (bytes, out) in [(&block[..32], first), (&block[32..48], second), (&block[48..52], third)] {
        let mut power: u8 = 1;
        for out in out.chunks_mut(bytes.len()) {
            for (byte, out) in bytes.iter().zip(out) {
                let digit = u16::from(byte.wrapping_mul(power)) * 3 / 256;
                *out = (f32::from(digit) - 1.0) * d;
            }
            power *= 3;
        }
    }
}

/// Twice the number of a code of float4e2m1; the code 8 is 0 without sign.
fn twice_e2m1(code: u8) -> f32 {
    let (exponent, mantissa) = (code >> 1 & 3, code & 1);
    let magnitude = match exponent {
        0 => mantissa,
        _ => (2 + mantissa) << (exponent - 1),
    };
    let magnitude = i8::try_from(magnitude).unwrap_or(0);
    f32::from(if code & 8 == 0 { magnitude } else { -magnitude })
}

/// 2^(code-128), of which the first two are subnormal.
fn half_e8m0(code: u8) -> f32 {
    f32::from_bits(match code {
        0 => 1 << 21,
        1 => 1 << 22,
        _ => u32::from(code - 1) << 23,
    })
}

/// A scale of NVFP4. Its sign is not read, and 0x7f is none.
fn ue4m3(code: u8) -> f32 {
    if code == 0x7f {
        return 0.0;
    }
    let (exponent, mantissa) = (u32::from(code >> 3 & 15), f32::from(code & 7));
    match exponent {
        0 => mantissa / 512.0,
        _ => f32::from_bits((exponent + 120) << 23) * (1.0 + mantissa / 8.0),
    }
}
