//! A Python function that quantises or dequantises linearly, as a testee in this process.

use castproof_testee::{Identity, Reply, Returned, Testee};
use castproof_vectors::{DType, Linear, Question, Request, element_count, pack};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// How many numbers share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Those of the tensor.
    Tensor,
    /// Those of one place along an axis.
    Axis,
    /// Those of a block along an axis.
    Blocks,
}

impl Sharing {
    /// All, by the words of the function of Python.
    pub(crate) const ALL: [(&'static str, Sharing); 3] =
        [("tensor", Sharing::Tensor), ("axis", Sharing::Axis), ("blocks", Sharing::Blocks)];

    fn of(node: &Linear) -> Sharing {
        match (node.scale_shape.is_empty(), node.block_size) {
            (true, _) => Sharing::Tensor,
            (false, None | Some(0)) => Sharing::Axis,
            (false, Some(_)) => Sharing::Blocks,
        }
    }
}

/// A function that does nodes of ONNX's `QuantizeLinear` or of its `DequantizeLinear`.
pub(crate) struct LinearFunction {
    pub(crate) identity: Identity,
    /// Does it quantise? It dequantises otherwise.
    pub(crate) quantises: bool,
    /// The dtypes of what it takes and of what it returns. Scales have the dtype of the numbers.
    pub(crate) pair: (DType, DType),
    pub(crate) sharings: Vec<Sharing>,
    /// The attribute `saturate`, where the function has it.
    pub(crate) saturate: bool,
    /// Takes the shape, that of the scales, the axis, the block size, the elements, the scales and the zero points, and
    /// returns the elements of the output. Elements are packed, as the protocol has them.
    pub(crate) ask: Py<PyAny>,
    /// The exception that ended the run.
    pub(crate) ended: Option<PyErr>,
}

impl LinearFunction {
    /// Returns the node of a question, if it is one that the function does.
    fn node<'a>(&self, question: &'a Question) -> Option<&'a Linear> {
        let (node, number) = match question {
            Question::QuantizeLinear(node) if self.quantises => (node, node.from),
            Question::DequantizeLinear(node) if !self.quantises => (node, node.to),
            _ => return None,
        };
        let does = (node.from, node.to) == self.pair
            && node.scale == number
            && node.precision.is_none_or(|precision| precision == number)
            && node.saturate.unwrap_or(true) == self.saturate
            && self.sharings.contains(&Sharing::of(node));
        does.then_some(node)
    }

    fn call(&self, node: &Linear) -> PyResult<Vec<u8>> {
        Python::attach(|py| {
            py.check_signals()?;
            let (shape, scales) =
                (PyTuple::new(py, &node.shape)?, PyTuple::new(py, &node.scale_shape)?);
            // A node without zero points is one whose zero points are 0.
            let none = || {
                let small = if self.quantises { self.pair.1 } else { self.pair.0 };
                pack(small, &vec![0; element_count(&node.scale_shape)?])
            };
            let zero_points = node.zero_points.as_ref().map_or_else(none, |it| Ok(it.0.clone()));
            let zero_points = zero_points.map_err(crate::request::wrong)?;
            let axis = node.axis_of_scales().zip(Some(node.block_size));
            let words = (
                shape,
                scales,
                axis.map(|(axis, _)| axis),
                axis.and_then(|(_, size)| size),
                PyBytes::new(py, &node.input.0),
                PyBytes::new(py, &node.scales.0),
                PyBytes::new(py, &zero_points),
            );
            let output = self.ask.call1(py, words)?;
            Ok(output.cast_bound::<PyBytes>(py)?.as_bytes().to_vec())
        })
    }
}

impl Testee for LinearFunction {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn given_up(&self) -> Option<String> {
        self.ended.as_ref().map(PyErr::to_string)
    }

    fn cast(&mut self, _request: &Request, _count: usize, _input: &[u8]) -> Reply {
        Reply::Unsupported("the function does nodes of linear quantisation".into())
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        if self.ended.is_some() {
            return Reply::Crash("an exception ended the run".into());
        }
        let Some(node) = self.node(question) else {
            return Reply::Unsupported("the function does other nodes".into());
        };
        match self.call(node) {
            Ok(bytes) => Reply::Output(Returned { bytes, ..Returned::default() }),
            Err(error) => {
                let message = error.to_string();
                self.ended = Some(error);
                Reply::Crash(message)
            }
        }
    }
}
