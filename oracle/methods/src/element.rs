//! The elements of one request, as wrong methods see them.

use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, FloatFormat, NanEncoding, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Answers, CodeError, Neighbour, Value, neighbours};
use castproof_vectors::{Expectation, NEWEST, Outcome, Request, Spec};
use std::cell::OnceCell;

/// The elements of one request, made ready for many methods.
pub struct MethodTensor {
    elements: Vec<MethodElement>,
}

impl MethodTensor {
    /// Decodes the elements and asks the rules for each.
    ///
    /// # Errors
    /// As [`castproof_oracle::cast`].
    pub fn new(request: &Request, codes: &[u64]) -> Result<MethodTensor, CodeError> {
        MethodTensor::answered_by(Answers::ORACLE, request, codes)
    }

    /// As [`MethodTensor::new`], with answers from this source.
    ///
    /// # Errors
    /// As [`castproof_oracle::cast`].
    pub fn answered_by(
        answers: Answers,
        request: &Request,
        codes: &[u64],
    ) -> Result<MethodTensor, CodeError> {
        let numeric = |dtype| kind(dtype).ok_or(CodeError::NotNumeric(dtype));
        let (source, target) = (numeric(request.from)?, numeric(request.to)?);
        let element = |&code: &u64| {
            let answer = (answers.cast)(request, code)?;
            let (request, value) = (*request, decode(&source, code));
            let neighbours = OnceCell::new();
            Ok(MethodElement { request, code, source, target, value, answer, answers, neighbours })
        };
        Ok(MethodTensor { elements: codes.iter().map(element).collect::<Result<_, _>>()? })
    }

    /// The elements, in order.
    pub fn elements(&self) -> &[MethodElement] {
        &self.elements
    }
}

/// What a method sees of an element.
pub struct MethodElement {
    pub(crate) request: Request,
    pub(crate) code: u64,
    source: CodeKind,
    pub(crate) target: CodeKind,
    value: Option<Value>,
    pub(crate) answer: Expectation,
    pub(crate) answers: Answers,
    neighbours: OnceCell<[Option<Neighbour>; 2]>,
}

impl MethodElement {
    /// What the rules expect.
    pub fn answer(&self) -> &Expectation {
        &self.answer
    }

    /// The value of the code; `None` for a bool byte other than 0 and 1.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// The largest number of the target that is not above the value, if there is one.
    pub fn below(&self) -> Option<&Neighbour> {
        self.neighbours()[0].as_ref()
    }

    /// The smallest number of the target that is above the value, if there is one. Absent if the
    /// target holds the value exactly.
    pub fn above(&self) -> Option<&Neighbour> {
        self.neighbours()[1].as_ref()
    }

    /// How codes of the target are read.
    pub(crate) fn target(&self) -> &CodeKind {
        &self.target
    }

    fn neighbours(&self) -> &[Option<Neighbour>; 2] {
        self.neighbours.get_or_init(|| match self.value.as_ref().and_then(Value::number) {
            Some(number) => neighbours(&self.target, &number),
            None => [None, None],
        })
    }

    /// The single code that the rules expect; if any NaN is expected, the usual one.
    pub fn right(&self) -> Option<u64> {
        self.one_code(&self.answer.expect)
    }

    /// The single code that another request would expect.
    pub(crate) fn expected(&self, request: &Request, code: u64) -> Option<u64> {
        self.one_code(&(self.answers.cast)(request, code).ok()?.expect)
    }

    fn one_code(&self, outcome: &Outcome) -> Option<u64> {
        match outcome {
            Outcome::Code(code) => Some(*code),
            Outcome::AnyNan | Outcome::QuietNan => nan(self.float_target()?),
            Outcome::OneOf(_) | Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
        }
    }

    pub(crate) fn float_source(&self) -> Option<&FloatFormat> {
        match &self.source {
            CodeKind::Float(format) => Some(format),
            _ => None,
        }
    }

    pub(crate) fn float_target(&self) -> Option<&FloatFormat> {
        match &self.target {
            CodeKind::Float(format) => Some(format),
            _ => None,
        }
    }

    /// Sign and magnitude of a number.
    pub(crate) fn finite(&self) -> Option<(bool, &Rational)> {
        match self.value.as_ref()? {
            Value::Finite { negative, magnitude } => Some((*negative, magnitude)),
            _ => None,
        }
    }

    /// The number rounded into a float target with a zero.
    pub(crate) fn nearest(&self) -> Option<(bool, Nearest, &FloatFormat)> {
        let format = self.float_target().filter(|format| format.has_subnormals())?;
        let (negative, magnitude) = self.finite()?;
        Some((negative, Nearest::new(magnitude, format), format))
    }

    pub(crate) fn is_nan(&self) -> bool {
        matches!(self.value, Some(Value::Nan { .. }))
    }

    /// The sign of an infinity.
    pub(crate) fn infinity(&self) -> Option<bool> {
        match self.value.as_ref()? {
            Value::Infinite { negative } => Some(*negative),
            _ => None,
        }
    }

    /// The result at another version.
    pub(crate) fn at(&self, opset: u32) -> Option<u64> {
        let Spec::Onnx { op, .. } = self.request.spec else { return None };
        self.expected(&Request { spec: Spec::Onnx { op, opset }, ..self.request }, self.code)
    }

    pub(crate) fn as_newest(&self) -> Option<u64> {
        self.at(NEWEST)
    }
}

/// The usual NaN: quiet, positive, without payload.
pub(crate) fn nan(format: &FloatFormat) -> Option<u64> {
    match format.nan {
        NanEncoding::None => None,
        NanEncoding::TopBinade => {
            Some(format.top_binade() | 1 << format.significand_bits.saturating_sub(1))
        }
        NanEncoding::AllOnes => Some(format.magnitude_mask()),
        NanEncoding::NegativeZero => Some(format.sign_bit()),
    }
}
