//! To string: plain notation with few digits, which reads back as the same code.

use super::read::FromText;
use crate::Error;
use crate::packed::packed_len;
use crate::scalar::{Class, Decode, Unpacked, codec, widen};
use crate::values::Values;
use castproof_vectors::DType;
use core::fmt::Write;
use std::format;
use std::string::String;
use std::vec::Vec;

/// A cast from a numeric dtype to string.
///
/// Integers are decimal digits, bool is 1 or 0, infinities are INF and -INF, NaN is NaN. Floats are
/// in plain notation: the shortest for float64, float32, float16 and bfloat16, the exact value for
/// the narrower ones.
///
/// ```
/// use castproof_impl::{DType, ToText};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let texts = ToText::new(DType::Float16)?.run(&[0x66, 0x2e, 0x00, 0xfc], 2)?;
/// assert_eq!(texts.iter().collect::<Vec<_>>(), ["0.1", "-INF"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ToText {
    from: DType,
    decode: Decode,
}

/// Strings in one arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    arena: String,
    /// Where each text ends, and the next begins.
    ends: Vec<usize>,
}

impl Texts {
    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Are there no texts?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `index`.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.arena[start..end])
    }

    /// Every text, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl ToText {
    /// A cast from this dtype.
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for string, complex and quantized dtypes.
    pub fn new(from: DType) -> Result<ToText, Error> {
        Ok(ToText { from, decode: codec(from)?.decode })
    }

    /// Writes `count` elements from packed little-endian `input`, which must have exactly
    /// [`packed_len`](crate::packed_len) bytes.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if it has another length, [`Error::TooMany`].
    pub fn run(&self, input: &[u8], count: usize) -> Result<Texts, Error> {
        let expected = packed_len(self.from, count)?;
        if input.len() != expected {
            let (side, dtype, actual) = ("input", self.from, input.len());
            return Err(Error::ByteLength { side, dtype, count, expected, actual });
        }
        let mut texts = Texts::default();
        for index in 0..count {
            #[cfg(castproof_plant)]
            let start = texts.arena.len();
            self.write(code_at(self.from, input, index), &mut texts.arena);
            #[cfg(castproof_plant)]
            crate::plant::spoil_written(self.from, start, &mut texts.arena);
            texts.ends.push(texts.arena.len());
        }
        Ok(texts)
    }

    /// Appends the text of one code; bits above the dtype's width are not read.
    fn write(&self, code: u64, out: &mut String) {
        let code = code & self.from.code_mask();
        let written = match Values::of(self.from) {
            Some(Values::Truth) => write!(out, "{}", u8::from(code != 0)),
            Some(Values::Integer { signed: true }) => {
                write!(out, "{}", widen(self.from.bits(), true, code).cast_signed())
            }
            Some(Values::Integer { signed: false }) => write!(out, "{code}"),
            _ => self.write_float(code, out),
        };
        written.expect("writes to memory");
    }

    fn write_float(&self, code: u64, out: &mut String) -> core::fmt::Result {
        let value = (self.decode)(code);
        match (value.class, value.negative) {
            (Class::Nan, _) => return out.write_str("NaN"),
            (Class::Infinite, false) => return out.write_str("INF"),
            (Class::Infinite, true) => return out.write_str("-INF"),
            (Class::Finite, _) => {}
        }
        match self.from {
            DType::Float32 => write!(out, "{}", f32::from_bits(code as u32)),
            DType::Float64 => write!(out, "{}", f64::from_bits(code)),
            DType::Float16 | DType::Bfloat16 => {
                write!(out, "{}", shortest(self.from, code, float64(&value)))
            }
            _ => write!(out, "{}", float64(&value)),
        }
    }
}

/// The value as a float64, which holds every float of at most 16 bits.
fn float64(value: &Unpacked) -> f64 {
    let magnitude = if value.is_zero() {
        0.0
    } else {
        // Normal in float64: the smallest number of a narrower dtype is 2^-133.
        let fraction = (value.significand << 1) >> 12;
        f64::from_bits((((value.exponent + 1023) as u64) << 52) | fraction)
    };
    if value.negative { -magnitude } else { magnitude }
}

/// Returns the number with the fewest digits that reads back as `code`.
fn shortest(dtype: DType, code: u64, exact: f64) -> f64 {
    let reader = FromText::new(dtype).expect("a float dtype");
    // Nine digits distinguish any two float32, and so any two of these.
    for digits in 0..9 {
        let text = format!("{exact:.digits$e}");
        if reader.code(&text) == Ok(code) {
            return text.parse().expect("a numeral");
        }
    }
    exact
}

/// One code of a packed slice.
fn code_at(dtype: DType, bytes: &[u8], index: usize) -> u64 {
    let bits = dtype.bits() as usize;
    let (first, shift) = (index * bits / 8, index * bits % 8);
    let last = (index * bits + bits - 1) / 8;
    let field = bytes[first..=last].iter().rev().fold(0, |code, &byte| code << 8 | u64::from(byte));
    field >> shift
}
