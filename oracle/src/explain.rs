//! The way of one element, as a person would work it out, and where wrong ways would end.

use crate::cases::Line;
use crate::cast::{Caster, CodeError};
use crate::decode::{self, decode};
use crate::encode;
use crate::format::{FloatFormat, Kind, ZeroEncoding, kind};
use crate::value::Value;
use castproof_vectors::{Attributes, DType, Expectation, Outcome, Request};
use rug::Rational;

/// A number of the target beside the number that is cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its code.
    pub code: u64,
    /// How far it is.
    pub distance: Rational,
}

/// The way of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What the code stands for; `None` for a bool byte other than 0 and 1.
    pub value: Option<Value>,
    /// The largest number of the target that is not above the value, if there is one.
    pub below: Option<Neighbour>,
    /// The smallest number of the target that is above the value, if there is one. Absent where
    /// the target holds the value exactly.
    pub above: Option<Neighbour>,
    /// What must become of it.
    pub answer: Expectation,
    /// Common wrong methods that give something else, each with its code.
    pub wrong: Vec<(&'static str, u64)>,
}

/// Explains what `request` makes of the element `code`.
///
/// # Errors
/// As [`crate::cast`].
pub fn explain(request: &Request, code: u64) -> Result<Explanation, CodeError> {
    let answer = Caster::new(request)?.cast(code)?;
    let (Some(source), Some(target)) = (kind(request.from), kind(request.to)) else {
        return Ok(Explanation { value: None, below: None, above: None, answer, wrong: vec![] });
    };
    let value = decode(&source, code);
    let number = value.as_ref().and_then(Value::number);
    let (below, above) = number.as_ref().map_or((None, None), |x| neighbours(target, x));
    let element = Element { request: *request, code, source, target, value, below, above };
    let ends = METHODS.iter().filter_map(|(name, method)| Some((*name, method(&element)?)));
    // Where nothing in particular is demanded, no method is wrong.
    let demands = !matches!(answer.expect, Outcome::Any | Outcome::Reject);
    let right = |end| answer.expect.admits(end, |code| is_nan(&target, code), |_| true);
    let wrong = ends.filter(|&(_, end)| demands && !right(end)).collect();
    let Element { value, below, above, .. } = element;
    Ok(Explanation { value, below, above, answer, wrong })
}

fn neighbours(target: Kind, x: &Rational) -> (Option<Neighbour>, Option<Neighbour>) {
    let line = Line::new(target);
    let floor = line.floor(x);
    let neighbour = |ordinal| {
        let distance = (line.number(ordinal)? - x).abs();
        Some(Neighbour { code: line.code(ordinal)?, distance })
    };
    let below = neighbour(floor);
    let exact = below.as_ref().is_some_and(|below| below.distance == 0);
    (below, if exact { None } else { neighbour(floor + 1) })
}

fn is_nan(kind: &Kind, code: u64) -> bool {
    matches!(kind, Kind::Float(format) if decode::is_nan(format, code))
}

/// What a wrong method sees.
struct Element {
    request: Request,
    code: u64,
    source: Kind,
    target: Kind,
    value: Option<Value>,
    below: Option<Neighbour>,
    above: Option<Neighbour>,
}

/// A wrong method: the code that it gives, if it applies to the element at all.
type Method = fn(&Element) -> Option<u64>;

/// The wrong methods that are common in the field.
const METHODS: &[(&str, Method)] = &[
    ("rounded through float32", |element| element.through(DType::Float32)),
    ("rounded through float16", |element| element.through(DType::Float16)),
    ("rounded through float64", |element| element.through(DType::Float64)),
    ("rounded toward zero", |element| element.by_magnitude(false)),
    ("rounded away from zero", |element| element.by_magnitude(true)),
    ("ties rounded away from zero", |element| element.tie(true)),
    ("ties rounded toward zero", |element| element.tie(false)),
    ("saturate taken for its opposite", Element::opposite_saturate),
    ("out of range clamped", Element::clamped),
    ("the rules before Cast-24", |element| element.at(23)),
    ("the rules since Cast-24", |element| element.at(28)),
    ("sign of zero lost", Element::zero_without_sign),
    ("subnormal input flushed to zero", Element::flushed_input),
    ("subnormal result flushed to zero", Element::flushed_result),
];

impl Element {
    /// The one code that a request expects.
    fn expected(request: &Request, code: u64) -> Option<u64> {
        match Caster::new(request).ok()?.cast(code).ok()?.expect {
            Outcome::Code(code) => Some(code),
            _ => None,
        }
    }

    fn through(&self, middle: DType) -> Option<u64> {
        let Request { op, from, to, opset, .. } = self.request;
        if from == middle || to == middle {
            return None;
        }
        let first = Request { op, from, to: middle, opset, attributes: Attributes::default() };
        let between = Element::expected(&first, self.code)?;
        Element::expected(&Request { from: middle, ..self.request }, between)
    }

    /// The code of the neighbour with the smaller or the larger magnitude, with the sign of the
    /// value also where it is zero.
    fn by_magnitude(&self, larger: bool) -> Option<u64> {
        let negative = self.value.as_ref()?.number()? < 0;
        let exact = self.below.as_ref().filter(|below| below.distance == 0);
        let towards_minus = negative == larger;
        let neighbour = if towards_minus { &self.below } else { &self.above }.as_ref().or(exact)?;
        Some(match &self.target {
            Kind::Float(format) if negative => encode::signed(format, true, neighbour.code),
            _ => neighbour.code,
        })
    }

    fn tie(&self, away: bool) -> Option<u64> {
        let (below, above) = (self.below.as_ref()?, self.above.as_ref()?);
        if below.distance == above.distance { self.by_magnitude(away) } else { None }
    }

    fn opposite_saturate(&self) -> Option<u64> {
        let saturate = Some(!self.request.attributes.saturate.unwrap_or(true));
        let attributes = Attributes { saturate, ..self.request.attributes };
        Element::expected(&self.request.with(attributes), self.code)
    }

    fn at(&self, opset: u32) -> Option<u64> {
        Element::expected(&Request { opset, ..self.request }, self.code)
    }

    /// The end of the target's range, where only one side has a neighbour.
    fn clamped(&self) -> Option<u64> {
        match (&self.below, &self.above) {
            (Some(end), None) if end.distance != 0 => Some(end.code),
            (None, Some(end)) => Some(end.code),
            _ => None,
        }
    }

    fn zero_without_sign(&self) -> Option<u64> {
        let Kind::Float(format) = &self.target else { return None };
        let right = Element::expected(&self.request, self.code)?;
        (format.zero == ZeroEncoding::Signed && right == format.sign_bit()).then_some(0)
    }

    fn flushed_input(&self) -> Option<u64> {
        let Kind::Float(format) = &self.source else { return None };
        let flushed = flushed(format, self.code)?;
        Element::expected(&self.request, flushed)
    }

    fn flushed_result(&self) -> Option<u64> {
        let Kind::Float(format) = &self.target else { return None };
        flushed(format, Element::expected(&self.request, self.code)?)
    }
}

/// The zero with the sign of a subnormal code; `None` for other codes.
fn flushed(format: &FloatFormat, code: u64) -> Option<u64> {
    let magnitude = code & format.magnitude_mask();
    let subnormal =
        format.has_subnormals() && (1..1 << format.significand_bits).contains(&magnitude);
    subnormal.then_some(code & format.sign_bit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(from: DType, code: u64, to: DType, opset: u32) -> (Explanation, Vec<&'static str>) {
        let explanation = explain(&Request::cast(from, to, opset), code).expect("a numeric pair");
        let names = explanation.wrong.iter().map(|(name, _)| *name).collect();
        (explanation, names)
    }

    #[test]
    fn a_number_just_above_a_tie_of_float16() {
        let (way, wrong) = ends(DType::Float64, 0x3ff0_0200_0000_0001, DType::Float16, 13);
        let (below, above) = (way.below.expect("1"), way.above.expect("next"));
        assert_eq!((below.code, above.code), (0x3c00, 0x3c01));
        let unit = Rational::from(1) >> 51; // twice the source's last place
        assert_eq!(below.distance - above.distance, unit);
        assert_eq!(wrong, ["rounded through float32", "rounded toward zero"]);
    }

    #[test]
    fn each_method_goes_wrong_somewhere() {
        use DType::*;
        for (name, from, code, to, opset, end) in [
            ("rounded through float32", Float64, 0x3ff0_0200_0000_0001, Float16, 13, 0x3c00),
            ("rounded through float16", Float32, 0x3f88_0001, Float8E4M3FN, 19, 0x38),
            ("rounded through float64", Uint64, 0x8000_0080_0000_0001, Float32, 13, 0x5f00_0000),
            ("rounded toward zero", Float32, 0xbf80_3000, Float16, 13, 0xbc01),
            ("rounded away from zero", Float32, 0xbf80_1000, Float16, 13, 0xbc01),
            ("ties rounded away from zero", Float32, 0x3f80_1000, Float16, 13, 0x3c01),
            ("ties rounded toward zero", Float32, 0x3f80_3000, Float16, 13, 0x3c01),
            ("saturate taken for its opposite", Float32, 0x47c0_0000, Float8E5M2, 19, 0x7c),
            ("out of range clamped", Int16, 0x00c8, Int8, 13, 0x7f),
            ("the rules before Cast-24", Float32, 0x7f80_0000, Float8E4M3FNUZ, 24, 0x80),
            ("the rules since Cast-24", Float32, 0x7f80_0000, Float8E4M3FNUZ, 23, 0x7f),
            ("sign of zero lost", Float32, 0x8000_0000, Float16, 13, 0),
            ("subnormal input flushed to zero", Float16, 0x0001, Float32, 13, 0),
            ("subnormal result flushed to zero", Float32, 0xb380_0000, Float16, 13, 0x8000),
        ] {
            let (way, _) = ends(from, code, to, opset);
            assert!(way.wrong.contains(&(name, end)), "{name}: {:x?}", way.wrong);
        }
    }

    #[test]
    fn nothing_is_wrong_where_nothing_is_demanded() {
        let (_, wrong) = ends(DType::Float32, 0x7fc0_0000, DType::Int8, 13);
        assert_eq!(wrong, [""; 0]);
        let (way, wrong) = ends(DType::Float32, 0, DType::Float8E8M0, 13);
        assert_eq!((way.answer.expect, wrong), (Outcome::Reject, vec![]));
    }
}
