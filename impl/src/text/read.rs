//! From string: numerals of any length, rounded once.
//!
//! The standard library reads float32 and float64 and rounds correctly. For every other float it
//! gives the nearest float64, which is then rounded again. That is wrong only if the float64 lies
//! exactly on a number or a midpoint of the target and the numeral beside it. Such a float64 has at
//! most 12 significant bits. The numeral is then compared with it, digit by digit, and the
//! remainder goes into a lower bit.

use super::numeral::{Decimal, Numeral};
use crate::Error;
use crate::packed::packed_len;
use crate::rules::Rules;
use crate::scalar::{Class, Encode, Unpacked, codec, float64};
use crate::values::signedness;
use castproof_vectors::{DType, RoundMode};
use core::cmp::Ordering;

/// A cast from string to a numeric dtype.
///
/// ```
/// use castproof_impl::{DType, FromText};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let cast = FromText::new(DType::Float16)?;
/// assert_eq!(cast.code("1e-1")?, 0x2e66);
/// // A tie that the last digit breaks; a rounding through float64 would lose it.
/// assert_eq!(cast.code("2049.000000000000000000000000001")?, 0x6801);
///
/// let mut output = [0; 2];
/// FromText::new(DType::Int4)?.run(["-8", "7", "3"], &mut output)?;
/// assert_eq!(output, [0x78, 0x03]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FromText {
    to: DType,
    rules: Rules,
    encode: Encode,
}

/// Exponents beyond the reach of every dtype that is read through float64.
const FAR: i32 = 5000;

impl FromText {
    /// A cast by the newest rules: opset 28, `saturate` on, `round_mode` up.
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for string, complex and quantized dtypes.
    pub fn new(to: DType) -> Result<FromText, Error> {
        Ok(FromText { to, rules: Rules::NEWEST, encode: codec(to)?.encode })
    }

    /// As [`Cast::opset`](crate::Cast::opset).
    #[must_use]
    pub fn opset(self, opset: u32) -> FromText {
        FromText { rules: self.rules.at_opset(opset), ..self }
    }

    /// As [`Cast::saturate`](crate::Cast::saturate).
    #[must_use]
    pub fn saturate(self, on: bool) -> FromText {
        FromText { rules: Rules { saturate: on, ..self.rules }, ..self }
    }

    /// As [`Cast::round_mode`](crate::Cast::round_mode).
    #[must_use]
    pub fn round_mode(self, mode: RoundMode) -> FromText {
        FromText { rules: Rules { round_mode: mode, ..self.rules }, ..self }
    }

    /// Reads one text.
    ///
    /// # Errors
    /// [`Error::NoNumeral`] and [`Error::OutOfRange`], both of text 0.
    pub fn code(&self, text: &str) -> Result<u64, Error> {
        let no_numeral = Error::NoNumeral { index: 0, dtype: self.to };
        if self.to == DType::Bool {
            return boolean(text).ok_or(no_numeral);
        }
        let numeral = Numeral::parse(text).ok_or(no_numeral)?;
        match (integer_range(self.to), numeral) {
            (None, Numeral::Decimal(decimal)) => {
                let code = self.float(text, decimal);
                #[cfg(castproof_plant)]
                let code = crate::plant::spoil_read(self.to, text, code);
                Ok(code)
            }
            (None, Numeral::Infinity { negative }) => Ok(self.special(negative, Class::Infinite)),
            (None, Numeral::Nan) => Ok(self.special(false, Class::Nan)),
            (Some((lowest, largest)), Numeral::Decimal(Decimal { is_integer: true, .. })) => {
                // Only integers that not even an i128 holds fail to parse.
                let number = text.parse::<i128>().ok();
                let number = number.filter(|number| (lowest..=largest).contains(number));
                let number = number.ok_or(Error::OutOfRange { index: 0, dtype: self.to })?;
                Ok(number as u64 & self.to.code_mask())
            }
            (Some(_), _) => Err(no_numeral),
        }
    }

    /// Reads every text into packed `output`, which must have exactly
    /// [`packed_len`](crate::packed_len) bytes of as many elements.
    ///
    /// # Errors
    /// [`Error::NoNumeral`] and [`Error::OutOfRange`] with the first text at fault,
    /// [`Error::ByteLength`] if `output` has another length. The contents of `output` are then
    /// unspecified.
    pub fn run<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a str>,
        output: &mut [u8],
    ) -> Result<(), Error> {
        let texts: std::vec::Vec<&str> = texts.into_iter().collect();
        let expected = packed_len(self.to, texts.len())?;
        if output.len() != expected {
            let (count, actual) = (texts.len(), output.len());
            let (side, dtype) = ("output", self.to);
            return Err(Error::ByteLength { side, dtype, count, expected, actual });
        }
        output.fill(0);
        let bits = self.to.bits() as usize;
        for (index, text) in texts.into_iter().enumerate() {
            let code = self.code(text).map_err(|error| at(error, index))?;
            let (first, shift) = (index * bits / 8, index * bits % 8);
            let field = (code << shift).to_le_bytes();
            // A field of less than a byte may reach into the next one.
            let last = (index * bits + bits - 1) / 8;
            for (byte, part) in output[first..=last].iter_mut().zip(field) {
                *byte |= part;
            }
        }
        Ok(())
    }

    fn special(&self, negative: bool, class: Class) -> u64 {
        // Not the exponent of zero, because float8e8m0 takes that for too small.
        (self.encode)(&self.rules, &Unpacked { class, ..Unpacked::finite(negative, 1, 0) })
    }

    fn float(&self, text: &str, decimal: Decimal<'_>) -> u64 {
        match self.to {
            DType::Float64 => nearest(text).to_bits(),
            DType::Float32 => text.parse::<f32>().expect("a decimal numeral").to_bits().into(),
            _ => (self.encode)(&self.rules, &unpack(text, decimal)),
        }
    }
}

/// The nearest float64; infinity beyond its range.
fn nearest(text: &str) -> f64 {
    text.parse().expect("a decimal numeral")
}

/// Unpacks the numeral to at least 12 bits, and one more that tells whether there is a remainder.
fn unpack(text: &str, decimal: Decimal<'_>) -> Unpacked {
    let negative = decimal.negative;
    let number = nearest(text).abs();
    if number.is_infinite() {
        return Unpacked::finite(negative, 1, FAR);
    }
    if number == 0.0 {
        let zero = Unpacked { negative, ..Unpacked::ZERO };
        return if decimal.is_zero() { zero } else { Unpacked::finite(negative, 1, -FAR) };
    }
    let value = float64(number.to_bits());
    let value = Unpacked { negative, ..value };
    if value.significand << 12 != 0 {
        return value;
    }
    match decimal.cmp_magnitude(number) {
        Ordering::Equal => value,
        Ordering::Greater => Unpacked { significand: value.significand | 1, ..value },
        // A power of two has nothing in its binade below it.
        Ordering::Less if value.significand == 1 << 63 => {
            Unpacked { significand: u64::MAX, exponent: value.exponent - 1, ..value }
        }
        Ordering::Less => Unpacked { significand: value.significand - 1, ..value },
    }
}

/// Reads a bool. The specification leaves every text open (S-11); these are read, in any letter
/// case.
fn boolean(text: &str) -> Option<u64> {
    match text {
        "0" => Some(0),
        "1" => Some(1),
        _ if text.eq_ignore_ascii_case("false") => Some(0),
        _ if text.eq_ignore_ascii_case("true") => Some(1),
        _ => None,
    }
}

/// Smallest and largest element of an integer dtype.
fn integer_range(dtype: DType) -> Option<(i128, i128)> {
    let bits = dtype.bits();
    let signed = signedness(dtype)?;
    Some(if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
}

fn at(error: Error, index: usize) -> Error {
    match error {
        Error::NoNumeral { dtype, .. } => Error::NoNumeral { index, dtype },
        Error::OutOfRange { dtype, .. } => Error::OutOfRange { index, dtype },
        other => other,
    }
}
