//! Blocks that share a scale: what a rule makes of the rows of an array, and back.

use crate::request::wrong;
use castproof_check::bytes::width;
use castproof_quantised::block::{
    block_elements, block_scale, block_size, block_sources, decoding, dequantise, has_tensor_scale,
    quantise,
};
use castproof_vectors::{BlockFormat, BlockProfile, DType, Outcome};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

/// Blocks between two looks for Ctrl-C.
const BATCH: usize = 1024;

/// Returns of a rule of blocks: how many numbers share a scale, the dtype of scales, whether the tensor has a scale too,
/// the dtypes of numbers and of elements. Raises `ValueError` for an unknown rule.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple of Python")]
pub(crate) fn block_rule(
    name: &str,
) -> PyResult<(usize, &'static str, bool, Vec<&'static str>, Vec<&'static str>)> {
    let rule = rule(name)?;
    let names = |all: &[DType]| all.iter().map(|it| it.name()).collect();
    let (scale, of_tensor) = (block_scale(rule), has_tensor_scale(rule));
    let (sources, elements) = (block_sources(rule), block_elements(rule));
    Ok((block_size(rule), scale.name(), of_tensor, names(sources), names(elements)))
}

/// Returns of a format of blocks: how many elements share a scale, the dtype of scales, the dtypes of elements. Raises
/// `ValueError` for an unknown format.
#[pyfunction]
pub(crate) fn block_format(name: &str) -> PyResult<(usize, &'static str, Vec<&'static str>)> {
    let known = decoding(format(name)?);
    Ok((known.size, known.scale.name(), known.elements.iter().map(|it| it.name()).collect()))
}

/// Quantises rows of `row` numbers of `source`. A shorter last block is filled with zeros. Writes a code, little-endian, to `scales`
/// for each block, and to `elements` and `undefined` for each number. Returns the id of the rule of each scale.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the arguments of the function of Python")]
pub(crate) fn quantize(
    py: Python<'_>,
    name: &str,
    source: &str,
    target: &str,
    numbers: PyReadonlyArray1<'_, u8>,
    row: usize,
    largest: Option<u64>,
    mut scales: PyReadwriteArray1<'_, u8>,
    mut elements: PyReadwriteArray1<'_, u8>,
    mut undefined: PyReadwriteArray1<'_, bool>,
) -> PyResult<Vec<String>> {
    let rule = rule(name)?;
    let dtypes = (DType::named(source).map_err(wrong)?, DType::named(target).map_err(wrong)?);
    let codes: Vec<u64> = numbers.as_slice()?.chunks(width(dtypes.0)).map(code).collect();
    let size = block_size(rule);
    let rows = codes.chunks(row.max(1)).flat_map(|row| row.chunks(size));
    let (elements, undefined) = (elements.as_slice_mut()?, undefined.as_slice_mut()?);
    let mut written = elements.iter_mut().zip(undefined);
    let mut ids = Vec::new();
    let bytes = width(block_scale(rule));
    for (at, (block, scale)) in rows.zip(scales.as_slice_mut()?.chunks_mut(bytes)).enumerate() {
        if at % BATCH == 0 {
            py.check_signals()?;
        }
        let mut filled = block.to_vec();
        filled.resize(size, 0);
        let due = quantise(rule, dtypes, &filled, largest).map_err(|it| wrong(it.to_string()))?;
        scale.copy_from_slice(&due.scale.to_le_bytes()[..bytes]);
        ids.push(due.rule.to_string());
        for ((outcome, _), (element, open)) in
            due.elements.iter().take(block.len()).zip(&mut written)
        {
            match outcome {
                Outcome::Code(code) => *element = *code as u8,
                _ => *open = true,
            }
        }
    }
    Ok(ids)
}

/// Writes the number that each element stands for, in rows of `row` elements; to `undefined` where it is open. A NaN is written as
/// the quiet NaN without sign.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the arguments of the function of Python")]
pub(crate) fn dequantize(
    py: Python<'_>,
    name: &str,
    source: &str,
    target: &str,
    elements: PyReadonlyArray1<'_, u8>,
    scales: PyReadonlyArray1<'_, u8>,
    row: usize,
    mut numbers: PyReadwriteArray1<'_, u8>,
    mut undefined: PyReadwriteArray1<'_, bool>,
) -> PyResult<()> {
    let format = format(name)?;
    let dtypes = (DType::named(source).map_err(wrong)?, DType::named(target).map_err(wrong)?);
    let size = decoding(format).size;
    let rows = elements.as_slice()?.chunks(row.max(1)).flat_map(|row| row.chunks(size));
    let bytes = width(dtypes.1);
    let numbers = numbers.as_slice_mut()?.chunks_mut(bytes);
    let mut written = numbers.zip(undefined.as_slice_mut()?);
    let scales = scales.as_slice()?.chunks(width(decoding(format).scale));
    for (at, (block, scale)) in rows.zip(scales).enumerate() {
        if at % BATCH == 0 {
            py.check_signals()?;
        }
        for (element, (number, open)) in block.iter().zip(&mut written) {
            let codes = (u64::from(*element), code(scale));
            let (outcome, _) =
                dequantise(format, dtypes, codes).map_err(|it| wrong(it.to_string()))?;
            let number_code = match outcome {
                Outcome::Code(code) => code,
                Outcome::AnyNan => quiet_nan(dtypes.1),
                _ => {
                    *open = true;
                    0
                }
            };
            number.copy_from_slice(&number_code.to_le_bytes()[..bytes]);
        }
    }
    Ok(())
}

pub(crate) fn rule(name: &str) -> PyResult<BlockProfile> {
    let found = BlockProfile::ALL.into_iter().find(|rule| rule.name() == name);
    found.ok_or_else(|| {
        let known = BlockProfile::ALL.map(BlockProfile::name).join(", ");
        wrong(format!("unknown rule '{name}' of blocks; known are {known}"))
    })
}

fn format(name: &str) -> PyResult<BlockFormat> {
    let found = BlockFormat::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| {
        let known = BlockFormat::ALL.map(BlockFormat::name).join(", ");
        wrong(format!("unknown format '{name}' of blocks; known are {known}"))
    })
}

/// The code of little-endian bytes.
fn code(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte))
}

/// The code of the NaN that is written.
fn quiet_nan(dtype: DType) -> u64 {
    match dtype {
        DType::Float32 => 0x7fc0_0000,
        DType::Float16 => 0x7e00,
        _ => 0x7fc0,
    }
}
