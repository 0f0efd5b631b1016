//! The words with which Python names a cast.

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

pub(crate) fn wrong(problem: impl Into<String>) -> PyErr {
    PyValueError::new_err(problem.into())
}
