//! Casts from and to complex dtypes, as frameworks make them.

use crate::Error;
use crate::packed::check_bytes;
use crate::profile::{Casts, Truth};
use crate::rules::Rules;
use crate::scalar::Scalar;
use castproof_vectors::{DType, Profile};

/// A cast where at least one dtype is complex. A complex element is its real part and then its
/// imaginary part, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComplexCast {
    truth: Truth,
    pub(crate) from: DType,
    to: DType,
}

impl ComplexCast {
    /// Makes a cast by the rules of a framework. The dtypes are bool, integers of 8 to 64 bits,
    /// float16 to float64, bfloat16 (which numpy lacks) and complex dtypes.
    ///
    /// # Errors
    /// [`Error::NoComplexCast`] for other pairs.
    pub fn new(profile: Profile, from: DType, to: DType) -> Result<ComplexCast, Error> {
        let complex = from.part().is_some() || to.part().is_some();
        match Casts::of(profile) {
            Casts::Complex { bfloat16, truth }
                if complex && has(bfloat16, from) && has(bfloat16, to) =>
            {
                Ok(ComplexCast { truth, from, to })
            }
            _ => Err(Error::NoComplexCast { from, to }),
        }
    }

    /// Casts `count` elements. Each slice must hold exactly as many.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if one does not; nothing is written then.
    pub fn run(&self, input: &[u8], count: usize, output: &mut [u8]) -> Result<(), Error> {
        check_bytes("input", self.from, count, input.len())?;
        check_bytes("output", self.to, count, output.len())?;
        let part = |dtype: DType| dtype.part().unwrap_or(dtype);
        let scalar = Scalar::new(part(self.from), part(self.to), Rules::NEWEST)?;
        let (source, target) = (self.from.bits() as usize / 8, self.to.bits() as usize / 8);
        for (input, output) in input.chunks_exact(source).zip(output.chunks_exact_mut(target)) {
            self.element(&scalar, input, output);
        }
        Ok(())
    }

    fn element(&self, scalar: &Scalar, input: &[u8], output: &mut [u8]) {
        let (from, to) = (self.from.part(), self.to.part());
        let (real, imaginary) = match from {
            Some(_) => input.split_at(input.len() / 2),
            None => (input, &input[..0]),
        };
        let cast = |bytes: &[u8]| scalar.convert(code(bytes));
        match to {
            Some(part) => {
                let (low, high) = output.split_at_mut(part.bits() as usize / 8);
                write(cast(real), low);
                write(if from.is_some() { cast(imaginary) } else { 0 }, high);
            }
            None if self.to == DType::Bool && self.truth == Truth::EitherPart => {
                write(cast(real) | cast(imaginary), output);
            }
            None => write(cast(real), output),
        }
    }
}

fn code(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |code, &byte| code << 8 | u64::from(byte))
}

fn write(code: u64, bytes: &mut [u8]) {
    bytes.copy_from_slice(&code.to_le_bytes()[..bytes.len()]);
}

fn has(bfloat16: bool, dtype: DType) -> bool {
    use DType::*;
    match dtype {
        Bool | Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32 | Int64 | Uint64 | Float16
        | Float32 | Float64 | Complex64 | Complex128 => true,
        Bfloat16 => bfloat16,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::Bfloat16;

    #[test]
    fn parts_and_truth() {
        let imaginary: [u8; 8] = [0, 0, 0, 0, 0, 0, 0x40, 0x40];
        for (profile, truth) in Profile::ALL.into_iter().zip([0, 0, 1]) {
            let cast = |to| ComplexCast::new(profile, DType::Complex64, to).expect("known");
            let mut byte = [9];
            cast(DType::Bool).run(&imaginary, 1, &mut byte).expect("one element");
            assert_eq!(byte, [truth]);
            let mut wide = [9; 16];
            cast(DType::Complex128).run(&imaginary, 1, &mut wide).expect("one element");
            assert_eq!(wide[8..], 3.0_f64.to_le_bytes());
            assert!(cast(DType::Bool).run(&imaginary, 2, &mut byte).is_err());
        }
        assert!(ComplexCast::new(Profile::TfCast, DType::Float32, DType::Float64).is_err());
        assert!(ComplexCast::new(Profile::TfCast, DType::String, DType::Complex64).is_err());
        assert!(ComplexCast::new(Profile::RustAs, DType::Float32, DType::Complex64).is_err());
        assert!(ComplexCast::new(Profile::NumpyAstype, Bfloat16, DType::Complex64).is_err());
    }
}
