//! Layouts as permutations: the bytes that the codes of a matrix become, and the codes of bytes. No arithmetic is done but on places;
//! only zero points of GPTQ and integers of compressed-tensors are stored as other codes.
//!
//! ```
//! use castproof_quantised::layout::pack;
//! use castproof_vectors::{Bytes, CodeLayout, LaidOut};
//!
//! // The codes 0 to 7 in the order of AWQ: the word 75316420, which is little-endian.
//! let layout = CodeLayout::named("awq").expect("a layout");
//! let ask = LaidOut { layout, shape: vec![1, 8], input: Bytes((0..8).collect()) };
//! assert_eq!(pack(&ask)?.0.bytes, Bytes(vec![0x20, 0x64, 0x31, 0x75]));
//! # Ok::<(), castproof_quantised::QuestionError>(())
//! ```

mod law;

pub use crate::layout::law::{Law, Rest, Sides, Stored, bit_place, law, marlin_slot};

use crate::QuestionError;
use crate::layout::law::aligned;
use castproof_vectors::{Bytes, CodeLayout, LaidOut, LaidOutAnswer, RuleId};

/// One matrix of a question.
struct Matrix {
    layout: CodeLayout,
    law: Law,
    sides: Sides,
}

/// Returns how many matrices a question has, and what each of them is.
fn matrices(ask: &LaidOut) -> Result<(usize, Matrix), QuestionError> {
    let (layout, law) = (ask.layout, law(ask.layout));
    let [batch, rows, columns] = ask.sides().map_err(QuestionError)?;
    let [of_rows, of_columns] = law.multiples;
    if rows % of_rows != 0 || columns % of_columns != 0 {
        return Err(QuestionError(format!(
            "{layout} takes {of_rows} x {of_columns} codes and multiples of that, not {rows} x {columns}"
        )));
    }
    if ask.shape.len() > 2 && !law.has_batches {
        return Err(QuestionError(format!("{layout} has no batches: give rows and columns")));
    }
    let sides = Sides { rows, columns, bits: layout.bits().into() };
    Ok((batch as usize, Matrix { layout, law, sides }))
}

/// Returns the bytes that codes become, and the rule that says so.
///
/// # Errors
/// If the layout takes no such shape or no such code.
pub fn pack(ask: &LaidOut) -> Result<(LaidOutAnswer, RuleId), QuestionError> {
    let (batch, matrix) = matrices(ask)?;
    let codes = ask.codes().map_err(QuestionError)?;
    let (mut bytes, mut open) = (Vec::new(), Vec::new());
    for codes in codes.chunks(codes.len() / batch) {
        let (of_one, open_of_one) = matrix.pack(codes)?;
        bytes.extend(of_one);
        open.extend(open_of_one);
    }
    let open = open.iter().any(|bits| *bits != 0).then_some(Bytes(open));
    Ok((LaidOutAnswer { bytes: Bytes(bytes), open }, matrix.law.rule))
}

/// Returns the codes of bytes, each in as many whole bytes as it needs, and the rule that says so.
///
/// # Errors
/// If the layout takes no such shape, or has another number of bytes for it.
pub fn unpack(ask: &LaidOut) -> Result<(LaidOutAnswer, RuleId), QuestionError> {
    let (batch, matrix) = matrices(ask)?;
    let (due, given) = (batch * (matrix.law.bytes)(matrix.sides) as usize, ask.input.0.len());
    if given != due {
        return Err(QuestionError(format!(
            "{given} bytes of {}, not {due}, for the shape {:?}",
            ask.layout, ask.shape
        )));
    }
    let mut codes = Vec::new();
    for bytes in ask.input.0.chunks(due / batch) {
        codes.extend(matrix.unpack(bytes)?);
    }
    let width = ask.layout.width();
    let bytes = codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(width)).collect();
    Ok((LaidOutAnswer { bytes: Bytes(bytes), open: None }, matrix.law.rule))
}

/// Returns the bytes that a layout has for a shape.
///
/// # Errors
/// If it takes no such shape.
pub fn packed_bytes(ask: &LaidOut) -> Result<usize, QuestionError> {
    let (batch, matrix) = matrices(ask)?;
    Ok(batch * (matrix.law.bytes)(matrix.sides) as usize)
}

impl Matrix {
    /// Rows and columns of the codes, row by row.
    fn places(&self) -> impl Iterator<Item = (u64, u64)> {
        let Sides { rows, columns, .. } = self.sides;
        (0..rows).flat_map(move |r| (0..columns).map(move |c| (r, c)))
    }

    /// The bytes of a matrix, and the bits that may be anything.
    fn pack(&self, codes: &[u64]) -> Result<(Vec<u8>, Vec<u8>), QuestionError> {
        let size = (self.law.bytes)(self.sides) as usize;
        let (mut bytes, mut taken) = (vec![0u8; size], vec![0u8; size]);
        for ((r, c), code) in self.places().zip(codes) {
            let stored = self.stored(*code)?;
            for bit in 0..self.sides.bits {
                let place = bit_place(self.layout, self.sides, (r, c), bit);
                let (byte, in_byte) = ((place / 8) as usize, place % 8);
                bytes[byte] |= ((stored >> bit & 1) as u8) << in_byte;
                taken[byte] |= 1 << in_byte;
            }
        }
        let mut open = vec![0; size];
        match self.law.rest {
            Rest::Byte(rest) => {
                for (byte, taken) in bytes.iter_mut().zip(&taken) {
                    *byte |= rest & !taken;
                }
            }
            Rest::Open => open = taken.iter().map(|taken| !taken).collect(),
            Rest::OpenRows => {
                let words = aligned(self.sides.rows);
                for (byte, open) in open.iter_mut().enumerate() {
                    let row = byte as u64 / 4 % words;
                    *open = if row >= self.sides.rows { 0xff } else { 0 };
                }
            }
        }
        if self.law.stored == Stored::LessByWord {
            bytes = by_word(&bytes, u32::wrapping_sub, self.sides.bits);
        }
        Ok((bytes, open))
    }

    /// The codes of a matrix.
    fn unpack(&self, bytes: &[u8]) -> Result<Vec<u64>, QuestionError> {
        let mut bytes = bytes.to_vec();
        if self.law.stored == Stored::LessByWord {
            bytes = by_word(&bytes, u32::wrapping_add, self.sides.bits);
        }
        let code = |(r, c)| {
            let bit = |bit: u64| {
                let place = bit_place(self.layout, self.sides, (r, c), bit);
                u64::from(bytes[(place / 8) as usize] >> (place % 8) & 1) << bit
            };
            self.code((0..self.sides.bits).map(bit).sum())
        };
        self.places().map(code).collect()
    }

    /// What is stored for a code.
    fn stored(&self, code: u64) -> Result<u64, QuestionError> {
        let many = 1 << self.sides.bits;
        match self.law.stored {
            Stored::Code | Stored::LessByWord => Ok(code),
            Stored::Offset => Ok((code + many / 2) % many),
            Stored::Less => Ok((code + many - 1) % many),
            Stored::LessPositive if code == 0 => Err(QuestionError(format!(
                "{} has no zero point 0: ask gptq-zeros-v1-word or gptq-zeros-v1-field",
                self.layout
            ))),
            Stored::LessPositive => Ok(code - 1),
        }
    }

    /// The code that is stored so.
    fn code(&self, stored: u64) -> Result<u64, QuestionError> {
        let many = 1 << self.sides.bits;
        match self.law.stored {
            Stored::Code | Stored::LessByWord => Ok(stored),
            Stored::Offset => Ok((stored + many / 2) % many),
            Stored::Less => Ok((stored + 1) % many),
            Stored::LessPositive if stored == many - 1 => Err(QuestionError(format!(
                "{} stores no {stored:#x}, which no zero point of at least 1 becomes",
                self.layout
            ))),
            Stored::LessPositive => Ok(stored + 1),
        }
    }
}

/// Changes each little-endian word by the word that has a 1 in each field: 11111111 for 4 bits.
fn by_word(bytes: &[u8], change: fn(u32, u32) -> u32, bits: u64) -> Vec<u8> {
    let ones = (0..32 / bits).map(|field| 1 << (field * bits)).sum();
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(4).flat_map(|bytes| change(word(bytes), ones).to_le_bytes()).collect()
}
