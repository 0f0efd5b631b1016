//! A Python function that quantises blocks, as a testee in this process.

use castproof_testee::{Identity, Reply, Returned, Testee};
use castproof_vectors::{BlockProfile, DType, Hex, Question, Request};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// A function that quantises by one rule.
pub(crate) struct Quantiser {
    pub(crate) identity: Identity,
    pub(crate) rule: BlockProfile,
    /// The dtypes of the numbers and of the elements that it takes.
    pub(crate) pairs: Vec<(DType, DType)>,
    /// Takes the shape, the axis, both dtypes, the largest magnitude of the tensor and the numbers, and returns
    /// the scales, a byte each, then the packed elements, as the protocol has them.
    pub(crate) ask: Py<PyAny>,
    /// The exception that ended the run.
    pub(crate) ended: Option<PyErr>,
}

/// A tensor that is quantised.
struct Tensor<'a> {
    rule: BlockProfile,
    pair: (DType, DType),
    shape: &'a [u64],
    axis: u64,
    largest: Option<u64>,
    input: &'a [u8],
}

impl Quantiser {
    fn call(&self, tensor: &Tensor<'_>) -> PyResult<Vec<u8>> {
        Python::attach(|py| {
            py.check_signals()?;
            let shape = PyTuple::new(py, tensor.shape)?;
            let (from, to) = tensor.pair;
            let input = PyBytes::new(py, tensor.input);
            let words = (shape, tensor.axis, from.name(), to.name(), tensor.largest, input);
            let output = self.ask.call1(py, words)?;
            Ok(output.cast_bound::<PyBytes>(py)?.as_bytes().to_vec())
        })
    }
}

impl Testee for Quantiser {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn given_up(&self) -> Option<String> {
        self.ended.as_ref().map(PyErr::to_string)
    }

    fn cast(&mut self, _request: &Request, _count: usize, _input: &[u8]) -> Reply {
        Reply::Unsupported("the function quantises blocks".into())
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        if self.ended.is_some() {
            return Reply::Crash("an exception ended the run".into());
        }
        let shape;
        let tensor = match question {
            Question::QuantizeBlock(it) => {
                shape = [it.count() as u64];
                let (pair, largest) = ((it.from, it.to), it.largest.as_ref().map(Hex::value));
                Tensor {
                    rule: it.profile,
                    pair,
                    shape: &shape,
                    axis: 0,
                    largest,
                    input: &it.input.0,
                }
            }
            Question::QuantizeTensor(it) => {
                let (pair, largest) = ((it.from, it.to), it.largest.as_ref().map(Hex::value));
                let (shape, axis) = (&it.shape, it.axis);
                Tensor { rule: it.profile, pair, shape, axis, largest, input: &it.input.0 }
            }
            _ => return Reply::Unsupported("the function quantises blocks".into()),
        };
        if tensor.rule != self.rule || !self.pairs.contains(&tensor.pair) {
            return Reply::Unsupported(format!("the function quantises by {}", self.rule.name()));
        }
        match self.call(&tensor) {
            Ok(bytes) => Reply::Output(Returned { bytes, ..Returned::default() }),
            Err(error) => {
                let message = error.to_string();
                self.ended = Some(error);
                Reply::Crash(message)
            }
        }
    }
}
