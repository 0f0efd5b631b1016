//! The words with which Python names a cast.

use castproof::element::element;
use castproof_check::fuzz::Draw;
use castproof_vectors::{DType, Request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::rc::Rc;

/// A cast: which specification it follows, between which dtypes, with which attributes.
#[pyclass(frozen)]
pub(crate) struct Cast {
    pub(crate) request: Request,
}

#[pymethods]
impl Cast {
    /// Raises `ValueError` for a word that is not known, or a dtype that is not numeric.
    #[new]
    #[pyo3(signature = (source, target, spec, saturate, round_mode))]
    fn new(
        source: &str,
        target: &str,
        spec: Option<&str>,
        saturate: Option<i64>,
        round_mode: Option<&str>,
    ) -> PyResult<Cast> {
        let request = castproof_check::request(source, target, spec, saturate, round_mode);
        Ok(Cast { request: request.map_err(wrong)? })
    }

    /// The cast for people: `Cast(28) float32 -> float8e4m3fn saturate=0`.
    fn __str__(&self) -> String {
        self.request.to_string()
    }
}

impl Cast {
    /// Returns the answers of the cast. Raises `ValueError` if its specification refuses it.
    pub(crate) fn answers(&self) -> PyResult<Rc<Draw>> {
        castproof_check::answers(&self.request).map_err(wrong)
    }
}

/// Returns the names of the numeric dtypes, each with the bits of an element.
#[pyfunction]
pub(crate) fn dtypes() -> Vec<(&'static str, u32)> {
    DType::NUMERIC.iter().map(|dtype| (dtype.name(), dtype.bits())).collect()
}

/// Returns our name of a dtype that is named as another project names it. Raises `ValueError` for a word that
/// is not known.
#[pyfunction]
pub(crate) fn dtype(name: &str) -> PyResult<&'static str> {
    DType::named(name).map(DType::name).map_err(wrong)
}

/// Returns the codes of numbers and codes, each a text. `nearest`: what the dtype does not hold is rounded.
/// Raises `ValueError` for a text that is none, or a number that the dtype does not hold.
#[pyfunction]
pub(crate) fn elements(name: &str, texts: Vec<String>, nearest: bool) -> PyResult<Vec<u64>> {
    let dtype = DType::named(name).map_err(wrong)?;
    let read = |text: &String| element(dtype, text, nearest).map(|read| read.code);
    let codes: anyhow::Result<Vec<u64>> = texts.iter().map(read).collect();
    // The option of the program has another name here.
    codes.map_err(|error| wrong(error.to_string().replace("--nearest", "nearest=True")))
}

pub(crate) fn wrong(problem: impl Into<String>) -> PyErr {
    PyValueError::new_err(problem.into())
}
