//! How many bytes elements take.

use crate::Error;
use crate::values::Values;
use castproof_vectors::DType;

/// Returns the bytes that `count` elements of a numeric dtype take: `count` times the dtype's bits,
/// rounded up to whole bytes (P-03, P-09).
///
/// # Errors
/// [`Error::NotNumeric`] for string, complex and quantized dtypes, [`Error::TooMany`] if no slice
/// can be that long.
pub fn packed_len(dtype: DType, count: usize) -> Result<usize, Error> {
    if Values::of(dtype).is_none() {
        return Err(Error::NotNumeric { dtype });
    }
    byte_len(dtype.bits() as usize, count).ok_or(Error::TooMany { dtype, count })
}

/// Returns the bytes of `count` elements of `bits` bits, rounded up; `None` beyond `usize`.
pub(crate) fn byte_len(bits: usize, count: usize) -> Option<usize> {
    // Eight elements take `bits` bytes.
    (count / 8).checked_mul(bits)?.checked_add((count % 8 * bits).div_ceil(8))
}

/// Checks that a slice holds exactly `count` elements, also of complex dtypes. `side` names the
/// slice.
#[inline]
pub(crate) fn check_bytes(
    side: &'static str,
    dtype: DType,
    count: usize,
    actual: usize,
) -> Result<(), Error> {
    // Short calls take as long as this, so it neither divides nor branches.
    let expected = (count as u128 * u128::from(dtype.bits())).div_ceil(8);
    if actual as u128 == expected { Ok(()) } else { Err(wrong_bytes(side, dtype, count, actual)) }
}

#[cold]
fn wrong_bytes(side: &'static str, dtype: DType, count: usize, actual: usize) -> Error {
    match byte_len(dtype.bits() as usize, count) {
        Some(expected) => Error::ByteLength { side, dtype, count, expected, actual },
        None => Error::TooMany { dtype, count },
    }
}
