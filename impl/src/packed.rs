//! How many bytes elements take.

use crate::Error;
use castproof_vectors::DType;

/// Bytes that `count` elements of a numeric dtype take: `count` times the dtype's bits, rounded up
/// to whole bytes (P-03, P-09).
///
/// # Errors
/// [`Error::NotNumeric`] for string and complex, [`Error::TooMany`] if no slice can be that long.
pub fn packed_len(dtype: DType, count: usize) -> Result<usize, Error> {
    if !dtype.is_numeric() {
        return Err(Error::NotNumeric { dtype });
    }
    let bytes = (count as u128 * u128::from(dtype.bits())).div_ceil(8);
    usize::try_from(bytes).map_err(|_| Error::TooMany { dtype, count })
}

/// Does a slice hold exactly `count` elements, of complex dtypes too? `side` says which slice.
pub(crate) fn check_bytes(
    side: &'static str,
    dtype: DType,
    count: usize,
    actual: usize,
) -> Result<(), Error> {
    let expected = match dtype.part() {
        None => packed_len(dtype, count)?,
        Some(_) => {
            let width = dtype.bits() as usize / 8;
            count.checked_mul(width).ok_or(Error::TooMany { dtype, count })?
        }
    };
    if actual != expected {
        return Err(Error::ByteLength { side, dtype, count, expected, actual });
    }
    Ok(())
}
