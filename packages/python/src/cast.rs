//! The casts of `castproof-impl`.

use crate::request::{Cast, wrong};
use castproof_check::bytes::count;
use castproof_testee::builtin::cast_of;
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

/// Casts the elements of `input` to `output`. Raises `ValueError` if the specification refuses the
/// cast, or the lengths do not fit.
#[pyfunction]
pub(crate) fn cast(
    py: Python<'_>,
    cast: &Cast,
    input: PyReadonlyArray1<'_, u8>,
    mut output: PyReadwriteArray1<'_, u8>,
) -> PyResult<()> {
    let kernel = cast_of(&cast.request).map_err(wrong)?;
    let (input, output) = (input.as_slice()?, output.as_slice_mut()?);
    let count = count(cast.request.from, input).map_err(wrong)?;
    py.detach(|| kernel.run_byte_each(input, count, output))
        .map_err(|error| wrong(error.to_string()))
}
