//! What a cast must make of each code of an array, and whether it did. After each batch of elements
//! Ctrl-C is noticed.

use crate::request::{Cast, wrong};
use castproof_check::bytes::{self, RuleNames, Written, width};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

/// Elements of a batch.
const BATCH: usize = 1 << 20;

/// Writes what the cast must make of each code of `inputs`: a code to `expected`, what else is right
/// to `kinds`, and to `rules` the place of the rule that decides it in the list that is returned.
#[pyfunction]
pub(crate) fn expect(
    py: Python<'_>,
    cast: &Cast,
    inputs: PyReadonlyArray1<'_, u8>,
    mut expected: PyReadwriteArray1<'_, u8>,
    mut kinds: PyReadwriteArray1<'_, u8>,
    mut rules: PyReadwriteArray1<'_, u16>,
) -> PyResult<Vec<String>> {
    let draw = cast.answers()?;
    let (draw, mut names) = (&*draw, RuleNames::default());
    let inputs = inputs.as_slice()?.chunks(BATCH * width(cast.request.from));
    let expected = expected.as_slice_mut()?.chunks_mut(BATCH * width(cast.request.to));
    let kinds = kinds.as_slice_mut()?.chunks_mut(BATCH);
    let rules = rules.as_slice_mut()?.chunks_mut(BATCH);
    for ((inputs, codes), (kinds, rules)) in inputs.zip(expected).zip(kinds.zip(rules)) {
        py.check_signals()?;
        let mut written = Written { codes, kinds, rules };
        let came = py.detach(|| bytes::expect(draw, inputs, &mut written, &mut names));
        came.map_err(wrong)?;
    }
    Ok(names.names())
}

/// Writes to `admitted` for each code of `inputs` whether its result is right, or tolerated unless
/// `strict`.
#[pyfunction]
pub(crate) fn admits(
    py: Python<'_>,
    cast: &Cast,
    inputs: PyReadonlyArray1<'_, u8>,
    results: PyReadonlyArray1<'_, u8>,
    strict: bool,
    mut admitted: PyReadwriteArray1<'_, bool>,
) -> PyResult<()> {
    let draw = cast.answers()?;
    let draw = &*draw;
    let inputs = inputs.as_slice()?.chunks(BATCH * width(cast.request.from));
    let results = results.as_slice()?.chunks(BATCH * width(cast.request.to));
    let admitted = admitted.as_slice_mut()?.chunks_mut(BATCH);
    for ((inputs, results), admitted) in inputs.zip(results).zip(admitted) {
        py.check_signals()?;
        let came = py.detach(|| bytes::admits(draw, inputs, results, strict, admitted));
        came.map_err(wrong)?;
    }
    Ok(())
}
