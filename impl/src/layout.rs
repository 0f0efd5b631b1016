//! Layouts of codes in bytes: nibbles, words of GPTQ, AWQ, Marlin and compressed-tensors, tiles of scales.

mod slots;

use crate::error::Error;
use castproof_vectors::{CodeLayout, DType, LayoutForm};
use slots::{each_slot, tile_rows};

/// Puts the codes of matrices into the bytes of a layout, and takes them out.
///
/// Codes stand row by row, each in as many whole bytes as it needs: one for up to 8 bits, four for 32.
///
/// ```
/// use castproof_impl::{CodeLayout, LayoutPacker};
///
/// // The codes 0 to 7 in the order of AWQ: the word 75316420, which is little-endian.
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let awq = CodeLayout::named("awq").expect("a layout");
/// let packer = LayoutPacker::new(awq, 1, 1, 8)?;
/// let (mut bytes, mut codes) = ([0; 4], [0; 8]);
/// packer.pack(&[0, 1, 2, 3, 4, 5, 6, 7], &mut bytes)?;
/// assert_eq!(bytes, [0x20, 0x64, 0x31, 0x75]);
/// packer.unpack(&bytes, &mut codes)?;
/// assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LayoutPacker {
    layout: CodeLayout,
    batch: usize,
    rows: usize,
    columns: usize,
}

impl LayoutPacker {
    /// Takes a layout, how many matrices there are, and their rows and columns.
    ///
    /// # Errors
    /// [`Error::NoLayoutShape`] if the layout has no such matrices: the sides are no multiples of its tiles, a side is 0, or there are
    /// several matrices in a layout without batches.
    pub fn new(
        layout: CodeLayout,
        batch: usize,
        rows: usize,
        columns: usize,
    ) -> Result<LayoutPacker, Error> {
        let (row_unit, column_unit) = units(layout);
        let is_whole = rows.is_multiple_of(row_unit) && columns.is_multiple_of(column_unit);
        let is_batch = batch == 1 || tile_rows(layout.form()) == Some(128);
        let is_small = rows.checked_mul(columns).and_then(|it| it.checked_mul(batch)).is_some();
        if batch == 0 || rows == 0 || columns == 0 || !is_whole || !is_batch || !is_small {
            return Err(Error::NoLayoutShape { layout, rows: row_unit, columns: column_unit });
        }
        Ok(LayoutPacker { layout, batch, rows, columns })
    }

    /// How many codes there are.
    pub fn count(&self) -> usize {
        self.batch * self.rows * self.columns
    }

    /// How many bytes the layout takes.
    pub fn packed_len(&self) -> usize {
        self.batch * self.matrix_len()
    }

    /// The bytes of one matrix.
    fn matrix_len(&self) -> usize {
        let bits = self.layout.bits() as usize;
        match self.line() {
            Some(line) => 4 * line.words(bits) * line.lines,
            None => {
                let mut slots = 0;
                each_slot(self.layout, self.rows, self.columns, &mut |_| slots += 1);
                slots * bits / 8
            }
        }
    }

    /// Puts codes into bytes. Bytes that may be anything become 0.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if a slice has another length than [`LayoutPacker::count`] and [`LayoutPacker::packed_len`] say,
    /// [`Error::NoLayoutCode`] if a code has too many bits, or is a zero point 0 where the layout has none.
    pub fn pack(&self, codes: &[u8], bytes: &mut [u8]) -> Result<(), Error> {
        self.check(codes.len(), bytes.len(), ["input", "output"])?;
        let (codes_of_one, bytes_of_one) = (codes.len() / self.batch, bytes.len() / self.batch);
        let matrices = codes.chunks(codes_of_one).zip(bytes.chunks_mut(bytes_of_one));
        for (matrix, (codes, bytes)) in matrices.enumerate() {
            let width = self.layout.width();
            for (index, code) in codes.chunks(width).enumerate() {
                if width == 1 && !self.has(code[0]) {
                    let index = matrix * self.rows * self.columns + index;
                    return Err(Error::NoLayoutCode { layout: self.layout, index });
                }
            }
            match self.line() {
                Some(line) => self.pack_lines(line, codes, bytes),
                None => self.pack_slots(codes, bytes),
            }
        }
        Ok(())
    }

    /// Takes codes out of bytes.
    ///
    /// # Errors
    /// [`Error::ByteLength`] as for [`LayoutPacker::pack`].
    pub fn unpack(&self, bytes: &[u8], codes: &mut [u8]) -> Result<(), Error> {
        self.check(codes.len(), bytes.len(), ["output", "input"])?;
        let (codes_of_one, bytes_of_one) = (codes.len() / self.batch, bytes.len() / self.batch);
        for (codes, bytes) in codes.chunks_mut(codes_of_one).zip(bytes.chunks(bytes_of_one)) {
            match self.line() {
                Some(line) => self.unpack_lines(line, bytes, codes),
                None => self.unpack_slots(bytes, codes),
            }
        }
        Ok(())
    }

    fn check(&self, codes: usize, bytes: usize, sides: [&'static str; 2]) -> Result<(), Error> {
        let due = [self.count() * self.layout.width(), self.packed_len()];
        for ((side, expected), actual) in sides.into_iter().zip(due).zip([codes, bytes]) {
            if expected != actual {
                let (dtype, count) = (DType::Uint8, expected);
                return Err(Error::ByteLength { side, dtype, count, expected, actual });
            }
        }
        Ok(())
    }

    /// Does the layout have this code?
    fn has(&self, code: u8) -> bool {
        let least = u8::from(self.layout.form() == LayoutForm::GptqZerosV1);
        code >= least && u32::from(code) < 1 << self.layout.bits()
    }

    /// What is stored for a code, of up to 8 bits. The highest bit of a signed integer is turned around.
    fn stored(&self, code: u8) -> u8 {
        let bits = self.layout.bits();
        match self.layout.form() {
            LayoutForm::CompressedTensors | LayoutForm::CompressedTensorsZeros => {
                code ^ (0x80 >> (8 - bits))
            }
            LayoutForm::GptqZerosV1 | LayoutForm::GptqZerosV1Field => {
                code.wrapping_sub(1) & (0xff >> (8 - bits))
            }
            _ => code,
        }
    }

    /// The code for which this is stored.
    fn restored(&self, stored: u8) -> u8 {
        let mask = 0xff_u8.checked_shr(8 - self.layout.bits().min(8)).unwrap_or(0);
        match self.layout.form() {
            LayoutForm::GptqZerosV1 | LayoutForm::GptqZerosV1Field => stored.wrapping_add(1) & mask,
            _ => self.stored(stored),
        }
    }

    /// What each word of zero points differs by from the one of version 2.
    fn lessened(&self) -> u32 {
        match self.layout.form() {
            LayoutForm::GptqZerosV1Word => u32::MAX / ((1 << self.layout.bits()) - 1),
            _ => 0,
        }
    }
}

/// Codes that fill words of 32 bits, line by line.
#[derive(Clone, Copy)]
struct Line {
    lines: usize,
    codes: usize,
    /// From a code to the next one, and from a line to the next one.
    step: usize,
    to_next: usize,
    /// From a word to the next one, and from a line's first word to that of the next line.
    word_step: usize,
    word_to_next: usize,
}

impl Line {
    fn words(&self, bits: usize) -> usize {
        (self.codes * bits).div_ceil(32)
    }
}

impl LayoutPacker {
    /// How the codes of a matrix fill words; `None` if they do not fill them in lines.
    fn line(&self) -> Option<Line> {
        use LayoutForm::*;
        let (rows, columns, bits) = (self.rows, self.columns, self.layout.bits() as usize);
        match self.layout.form() {
            CompressedTensors | GptqZerosV2 | GptqZerosV1 | GptqZerosV1Word | GptqZerosV1Field => {
                let word_to_next = (columns * bits).div_ceil(32);
                Some(Line {
                    lines: rows,
                    codes: columns,
                    step: 1,
                    to_next: columns,
                    word_step: 1,
                    word_to_next,
                })
            }
            CompressedTensorsZeros | Gptq => Some(Line {
                lines: columns,
                codes: rows,
                step: columns,
                to_next: 1,
                word_step: columns,
                word_to_next: 1,
            }),
            _ => None,
        }
    }

    fn pack_lines(&self, line: Line, codes: &[u8], bytes: &mut [u8]) {
        let bits = self.layout.bits();
        for number in 0..line.lines {
            let (mut held, mut filled, mut word) = (0u64, 0, number * line.word_to_next);
            let mut write = |held: u64| {
                let stored = (held as u32).wrapping_sub(self.lessened());
                bytes[4 * word..4 * word + 4].copy_from_slice(&stored.to_le_bytes());
                word += line.word_step;
            };
            for place in 0..line.codes {
                let code = self.stored(codes[number * line.to_next + place * line.step]);
                held |= u64::from(code) << filled;
                filled += bits;
                if filled >= 32 {
                    write(held);
                    held >>= 32;
                    filled -= 32;
                }
            }
            if filled > 0 {
                write(held);
            }
        }
    }

    fn unpack_lines(&self, line: Line, bytes: &[u8], codes: &mut [u8]) {
        let bits = self.layout.bits();
        for number in 0..line.lines {
            let (mut held, mut left, mut word) = (0u64, 0, number * line.word_to_next);
            for place in 0..line.codes {
                if left < bits {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|byte| bytes[4 * word + byte]);
                    let read = u32::from_le_bytes([a, b, c, d]).wrapping_add(self.lessened());
                    held |= u64::from(read) << left;
                    left += 32;
                    word += line.word_step;
                }
                let stored = (held & ((1 << bits) - 1)) as u8;
                held >>= bits;
                left -= bits;
                codes[number * line.to_next + place * line.step] = self.restored(stored);
            }
        }
    }

    fn pack_slots(&self, codes: &[u8], bytes: &mut [u8]) {
        let padding = if self.layout.form() == LayoutForm::Swizzle128x4One { 0x7f } else { 0 };
        let mut slot = 0;
        each_slot(self.layout, self.rows, self.columns, &mut |code| {
            match self.layout.bits() {
                4 => {
                    let nibble = code.map_or(0, |code| codes[code]);
                    let kept = if slot % 2 == 0 { 0 } else { bytes[slot / 2] };
                    bytes[slot / 2] = kept | nibble << (slot % 2 * 4);
                }
                8 => bytes[slot] = code.map_or(padding, |code| codes[code]),
                _ => match code {
                    Some(code) => {
                        let number = &codes[4 * code..4 * code + 4];
                        bytes[4 * slot..4 * slot + 4].copy_from_slice(number);
                    }
                    None => bytes[4 * slot..4 * slot + 4].fill(0),
                },
            }
            slot += 1;
        });
    }

    fn unpack_slots(&self, bytes: &[u8], codes: &mut [u8]) {
        let mut slot = 0;
        each_slot(self.layout, self.rows, self.columns, &mut |code| {
            if let Some(code) = code {
                match self.layout.bits() {
                    4 => codes[code] = bytes[slot / 2] >> (slot % 2 * 4) & 15,
                    8 => codes[code] = bytes[slot],
                    _ => codes[4 * code..4 * code + 4]
                        .copy_from_slice(&bytes[4 * slot..4 * slot + 4]),
                }
            }
            slot += 1;
        });
    }
}

/// Of how many rows and columns a layout takes multiples.
fn units(layout: CodeLayout) -> (usize, usize) {
    use LayoutForm::*;
    let per_words = match layout.bits() {
        2 => 16,
        3 => 32,
        4 => 8,
        _ => 4,
    };
    match layout.form() {
        NibblesSplit16 => (1, 16),
        NibblesSplit32 => (1, 32),
        Gptq => (per_words, 1),
        GptqZerosV2 | GptqZerosV1 | GptqZerosV1Word | GptqZerosV1Field | Awq => (1, per_words),
        Marlin => (16, 64),
        _ => (1, 1),
    }
}
