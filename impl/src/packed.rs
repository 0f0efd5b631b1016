//! How many bytes elements take.

use crate::Error;
use crate::values::Values;
use castproof_vectors::DType;

/// Bytes that `count` elements of a numeric dtype take: `count` times the dtype's bits, rounded up
/// to whole bytes (P-03, P-09).
///
/// # Errors
/// [`Error::NotNumeric`] for string and complex, [`Error::TooMany`] if no slice can be that long.
pub fn packed_len(dtype: DType, count: usize) -> Result<usize, Error> {
    if Values::of(dtype).is_none() {
        return Err(Error::NotNumeric { dtype });
    }
    byte_len(dtype.bits() as usize, count).ok_or(Error::TooMany { dtype, count })
}

/// Bytes of `count` elements of `bits` bits, the last one filled up; `None` beyond `usize`.
pub(crate) fn byte_len(bits: usize, count: usize) -> Option<usize> {
    // Eight elements take `bits` bytes.
    (count / 8).checked_mul(bits)?.checked_add((count % 8 * bits).div_ceil(8))
}

/// Does a slice hold exactly `count` elements, of complex dtypes too? `side` says which slice.
#[inline]
pub(crate) fn check_bytes(
    side: &'static str,
    dtype: DType,
    count: usize,
    actual: usize,
) -> Result<(), Error> {
    let bits = dtype.bits() as usize;
    let expected = byte_len(bits, count).ok_or(Error::TooMany { dtype, count })?;

    if actual != expected {
        return Err(Error::ByteLength { side, dtype, count, expected, actual });
    }
    Ok(())
}
