//! Wrong methods of casting: the result that each would give for an element. `explain` shows these
//! results, and the gate compares them with what an implementation returned.
//!
//! A method is a small pure function in one table. It returns `None` for an element to which its
//! mistake does not apply.

mod codes;
mod range;
mod rounding;
mod special;
mod undefined;

pub use undefined::{HABITS, Habit, UndefinedInput};

use crate::answers::Answers;
use crate::cases::Line;
use crate::cast::CodeError;
use crate::decode::{self, decode};
use crate::format::{FloatFormat, Kind, NanEncoding, kind};
use crate::number::Rational;
use crate::overflow::Nearest;
use crate::value::Value;
use castproof_vectors::{DType, Expectation, NEWEST, Outcome, Request, Spec};
use std::cell::OnceCell;
use std::cmp::Ordering;

/// A wrong method of casting.
pub struct Method {
    /// What it does, as one short phrase: `rounded through float32`.
    pub name: &'static str,
    /// Is it wrong at some elements only? The other methods are wrong at nearly all.
    pub subtle: bool,
    rule: Rule,
}

/// How a method's result is found.
enum Rule {
    /// From an element that the version refuses to take.
    Refused(fn(&Element) -> Option<u64>),
    /// From the element alone.
    Each(fn(&Element) -> Option<u64>),
    /// From the elements of the whole tensor, for methods that mistake their places.
    Together(fn(&[Element]) -> Vec<Option<u64>>),
}

/// Every method. If two methods explain the same results, the first in this list is preferred.
pub const METHODS: &[Method] = &[
    Method {
        rule: Rule::Refused(Element::as_newest),
        ..subtle("the request was not refused", none)
    },
    subtle("subnormal input flushed to zero", special::flushed_input),
    subtle("subnormal result flushed to zero", special::flushed_result),
    // Rounding.
    subtle("rounded through float32", |element| element.through(DType::Float32)),
    subtle("rounded through float16", |element| element.through(DType::Float16)),
    subtle("rounded through bfloat16", |element| element.through(DType::Bfloat16)),
    subtle("rounded through float64", |element| element.through(DType::Float64)),
    subtle("overflow on the way through float32", |element| {
        element.overflow_through(DType::Float32)
    }),
    subtle("ties rounded away from zero", rounding::ties_away),
    subtle("ties rounded toward zero", rounding::ties_toward_zero),
    subtle("ties rounded up", rounding::ties_up),
    subtle("bits beyond the guard bit ignored", rounding::without_sticky_bits),
    subtle("subnormal results rounded twice", rounding::subnormal_twice),
    subtle("subnormal results truncated", rounding::subnormal_truncated),
    subtle("rounded toward zero", |element| element.by_magnitude(false)),
    subtle("rounded away from zero", |element| element.by_magnitude(true)),
    subtle("rounded toward minus infinity", |element| element.directed(false)),
    subtle("rounded toward plus infinity", |element| element.directed(true)),
    subtle("rounded to the nearest integer, ties to even", rounding::nearest_integer_even),
    subtle("rounded to the nearest integer, ties away from zero", rounding::nearest_integer_away),
    subtle("ties away from zero, beyond the range wrapped", rounding::nearest_integer_wrapped),
    subtle("round_mode ignored", rounding::mode_ignored),
    subtle("round_mode up and down exchanged", rounding::mode_exchanged),
    // Range.
    subtle("saturate ignored: always on", |element| range::with_saturate(element, true)),
    subtle("saturate ignored: always off", |element| range::with_saturate(element, false)),
    subtle("saturate taken for its opposite", range::opposite_saturate),
    subtle("overflow decided before rounding", range::overflow_too_early),
    subtle("rounded up to one step beyond the largest: clamped", |element| {
        range::next_step_clamped(element, Ordering::Less)
    }),
    subtle("one step beyond the largest, or rounded down to it: clamped", |element| {
        range::next_step_clamped(element, Ordering::Greater)
    }),
    subtle("rounded up to one step beyond the largest: NaN", |element| {
        range::next_step_to_nan(element, Ordering::Less)
    }),
    subtle("overflow becomes infinity", range::overflow_to_infinity),
    subtle("overflow becomes NaN", range::overflow_to_nan),
    subtle("overflow becomes zero", range::overflow_to_zero),
    subtle("out of range clamped", range::clamped),
    subtle("out of range wrapped", range::wrapped),
    subtle("infinity becomes the largest", range::infinity_to_largest),
    subtle("infinity becomes NaN", range::infinity_to_nan),
    subtle("infinity kept", range::infinity_kept),
    subtle("infinity becomes zero", range::infinity_to_zero),
    subtle("negative numbers become zero", range::negative_to_zero),
    // Versions.
    subtle("the rules before Cast-24", |element| element.at(23)),
    subtle("the rules since Cast-24", |element| element.at(NEWEST)),
    // NaN, zero, subnormals, truth.
    subtle("NaN becomes infinity", special::nan_to_infinity),
    subtle("NaN becomes the largest", special::nan_to_largest),
    subtle("NaN becomes zero", special::nan_to_zero),
    subtle("NaN cut off to infinity", special::nan_cut_off),
    subtle("NaN rounded as if it were a number", special::nan_as_number),
    subtle("sign of zero lost", special::zero_without_sign),
    subtle("negative zero written as the code of NaN", special::zero_with_sign),
    subtle("smallest float8e8m0 taken for zero", special::scale_zero),
    subtle("truth taken from the code", special::truth_of_code),
    subtle("truth taken from the integral part", special::truth_of_integer),
    subtle("truth taken from the lowest byte", special::truth_of_low_byte),
    subtle("NaN taken for false", special::nan_false),
    // Codes and places.
    blunt("true becomes all ones", special::true_all_ones),
    blunt("sign not extended", codes::sign_not_extended),
    blunt("sign extended where there is none", codes::sign_extended),
    blunt("source read as its sibling format", codes::read_as_sibling),
    blunt("target written as its sibling format", codes::written_as_sibling),
    blunt("exponent bias one too large", |element| codes::scaled(element, 1)),
    blunt("exponent bias one too small", |element| codes::scaled(element, -1)),
    blunt("sign lost", codes::sign_lost),
    blunt("code copied", codes::copied),
    blunt("bytes of the input swapped", codes::input_swapped),
    blunt("bytes of the output swapped", codes::output_swapped),
    Method { rule: Rule::Together(codes::input_places), ..blunt(codes::INPUT_PLACES, none) },
    Method { rule: Rule::Together(codes::output_places), ..blunt(codes::OUTPUT_PLACES, none) },
    Method { rule: Rule::Together(codes::shifted), ..blunt("elements shifted by one", none) },
    Method { rule: Rule::Together(codes::last_lost), ..subtle("last element left out", none) },
];

const fn subtle(name: &'static str, rule: fn(&Element) -> Option<u64>) -> Method {
    Method { name, subtle: true, rule: Rule::Each(rule) }
}

const fn blunt(name: &'static str, rule: fn(&Element) -> Option<u64>) -> Method {
    Method { name, subtle: false, rule: Rule::Each(rule) }
}

fn none(_: &Element) -> Option<u64> {
    None
}

impl Method {
    /// Does the method only show that a request was answered that the version refuses?
    pub fn is_of_refusals(&self) -> bool {
        matches!(self.rule, Rule::Refused(_))
    }

    /// Does the method mistake the places of elements? One element does not show it.
    pub(crate) fn is_of_places(&self) -> bool {
        matches!(self.rule, Rule::Together(_))
    }

    /// Returns what the method makes of the elements at `places` of a tensor.
    pub fn results(&self, tensor: &Tensor, places: &[usize]) -> Vec<Option<u64>> {
        let refused = |element: &Element| element.answer.expect == Outcome::Reject;
        // A request is refused either as a whole or not at all.
        if tensor.elements.first().is_some_and(refused) != matches!(self.rule, Rule::Refused(_)) {
            return vec![None; places.len()];
        }
        match self.rule {
            Rule::Refused(rule) | Rule::Each(rule) => {
                places.iter().map(|&place| tensor.elements.get(place).and_then(rule)).collect()
            }
            Rule::Together(rule) => {
                let all = rule(&tensor.elements);
                places.iter().map(|&place| all.get(place).copied().flatten()).collect()
            }
        }
    }
}

/// The elements of one request, made ready for many methods.
pub struct Tensor {
    elements: Vec<Element>,
}

impl Tensor {
    /// Decodes the elements and asks the rules for each.
    ///
    /// # Errors
    /// As [`crate::cast`].
    pub fn new(request: &Request, codes: &[u64]) -> Result<Tensor, CodeError> {
        Tensor::answered_by(Answers::ORACLE, request, codes)
    }

    /// As [`Tensor::new`], with answers from this source.
    ///
    /// # Errors
    /// As [`crate::cast`].
    pub fn answered_by(
        answers: Answers,
        request: &Request,
        codes: &[u64],
    ) -> Result<Tensor, CodeError> {
        let numeric = |dtype| kind(dtype).ok_or(CodeError::NotNumeric(dtype));
        let (source, target) = (numeric(request.from)?, numeric(request.to)?);
        let element = |&code: &u64| {
            let answer = (answers.cast)(request, code)?;
            let (request, value) = (*request, decode(&source, code));
            let neighbours = OnceCell::new();
            Ok(Element { request, code, source, target, value, answer, answers, neighbours })
        };
        Ok(Tensor { elements: codes.iter().map(element).collect::<Result<_, _>>()? })
    }

    /// The elements, in order.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }
}

/// A number of the target beside the number that is cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its code.
    pub code: u64,
    /// How far it is.
    pub distance: Rational,
}

/// What a method sees of an element.
pub struct Element {
    request: Request,
    code: u64,
    source: Kind,
    target: Kind,
    value: Option<Value>,
    answer: Expectation,
    answers: Answers,
    neighbours: OnceCell<[Option<Neighbour>; 2]>,
}

impl Element {
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
    pub(crate) fn target(&self) -> &Kind {
        &self.target
    }

    fn neighbours(&self) -> &[Option<Neighbour>; 2] {
        self.neighbours.get_or_init(|| {
            let Some(x) = self.value.as_ref().and_then(Value::number) else { return [None, None] };
            let line = Line::new(self.target);
            let floor = line.floor(&x);
            let neighbour = |ordinal| {
                let distance = (line.number(ordinal)? - &x).abs();
                Some(Neighbour { code: line.code(ordinal)?, distance })
            };
            let below = neighbour(floor);
            let exact = below.as_ref().is_some_and(|below| below.distance == 0);
            [below, if exact { None } else { neighbour(floor + 1) }]
        })
    }

    /// The single code that the rules expect; if any NaN is expected, the usual one.
    fn right(&self) -> Option<u64> {
        self.one_code(&self.answer.expect)
    }

    /// The single code that another request would expect.
    fn expected(&self, request: &Request, code: u64) -> Option<u64> {
        self.one_code(&(self.answers.cast)(request, code).ok()?.expect)
    }

    fn one_code(&self, outcome: &Outcome) -> Option<u64> {
        match outcome {
            Outcome::Code(code) => Some(*code),
            Outcome::AnyNan => nan(self.float_target()?),
            Outcome::OneOf(_) | Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
        }
    }

    fn float_source(&self) -> Option<&FloatFormat> {
        match &self.source {
            Kind::Float(format) => Some(format),
            _ => None,
        }
    }

    fn float_target(&self) -> Option<&FloatFormat> {
        match &self.target {
            Kind::Float(format) => Some(format),
            _ => None,
        }
    }

    /// Sign and magnitude of a number.
    fn finite(&self) -> Option<(bool, &Rational)> {
        match self.value.as_ref()? {
            Value::Finite { negative, magnitude } => Some((*negative, magnitude)),
            _ => None,
        }
    }

    /// The number rounded into a float target with a zero.
    fn nearest(&self) -> Option<(bool, Nearest, &FloatFormat)> {
        let format = self.float_target().filter(|format| format.has_subnormals())?;
        let (negative, magnitude) = self.finite()?;
        Some((negative, Nearest::new(magnitude, format), format))
    }

    fn is_nan(&self) -> bool {
        matches!(self.value, Some(Value::Nan { .. }))
    }

    /// The sign of an infinity.
    fn infinity(&self) -> Option<bool> {
        match self.value.as_ref()? {
            Value::Infinite { negative } => Some(*negative),
            _ => None,
        }
    }

    /// The result at another version.
    fn at(&self, opset: u32) -> Option<u64> {
        let Spec::Onnx { op, .. } = self.request.spec else { return None };
        self.expected(&Request { spec: Spec::Onnx { op, opset }, ..self.request }, self.code)
    }

    fn as_newest(&self) -> Option<u64> {
        self.at(NEWEST)
    }
}

/// The usual NaN: quiet, positive, without payload.
fn nan(format: &FloatFormat) -> Option<u64> {
    match format.nan {
        NanEncoding::None => None,
        NanEncoding::TopBinade => {
            Some(format.top_binade() | 1 << format.significand_bits.saturating_sub(1))
        }
        NanEncoding::AllOnes => Some(format.magnitude_mask()),
        NanEncoding::NegativeZero => Some(format.sign_bit()),
    }
}

/// Is the code a NaN of the target of these elements?
pub(crate) fn is_nan(kind: &Kind, code: u64) -> bool {
    matches!(kind, Kind::Float(format) if decode::is_nan(format, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, method) in METHODS.iter().enumerate() {
            assert!(METHODS[..index].iter().all(|other| other.name != method.name));
        }
    }
}
