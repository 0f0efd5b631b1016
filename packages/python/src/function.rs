//! A Python function as a testee in this process.

use crate::request::{Cast, wrong};
use castproof_check::fuzz::Draw;
use castproof_testee::{Feature, Form, Identity, Reply, Testee};
use castproof_vectors::{Attributes, Profile, Request, Spec};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::collections::HashMap;

/// A function that does one cast, whatever the attributes of a request are.
pub(crate) struct Function {
    identity: Identity,
    request: Request,
    features: Vec<Feature>,
    /// Takes the shape, the layout and the elements of a tensor, and returns the elements of the
    /// output. Elements are packed, as the protocol has them.
    ask: Py<PyAny>,
    /// Whether a request with these attributes has the same answers as the function's own.
    same: HashMap<Attributes, bool>,
    /// The exception that ended the run.
    ended: Option<PyErr>,
}

impl Function {
    /// `features` are words of the protocol. Raises `ValueError` for another word.
    pub(crate) fn new(
        ask: Py<PyAny>,
        identity: Identity,
        cast: &Cast,
        features: &[String],
    ) -> PyResult<Function> {
        let feature = |name: &String| {
            let found = Feature::ALL.into_iter().find(|feature| feature.name() == name);
            found.ok_or_else(|| {
                let known = Feature::ALL.map(Feature::name).join(", ");
                wrong(format!("unknown feature '{name}'; known are {known}"))
            })
        };
        let features = features.iter().map(feature).collect::<PyResult<_>>()?;
        let (same, ended) = (HashMap::new(), None);
        Ok(Function { identity, request: cast.request, features, ask, same, ended })
    }

    /// Returns the exception that ended the run, if one did.
    pub(crate) fn ended(self) -> Option<PyErr> {
        self.ended
    }

    /// Does the request ask for what the function does? An attribute that is not given has its
    /// default, and some targets ignore attributes, so the answers decide.
    fn does(&mut self, request: &Request) -> bool {
        let own = &self.request;
        (request.spec, request.from, request.to) == (own.spec, own.from, own.to)
            && *self.same.entry(request.attributes).or_insert_with(|| is_same(request, own))
    }

    fn call(&self, form: &Form, input: &[u8]) -> PyResult<Vec<u8>> {
        Python::attach(|py| {
            py.check_signals()?;
            let shape = PyTuple::new(py, &form.shape)?;
            let input = PyBytes::new(py, input);
            let output = self.ask.call1(py, (shape, form.layout.name(), input))?;
            Ok(output.cast_bound::<PyBytes>(py)?.as_bytes().to_vec())
        })
    }
}

/// Do two requests that differ only in attributes have the same answers?
fn is_same(one: &Request, other: &Request) -> bool {
    let (Ok(one), Ok(other)) = (Draw::of(one), Draw::of(other)) else { return false };
    let answers = |draw: &Draw| -> Vec<_> {
        let pieces = draw.pieces().iter();
        pieces.map(|it| (it.first, it.formula.clone(), it.tolerate.clone())).collect()
    };
    answers(&one) == answers(&other)
}

impl Testee for Function {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn given_up(&self) -> Option<String> {
        self.ended.as_ref().map(PyErr::to_string)
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.cast_formed(request, &Form::flat(count), input)
    }

    fn features(&self) -> Vec<Feature> {
        self.features.clone()
    }

    fn profiles(&self) -> Vec<Profile> {
        match self.request.spec {
            Spec::Profile(profile) => vec![profile],
            Spec::Onnx { .. } => vec![],
        }
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        if self.ended.is_some() {
            return Reply::Crash("an exception ended the run".into());
        }
        if !self.does(request) {
            return Reply::Unsupported(format!("the function does {}", self.request));
        }
        self.call(form, input).map_or_else(
            |error| {
                let message = error.to_string();
                self.ended = Some(error);
                Reply::Crash(message)
            },
            Reply::Output,
        )
    }
}
