//! The numbers of a block, as methods read them.

use super::catalogue::{Enters, NumberRead};
use castproof_oracle::Value;
use castproof_oracle::decode::{self, decode};
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, FloatFormat, float_format};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_vectors::DType;

/// The numbers of one block.
#[derive(Clone, Debug)]
pub struct Numbers {
    format: FloatFormat,
    codes: Vec<u64>,
}

/// The largest magnitude of numbers that are not NaN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Largest {
    /// None is more than zero.
    Zero,
    /// A number above zero.
    Finite(Rational),
    /// An infinity is among them.
    Infinite,
}

/// The number of float32 nearest to a magnitude; `None` beyond the largest.
pub(super) fn float32(x: &Rational) -> Option<Rational> {
    let nearest = Nearest::new(x, &float_format(DType::Float32)?);
    (!nearest.overflows).then(|| nearest.rounded.number())
}

impl Numbers {
    /// Takes codes of a dtype; `None` if they are no floats with infinities.
    pub fn new(from: DType, codes: Vec<u64>) -> Option<Numbers> {
        let format = float_format(from).filter(|format| format.infinities)?;
        Some(Numbers { format, codes })
    }

    /// The codes.
    pub fn codes(&self) -> &[u64] {
        &self.codes
    }

    /// The largest number of their dtype.
    pub(super) fn most(&self) -> Rational {
        decode::finite(&self.format, self.format.largest_code())
    }

    /// Are all of them zero?
    pub fn is_zero(&self) -> bool {
        self.codes.iter().all(|code| code & self.format.magnitude_mask() == 0)
    }

    /// Is one of those that enter NaN?
    pub fn has_nan(&self, enters: Enters) -> bool {
        self.entering(enters).any(|code| decode::is_nan(&self.format, code))
    }

    fn entering(&self, enters: Enters) -> impl Iterator<Item = u64> + '_ {
        let format = self.format;
        let is_in = move |(place, code): &(usize, u64)| match enters {
            Enters::All => true,
            Enters::First(count) => *place < count,
            Enters::Without(left_out) => *place != left_out,
            Enters::Positive => code & format.sign_bit() == 0,
        };
        self.codes.iter().copied().enumerate().filter(is_in).map(|(_, code)| code)
    }

    /// Returns the largest magnitude of those that enter, NaN left out.
    pub fn largest(&self, enters: Enters, read: NumberRead) -> Largest {
        let numbers = self.entering(enters).filter(|code| !decode::is_nan(&self.format, *code));
        // Codes rise with the magnitude, and reading keeps the order.
        let largest = numbers.map(|code| code & self.format.magnitude_mask()).max().unwrap_or(0);
        match decode(&CodeKind::Float(self.format), self.read(largest, read)) {
            Some(Value::Finite { magnitude, .. }) if magnitude != 0 => Largest::Finite(magnitude),
            Some(Value::Infinite { .. }) => Largest::Infinite,
            _ => Largest::Zero,
        }
    }

    /// Returns the value of a number as it is read.
    pub(super) fn value(&self, code: u64, read: NumberRead) -> Option<Value> {
        decode(&CodeKind::Float(self.format), self.read(code, read))
    }

    /// Returns the code of a number as it is read.
    pub(super) fn read(&self, code: u64, read: NumberRead) -> u64 {
        let (magnitude, sign) =
            (code & self.format.magnitude_mask(), code & self.format.sign_bit());
        match read {
            NumberRead::AsIs => code,
            NumberRead::Flushed if magnitude >> self.format.significand_bits == 0 => sign,
            NumberRead::NanAsZero if decode::is_nan(&self.format, code) => 0,
            NumberRead::Flushed | NumberRead::NanAsZero => code,
            NumberRead::Bfloat16 => self.through(DType::Bfloat16, magnitude, false) | sign,
            NumberRead::Bfloat16Clamped => self.through(DType::Bfloat16, magnitude, true) | sign,
            NumberRead::Float16 => self.through(DType::Float16, magnitude, false) | sign,
        }
    }

    /// Rounds a magnitude to another dtype, and returns the code of the result.
    fn through(&self, dtype: DType, magnitude: u64, clamps: bool) -> u64 {
        let infinity = encode::infinity(&self.format, false);
        let Some(middle) = float_format(dtype).filter(|_| magnitude < infinity) else {
            return magnitude;
        };
        let nearest = Nearest::new(&decode::finite(&self.format, magnitude), &middle);
        let number = match (nearest.overflows, clamps) {
            (false, _) => nearest.rounded.number(),
            (true, true) => decode::finite(&middle, middle.largest_code()),
            (true, false) => return infinity,
        };
        encode::magnitude(
            &self.format,
            &round::to_format(&number, &self.format, MagnitudeRounding::NearestEven),
        )
    }
}
