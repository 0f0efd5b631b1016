//! Both operands of a binary operation, as MindSpore promotes them.

use super::rule::{promote, promote_number};
use crate::packed::check_bytes;
use crate::{Cast, ComplexCast, Error};
use castproof_vectors::{DType, Operand, Profile};

/// The casts of both operands of a binary operation of MindSpore to the dtype to which they
/// promote (MS-O1 to MS-O7).
///
/// Each operand is cast separately. Integers and Python floats are rounded once to nearest, ties to
/// even, and become infinity beyond the range. A Python int beyond an integer dtype keeps its low
/// bits. A real operand cast to complex gets the imaginary part 0. NaN becomes the quiet NaN
/// without payload, unless the operand has the dtype already.
///
/// ```
/// use castproof_impl::{DType, Operand, Operands};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let operands = Operands::new(DType::Int8, Operand::Tensor(DType::Uint8))?;
/// assert_eq!(operands.dtype(), DType::Int16);
///
/// // -1 and 255, then 7 and 8.
/// let (mut tensor, mut other) = ([0; 4], [0; 4]);
/// operands.run([&[0xff, 7], &[0xff, 8]], 2, [&mut tensor, &mut other])?;
/// assert_eq!(tensor, [0xff, 0xff, 7, 0]);
/// assert_eq!(other, [0xff, 0x00, 8, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    dtype: DType,
    casts: [OperandCast; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "without an allocator there is no box")]
enum OperandCast {
    Real(Cast),
    Complex(ComplexCast),
}

impl Operands {
    /// Makes the casts of a tensor and another operand. A Python number has the dtype that
    /// [`Operand::dtype`] gives: bool, int64 or float64.
    ///
    /// # Errors
    /// [`Error::NoPromotion`] where they do not promote (MS-A1, MS-A8, MS-03); those of
    /// [`Cast::new`].
    pub fn new(tensor: DType, with: Operand) -> Result<Operands, Error> {
        let promoted = match with {
            Operand::Tensor(other) => promote(tensor, other),
            Operand::Number(number) => promote_number(tensor, number),
        };
        let dtype = promoted.ok_or(Error::NoPromotion { tensor, with })?;
        let cast = |from| match dtype.part() {
            None => Cast::new(from, dtype).map(OperandCast::Real),
            Some(_) => {
                let cast = ComplexCast::new(Profile::MindsporeCast, from, dtype);
                cast.map(OperandCast::Complex)
            }
        };
        Ok(Operands { dtype, casts: [cast(tensor)?, cast(with.dtype())?] })
    }

    /// The dtype to which both are cast.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Casts `count` elements of each operand, little-endian, the tensor first. Each slice must
    /// hold exactly as many.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if one does not, [`Error::TooMany`] if `count` elements fit in no
    /// slice. Nothing is written then.
    pub fn run(
        &self,
        inputs: [&[u8]; 2],
        count: usize,
        outputs: [&mut [u8]; 2],
    ) -> Result<(), Error> {
        let sides = ["tensor", "other operand"].into_iter().zip(&self.casts);
        for ((side, cast), input) in sides.zip(inputs) {
            check_bytes(side, cast.from(), count, input.len())?;
        }
        for (side, output) in
            ["promoted tensor", "promoted other operand"].into_iter().zip(&outputs)
        {
            check_bytes(side, self.dtype, count, output.len())?;
        }
        for ((cast, input), output) in self.casts.iter().zip(inputs).zip(outputs) {
            match cast {
                OperandCast::Real(cast) => cast.run(input, count, output)?,
                OperandCast::Complex(cast) => cast.run(input, count, output)?,
            }
        }
        Ok(())
    }
}

impl OperandCast {
    fn from(&self) -> DType {
        match self {
            OperandCast::Real(cast) => cast.from(),
            OperandCast::Complex(cast) => cast.from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Number;

    #[test]
    fn a_wrong_length_writes_nothing() {
        let operands =
            Operands::new(DType::Uint8, Operand::Number(Number::Float)).expect("promote");
        assert_eq!(operands.dtype(), DType::Float32);
        let (mut tensor, mut other) = ([9; 4], [9; 3]);
        let error = operands.run([&[255], &[0; 8]], 1, [&mut tensor, &mut other]);
        let error = std::format!("{}", error.expect_err("three bytes"));
        assert!(error.contains("promoted other operand of 1 float32 elements has 3"), "{error}");
        assert_eq!((tensor, other), ([9; 4], [9; 3]));
        let error = operands.run([&[255], &[0; 4]], 1, [&mut tensor, &mut [0; 4]]);
        assert!(error.is_err(), "a float of Python takes eight bytes");
    }

    #[test]
    fn complex_and_refused() {
        let operands =
            Operands::new(DType::Complex64, Operand::Number(Number::Bool)).expect("promote");
        let (mut tensor, mut other) = ([9; 8], [9; 8]);
        let minus_zeros = [0, 0, 0, 0x80, 0, 0, 0, 0x80];
        operands.run([&minus_zeros, &[1]], 1, [&mut tensor, &mut other]).expect("lengths fit");
        assert_eq!(tensor, minus_zeros);
        assert_eq!(other, [0, 0, 0x80, 0x3f, 0, 0, 0, 0]);
        for with in [Operand::Tensor(DType::Int8), Operand::Number(Number::Int)] {
            let error = Operands::new(DType::Uint64, with).expect_err("they do not promote");
            assert!(
                std::format!("{error}").starts_with("uint64 does not promote with "),
                "{error}"
            );
        }
    }
}
